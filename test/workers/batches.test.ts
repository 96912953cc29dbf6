import t from 'tap';

import { columnName } from '../../server/model/address.ts';
import { readInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import type { CellForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { Choice } from '../fuzz/choice.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

/**
 * Columns of formulas filled down come to the same bits whether their rows are computed at once or
 * one by one, after the build and after every edit.
 */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const sheet = 1;
const inputColumns = 4;
const formulaColumns = 6;
const width = inputColumns + formulaColumns;

const numbers = [
  0,
  1,
  2,
  3,
  10,
  0.1,
  0.2,
  0.3,
  -1,
  -2.5,
  1.005,
  100,
  1e15,
  1e-7,
  1e308,
  -1e308,
  5e-324,
  3e-308,
  1 + 2 ** -52,
  123_456_789.123_456_78,
];
const rarities = [null, true, false, 'a', '7', '', '=NA()', '=1/0', '=-0*1'];
const operators = ['+', '-', '*', '/', '^', '=', '<>', '<', '<=', '>', '>=', '&'];
const scalarFunctionNames =
  'ABS INT SQRT LN SIGN ISNUMBER ISBLANK ISERROR NOT LEN N EXP SIN YEAR WEEKDAY EVEN FACT T NA';
const scalarFunctions = scalarFunctionNames.split(' ');
const totals = ['SUM', 'AVERAGE', 'MIN', 'MAX', 'COUNT'];

const fixedOperands = ['$A$3', 'A$1', '$B$2', 'TRUE', '"x"', 'Rate', 'Half', 'T[@b]', 'T[@[c]]'];
const fixedCalls = [
  'SUM($A$1:$B$9)',
  'AVERAGE(A:A)',
  'COUNTIF($C$1:$C$20,1)',
  'MEDIAN(T[d])',
  'SUM(T[b])',
  'MAX(Spread)',
  'SUMIF($A$1:$A$40,T[@a],$B$1:$B$40)',
  'LARGE(Spread,2)',
];

type Cell = string | number | boolean | null;

/** One formula for all rows of a column: what stands in a row, counted from 1. */
type Template = (row: number) => string;

class Maker {
  readonly choice: Choice;
  readonly column: number;

  constructor(choice: Choice, column: number) {
    this.choice = choice;
    this.column = column;
  }

  template(depth: number): Template {
    const { choice } = this;
    if (depth === 0 || choice.oneIn(5)) return this.operand();
    const [a, b, c] = [this.template(depth - 1), this.template(depth - 1), this.operand()];
    switch (choice.between(0, 9)) {
      case 0:
        return (row) => `-${a(row)}`;
      case 1:
        return (row) => `(${a(row)})%`;
      case 2:
        return (row) => `IF(${c(row)}>${numbers[depth]},${a(row)},${b(row)})`;
      case 3:
        return this.total();
      case 4: {
        const name = choice.pick(scalarFunctions);
        return (row) => `${name}(${a(row)})`;
      }
      case 5:
        return (row) => `ROUND(${a(row)},${depth})`;
      default: {
        const operator = choice.pick(operators);
        return (row) => `(${a(row)}${operator}${b(row)})`;
      }
    }
  }

  operand(): Template {
    const { choice } = this;
    switch (choice.between(0, 9)) {
      case 0: {
        const number = choice.pick(numbers);
        return () => String(number);
      }
      case 1:
        return (row) => String(row % 7);
      case 2: {
        const fixed = choice.pick([...fixedOperands, ...fixedCalls]);
        return () => fixed;
      }
      case 3:
        return this.above();
      default: {
        const column = choice.between(0, this.column - 1);
        const offset = choice.oneIn(3) ? choice.between(-2, 2) : 0;
        return (row) => this.cell(column, row + offset);
      }
    }
  }

  /** Reads the column's own cell some rows above, or below where that is not there. */
  above(): Template {
    const distance = this.choice.between(1, 3);
    return (row) => this.cell(this.column, row > distance ? row - distance : row + 5_000);
  }

  total(): Template {
    const { choice } = this;
    const name = choice.pick(totals);
    const column = choice.between(0, this.column - 1);
    const last = choice.oneIn(3) ? Math.min(column + 1, this.column - 1) : column;
    const height = choice.pick([1, 3, 10, 40]);
    const operand = this.operand();
    const more: Template = choice.oneIn(3) ? (row) => `,${operand(row)}` : () => '';
    if (choice.oneIn(4)) {
      const letter = columnName(column);
      return (row) => `${name}(${letter}$1:${letter}${row}${more(row)})`;
    }
    return (row) => {
      const range = `${this.cell(column, row)}:${this.cell(last, row + height - 1)}`;
      return `${name}(${range}${more(row)})`;
    };
  }

  cell(column: number, row: number): string {
    return `${columnName(column)}${Math.max(1, row)}`;
  }
}

const rowCounts = [9, 40, 40, 40, 40, 1_030];

function makeRows(choice: Choice, rowCount: number): Cell[][] {
  const rarity = choice.pick([2, 20, 500, 100_000]);
  const templates = Array.from({ length: formulaColumns }, (_, index) =>
    new Maker(choice, inputColumns + index).template(choice.between(1, 3)),
  );
  return Array.from({ length: rowCount }, (_, row) => [
    ...Array.from({ length: inputColumns }, (): Cell => {
      if (choice.oneIn(rarity)) return choice.pick(rarities);
      return choice.oneIn(3) ? choice.pick(numbers) : choice.between(-500, 500) / 10;
    }),
    ...templates.map((template) => `=${template(row + 1)}`),
  ]);
}

/** Errors as texts, which no cell here holds, so that values can be told apart by `Object.is`. */
const comparable: CellForm<unknown> = (value) =>
  typeof value === 'object' && value !== null ? value.error : value;

/** One engine's book, each cell of which is asked for after every edit. */
class Book {
  readonly kernel = Kernel.create();

  constructor(isBatched: boolean) {
    this.kernel.useBatches(isBatched);
    const scope = undefined;
    // Rows below it have no `T[@b]`.
    const area = { sheet, row: 0, column: 0, rowCount: 30, columnCount: inputColumns };
    const columns = ['a', 'b', 'c', 'd'];
    this.apply([
      { kind: 'sheetAdd', sheet, name: 'S', index: 0 },
      { kind: 'nameSet', name: 'Rate', scope, formula: '=S!$B$2' },
      { kind: 'nameSet', name: 'Half', scope, formula: '=0.5' },
      { kind: 'nameSet', name: 'Spread', scope, formula: '=S!$C$2:$D$30' },
      { kind: 'tableSet', name: 'T', ...area, columns, headerRow: false, totalsRow: false },
    ]);
  }

  apply(mutations: readonly Mutation[]): void {
    this.kernel.apply(mutations);
    if (!this.kernel.recalculate(now, Number.MAX_SAFE_INTEGER)) throw new Error('fuel ran out');
  }

  values(rowCount: number): unknown[] {
    const range = { row0: 0, column0: 0, row1: rowCount - 1, column1: width - 1 };
    return this.kernel.readRange(sheet, range, { lens: 'value', form: comparable }).flat();
  }
}

function block(row: number, column: number, rows: readonly Cell[][]): Mutation {
  const inputs = rows.map((cells) => cells.map((cell) => readInput(cell, {})));
  return { kind: 'block', sheet, row, column, inputs };
}

function makeEdit(choice: Choice, rows: readonly Cell[][]): Mutation {
  const row = choice.between(0, rows.length - 1);
  const column = choice.between(0, inputColumns - 1);
  switch (choice.between(0, 5)) {
    case 0:
      return block(row, column, [[choice.pick(rarities)]]);
    case 1:
      return block(row, choice.between(inputColumns, width - 1), [[choice.pick(numbers)]]);
    case 2: {
      const height = Math.min(rows.length - row, 30);
      return block(
        row,
        column,
        makeRows(choice, height).map((cells) => cells.slice(0, 1)),
      );
    }
    case 3:
      return block(2, 0, [[choice.pick(numbers)]]);
    case 4:
      return { kind: 'insert', axis: 'row', sheet, from: row, count: choice.between(1, 3) };
    default:
      return block(row, column, [[choice.between(-99, 99)]]);
  }
}

t.test('rows of one formula have the same bits at once and one by one', async (t) => {
  let batched = 0;
  let formulas = 0;
  for (let index = 0; index < caseCount(150); index++) {
    const seed = testSeed + index;
    const choice = new Choice(new SeededRandom(seed));
    const rowCount = choice.pick(rowCounts);
    const rows = makeRows(choice, rowCount);
    const books = [new Book(true), new Book(false)] as const;
    const edits = [block(0, 0, rows)];
    for (let count = 0; count < 4; count++) edits.push(makeEdit(choice, rows));
    for (const [step, edit] of edits.entries()) {
      for (const book of books) book.apply([edit]);
      const [quick, slow] = books.map((book) => book.values(rowCount));
      const at = (quick ?? []).findIndex((value, cell) => !Object.is(value, slow?.[cell]));
      formulas += books[0].kernel.statistics().evaluated;
      batched += books[0].kernel.statistics().batched;
      if (at < 0) continue;
      const [row, column] = [Math.floor(at / width), at % width];
      const template = String(rows[row]?.[column]);
      t.fail(`seed ${seed}, edit ${step}, ${columnName(column)}${row + 1} ${template}`, {
        quick: quick?.[at],
        slow: slow?.[at],
      });
      return;
    }
  }
  t.comment(`${formulas} cells computed, ${batched} of them at once`);
  t.ok(batched > formulas / 10, 'hardly any were computed at once');
});
