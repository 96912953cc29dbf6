import { createHmac, hkdfSync } from 'node:crypto';
import * as fc from 'fast-check';
import t from 'tap';

import { hkdfExpand, hkdfExtract, hmacSha256 } from '../../../../server/tlog/leaf/hmac.ts';
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

t.test('HKDF is that of OpenSSL, as far as one block goes', async (t) => {
  fc.assert(
    fc.property(bytes, bytes, (secret, info) => {
      const expected = Buffer.from(hkdfSync('sha256', secret, new Uint8Array(), info, 32));
      const key = hkdfExtract(sha256, secret);
      t.same(Buffer.from(hkdfExpand(sha256, key, info)), expected);
    }),
    { numRuns: caseCount(200) },
  );
});
