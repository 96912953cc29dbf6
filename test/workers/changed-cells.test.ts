import * as fc from 'fast-check';
import t from 'tap';

import { CELL_FORMULA, CELL_SPILLED } from '../../assembly/abi.ts';
import { cellName } from '../../server/model/address.ts';
import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { Kernel } from '../../workers/kernel.ts';
import { caseCount } from '../support/case-count.ts';

/**
 * Changes that the kernel tells are those that a comparison of all cells before and after finds, by
 * random edits. Where edits move lines, the cells before are moved in the same way.
 */

interface Cell {
  readonly value: Value;
  readonly flags: number;
}
type Grid = Cell[][];

const sheets = [1, 2];
const data = 1;
/** On both sides of the border between two chunks, with blank lines around. */
const window = { row0: 960, row1: 1160, column0: 0, column1: 15 };
const firstRow = 1000;
const lastRow = 1040;
const blank: Cell = { value: null, flags: 0 };

const value = fc.constantFrom<Input>(1, 2, 3.5, -4, 'x', 'y', '', true, null, { error: '#N/A' });
const formula = fc
  .constantFrom(
    '=A1001+1',
    '=SUM(A1001:A1010)',
    '=1/A1003',
    '=IF(B1004="x",SEQUENCE(3),"y")',
    '=SEQUENCE(2,3)',
    '=TRANSPOSE(A1001:A1004)',
    '=COUNTIF(A:A,"x")',
    '=B1002&"-"',
    '=Two!A1001',
    '=INDIRECT("A1005")',
    '=C1003#',
    '=ROW()',
  )
  .map((text): Input => ({ formula: text }));
const input = fc.oneof({ weight: 3, arbitrary: value }, { weight: 2, arbitrary: formula });
const place = fc.record({
  sheet: fc.constantFrom(...sheets),
  row: fc.integer({ min: firstRow, max: lastRow }),
  column: fc.nat(4),
});
const span = fc.record({
  sheet: fc.constantFrom(...sheets),
  axis: fc.constant('row' as const),
  from: fc.integer({ min: firstRow - 3, max: lastRow }),
  count: fc.integer({ min: 1, max: 4 }),
});

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(place, input)
      .map(([at, one]): Mutation => ({ kind: 'cell', ...at, input: one })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, input, fc.integer({ min: 1, max: 30 }))
      .map(([at, one, rowCount]): Mutation => {
        return { kind: 'fill', ...at, rowCount, columnCount: 1, input: one };
      }),
  },
  span.map((lines): Mutation => ({ kind: 'insert', ...lines })),
  span.map((lines): Mutation => ({ kind: 'delete', ...lines })),
  fc
    .tuple(span, fc.integer({ min: firstRow - 3, max: lastRow + 3 }))
    .filter(([{ from, count }, before]) => before < from || before > from + count)
    .map(([lines, before]): Mutation => ({ kind: 'move', ...lines, before })),
  fc.constantFrom<Mutation>(
    { kind: 'insert', axis: 'column', sheet: data, from: 1, count: 1 },
    { kind: 'delete', axis: 'column', sheet: data, from: 1, count: 1 },
    { kind: 'rowsHidden', sheet: data, from: firstRow, count: 3, hidden: 'hand' },
  ),
);

function readGrid(kernel: Kernel, sheet: number): Grid {
  const form = (cell: Value, flags: number): Cell => ({ value: cell, flags });
  return kernel.readRange(sheet, window, { lens: 'value', form });
}

function readAll(kernel: Kernel): Map<number, Grid> {
  return new Map(sheets.map((sheet) => [sheet, readGrid(kernel, sheet)]));
}

/** Moves lines as an edit does; the list keeps its length. */
function shift<Item>(lines: Item[], edit: Mutation, from: number, fill: () => Item): void {
  if (edit.kind === 'insert') {
    lines.splice(from, 0, ...Array.from({ length: edit.count }, fill));
    lines.length -= edit.count;
  } else if (edit.kind === 'delete') {
    lines.splice(from, edit.count);
    for (let count = 0; count < edit.count; count++) lines.push(fill());
  } else if (edit.kind === 'move') {
    const to = edit.before - edit.from + from;
    const taken = lines.splice(from, edit.count);
    lines.splice(to > from ? to - edit.count : to, 0, ...taken);
  }
}

function follow(grids: Map<number, Grid>, edit: Mutation): void {
  if (edit.kind !== 'insert' && edit.kind !== 'delete' && edit.kind !== 'move') return;
  const grid = grids.get(edit.sheet) ?? [];
  if (edit.axis === 'column') {
    for (const row of grid) shift(row, edit, edit.from, () => blank);
  } else {
    const width = window.column1 + 1;
    shift(grid, edit, edit.from - window.row0, () => Array.from({ length: width }, () => blank));
  }
}

function describe(sheet: number, row: number, column: number, values: readonly Value[]): string {
  const [from, to] = values.map((one) => JSON.stringify(one));
  return `${sheet}!${cellName(row, column)}: ${from} -> ${to}`;
}

function isError(one: Value): boolean {
  return typeof one === 'object' && one !== null;
}

/** Returns whether calculation changed a cell: by its formula, by an array or for want of one. */
function isComputed(before: Cell, after: Cell): boolean {
  if (JSON.stringify(before.value) === JSON.stringify(after.value)) return false;
  if ((after.flags & (CELL_FORMULA | CELL_SPILLED)) !== 0) return true;
  return after.value === null && (before.flags & CELL_SPILLED) !== 0;
}

/** All that differs by calculation, or what of it is an error now. */
function compare(before: Map<number, Grid>, after: Map<number, Grid>, errors: boolean): string[] {
  return [...after].flatMap(([sheet, grid]) =>
    grid.flatMap((cells, index) =>
      cells.flatMap((cell, column) => {
        const former = before.get(sheet)?.[index]?.[column] ?? blank;
        if (!isComputed(former, cell) || (errors && !isError(cell.value))) return [];
        return [describe(sheet, window.row0 + index, column, [former.value, cell.value])];
      }),
    ),
  );
}

function readChanges(kernel: Kernel, which: 'computed' | 'errors', limit: number): string[] {
  const found: string[] = [];
  const total = kernel.readChanges(which, limit, ({ sheet, row, column, from, to }) => {
    found.push(describe(sheet, row, column, [from, to]));
  });
  if (total > limit) found.push(`${total - limit} more`);
  return found;
}

function cut(all: readonly string[], limit: number): string[] {
  return all.length > limit ? [...all.slice(0, limit), `${all.length - limit} more`] : [...all];
}

function calculate(kernel: Kernel, fuelSteps: number): void {
  const clock = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
  while (!kernel.recalculate(clock, fuelSteps));
}

function newBook(): Kernel {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 },
    { kind: 'sheetAdd', sheet: 2, name: 'Two', index: 1 },
  ]);
  return kernel;
}

interface Step {
  readonly edits: readonly Mutation[];
  readonly limit: number;
  readonly fuelSteps: number;
}

/** Watches each step from a calculated workbook to the next one. */
function check(start: readonly Mutation[], steps: readonly Step[]): void {
  const kernel = newBook();
  kernel.apply(start);
  calculate(kernel, 1e9);
  for (const { edits, limit, fuelSteps } of steps) {
    const before = readAll(kernel);
    kernel.watchChanges(true);
    kernel.apply(edits);
    for (const edit of edits) follow(before, edit);
    calculate(kernel, fuelSteps);
    const after = readAll(kernel);
    for (const which of ['computed', 'errors'] as const) {
      const wanted = cut(compare(before, after, which === 'errors'), limit).join('\n');
      const found = readChanges(kernel, which, limit).join('\n');
      if (found !== wanted) throw new Error(`${which}:\n${found}\nby comparison:\n${wanted}`);
    }
  }
}

t.test('histories of edits, each watched', (t) => {
  const step = fc.record({
    edits: fc.array(mutation, { minLength: 1, maxLength: 5 }),
    limit: fc.constantFrom(0, 3, 10_000),
    fuelSteps: fc.constantFrom(40, 1e9),
  });
  const start = fc.array(mutation, { minLength: 10, maxLength: 40 });
  const law = fc.property(start, fc.array(step, { minLength: 1, maxLength: 6 }), check);
  const result = fc.check(law, { numRuns: caseCount(150) });
  t.equal(result.failed, false, fc.defaultReportMessage(result) ?? '');
  t.end();
});

t.test('texts are told as they were, and their room is given back', (t) => {
  const kernel = newBook();
  const cell = { kind: 'cell', sheet: 1, row: 0 } as const;
  const long = 'a text that no other cell holds';
  kernel.apply([
    { ...cell, column: 0, input: long },
    { ...cell, column: 1, input: { formula: '=A1&"!"' } },
    { ...cell, column: 2, input: { formula: '=LEN(B1)' } },
  ]);
  calculate(kernel, 1e9);
  const watched = (text: string): string[] => {
    kernel.watchChanges(true);
    kernel.apply([{ ...cell, column: 0, input: text }]);
    calculate(kernel, 1e9);
    return readChanges(kernel, 'computed', 10);
  };
  t.same(watched('b'), [describe(1, 0, 1, [`${long}!`, 'b!']), describe(1, 0, 2, [32, 2])]);
  kernel.watchChanges(false);
  const { usedBytes } = kernel.statistics();
  for (let round = 0; round < 50; round++) watched(`${long} ${round}`);
  watched('b');
  kernel.watchChanges(false);
  t.equal(kernel.statistics().usedBytes, usedBytes, 'after many rounds');
  t.same(readChanges(kernel, 'computed', 10), [], 'nothing is told that was not watched');
  t.end();
});

t.test('columns that go while they are watched leave nothing behind', (t) => {
  const kernel = newBook();
  const column = { axis: 'column', sheet: 1, from: 0, count: 1 } as const;
  const round = (): number => {
    kernel.watchChanges(true);
    kernel.apply([
      { kind: 'insert', ...column },
      { kind: 'cell', sheet: 1, row: 0, column: 0, input: 'gone soon' },
      { kind: 'cell', sheet: 1, row: 0, column: 0, input: 1 },
      { kind: 'delete', ...column },
    ]);
    calculate(kernel, 1e9);
    kernel.watchChanges(false);
    return kernel.statistics().usedBytes;
  };
  round();
  const usedBytes = round();
  t.equal(round(), usedBytes, 'once lists have their length');
  t.end();
});

t.test('a sheet that is added while it is watched is told of', (t) => {
  const kernel = newBook();
  const cell = { kind: 'cell', row: 0, column: 0 } as const;
  kernel.apply([{ ...cell, sheet: 1, input: { formula: '=Three!A1' } }]);
  calculate(kernel, 1e9);
  kernel.watchChanges(true);
  kernel.apply([
    { kind: 'sheetAdd', sheet: 3, name: 'Three', index: 0 },
    { ...cell, sheet: 3, input: { formula: '=1+1' } },
    { kind: 'sheetDelete', sheet: 2 },
  ]);
  calculate(kernel, 1e9);
  t.same(readChanges(kernel, 'computed', 10), [
    describe(3, 0, 0, [null, 2]),
    describe(1, 0, 0, [{ error: '#REF!' }, 2]),
  ]);
  t.end();
});
