import t from 'tap';

import {
  OperationTree,
  verifyOperation,
  type OperationProof,
} from '../../../../server/tlog/leaf/operation-proof.ts';
import type { Statement } from '../../../../server/tlog/leaf/statement.ts';
import { WorkbookKey } from '../../../../server/tlog/leaf/workbook-key.ts';
import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import { changedBytes, hasher } from '../../../support/log-double.ts';
import { Rfc6962 } from '../../../support/rfc6962.ts';
import { statement } from '../../../support/statements.ts';

const key = new WorkbookKey(nodeCrypto.sha256, new Uint8Array(32).fill(5));
const place = { key, branch: 'main' };
const firstSeq = 11;

function operations(count: number): { seq: number; bytes: Uint8Array }[] {
  return Array.from({ length: count }, (_, index) => ({
    seq: firstSeq + index,
    bytes: Buffer.from(`operation ${firstSeq + index}`),
  }));
}

function segment(count: number): { tree: OperationTree; statement: Statement } {
  const tree = new OperationTree(hasher, place, operations(count));
  const range = { firstSeq, lastSeq: firstSeq + count - 1 };
  return { tree, statement: { ...statement, ...range, operations: tree.root } };
}

t.test('every operation of a segment is proven by itself', async (t) => {
  for (const count of [1, 2, 3, 7, 255, 256, 257, 1_000]) {
    const { tree, statement: said } = segment(count);
    for (const { seq, bytes } of operations(count)) {
      verifyOperation(hasher, said, bytes, tree.prove(seq));
    }
    const leaves = operations(count).map(({ seq, bytes }) =>
      Buffer.concat([key.nonce('main', seq), bytes]),
    );
    t.same(tree.root, new Rfc6962(leaves).root(0, count), `the root over ${count}`);
  }
});

t.test('no other operation, place or statement is proven', async (t) => {
  const { tree, statement: said } = segment(7);
  const bytes = Buffer.from('operation 13');
  const proof = tree.prove(13);
  verifyOperation(hasher, said, bytes, proof);
  const refuse = (changed: Uint8Array, given: OperationProof, by: Statement = said): void => {
    t.throws(() => verifyOperation(hasher, by, changed, given), { name: 'ProofFault' });
  };
  for (const changed of changedBytes(bytes)) refuse(changed, proof);
  for (const nonce of changedBytes(proof.nonce)) refuse(bytes, { ...proof, nonce });
  for (let seq = 0; seq < 30; seq++) {
    if (seq !== 13) refuse(bytes, { ...proof, seq });
  }
  refuse(bytes, { ...proof, nonce: new Uint8Array(15) });
  refuse(bytes, proof, { ...said, lastSeq: 12 });
  refuse(bytes, proof, { ...said, firstSeq: 12 });
  refuse(bytes, proof, { ...said, firstSeq: 0, lastSeq: 0 });
  refuse(bytes, proof, { ...said, operations: new Uint8Array(32) });
});

// With the nonce in front of the bytes, and always as long, no two pairs run together.
t.test('the boundary of nonce and operation cannot be moved', async (t) => {
  const { tree, statement: said } = segment(1);
  const proof = tree.prove(firstSeq);
  const whole = Buffer.concat([proof.nonce, Buffer.from('operation 11')]);
  for (const length of [0, 15, 17, whole.length]) {
    const moved = { ...proof, nonce: whole.subarray(0, length) };
    const verify = (): void => verifyOperation(hasher, said, whole.subarray(length), moved);
    t.throws(verify, { name: 'ProofFault' });
  }
});

t.test('a segment without operations has the root of no entries', async (t) => {
  t.same(new OperationTree(hasher, place, []).root, hasher.empty());
  t.throws(() => new OperationTree(hasher, place, []).prove(0), RangeError);
});
