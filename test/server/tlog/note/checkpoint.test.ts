import * as fc from 'fast-check';
import t from 'tap';

import { encodeBase64 } from '../../../../server/tlog/encoding/base64.ts';
import { formatCheckpoint, parseCheckpoint } from '../../../../server/tlog/note/checkpoint.ts';
import { caseCount } from '../../../support/case-count.ts';

const root = new Uint8Array(32).fill(0xfb);
const rootText = encodeBase64(root);

t.test('what is written is read', async (t) => {
  const word = fc.constantFrom('log.example', 'a b', '\u00e9\u4e2d', '7', '+', '\u2014');
  const any = fc.record({
    origin: word,
    size: fc.maxSafeNat(),
    root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    extensions: fc.array(word, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(any, (checkpoint) => {
      const read = parseCheckpoint(formatCheckpoint(checkpoint));
      const wanted = { ...checkpoint, root: Buffer.from(checkpoint.root) };
      t.same({ ...read, root: Buffer.from(read.root) }, wanted);
    }),
    { numRuns: caseCount(200) },
  );
});

t.test('what is no checkpoint is refused', async (t) => {
  t.equal(parseCheckpoint(`o\n0\n${rootText}\n`).size, 0);
  const wrong = [
    '',
    '\n',
    `o\n7\n`,
    `o\n7\n${rootText}`,
    `\n7\n${rootText}\n`,
    `o\n\n${rootText}\n`,
    `o\n7\n${rootText}\n\n`,
    `o\n7\n${rootText}\n\nmore\n`,
    `o\n7\n${rootText}\nmore`,
    `o\n07\n${rootText}\n`,
    `o\n00\n${rootText}\n`,
    `o\n+7\n${rootText}\n`,
    `o\n-7\n${rootText}\n`,
    `o\n7.0\n${rootText}\n`,
    `o\n7e0\n${rootText}\n`,
    `o\n0x7\n${rootText}\n`,
    `o\n 7\n${rootText}\n`,
    `o\n7 \n${rootText}\n`,
    `o\n\u0667\n${rootText}\n`,
    `o\n9007199254740992\n${rootText}\n`,
    `o\n99999999999999999999\n${rootText}\n`,
    `o\n7\n${rootText.slice(0, -1)}\n`,
    `o\n7\n${rootText} \n`,
    `o\n7\n${rootText.replaceAll('+', '-')}\n`,
    `o\n7\n${encodeBase64(root.subarray(1))}\n`,
    `o\n7\n${encodeBase64(Buffer.alloc(33))}\n`,
    `o\r\n7\r\n${rootText}\r\n`,
    `o\t\n7\n${rootText}\n`,
    `${'o'.repeat(256)}\n7\n${rootText}\n`,
  ];
  for (const text of wrong) {
    t.throws(() => parseCheckpoint(text), { name: 'FormatFault' }, JSON.stringify(text));
  }
});

t.test('what could not be read is not written', async (t) => {
  const whole = { origin: 'o', size: 7, root, extensions: [] };
  t.equal(formatCheckpoint(whole), `o\n7\n${rootText}\n`);
  t.throws(() => formatCheckpoint({ ...whole, origin: '' }));
  t.throws(() => formatCheckpoint({ ...whole, origin: 'a\nb' }));
  t.throws(() => formatCheckpoint({ ...whole, origin: 'o'.repeat(256) }));
  t.throws(() => formatCheckpoint({ ...whole, size: -1 }));
  t.throws(() => formatCheckpoint({ ...whole, size: 0.5 }));
  t.throws(() => formatCheckpoint({ ...whole, root: root.subarray(1) }));
  t.throws(() => formatCheckpoint({ ...whole, extensions: [''] }));
  t.throws(() => formatCheckpoint({ ...whole, extensions: ['a\nb'] }));
});
