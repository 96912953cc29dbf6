import { createHmac, hkdfSync } from 'node:crypto';
import * as fc from 'fast-check';
import t from 'tap';

import { hkdfSha256, hmacSha256 } from '../../../../server/tlog/leaf/hmac.ts';
import { sha256 } from '../../../../server/tlog/tree/sha256.ts';
import { caseCount } from '../../../support/case-count.ts';

const bytes = fc.uint8Array({ maxLength: 150 });

t.test('HMAC is that of OpenSSL, with keys of any length', async (t) => {
  fc.assert(
    fc.property(bytes, bytes, (key, message) => {
      const expected = createHmac('sha256', key).update(message).digest();
      t.same(Buffer.from(hmacSha256(sha256, key, message)), expected);
    }),
    { numRuns: caseCount(200) },
  );
});

t.test('HKDF is that of OpenSSL, up to one block', async (t) => {
  fc.assert(
    fc.property(bytes, bytes, fc.integer({ min: 1, max: 32 }), (secret, info, length) => {
      const expected = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), info, length));
      t.same(Buffer.from(hkdfSha256(sha256, secret, info, length)), expected);
    }),
    { numRuns: caseCount(200) },
  );
  t.throws(() => hkdfSha256(sha256, new Uint8Array(32), new Uint8Array(), 33), RangeError);
});
