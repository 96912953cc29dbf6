import * as fc from 'fast-check';
import t from 'tap';

import {
  decodeBase64,
  decodeBase64Of,
  encodeBase64,
} from '../../../../server/tlog/encoding/base64.ts';
import { caseCount } from '../../../support/case-count.ts';

t.test('it is the base64 of Node', async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = encodeBase64(bytes);
      t.equal(text, Buffer.from(bytes).toString('base64'));
      t.same(Buffer.from(decodeBase64(text, 'it')), Buffer.from(bytes));
    }),
    { numRuns: caseCount(300) },
  );
});

t.test('each bytes have one text: what is read is written again in the same way', async (t) => {
  const characters = Array.from('AQgw/+=-_ \n\u00e4\u0141');
  let readCount = 0;
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...characters), { maxLength: 8 }).map((parts) => parts.join('')),
      (text) => {
        try {
          const again = encodeBase64(decodeBase64(text, 'it'));
          readCount++;
          return again === text;
        } catch (error) {
          return error instanceof Error && error.name === 'FormatFault';
        }
      },
    ),
    { numRuns: caseCount(20_000) },
  );
  t.ok(readCount > 100, `${readCount} were read`);
});

t.test('other spellings are refused', async (t) => {
  const wrong = [
    'A',
    'AA',
    'AAA',
    'AA=',
    'AA==A',
    '=',
    '==',
    '====',
    'A===',
    'AB==',
    'AAB=',
    '-A==',
  ];
  for (const text of [
    ...wrong,
    '_A==',
    'AA==\n',
    ' AA==',
    'AA=A',
    '=AAA',
    'AA==AAAA',
    '\u0141A==',
  ]) {
    t.throws(() => decodeBase64(text, 'it'), { name: 'FormatFault' }, JSON.stringify(text));
  }
  t.throws(() => decodeBase64Of(2, 'AAAA', 'it'), {
    name: 'FormatFault',
    message: /3 bytes, not 2/,
  });
});
