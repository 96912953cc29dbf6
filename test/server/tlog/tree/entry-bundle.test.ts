import * as fc from 'fast-check';
import t from 'tap';

import {
  cutBundle,
  decodeBundle,
  encodeBundle,
} from '../../../../server/tlog/tree/entry-bundle.ts';
import { cutTile } from '../../../../server/tlog/tree/tile.ts';
import { caseCount } from '../../../support/case-count.ts';

function nameOf(width: number): { index: number; width: number } {
  return { index: 0, width };
}

const entries = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 20 });

t.test('what is written is read, and cut to every width', async (t) => {
  fc.assert(
    fc.property(entries, (list) => {
      const bytes = encodeBundle(list);
      const read = decodeBundle(nameOf(list.length), bytes);
      t.same(
        read.map((entry) => Buffer.from(entry)),
        list.map((entry) => Buffer.from(entry)),
      );
      for (let width = 1; width <= list.length; width++) {
        const cut = Buffer.from(cutBundle(bytes, width));
        t.ok(cut.equals(encodeBundle(list.slice(0, width))));
      }
      t.throws(() => cutBundle(bytes, list.length + 1), RangeError);
    }),
    { numRuns: caseCount(50) },
  );
});

t.test('a bundle has exactly its entries', async (t) => {
  const bytes = encodeBundle([Buffer.from('one'), Buffer.from(''), Buffer.from('three')]);
  t.equal(decodeBundle(nameOf(3), bytes).length, 3);
  t.throws(() => decodeBundle(nameOf(2), bytes), {
    name: 'FormatFault',
    message: /7 bytes behind/,
  });
  t.throws(() => decodeBundle(nameOf(4), bytes), { name: 'FormatFault', message: /ends within/ });
  for (let length = 0; length < bytes.length; length++) {
    t.throws(() => decodeBundle(nameOf(3), bytes.subarray(0, length)), { name: 'FormatFault' });
  }
  const longer = Buffer.concat([bytes, Buffer.of(0)]);
  t.throws(() => decodeBundle(nameOf(3), longer), { name: 'FormatFault' });
});

t.test('an entry has at most 65,535 bytes', async (t) => {
  const longest = new Uint8Array(65_535).fill(1);
  const [read] = decodeBundle(nameOf(1), encodeBundle([longest]));
  t.equal(read?.length, 65_535);
  t.throws(() => encodeBundle([new Uint8Array(65_536)]), RangeError);
});

t.test('a tile is cut to every width it has', async (t) => {
  const bytes = Uint8Array.from({ length: 64 }, (_, index) => index);
  t.equal(cutTile(bytes, 1).length, 32);
  t.equal(cutTile(bytes, 2).length, 64);
  t.throws(() => cutTile(bytes, 3), RangeError);
});
