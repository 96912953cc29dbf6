import * as fc from 'fast-check';
import t from 'tap';

import { cellName } from '../../server/model/address.ts';
import { writeInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { inputForm, valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { caseCount } from '../support/case-count.ts';
import { histories, lineDeletes, lineInserts, type Step } from '../support/range-histories.ts';
import { drive, StateDriver } from '../support/state-driver.ts';
import { testSeed } from '../support/test-seed.ts';

/** Runs long: random histories of each kind of edit. */

const formulas = new Formulas();
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: 36, column1: 20 };
const width = area.column1 + 1;
const numRuns = caseCount(150);

/**
 * A range whose ends coincide, or change places, may be spelled in two ways that mean the same; the
 * signs that keep an end in place are looked at in the tests of each kind.
 */
function plainSpelling(input: unknown, row: number, column: number): unknown {
  if (typeof input !== 'string' || !input.startsWith('=')) return input;
  const canonical = formulas.fromR1C1(formulas.toR1C1(input, row, column), row, column);
  return canonical.replaceAll('$', '');
}

function sheetKeys(state: BranchState): number[] {
  return state.structure.sheets.map(({ key }) => key);
}

/** The first input that the state and the kernel show differently. */
function inputDifference(state: BranchState, kernel: Kernel): string | undefined {
  for (const sheet of state.structure.sheets) {
    const shown = kernel.readRange(sheet.key, area, { lens: 'input', form: inputForm });
    const held = shown.map((cells, row) =>
      cells.map((_, column) => writeInput(state.inputAt(sheet, row, column))),
    );
    const [mine, theirs] = [spelled(held), spelled(shown)];
    const at = mine.findIndex((text, index) => text !== theirs[index]);
    if (at < 0) continue;
    const name = cellName(Math.floor(at / width), at % width);
    return `${sheet.name}!${name}: ${mine[at]} in the state, ${theirs[at]} in the kernel`;
  }
  return undefined;
}

/** Cell after cell, row by row. */
function spelled(rows: readonly (readonly unknown[])[]): string[] {
  return rows.flatMap((cells, row) =>
    cells.map((cell, column) => JSON.stringify(plainSpelling(cell, row, column))),
  );
}

function values(kernel: Kernel, keys: readonly number[]): string {
  while (!kernel.recalculate(now, 1e8));
  const grids = keys.map((key) => kernel.readRange(key, area, { lens: 'value', form: valueForm }));
  return JSON.stringify(grids);
}

/** Runs a history; each operation is sent by someone who is a few behind. */
function run(steps: readonly Step[]): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2' });
  for (const [{ kind, payload }, behind] of steps) {
    driver.submit(kind, payload, { baseSeq: Math.max(3, driver.state.head - behind) });
  }
  return driver;
}

const tallies = new Map<string, number>();

function check(steps: readonly Step[]): void {
  const driver = run(steps);
  for (const { kind, status } of driver.admitted) {
    if (status !== 'noop') tallies.set(kind, (tallies.get(kind) ?? 0) + 1);
  }
  const keys = sheetKeys(driver.state);
  const stepwise = Kernel.create();
  for (const { mutations } of driver.admitted) {
    stepwise.apply(mutations);
    while (!stepwise.recalculate(now, 1e8));
  }
  const difference = inputDifference(driver.state, stepwise);
  if (difference !== undefined) throw new Error(difference);
  const { state, mutations } = driver.replayed();
  if (drive(state.stateHash()) !== drive(driver.state.stateHash())) throw new Error('state hash');
  const atOnce = Kernel.create();
  const all: Mutation[] = mutations.flat();
  atOnce.apply(all);
  if (values(stepwise, keys) !== values(atOnce, keys)) throw new Error('values');
}

const families = [
  { name: 'alone', steps: histories() },
  { name: 'among lines inserted', steps: histories(lineInserts) },
  { name: 'among lines deleted', steps: histories(lineDeletes) },
];

for (const { name, steps } of families) {
  t.test(`state and kernel agree after range edits ${name}`, async (t) => {
    t.doesNotThrow(() => fc.assert(fc.property(steps, check), { numRuns, seed: testSeed + 1 }));
  });
}

t.test('the histories hold enough of each kind', async (t) => {
  for (const kind of ['move', 'copy', 'sort', 'insert', 'delete', 'autofill']) {
    const count = tallies.get(`range.${kind}`) ?? 0;
    t.ok(count > 40, `${count} of range.${kind}`);
  }
});

t.test('a rejection leaves the state as it was', async (t) => {
  const driver = run([]);
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs: [['=B1'], ['=B2']] });
  const before = drive(driver.state.stateHash());
  const keys = [{ col: 'A' }];
  const result = driver.submit('range.sort', { sheet: 'One', range: 'A1:A2', keys });
  t.ok(result instanceof Rejection);
  t.equal(drive(driver.state.stateHash()), before);
});
