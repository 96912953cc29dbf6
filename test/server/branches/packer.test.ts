import * as fc from 'fast-check';
import { Packr, unpack } from 'msgpackr';
import t from 'tap';

import { Packer } from '../../../server/branches/packer.ts';

const packr = new Packr({ useRecords: false, variableMapSize: true, moreTypes: false });

function packed(value: unknown): Buffer {
  const packer = new Packer(1);
  packer.value(value);
  return Buffer.from(packer.bytes.subarray(0, packer.length));
}

const anyValue = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

t.test('values are spelled as msgpackr spells them, so that old journals stay readable', (t) => {
  fc.assert(fc.property(anyValue, (value) => packed(value).equals(packr.pack(value))));
  t.end();
});

t.test('numbers, texts and lists of all sizes come back', (t) => {
  const numbers = [0, 127, 128, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, 1.5];
  const texts = [0, 1, 31, 32, 63, 64, 255, 256, 65_535, 65_536].flatMap((length) => [
    'a'.repeat(length),
    'ä'.repeat(length),
  ]);
  const lists = [15, 16, 65_536].map((length) => Array<number>(length).fill(7));
  const negative = [-1, -32, -33, -128, -129, -32_768, -32_769, -2_147_483_649, -0.5];
  for (const value of [...numbers, ...negative, ...texts, ...lists, true, false, null]) {
    t.same(unpack(packed(value)), value);
  }
  t.end();
});

t.test('with pauses the bytes are the same', (t) => {
  const slowly = (value: unknown): { bytes: Buffer; pauses: number } => {
    const packer = new Packer(1);
    let pauses = 0;
    for (const _pause of packer.slowly(value)) pauses++;
    return { bytes: Buffer.from(packer.bytes.subarray(0, packer.length)), pauses };
  };
  fc.assert(fc.property(anyValue, (value) => slowly(value).bytes.equals(packed(value))));
  const rows = Array.from({ length: 10_000 }, (_, at) => [at, `k${at}`, undefined]);
  const { bytes, pauses } = slowly({ table: 't', rows, raw: undefined });
  t.ok(bytes.equals(packed({ table: 't', rows })));
  t.ok(pauses >= rows.length / 100, `${pauses} pauses`);
  t.end();
});

t.test('members that are undefined are left out', (t) => {
  t.same(unpack(packed({ a: undefined, b: [undefined, 1] })), { b: [null, 1] });
  t.throws(() => packed(() => 1), TypeError);
  t.end();
});
