import t from 'tap';

import type { Mutation } from '../../server/model/mutation.ts';
import { contentMutations } from '../../server/state/content-mutations.ts';
import { valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import type { StateDriver } from '../support/state-driver.ts';
import { UndoDriver } from '../support/undo-driver.ts';
import { visibilityDifference } from '../support/visibility-checks.ts';

const formulas = new Formulas();
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const criteria = [{ column: 'A', values: ['x'] }];

/** A workbook and a kernel that hears of each operation, and has to agree with one made at once. */
class Followed<Driver extends StateDriver> {
  readonly driver: Driver;
  readonly #kernel = Kernel.create();
  #toldCount = 0;

  constructor(driver: Driver) {
    this.driver = driver;
  }

  apply(kind: string, payload: object): void {
    this.driver.apply(kind, payload);
    this.#calculated();
  }

  /** A kernel that heard of each operation, for whoever spoils it. */
  listener(): Kernel {
    const kernel = Kernel.create();
    for (const { mutations } of this.driver.admitted) {
      kernel.apply(mutations);
      calculate(kernel);
    }
    return kernel;
  }

  /** Values of one column of Plan, from the first row on. */
  column(column: number, rowCount: number): unknown[] {
    const read = (kernel: Kernel) => {
      const area = { row0: 0, column0: column, row1: rowCount - 1, column1: column };
      const form = { lens: 'value', form: valueForm } as const;
      return kernel.readRange(1, area, form).map(([value]) => value);
    };
    const values = read(this.#calculated());
    const atOnce = Kernel.create();
    atOnce.apply(contentMutations(this.driver.state));
    calculate(atOnce);
    t.same(read(atOnce), values, 'a model made of the state comes to the same');
    t.equal(visibilityDifference(this.driver.state, atOnce), undefined);
    return values;
  }

  #calculated(): Kernel {
    const { admitted } = this.driver;
    for (const { mutations } of admitted.slice(this.#toldCount)) this.#kernel.apply(mutations);
    this.#toldCount = admitted.length;
    calculate(this.#kernel);
    return this.#kernel;
  }
}

function calculate(kernel: Kernel): void {
  while (!kernel.recalculate(now, 1e8)) continue;
}

/** Plan has a header, 1, 2, 4, 8, 16 and 32 below it in A, and formulas in E. */
function bookWith(inputs: readonly string[]): Followed<UndoDriver> {
  const book = new Followed(new UndoDriver(formulas));
  book.apply('sheet.add', { name: 'Plan' });
  const values = ['n', 1, 2, 4, 8, 16, 32].map((value) => [value]);
  book.apply('range.set', { sheet: 'Plan', range: 'A1', inputs: values });
  book.apply('range.set', { sheet: 'Plan', range: 'E1', inputs: inputs.map((input) => [input]) });
  return book;
}

/** Row 3 is hidden and within the filter, row 6 is hidden and below it. */
function hideTwo(book: Followed<StateDriver>): void {
  book.apply('rows.hide', { sheet: 'Plan', spans: [{ from: 3 }, { from: 6 }] });
  book.apply('filter.set', { sheet: 'Plan', range: 'A1:A5', criteria });
}

t.test('SUBTOTAL leaves out what a filter hides, from 101 on what is hidden by hand too', (t) => {
  const codes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  const all = codes.flatMap((code) => [code, 100 + code]);
  const book = bookWith(all.map((code) => `=ROUND(SUBTOTAL(${code},A2:A7),6)`));
  const everything = [10.5, 6, 6, 32, 1, 32_768, 11.861703, 10.828204, 63, 140.7, 117.25];
  t.same(
    book.column(4, all.length),
    everything.flatMap((value) => [value, value]),
  );
  hideTwo(book);
  const filtered = [12.2, 5, 5, 32, 1, 16_384, 12.417729, 11.106755, 61, 154.2, 123.36];
  const visible = [11.25, 4, 4, 32, 1, 1_024, 14.127397, 12.234684, 45, 199.583333, 149.6875];
  t.same(
    book.column(4, all.length),
    codes.flatMap((_, at) => [filtered[at], visible[at]]),
  );
  t.end();
});

t.test('AGGREGATE leaves out hidden rows with the options 1, 3, 5 and 7', (t) => {
  const options = [0, 1, 2, 3, 4, 5, 6, 7];
  const book = bookWith(options.map((option) => `=AGGREGATE(9,${option},A2:A7)`));
  t.same(book.column(4, 8), Array<number>(8).fill(63));
  hideTwo(book);
  t.same(book.column(4, 8), [63, 45, 63, 45, 63, 45, 63, 45]);
  t.end();
});

t.test('whatever the reference comes from, and only references have rows', (t) => {
  const book = bookWith([
    '=SUBTOTAL(109,OFFSET(A1,1,0,6,1))',
    '=SUBTOTAL(109,INDIRECT("A2:A7"))',
    '=SUBTOTAL(109,INDEX(A1:A9,2):INDEX(A1:A9,7))',
    '=SUBTOTAL(109,A:A)',
    '=SUBTOTAL(109,A2:A4,A5:A7)',
    '=SUBTOTAL(109,Numbers[n])',
    '=SUBTOTAL(109,six)',
    '=visible(A2:A7)',
    '=SUM(MAP(A2:A7,LAMBDA(cell,SUBTOTAL(103,cell)*cell)))',
    '=AGGREGATE(14,5,A2:A7,3)',
    '=AGGREGATE(14,5,A2:A7*1,2)',
    '=SUM(A2:A7)',
  ]);
  book.apply('table.create', {
    name: 'Numbers',
    sheetRange: 'Plan!A1:A7',
    schema: { columns: [{ name: 'n' }] },
  });
  book.apply('name.set', { name: 'six', ref: 'Plan!$A$2:$A$7' });
  book.apply('name.set', { name: 'visible', formula: '=LAMBDA(range,SUBTOTAL(109,range))' });
  t.same(book.column(4, 12), [...Array<number>(9).fill(63), 8, 16, 63]);
  hideTwo(book);
  t.same(book.column(4, 12), [...Array<number>(9).fill(45), 4, 16, 63]);
  t.end();
});

t.test('hidden columns count; errors and totals in hidden rows are not met', (t) => {
  const book = bookWith(['=SUBTOTAL(9,A1:B7)', '=SUBTOTAL(109,A1:B7)', '=AGGREGATE(9,3,A1:B7)']);
  book.apply('range.set', { sheet: 'Plan', range: 'B2', inputs: [['=SUBTOTAL(9,A2)'], ['=1/0']] });
  book.apply('cols.hide', { sheet: 'Plan', from: 'A', count: 2 });
  const division = { error: '#DIV/0!' };
  t.same(book.column(4, 3), [division, division, 63]);
  book.apply('rows.hide', { sheet: 'Plan', from: 3 });
  t.same(book.column(4, 3), [division, 61, 61]);
  book.apply('filter.set', { sheet: 'Plan', range: 'A1:B7', criteria });
  t.same(book.column(4, 3), [61, 61, 61]);
  t.end();
});

const totals = ['=SUBTOTAL(9,$A$1:$A$12)', '=SUBTOTAL(109,$A$1:$A$12)'];

t.test('a filter without criteria hides nothing, and a header is not filtered', (t) => {
  const book = bookWith(totals);
  book.apply('rows.hide', { sheet: 'Plan', from: 2, count: 2 });
  t.same(book.column(4, 2), [63, 60]);
  book.apply('filter.set', { sheet: 'Plan', range: 'A1:A7' });
  t.same(book.column(4, 2), [63, 60]);
  const button = [{ column: 'A', hideButton: true }];
  book.apply('filter.set', { sheet: 'Plan', range: 'A1:A7', criteria: button });
  t.same(book.column(4, 2), [63, 60]);
  book.apply('filter.set', { sheet: 'Plan', range: 'A2:A7', criteria });
  t.same(book.column(4, 2), [61, 60], 'row 2 is its header');
  book.apply('filter.clear', { sheet: 'Plan' });
  t.same(book.column(4, 2), [63, 60]);
  book.apply('rows.hide', { sheet: 'Plan', from: 1, count: 9, hidden: false });
  t.same(book.column(4, 2), [63, 63]);
  t.end();
});

t.test('groups that are folded away are hidden, and so is what is hidden again by an undo', (t) => {
  const book = bookWith(totals);
  book.apply('rows.group', { sheet: 'Plan', from: 4, count: 2, level: 1, collapsed: true });
  t.same(book.column(4, 2), [63, 51]);
  book.apply('rows.group', { sheet: 'Plan', from: 4, count: 2, collapsed: false });
  t.same(book.column(4, 2), [63, 63]);
  book.driver.undo();
  t.same(book.column(4, 2), [63, 51]);
  book.apply('filter.set', { sheet: 'Plan', range: 'A1:A7', criteria });
  book.apply('rows.delete', { sheet: 'Plan', from: 5, count: 2 });
  t.same(book.column(4, 2), [35, 35]);
  book.driver.undo();
  t.same(book.column(4, 2), [51, 51]);
  t.end();
});

t.test('hidden rows go along with their cells', (t) => {
  const book = bookWith(totals);
  hideTwo(book);
  t.same(book.column(4, 2), [61, 45]);
  book.apply('rows.insert', { sheet: 'Plan', before: 3, count: 2 });
  t.same(book.column(4, 2), [61, 45]);
  book.apply('rows.move', { sheet: 'Plan', from: 5, before: 10 });
  t.same(book.column(4, 2), [63, 45], 'below the filter it is hidden by hand');
  book.apply('rows.move', { sheet: 'Plan', from: 9, before: 4 });
  t.same(book.column(4, 2), [61, 45]);
  book.apply('rows.delete', { sheet: 'Plan', from: 3 });
  t.same(book.column(4, 2), [61, 45]);
  const order = [7, 6, 5, 4, 3, 2];
  book.apply('range.sort', { sheet: 'Plan', range: '2:7', order });
  book.column(4, 2);
  book.apply('sheet.add', { name: 'Copy', copyOf: 'Plan' });
  t.equal(visibilityDifference(book.driver.state, book.listener()), undefined);
  book.apply('sheet.delete', { sheet: 'Plan' });
  book.apply('sheet.add', { name: 'Plan' });
  t.equal(visibilityDifference(book.driver.state, book.listener()), undefined);
  t.end();
});

t.test('rows that an insertion pushes off the end come back hidden', (t) => {
  const book = bookWith(totals);
  book.apply('cells.set', {
    sheet: 'Plan',
    cells: [{ a1: 'E3', input: '=SUBTOTAL(103,$B:$B)' }],
  });
  book.apply('rows.hide', { sheet: 'Plan', from: 1_048_570, count: 7 });
  book.apply('rows.insert', { sheet: 'Plan', before: 9, count: 5 });
  book.apply('rows.delete', { sheet: 'Plan', from: 9, count: 5 });
  book.apply('range.fill', { sheet: 'Plan', range: 'B1048560:B1048576', input: 1 });
  t.same(book.column(4, 3), [63, 63, 10]);
  t.end();
});

t.test('a million rows take a byte each, and none when they are shown', (t) => {
  const kernel = Kernel.create();
  const hide = (from: number, count: number, hidden: 'no' | 'hand' | 'filter'): Mutation => {
    return { kind: 'rowsHidden', sheet: 1, from, count, hidden };
  };
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Plan', index: 0 },
    { kind: 'cell', sheet: 1, row: 0, column: 0, input: { formula: '=SUBTOTAL(103,B:B)' } },
    { kind: 'cell', sheet: 1, row: 9, column: 1, input: 1 },
  ]);
  calculate(kernel);
  const everyOther = (hidden: 'no' | 'hand') =>
    Array.from({ length: 1 << 19 }, (_, at) => hide(2 * at + 1, 1, hidden));
  // It keeps the room that commands are written to.
  kernel.apply(everyOther('no'));
  const before = kernel.statistics().usedBytes;
  const growth = () => kernel.statistics().usedBytes - before;
  kernel.apply(everyOther('hand'));
  t.ok(growth() < 1.1 * 2 ** 20, `${growth()} bytes`);
  calculate(kernel);
  const area = { row0: 0, column0: 0, row1: 0, column1: 0 };
  const value = () => kernel.readRange(1, area, { lens: 'value', form: valueForm })[0];
  t.same(value(), [0]);
  kernel.apply([hide(0, 1 << 20, 'no')]);
  calculate(kernel);
  t.same(value(), [1]);
  t.ok(growth() < 2 ** 16, `${growth()} bytes are left`);
  for (const [from, count] of [
    [1 << 20, 1],
    [(1 << 20) - 1, 2],
  ] as const) {
    t.throws(() => kernel.apply([hide(from, count, 'hand')]));
  }
  t.throws(() => kernel.apply([{ ...hide(0, 1, 'hand'), sheet: 2 } as Mutation]));
  t.end();
});
