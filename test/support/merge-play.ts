import type { Test } from 'tap';

import { keyColumnOf, dataRange, rangeOf } from '../../server/state/structure/tables.ts';
import { Formulas } from '../../workers/formulas.ts';
import { MergeDriver, type MergeOutcome } from './merge-driver.ts';
import type { StateDriver } from './state-driver.ts';

// Two branches, told by what each of them does.

const formulas = new Formulas();

export type Edit = (driver: StateDriver) => void;

export interface Scenario {
  readonly base?: Edit;
  readonly ours: Edit;
  readonly theirs: Edit;
}

export function set(a1: string, input: unknown, sheet = 'One'): Edit {
  return (driver) => driver.apply('cells.set', { sheet, cells: [{ a1, input }] });
}

export function all(...edits: Edit[]): Edit {
  return (driver) => {
    for (const edit of edits) edit(driver);
  };
}

export function op(kind: string, payload: object): Edit {
  return (driver) => driver.apply(kind, payload);
}

/** Sheet One has numbers in A1:C20: row times ten plus column. */
function prepare(driver: StateDriver): void {
  driver.apply('sheet.add', { name: 'One' });
  const inputs = Array.from({ length: 20 }, (_, row) =>
    [1, 2, 3].map((column) => (row + 1) * 10 + column),
  );
  driver.apply('range.set', { sheet: 'One', range: 'A1:C20', inputs });
}

export function play({ base, ours, theirs }: Scenario): MergeDriver {
  const driver = new MergeDriver(formulas, (first) => {
    prepare(first);
    base?.(first);
  });
  ours(driver.ours);
  theirs(driver.theirs);
  return driver;
}

export function kinds({ conflicts }: Pick<MergeOutcome, 'conflicts'>): string[] {
  return conflicts.map(({ contest }) => contest.kind);
}

/** Merges both ways: neither has a conflict, and the cells are the same. */
export function clean(t: Test, scenario: Scenario, check: (merged: StateDriver) => void): void {
  const driver = play(scenario);
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), []);
    check(outcome.driver);
  }
}

/** The rows of a keyed table from top to bottom, by the names of their columns. */
export function tableRows({ state }: StateDriver, name: string): Record<string, unknown>[] {
  const table = state.tables.named(name);
  const sheet = table && state.structure.withId(table.sheetId);
  const key = table && keyColumnOf(table);
  if (!table || !sheet || !key) throw new Error(`there is no keyed table ${name}`);
  const { row0, row1, column0 } = dataRange(table, rangeOf(table, state.structure));
  return Array.from({ length: row1 - row0 + 1 }, (_, at) =>
    Object.fromEntries(
      table.columns.map((column, index) => {
        const input = state.inputAt(sheet, row0 + at, column0 + index);
        const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
        return [column.name, isFormula ? input.formula : input];
      }),
    ),
  ).filter((row) => row[key.name] !== null);
}
