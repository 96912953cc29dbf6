import t from 'tap';

import { encodeBase64 } from '../../../../server/tlog/encoding/base64.ts';
import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import {
  formatVerifierKey,
  makeVerifierKey,
  parseVerifierKey,
} from '../../../../server/tlog/note/verifier-key.ts';
import { changedBytes } from '../../../support/log-double.ts';

const { sha256 } = nodeCrypto;
const foo = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';

t.test('the base64 may have a plus sign of its own', async (t) => {
  let plusCount = 0;
  for (let byte = 0; byte < 256; byte++) {
    const publicKey = new Uint8Array(32).fill(byte);
    for (const type of ['ed25519', 'cosignature'] as const) {
      const key = makeVerifierKey(sha256, { name: 'log.example', type, publicKey });
      const text = formatVerifierKey(key);
      t.same(parseVerifierKey(sha256, text), key);
      if (text.split('+').length > 3) plusCount++;
    }
  }
  t.ok(plusCount > 0, `${plusCount} keys have one`);
});

t.test('every changed byte of a verifier key is noticed', async (t) => {
  for (const changed of changedBytes(Buffer.from(foo))) {
    const text = Buffer.from(changed).toString('latin1');
    t.throws(() => parseVerifierKey(sha256, text), { name: 'FormatFault' }, text);
  }
});

t.test('one key signs in two ways without the two being taken for each other', async (t) => {
  const publicKey = new Uint8Array(32).fill(7);
  const log = makeVerifierKey(sha256, { name: 'a.example', type: 'ed25519', publicKey });
  const witness = makeVerifierKey(sha256, { name: 'a.example', type: 'cosignature', publicKey });
  const other = makeVerifierKey(sha256, { name: 'b.example', type: 'ed25519', publicKey });
  t.equal(new Set([log.id, witness.id, other.id]).size, 3);
});

t.test('what is no verifier key is refused, and said why', async (t) => {
  const key = (bytes: number[]): string => encodeBase64(Uint8Array.from(bytes));
  const wrong: [string, RegExp][] = [
    ['', /name\+id\+key/],
    ['example.com', /name\+id\+key/],
    ['example.com+530d903a', /name\+id\+key/],
    [foo.toUpperCase(), /eight lower hex/],
    [foo.replace('530d903a', '530D903A'), /eight lower hex/],
    [foo.replace('530d903a', '30d903a'), /eight lower hex/],
    [foo.replace('530d903a', '530d903b'), /lost or changed/],
    [foo.replace('foo', 'f o'), /cannot name a key/],
    [foo.slice(foo.indexOf('+')), /cannot name a key/],
    [`${foo}\n`, /base64/],
    [`${foo}=`, /base64/],
    ['a+00000000+', /signature type of no key/],
    [`a+00000000+${key([1, 2])}`, /1 bytes, not 32/],
    [`a+00000000+${key([6, ...new Uint8Array(1312)])}`, /type 6/],
    [`a+00000000+${key([255, ...new Uint8Array(32)])}`, /type 255/],
  ];
  for (const [text, message] of wrong) {
    t.throws(() => parseVerifierKey(sha256, text), { name: 'FormatFault', message }, text);
  }
});
