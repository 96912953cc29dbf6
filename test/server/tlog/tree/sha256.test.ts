import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import t from 'tap';

import { sha256 } from '../../../../server/tlog/tree/sha256.ts';
import { caseCount } from '../../../support/case-count.ts';

function expected(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function own(bytes: Uint8Array): string {
  return Buffer.from(sha256(bytes)).toString('hex');
}

t.test('it has the hashes that OpenSSL has, at every length around its blocks', async (t) => {
  for (let length = 0; length <= 260; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) & 0xff);
    t.equal(own(bytes), expected(bytes), `${length} bytes`);
  }
  const large = new Uint8Array(1 << 20).fill(0xa5);
  t.equal(own(large), expected(large));
});

t.test('it has the hashes that OpenSSL has of anything', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => own(bytes) === expected(bytes)),
    { numRuns: caseCount(500) },
  );
  t.equal(
    own(Buffer.from('abc')),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
