import daff from 'daff';
import * as fc from 'fast-check';
import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import { MergeDriver } from '../support/merge-driver.ts';
import type { StateDriver } from '../support/state-driver.ts';
import { testSeed } from '../support/test-seed.ts';

// Beside daff, where both have one answer: cells that one side changed, of rows that daff finds
// again because each has a name and no side changed more than a cell of it.

const formulas = new Formulas();
const sheet = 'One';
const letters = ['A', 'B', 'C', 'D', 'E', 'F'];
const rowCount = 14;

type Table = (string | number | null)[][];

interface Edits {
  /** By row and side, which column it changed; a row of a side may stay as it is. */
  readonly cells: readonly (readonly [ours: number, theirs: number])[];
  /** Rows that a side deleted; the other has not touched them. */
  readonly gone: readonly (readonly [row: number, isOurs: boolean])[];
  /** Rows that a side added at the end. */
  readonly added: readonly [ours: number, theirs: number];
}

const untouched = 0;
const column = fc.nat(letters.length - 1);

const anyEdits: fc.Arbitrary<Edits> = fc.record({
  cells: fc.array(fc.tuple(column, column), { minLength: rowCount, maxLength: rowCount }),
  gone: fc.array(fc.tuple(fc.nat(rowCount - 1), fc.boolean()), { maxLength: 3 }),
  added: fc.tuple(fc.nat(2), fc.constant(0)),
});

function baseTable(): Table {
  return Array.from({ length: rowCount }, (_, row) =>
    letters.map((_, at) => (at === 0 ? `item ${row}` : 1000 * row + 7 * at)),
  );
}

/**
 * Returns the table after the edits of a side; a cell that both sides would change is left to ours.
 */
function edited({ cells, gone, added }: Edits, isOurs: boolean): Table {
  const deleted = new Map(gone);
  const table = baseTable().flatMap((row, at) => {
    const [mine, yours] = cells[at] ?? [untouched, untouched];
    const goneBy = deleted.get(at);
    if (goneBy !== undefined) return goneBy === isOurs ? [] : [row];
    const changed = isOurs ? mine : yours === mine ? untouched : yours;
    return [row.map((cell, place) => (place > 0 && place === changed ? Number(cell) + 0.5 : cell))];
  });
  const count = added[isOurs ? 0 : 1];
  const names = Array.from({ length: count }, (_, at) => `${isOurs ? 'ours' : 'theirs'} ${at}`);
  return [...table, ...names.map((name, at) => letters.map((_, c) => (c ? at + c : name)))];
}

/** Does to a sheet what leads from the base to the table of a side. */
function edit(driver: StateDriver, table: Table): void {
  const base = baseTable();
  const kept = new Set(table.map(([name]) => name));
  for (const [at, row] of [...base.entries()].toReversed()) {
    if (!kept.has(row[0] ?? '')) driver.apply('rows.delete', { sheet, from: at + 1, count: 1 });
  }
  const rest = base.filter(([name]) => kept.has(name ?? ''));
  const cells = table.flatMap((row, at) =>
    row.flatMap((input, place) =>
      rest[at]?.[place] === input ? [] : [{ a1: `${letters[place] ?? 'A'}${at + 1}`, input }],
    ),
  );
  if (cells.length > 0) driver.apply('cells.set', { sheet, cells });
}

function mergedByDaff(ours: Table, theirs: Table): { table: Table; conflictCount: number } {
  const header = letters.map((letter) => `column ${letter}`);
  const [parent, local, remote] = [baseTable(), ours, theirs].map((rows) => [header, ...rows]);
  if (!parent || !local || !remote) throw new Error('three tables were expected');
  const views = [parent, local, remote].map((rows) => new daff.TableView(rows));
  const [one = {}, two = {}, three = {}] = views;
  const conflictCount = new daff.Merger(one, two, three, new daff.CompareFlags()).apply();
  return { table: local.slice(1), conflictCount };
}

function shown(driver: StateDriver): Table {
  const rows = driver.rows(`A1:${letters.at(-1) ?? 'A'}${2 * rowCount}`) as Table;
  return rows.filter(([name]) => name !== null);
}

t.test('cells that one side changed are as daff has them', async (t) => {
  let editCount = 0;
  const check = (edits: Edits): void => {
    const [ours, theirs] = [edited(edits, true), edited(edits, false)];
    const driver = new MergeDriver(formulas, (base) => {
      base.apply('sheet.add', { name: sheet });
      base.apply('range.set', { sheet, range: 'A1', inputs: baseTable() });
    });
    edit(driver.ours, ours);
    edit(driver.theirs, theirs);
    const { table, conflictCount } = mergedByDaff(ours, theirs);
    if (conflictCount > 0) throw new Error('daff sees conflicts');
    const outcome = driver.merge();
    if (outcome.conflicts.length > 0) throw new Error('we see conflicts');
    const [mine, daffs] = [shown(outcome.driver), table].map((rows) => JSON.stringify(rows));
    if (mine !== daffs) throw new Error(`${mine} and not ${daffs}`);
    editCount += edits.cells.length;
  };
  const options = { numRuns: caseCount(100), seed: testSeed };
  t.doesNotThrow(() => fc.assert(fc.property(anyEdits, check), options));
  t.ok(editCount > 0);
});
