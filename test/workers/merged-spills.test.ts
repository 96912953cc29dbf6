import t from 'tap';

import { parseRange, type Range } from '../../server/model/range.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { Choice } from '../fuzz/choice.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

/** Nothing spills into merged cells. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const spill = { error: '#SPILL!' };

function rangeOf(text: string): Range {
  const range = parseRange(text);
  if (!range) throw new Error(text);
  return range;
}

function merge(...texts: readonly string[]): Mutation {
  return { kind: 'merges', sheet: 1, removed: [], added: texts.map(rangeOf) };
}

function unmerge(...texts: readonly string[]): Mutation {
  return { kind: 'merges', sheet: 1, removed: texts.map(rangeOf), added: [] };
}

function cell(name: string, text: string | null): Mutation {
  const { row0: row, column0: column } = rangeOf(`${name}:${name}`);
  return { kind: 'cell', sheet: 1, row, column, input: text === null ? null : { formula: text } };
}

class Book {
  readonly kernel = Kernel.create();

  constructor() {
    this.change({ kind: 'sheetAdd', sheet: 1, name: 'S', index: 0 });
  }

  change(...mutations: readonly Mutation[]): this {
    this.kernel.apply(mutations);
    while (!this.kernel.recalculate(now, 1e9));
    return this;
  }

  read(text: string): unknown[][] {
    return this.kernel.readRange(1, rangeOf(text), { lens: 'value', form: valueForm });
  }
}

t.test(
  'an array that would fill merged cells is #SPILL!, until they are merged no more',
  async (t) => {
    const book = new Book().change(cell('A1', '=SEQUENCE(3)'), cell('C1', '=SUM(A1#)'));
    t.same(book.read('A1:C3'), [
      [1, null, 6],
      [2, null, null],
      [3, null, null],
    ]);
    book.change(merge('A3:B4'));
    t.same(book.read('A1:C3'), [
      [spill, null, spill],
      [null, null, null],
      [null, null, null],
    ]);
    book.change(unmerge('A3:B4'), merge('A4:B4'));
    t.same(book.read('A1:C2'), [
      [1, null, 6],
      [2, null, null],
    ]);
    book.change(cell('A1', '=SEQUENCE(4)'));
    t.same(book.read('A1:A1'), [[spill]]);
    book.change(cell('A1', '=SEQUENCE(1)'));
    t.same(book.read('A1:A1'), [[1]]);
  },
);

t.test('an array does not spill out of merged cells, one value stays', async (t) => {
  const book = new Book().change(merge('B2:C3'), cell('B2', '=SEQUENCE(2)'), cell('E1', '=1+1'));
  t.same(book.read('B2:B3'), [[spill], [null]]);
  t.same(book.change(cell('B2', '=SUM(SEQUENCE(2))')).read('B2:B3'), [[3], [null]]);
  t.same(book.change(merge('E1:F2')).read('E1:E1'), [[2]]);
});

t.test('inserted lines move merged cells along', async (t) => {
  const insert = (axis: 'row' | 'column', from: number, count = 1): Mutation => {
    return { kind: 'insert', sheet: 1, axis, from, count };
  };
  const book = new Book().change(cell('A1', '=SEQUENCE(4)'), merge('A4:B5'));
  t.same(book.read('A1:A1'), [[spill]]);
  t.same(book.change(insert('row', 2)).read('A1:A1'), [[1]], 'they begin below it now');
  book.change(cell('A1', '=SEQUENCE(5)'));
  t.same(book.read('A1:A1'), [[spill]]);
  t.same(book.change(insert('column', 0)).read('B1:B1'), [[spill]]);
  t.same(book.change(cell('D5', '=SEQUENCE(1,2)')).read('D5:E5'), [[1, 2]]);
  t.same(book.change(insert('column', 2)).read('E5:F5'), [[1, 2]], 'grown up to column D');
  t.same(book.change(cell('D7', '=SEQUENCE(3)')).read('D7:D7'), [[1]]);
  t.same(book.change(cell('D3', '=SEQUENCE(4)')).read('D3:D3'), [[spill]]);
  t.same(book.change(unmerge('B5:D6')).read('D3:D6'), [[1], [2], [3], [4]]);
});

t.test('arrays among merged cells do not depend on the order of edits', async (t) => {
  const areas = ['A1:B1', 'B3:B4', 'D2:E3', 'A5:C5', 'C2:C2', 'E5:F7'];
  const formulas = [
    '=SEQUENCE(3)',
    '=SEQUENCE(2,2)',
    '=SEQUENCE(1,3)',
    '=SUM(A1:F6)',
    '=B2#',
    null,
  ];
  for (let index = 0; index < caseCount(60); index++) {
    const choice = new Choice(new SeededRandom(testSeed + index));
    const book = new Book();
    let merged = new Set<string>();
    const cells = new Map<string, string | null>();
    for (let step = 0; step < 12; step++) {
      if (choice.oneIn(2)) {
        const area = choice.pick(areas);
        const wasMerged = merged.has(area);
        book.change(wasMerged ? unmerge(area) : merge(area));
        merged = new Set([...merged, area].filter((known) => known !== area || !wasMerged));
      } else {
        const name = `${choice.pick(['A', 'B', 'C', 'D'])}${choice.between(1, 5)}`;
        const text = choice.pick(formulas);
        cells.set(name, text);
        book.change(cell(name, text));
      }
      const fresh = new Book();
      const rest = [...cells].map(([name, text]) => cell(name, text));
      fresh.kernel.apply([...rest.toReversed(), merge(...merged)]);
      fresh.change();
      if (!t.same(book.read('A1:G9'), fresh.read('A1:G9'), `seed ${testSeed + index}`)) return;
    }
  }
});
