import * as fc from 'fast-check';
import t from 'tap';

import { nodeCrypto, openSigner } from '../../../../server/tlog/node-crypto.ts';
import { formatNote, parseNote, verifyNote } from '../../../../server/tlog/note/note.ts';
import { signNote } from '../../../../server/tlog/note/signer.ts';
import type { VerifierKey } from '../../../../server/tlog/note/verifier-key.ts';
import { caseCount } from '../../../support/case-count.ts';
import { changedBytes } from '../../../support/log-double.ts';
import { logSigner, signCheckpoint, witnessSigners } from '../../../support/signed-log.ts';

const tree = { size: 7, root: new Uint8Array(32).fill(9) };
const keys = [logSigner, ...witnessSigners].map(({ key }) => key);
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

async function open(given: Uint8Array | string, known: readonly VerifierKey[]): Promise<string[]> {
  const note = await verifyNote(nodeCrypto, parseNote(given), known);
  return note.signatures.map(({ key }) => key.name);
}

t.test('a note opens with the keys that signed it', async (t) => {
  const note = await signCheckpoint(tree, 2);
  t.same(await open(note, keys), [
    'log.example/v1/tlog',
    'witness.example/w1',
    'witness.example/w2',
  ]);
  t.same(await open(bytesOf(note), keys.slice(0, 1)), ['log.example/v1/tlog']);
  await t.rejects(open(note, []), { name: 'ProofFault', message: /none is known/ });
  await t.rejects(open(note, keys.slice(3)), { name: 'ProofFault', message: /not signed by any/ });
});

t.test('every changed byte of a note is noticed', async (t) => {
  const note = bytesOf(await signCheckpoint(tree, 0));
  for (const changed of changedBytes(note)) {
    await t.rejects(open(changed, keys), { name: /^(Format|Proof)Fault$/ });
  }
});

t.test('no byte can be added to a note or taken from it', async (t) => {
  const note = Buffer.from(await signCheckpoint(tree, 0));
  for (let at = 0; at < note.length; at++) {
    const shorter = Buffer.concat([note.subarray(0, at), note.subarray(at + 1)]);
    await t.rejects(open(shorter, keys), { name: /^(Format|Proof)Fault$/ });
  }
  for (let at = 0; at <= note.length; at++) {
    for (const byte of [0x0a, 0x20, 0x3d, 0x41]) {
      const longer = Buffer.concat([note.subarray(0, at), Buffer.of(byte), note.subarray(at)]);
      await t.rejects(open(longer, keys), { name: /^(Format|Proof)Fault$/ });
    }
  }
});

t.test(
  'a wrong signature of a known key spoils the note, one of an unknown key does not',
  async (t) => {
    const note = await signCheckpoint(tree, 1);
    const other = await signCheckpoint({ ...tree, size: 8 }, 1);
    const linesOf = (text: string): string[] => text.slice(text.indexOf('\n\n') + 2).split('\n');
    const text = note.slice(0, note.indexOf('\n\n') + 2);
    const [logLine = '', witnessLine = ''] = linesOf(note);
    const [, wrongLine = ''] = linesOf(other);
    const mixed = `${text}${logLine}\n${witnessLine}\n${wrongLine}\n`;
    await t.rejects(open(mixed, keys), { name: 'ProofFault', message: /witness.example\/w1/ });
    t.same(await open(mixed, keys.slice(0, 1)), ['log.example/v1/tlog']);
  },
);

t.test('a key is found by name and id together', async (t) => {
  const note = await signCheckpoint(tree, 0);
  const [key] = keys;
  if (!key) throw new Error('there is a key');
  await t.rejects(open(note, [{ ...key, name: 'other.example' }]), { name: 'ProofFault' });
  await t.rejects(open(note, [{ ...key, id: key.id + 1 }]), { name: 'ProofFault' });
  const twin = { ...key, publicKey: new Uint8Array(32) };
  await t.rejects(open(note, [key, twin]), { message: /alike/ });
  await t.rejects(open(note, [twin]), { message: /not one of this text/ });
});

t.test('the last empty line separates, so a text may have some', async (t) => {
  const text = 'one\n\n\u2014 not a signature\n\ntwo\n';
  const note = formatNote({ text, signatures: [await signNote(logSigner, text)] });
  t.equal(parseNote(note).text, text);
  t.same(await open(note, keys), ['log.example/v1/tlog']);
  const blank = formatNote({ text: '\n', signatures: [await signNote(logSigner, '\n')] });
  t.equal(parseNote(blank).text, '\n');
});

t.test('a hundred signatures are read, of which sixteen are known', async (t) => {
  const text = 'text\n';
  const signers = Array.from({ length: 100 }, (_, index) =>
    openSigner(`signer.example/${index}`, 'ed25519', new Uint8Array(32).fill(index)),
  );
  const signatures = await Promise.all(signers.map(async (signer) => signNote(signer, text)));
  const note = formatNote({ text, signatures });
  const known = signers.slice(0, 16).map(({ key }) => key);
  t.equal((await open(note, known)).length, 16);
  const [first] = signatures;
  if (!first) throw new Error('there is a signature');
  const more = formatNote({ text, signatures: [...signatures, first] });
  t.throws(() => parseNote(more), { name: 'FormatFault' });
});

t.test('what is no note is refused', async (t) => {
  const line = '\u2014 name AAAAAAA=\n';
  t.equal(parseNote(`text\n\n${line}`).signatures.length, 1);
  const wrong = [
    '',
    '\n',
    '\n\n',
    'text\n',
    'text\n\n',
    `text\n${line}`,
    `text\n\n${line.trimEnd()}`,
    `text\n\n${line}\n`,
    `text\n\n${line}more\n`,
    `text\n\n${line}\n${line}\n`,
    `te\u0000xt\n\n${line}`,
    `te\txt\n\n${line}`,
    `text\r\n\n${line}`,
    `text\n\n${line.replace('\n', '\r\n')}`,
    `text\n\n- name AAAAAAA=\n`,
    `text\n\n\u2013 name AAAAAAA=\n`,
    `text\n\n\u2014 na me AAAAAAA=\n`,
    `text\n\n\u2014 na\u00a0me AAAAAAA=\n`,
    `text\n\n\u2014 na\u0085me AAAAAAA=\n`,
    `text\n\n\u2014 na\u3000me AAAAAAA=\n`,
    `text\n\n\u2014 na+me AAAAAAA=\n`,
    `text\n\n\u2014  AAAAAAA=\n`,
    `text\n\n\u2014 name  AAAAAAA=\n`,
    `text\n\n\u2014 name AAAAAAA= \n`,
    `text\n\n\u2014 name\n`,
    `text\n\n\u2014 name AAAAAA==\n`,
    `text\n\n\u2014 name AAAAAAB=\n`,
    `text\n\n\u2014 name AAAA_AA=\n`,
    `text\n\n\u2014 name =\n`,
    `\ud800\n\n${line}`,
    `${'x'.repeat(1_000_000)}\n\n${line}`,
  ];
  for (const note of wrong) {
    t.throws(() => parseNote(note), { name: 'FormatFault' }, JSON.stringify(note.slice(0, 60)));
  }
  const utf8 = Buffer.concat([Buffer.from([0xff]), Buffer.from(`text\n\n${line}`)]);
  t.throws(() => parseNote(utf8), { message: /not UTF-8/ });
});

t.test('a byte order mark belongs to the text', async (t) => {
  const text = '\ufefftext\n';
  const note = bytesOf(formatNote({ text, signatures: [await signNote(logSigner, text)] }));
  t.equal(parseNote(note).text, text);
  await t.rejects(open(note.subarray(3), keys), { name: 'ProofFault' });
});

t.test('what is read is written again in the same way', async (t) => {
  const character = fc.constantFrom('a', ' ', '\n', '\n', '\u2014', '+', '=', 'A', '\u00e9');
  const text = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''));
  const lines = fc.constantFrom('\u2014 name AAAAAAA=\n', '\u2014 n\u00e9 AAAAAAAA\n', '');
  let readCount = 0;
  fc.assert(
    fc.property(text, lines, lines, (head, one, other) => {
      const note = `${head}\n\n${one}${other}`;
      try {
        const again = formatNote(parseNote(note));
        readCount++;
        return again === note;
      } catch (error) {
        return error instanceof Error && error.name === 'FormatFault';
      }
    }),
    { numRuns: caseCount(5_000) },
  );
  t.ok(readCount > 100, `${readCount} were read`);
});
