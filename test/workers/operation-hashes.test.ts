import { randomBytes } from 'node:crypto';

import t from 'tap';

import { operationsRoot } from '../../server/tlog/leaf/segment-statement.ts';
import { WorkbookKey } from '../../server/tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { OperationHashes } from '../../workers/kernel-hashes.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

// The kernel's hashes of operations against those that anybody computes who reads the log.

const branch = '3';
const random = new SeededRandom(testSeed);
const key = new WorkbookKey(nodeCrypto.sha256, randomBytes(32));
const hashes = new OperationHashes();

function pack(operations: readonly Uint8Array[]): Buffer {
  return Buffer.concat(
    operations.flatMap((operation) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(operation.length);
      return [length, operation];
    }),
  );
}

function both(firstSeq: number, operations: readonly Uint8Array[]) {
  const lastSeq = firstSeq + operations.length - 1;
  const body = pack(operations);
  return {
    expected: operationsRoot(nodeCrypto.sha256, key, { branch, firstSeq, lastSeq, operations }),
    found: hashes.root({ firstSeq, lastSeq, body }, key.nonceKey(branch)),
  };
}

const operationsOf = (...lengths: number[]) => lengths.map((length) => randomBytes(length));

t.test('one operation of each length around the ends of blocks', async (t) => {
  const wrong = Array.from({ length: 300 }, (_, length) => length).filter((length) => {
    const { expected, found } = both(length + 1, operationsOf(length));
    return !found || Buffer.compare(expected, found) !== 0;
  });
  t.same(wrong, []);
});

t.test('as many operations as there are shapes of small trees', async (t) => {
  for (let count = 1; count <= 70; count++) {
    const lengths = Array.from({ length: count }, () => random.between(0, 600));
    const { expected, found } = both(count, operationsOf(...lengths));
    t.strictSame(found, new Uint8Array(expected), `${count} operations`);
  }
});

t.test('a full segment, and sequence numbers of more than 32 bits', async (t) => {
  const lengths = Array.from({ length: 1000 }, () => 100 + random.between(0, 99));
  for (const firstSeq of [1, 2 ** 32 - 500, 2 ** 45]) {
    const { expected, found } = both(firstSeq, operationsOf(...lengths));
    t.strictSame(found, new Uint8Array(expected));
  }
});

t.test('what it does not take it says nothing about', async (t) => {
  const nonceKey = key.nonceKey(branch);
  const body = pack(operationsOf(10, 20));
  const rootOf = (lastSeq: number, bytes: Uint8Array) =>
    hashes.root({ firstSeq: 1, lastSeq, body: bytes }, nonceKey);
  t.ok(rootOf(2, body));
  t.equal(rootOf(3, body), undefined, 'one operation too few');
  t.equal(rootOf(1, body), undefined, 'one too many');
  t.equal(rootOf(2, body.subarray(0, -1)), undefined, 'cut in an operation');
  t.equal(rootOf(2, body.subarray(0, 16)), undefined, 'cut in a length');
  t.equal(rootOf(1, new Uint8Array()), undefined, 'nothing');
  t.equal(rootOf(1, pack(operationsOf(5000))), undefined, 'long operations');
  t.ok(rootOf(2, body), 'and goes on');
});
