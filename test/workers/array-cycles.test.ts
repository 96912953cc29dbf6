import t from 'tap';

import { cellName, parseAddress } from '../../server/model/address.ts';
import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { caseCount } from '../support/case-count.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { testSeed } from '../support/test-seed.ts';

/** Arrays that read what they fill, perhaps by way of others: no order of edits may show. */

const sheet = 1;
const size = 5;
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: size + 3, column1: size + 3 };
const sheetAdd = { kind: 'sheetAdd', sheet, name: 'One', index: 0 } as const;

type Cell = Extract<Mutation, { kind: 'cell' }>;

function cellAt(name: string, input: Input): Cell {
  const place = parseAddress(name);
  if (place === undefined) throw new Error(`${name} is no cell`);
  return { kind: 'cell', sheet, ...place, input };
}

function valuesOf(kernel: Kernel, fuelSteps = 1e8): string[] {
  for (let calls = 0; !kernel.recalculate(now, fuelSteps); calls++) {
    if (calls > 100_000) throw new Error('it is never done');
  }
  const rows = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  return rows.flatMap((row, index) =>
    row.flatMap((value, column) => {
      return value === null ? [] : [`${cellName(index, column)} ${JSON.stringify(value)}`];
    }),
  );
}

function stepByStep(edits: readonly Mutation[], fuelSteps?: number): string[] {
  const kernel = Kernel.create();
  kernel.apply([sheetAdd]);
  for (const edit of edits) {
    kernel.apply([edit]);
    valuesOf(kernel, fuelSteps);
  }
  return valuesOf(kernel);
}

function atOnce(edits: readonly Mutation[]): string[] {
  const kernel = Kernel.create();
  kernel.apply([sheetAdd, ...edits]);
  return valuesOf(kernel);
}

function* ordersOf<Item>(items: readonly Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const [index, first] of items.entries()) {
    for (const rest of ordersOf(items.toSpliced(index, 1))) yield [first, ...rest];
  }
}

/** Cells, and what some of them come to. */
const cases: readonly [cells: Readonly<Record<string, Input>>, found: readonly string[]][] = [
  // It reads its own second cell.
  [{ A1: { formula: '=SEQUENCE(2)+A2' } }, ['A1 {"error":"#CIRC!"}']],
  // The size of one array depends on the other, but 4 is in the way.
  [
    {
      C5: 3,
      B1: { formula: '=IFERROR(C3:C5,7)' },
      C1: { formula: '=SEQUENCE(MIN(3,MAX(1,N(B3))))' },
      C2: 4,
    },
    ['B1 0', 'B3 3', 'C1 {"error":"#SPILL!"}'],
  ],
  // C3 reads what it fills, and A3 reads it too, but is not circular without it.
  [
    { A3: { formula: '=TRANSPOSE(D2:E3)' }, C3: { formula: '=A4:C5+1' } },
    ['A3 0', 'C3 {"error":"#CIRC!"}'],
  ],
  // E2 comes first in reading order and is in the way of D3, which would read itself.
  [
    {
      D3: { formula: '=TRANSPOSE(E3:E4)' },
      E2: { formula: '=E4:E5' },
      B2: { formula: '=C3:E3+1' },
    },
    ['D3 {"error":"#SPILL!"}', 'C2 {"error":"#SPILL!"}'],
  ],
  [
    {
      A3: { formula: '=IFERROR(C4:D4,7)' },
      D3: { formula: '=C4#' },
      C4: { formula: '=SEQUENCE(2,2)+C2' },
    },
    [],
  ],
  // How far the trimmed range goes depends on an array that is out of date.
  [
    {
      B1: { formula: '=UNIQUE(A4:B5)' },
      E1: { formula: '=B5:.C1', legacy: true },
      B5: { formula: '=UNIQUE(E1:E1)' },
    },
    [],
  ],
  // A legacy array has its area from the start, which # is.
  [
    {
      A2: { formula: '=TRANSPOSE(B4:C4)', array: 'A2:B2' },
      C1: { formula: '=A2#' },
      D4: 1,
    },
    ['C1 0', 'D1 0'],
  ],
];

for (const [cells, found] of cases) {
  t.test(Object.keys(cells).join(', '), (t) => {
    const edits = Object.entries(cells).map(([name, input]) => cellAt(name, input));
    const expected = atOnce(edits);
    for (const one of found) t.ok(expected.includes(one), `${one} is in ${expected.join(', ')}`);
    for (const order of ordersOf(edits)) {
      t.strictSame(stepByStep(order), expected, 'step by step');
      t.strictSame(stepByStep(order, 20), expected, 'in small slices');
      t.strictSame(atOnce(order), expected, 'at once, in another order');
    }
    t.end();
  });
}

/** Small workbooks that are full of arrays and cycles. */
class Writer {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  edits(): Mutation[] {
    return Array.from({ length: 3 + this.#upTo(14) }, () => this.#edit());
  }

  #edit(): Mutation {
    if (this.#upTo(10) === 0) {
      const kind = this.#upTo(2) === 0 ? 'insert' : 'delete';
      const axis = this.#upTo(2) === 0 ? 'row' : 'column';
      return { kind, sheet, axis, from: this.#upTo(size), count: 1 + this.#upTo(2) };
    }
    const at = { row: this.#upTo(size), column: this.#upTo(size) };
    return { kind: 'cell', sheet, ...at, input: this.#input(at) };
  }

  #input({ row, column }: { row: number; column: number }): Input {
    const way = this.#upTo(10);
    if (way < 2) return null;
    if (way < 5) return this.#upTo(5);
    const formula = this.#formula();
    const mode = this.#upTo(6);
    if (mode > 1) return { formula };
    if (mode === 0) return { formula, legacy: true };
    const row1 = Math.min(size - 1, row + this.#upTo(3));
    const column1 = Math.min(size - 1, column + this.#upTo(2));
    return { formula, array: `${cellName(row, column)}:${cellName(row1, column1)}` };
  }

  #formula(): string {
    const cell = this.#cell();
    const range = this.#range();
    const forms = [
      `=SEQUENCE(${1 + this.#upTo(3)},${1 + this.#upTo(2)})+${cell}`,
      `=SEQUENCE(MIN(3,MAX(1,N(${cell}))))`,
      `=${range}`,
      `=${range}+1`,
      `=${cell}+1`,
      `=SUM(${range})`,
      `=IFERROR(${cell},5)`,
      `=IFERROR(${range},7)`,
      `=IF(${cell}>2,${this.#cell()},${this.#cell()})`,
      `=TRANSPOSE(${range})`,
      `=UNIQUE(${range})`,
      `=FILTER(${range},INDEX(${this.#range()},0,1)>0)`,
      `=${cell}#`,
      `=ROWS(${cell}#)`,
      `=${cell}:.${this.#cell()}`,
      `=SUM(OFFSET(${cell},${this.#upTo(2)},0,2,1))`,
      `=VLOOKUP(${cell},${range},1,FALSE)`,
    ];
    return forms[this.#upTo(forms.length)] ?? '';
  }

  #cell(): string {
    return cellName(this.#upTo(size), this.#upTo(size));
  }

  #range(): string {
    const row = this.#upTo(size);
    const column = this.#upTo(size);
    const row1 = Math.min(size - 1, row + this.#upTo(3));
    const column1 = Math.min(size - 1, column + this.#upTo(3));
    return `${cellName(row, column)}:${cellName(row1, column1)}`;
  }

  #upTo(limit: number): number {
    return this.#random.between(0, limit - 1);
  }
}

t.test('workbooks full of cycles are what a fresh build makes of them', (t) => {
  const count = caseCount(300);
  for (let seed = testSeed; seed < testSeed + count; seed++) {
    const edits = new Writer(new SeededRandom(seed)).edits();
    const found = stepByStep(edits);
    const expected = atOnce(edits);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      t.strictSame(found, expected, `${seed}: ${JSON.stringify(edits)}`);
    }
  }
  t.pass(`${count} workbooks`);
  t.end();
});
