import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import * as fc from 'fast-check';
import t from 'tap';

import { decodeBase64, encodeBase64 } from '../../../../server/tlog/encoding/base64.ts';
import { nodeCrypto, openSigner } from '../../../../server/tlog/node-crypto.ts';
import { cosignatureMessage } from '../../../../server/tlog/note/cosignature.ts';
import { formatNote, parseNote, verifyNote } from '../../../../server/tlog/note/note.ts';
import { cosignCheckpoint, signNote } from '../../../../server/tlog/note/signer.ts';
import { webCrypto } from '../../../../server/tlog/note/web-crypto.ts';
import { caseCount } from '../../../support/case-count.ts';
import { changedBytes } from '../../../support/log-double.ts';
import { logSigner, witnessSigners } from '../../../support/signed-log.ts';

const checkpoint = `log.example\n7\n${encodeBase64(new Uint8Array(32))}\n`;
const [witness = logSigner] = witnessSigners;

/** The key of a seed as Node makes it by itself, from a JWK. */
function nodeKey(seed: Uint8Array, publicKey: Uint8Array): ReturnType<typeof createPrivateKey> {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  const key = { kty: 'OKP', crv: 'Ed25519', d: text(seed), x: text(publicKey) };
  return createPrivateKey({ key, format: 'jwk' });
}

t.test('notes have the Ed25519 signatures of Node, whatever the key and the text', async (t) => {
  const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
  await fc.assert(
    fc.asyncProperty(seeds, fc.string({ unit: 'grapheme' }), async (seed, words) => {
      const text = `${words.replaceAll(/[\u0000-\u001f]/g, '')}\n`;
      const signer = openSigner('a.example', 'ed25519', seed);
      const { bytes } = await signNote(signer, text);
      const key = nodeKey(seed, signer.key.publicKey);
      t.same(Buffer.from(bytes), sign(null, Buffer.from(text), key));
      t.ok(verify(null, Buffer.from(text), createPublicKey(key), bytes));
      const note = parseNote(formatNote({ text, signatures: [await signNote(signer, text)] }));
      for (const crypto of [nodeCrypto, webCrypto]) {
        t.equal((await verifyNote(crypto, note, [signer.key])).text, text);
      }
    }),
    { numRuns: caseCount(60) },
  );
});

// RFC 8032, section 7.1, tests 1 to 3.
const rfc8032 = [
  {
    publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  {
    publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
];

t.test('both platforms verify what RFC 8032 has, and nothing near it', async (t) => {
  const hex = (text: string): Uint8Array => Buffer.from(text, 'hex');
  const cases = [nodeCrypto, webCrypto].flatMap((crypto) =>
    rfc8032.map((vector) => ({ crypto, ...vector })),
  );
  for (const { crypto, publicKey, message, signature } of cases) {
    const check = async (bytes: Uint8Array): Promise<boolean> =>
      crypto.verifyEd25519(hex(publicKey), hex(message), bytes);
    t.ok(await check(hex(signature)));
    for (const changed of changedBytes(hex(signature))) {
      if (await check(changed)) t.fail(`${Buffer.from(changed).toString('hex')} passes`);
    }
    t.notOk(await crypto.verifyEd25519(hex(publicKey), hex('73'), hex(signature)));
  }
});

t.test('a signature with the order of the group added to it is another one', async (t) => {
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const { bytes } = await signNote(logSigner, 'text\n');
  const low = Buffer.from(bytes.subarray(32).toReversed()).toString('hex');
  const high = (BigInt(`0x${low}`) + order).toString(16).padStart(64, '0');
  const malleable = Buffer.concat([bytes.subarray(0, 32), Buffer.from(high, 'hex').toReversed()]);
  for (const crypto of [nodeCrypto, webCrypto]) {
    const check = async (signature: Uint8Array): Promise<boolean> =>
      crypto.verifyEd25519(logSigner.key.publicKey, Buffer.from('text\n'), signature);
    t.ok(await check(bytes));
    t.notOk(await check(malleable));
  }
});

t.test('a cosignature is over its time and the whole checkpoint', async (t) => {
  const time = 1_679_315_147;
  const message = `cosignature/v1\ntime 1679315147\n${checkpoint}`;
  t.equal(Buffer.from(cosignatureMessage(time, checkpoint)).toString(), message);
  const signature = await cosignCheckpoint(witness, checkpoint, time);
  t.equal(signature.bytes.length, 72);
  t.equal(Buffer.from(signature.bytes).readBigUInt64BE(), BigInt(time));
  const key = nodeKey(new Uint8Array(32).fill(1), witness.key.publicKey);
  t.ok(verify(null, Buffer.from(message), createPublicKey(key), signature.bytes.subarray(8)));
  const note = formatNote({ text: checkpoint, signatures: [signature] });
  t.equal(decodeBase64(note.trimEnd().split(' ').at(-1) ?? '', 'it').length, 76);
  const verified = await verifyNote(nodeCrypto, parseNote(note), [witness.key]);
  t.same(verified.signatures, [{ key: witness.key, timeSeconds: time }]);
});

t.test('every changed byte of a cosigned note is noticed', async (t) => {
  const signature = await cosignCheckpoint(witness, checkpoint, 1_679_315_147);
  const note = Buffer.from(formatNote({ text: checkpoint, signatures: [signature] }));
  for (const changed of changedBytes(note)) {
    const opened = async (): Promise<unknown> =>
      verifyNote(nodeCrypto, parseNote(changed), [witness.key]);
    await t.rejects(opened(), { name: /^(Format|Proof)Fault$/ });
  }
});

t.test('a witness signs checkpoints, and no other notes', async (t) => {
  await t.rejects(cosignCheckpoint(witness, 'text\n', 1), { name: 'FormatFault' });
  await t.rejects(cosignCheckpoint(logSigner, checkpoint, 1), { name: 'RangeError' });
  await t.rejects(signNote(witness, checkpoint), { name: 'RangeError' });
  await t.rejects(cosignCheckpoint(witness, checkpoint, -1), { name: 'RangeError' });
  await t.rejects(cosignCheckpoint(witness, checkpoint, 1.5), { name: 'RangeError' });
});

t.test('a signature of one kind is not one of the other', async (t) => {
  const seed = new Uint8Array(32).fill(1);
  const plain = openSigner(witness.key.name, 'ed25519', seed);
  const signature = await signNote(plain, checkpoint);
  const { bytes } = signature;
  const dressed = { ...signature, keyId: witness.key.id };
  const longer = { ...dressed, bytes: Buffer.concat([Buffer.alloc(8), bytes]) };
  for (const line of [dressed, longer]) {
    const note = parseNote(formatNote({ text: checkpoint, signatures: [line] }));
    await t.rejects(verifyNote(nodeCrypto, note, [witness.key]), { name: /Fault$/ });
  }
  const distant = Buffer.from(longer.bytes);
  distant.fill(0xff, 0, 8);
  const line = { ...dressed, bytes: distant };
  const note = parseNote(formatNote({ text: checkpoint, signatures: [line] }));
  await t.rejects(verifyNote(nodeCrypto, note, [witness.key]), { message: /no time of this age/ });
});
