import * as fc from 'fast-check';

import { Formulas } from '../../workers/formulas.ts';
import { MergeDriver, type MergeOutcome } from './merge-driver.ts';
import { hashOf, mergedOnly } from './merge-histories.ts';
import { tableRows } from './merge-play.ts';
import type { StateDriver } from './state-driver.ts';

// Two random histories of one keyed table, and the laws of their merges.

interface Step {
  readonly kind: string;
  readonly payload: object;
}

export interface KeyedHistories {
  /** True if other cells are beside the rows of the table, and formulas name its cells. */
  readonly isBeside?: boolean;
  readonly base: readonly Step[];
  readonly ours: readonly Step[];
  readonly theirs: readonly Step[];
}

const formulas = new Formulas();

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const value = fc.nat(9);
const line = fc.integer({ min: 1, max: 7 });
const keyedRow = fc.record({ k: key, v: value, w: value }, { requiredKeys: ['k'] });
const keyedRows = fc.uniqueArray(keyedRow, {
  minLength: 1,
  maxLength: 3,
  selector: ({ k }) => k,
});

function of(kind: string, payload: fc.Arbitrary<object>, weight = 1) {
  return { weight, arbitrary: payload.map((made): Step => ({ kind, payload: made })) };
}

const sheet = 'Items';
const cell = (columns: readonly string[], input: fc.Arbitrary<unknown>) =>
  fc.tuple(fc.constantFrom(...columns), line, input).map(([column, row, made]) => ({
    sheet,
    cells: [{ a1: `${column}${row + 1}`, input: made }],
  }));
const keyed = (rows: fc.Arbitrary<object[]>) =>
  rows.map((made) => ({ table: 'Items', rows: made }));
const columnName = fc.constantFrom('v', 'w', 'x');

const tableSteps = [
  of('rows.upsert', keyed(keyedRows), 6),
  of('rows.import', keyed(fc.oneof(keyedRows, fc.constant<object[]>([]))), 2),
  of(
    'rows.delete',
    fc
      .uniqueArray(key, { minLength: 1, maxLength: 6 })
      .map((keys) => ({ table: 'Items', keys, onMissing: 'ignore' })),
    3,
  ),
];
const cellSteps = [of('cells.set', cell(['B', 'C'], value), 2)];
const lineSteps = [
  of('rows.move', fc.record({ sheet: fc.constant(sheet), from: line, before: line }).map(below)),
  of('rows.delete', fc.record({ sheet: fc.constant(sheet), from: line }).map(below)),
];
const columnSteps = [
  // A column dropped and added again under its name is another column.
  of(
    'table.column.add',
    fc.constantFrom('x', 'y', 'v', 'w').map((column) => ({ table: 'Items', column })),
  ),
  of(
    'table.column.drop',
    columnName.map((column) => ({ table: 'Items', column })),
  ),
  of(
    'table.column.move',
    fc
      .tuple(columnName, columnName)
      .map(([column, before]) => ({ table: 'Items', column, before })),
  ),
];
/** Keys that only these steps write, so that an existing one becomes a duplicate. */
const keySteps = [of('cells.set', cell(['A'], fc.constantFrom('g', 'h', 'i')))];

/** The header stays where it is. */
function below<Lines extends { readonly from: number; readonly before?: number }>(lines: Lines) {
  const { from, before } = lines;
  return { ...lines, from: from + 1, ...(before !== undefined && { before: before + 1 }) };
}

const families = {
  'rows of a keyed table': fc.oneof(...tableSteps),
  'rows and their cells': fc.oneof(...tableSteps, ...cellSteps),
  'rows and lines': fc.oneof(...tableSteps, ...cellSteps, ...lineSteps),
  'rows and columns': fc.oneof(...tableSteps, ...columnSteps),
  'rows and keys that are typed over': fc.oneof(...tableSteps, ...cellSteps, ...keySteps),
};

const besideFamilies = {
  'rows beside other cells': fc.oneof(...tableSteps),
  'rows beside other cells, and their cells': fc.oneof(...tableSteps, ...cellSteps),
};

/** Cells right of the table, which inserting or deleting its rows would move. */
const beside: readonly Step[] = [
  {
    kind: 'rows.import',
    payload: { table: 'Items', rows: ['a', 'b', 'c'].map((k, v) => ({ k, v })) },
  },
  {
    kind: 'range.set',
    payload: { sheet, range: 'F1:F9', inputs: Array.from({ length: 9 }, (_, at) => [`n${at}`]) },
  },
  { kind: 'sheet.add', payload: { name: 'Other' } },
  {
    kind: 'cells.set',
    payload: {
      sheet: 'Other',
      cells: [
        { a1: 'A1', input: '=Items!B3' },
        { a1: 'A2', input: '=SUM(Items!B2:B4)' },
      ],
    },
  },
];

function play({ isBeside = false, base, ours, theirs }: KeyedHistories): MergeDriver {
  const run = (driver: StateDriver, steps: readonly Step[]) => {
    for (const { kind, payload } of steps) driver.submit(kind, payload);
  };
  const driver = new MergeDriver(formulas, (first) => {
    const calculated = { name: 'd', formula: '=[@v]*2' };
    const schema = { columns: [{ name: 'k' }, { name: 'v' }, { name: 'w' }, calculated] };
    first.apply('table.create', { name: 'Items', keyColumn: 'k', schema });
    if (isBeside) run(first, beside);
    run(first, base);
  });
  run(driver.ours, ours);
  run(driver.theirs, theirs);
  return driver;
}

type Row = Record<string, unknown>;

function rowsOf(driver: StateDriver): Row[] {
  return driver.state.tables.named('Items') ? tableRows(driver, 'Items') : [];
}

/** By key, each row with its columns by name. */
function sortedRows(driver: StateDriver): string[] {
  const text = (row: Row) =>
    JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return rowsOf(driver).map(text).sort();
}

function keysOf(driver: StateDriver): string[] {
  return rowsOf(driver).map(({ k }) => String(k));
}

function contestsOf({ conflicts }: MergeOutcome): string[] {
  return conflicts.map(({ id, contest }) => `${id} ${contest.kind} ${contest.register}`).sort();
}

type Winner = 'ours' | 'theirs';

function checkDirections(driver: MergeDriver, otherwise: Winner): MergeOutcome | undefined {
  const merged = mergedOnly(() => driver.merge({ otherwise }));
  const again = mergedOnly(() => driver.merge({ otherwise }));
  const flipped = otherwise === 'ours' ? 'theirs' : 'ours';
  const mirrored = mergedOnly(() => driver.mirror({ otherwise: flipped }));
  if (!merged || !mirrored || !again) {
    if (merged || mirrored || again) throw new Error('it can be written in one direction only');
    return undefined;
  }
  same(contestsOf(merged), contestsOf(mirrored), 'conflicts');
  same(sortedRows(merged.driver), sortedRows(mirrored.driver), `rows, ${otherwise} wins`);
  const hash = hashOf(merged.driver.state);
  same([hash], [hashOf(again.driver.state)], 'hashes of the same merge');
  if (linesOf(merged) === linesOf(mirrored)) {
    same([hash], [hashOf(mirrored.driver.state)], 'hashes of both directions');
  }
  return merged;
}

function linesOf({ driver: { state } }: MergeOutcome): string {
  return JSON.stringify(
    state.structure.sheets.map(({ rows, columns }) => [
      rows.spansAt(0, 60),
      columns.spansAt(0, 20),
    ]),
  );
}

function same(a: readonly string[], b: readonly string[], name: string): void {
  if (a.join('\n') === b.join('\n')) return;
  throw new Error(`${name}: ${a.join('; ')} | ${b.join('; ')}`);
}

/** Throws unless each key that both sides have, or one has added, exists once. */
function checkKeys(driver: MergeDriver, merged: MergeOutcome): void {
  const sides = [driver.base, driver.ours, driver.theirs].map(keysOf);
  const [base = [], ours = [], theirs = []] = sides;
  if (sides.some(isRepeating)) return;
  const found = keysOf(merged.driver);
  if (isRepeating(found)) throw new Error(`a key is there twice: ${found.join()}`);
  const all = [...new Set([...ours, ...theirs])];
  const isDue = (one: string) =>
    (ours.includes(one) && theirs.includes(one)) || !base.includes(one);
  const lost = all.filter((one) => isDue(one) && !found.includes(one));
  if (lost.length > 0) throw new Error(`lost: ${lost.join()}`);
  const back = all.filter((one) => !isDue(one) && found.includes(one));
  if (merged.conflicts.length === 0 && back.length > 0) throw new Error(`back: ${back.join()}`);
}

function isRepeating(keys: readonly string[]): boolean {
  return new Set(keys).size < keys.length;
}

/** By the name of the family of their operations. */
export const keyedHistories: readonly (readonly [string, fc.Arbitrary<KeyedHistories>])[] =
  Object.entries(families).map(([name, step]) => [name, historiesOf(step, false)]);

/** Tables with other cells beside them. */
export const besideHistories: readonly (readonly [string, fc.Arbitrary<KeyedHistories>])[] =
  Object.entries(besideFamilies).map(([name, step]) => [name, historiesOf(step, true)]);

function historiesOf(step: fc.Arbitrary<Step>, isBeside: boolean): fc.Arbitrary<KeyedHistories> {
  const steps = fc.array(step, { minLength: 1, maxLength: 4 });
  const base = fc.array(step, { maxLength: 3 });
  return fc.record({ isBeside: fc.constant(isBeside), base, ours: steps, theirs: steps });
}

/** Throws if the directions differ, a key is lost or doubled, or a second merge differs. */
export function checkKeyedMerge(played: KeyedHistories): void {
  const driver = play(played);
  const isSwayed = [...played.base, ...played.ours, ...played.theirs].some(maySway);
  for (const winner of ['ours', 'theirs'] as const) {
    const merged = checkDirections(driver, winner);
    if (merged && !isSwayed) checkKeys(driver, merged);
  }
}

/** Returns whether a step may change the key of a row, or move it out of the table. */
function maySway({ kind, payload }: Step): boolean {
  const isTyping = kind === 'cells.set' && JSON.stringify(payload).includes('"a1":"A');
  return isTyping || kind === 'rows.move';
}
