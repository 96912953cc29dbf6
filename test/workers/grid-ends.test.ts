import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import { NodeStore } from '../support/node-store.ts';
import { drive, StateDriver } from '../support/state-driver.ts';

// References to the first and last lines of the grid, through edits that take lines out of it and
// draw new ones in: a state that was stored and read again says what it said before.

const formulas = new Formulas();
const column = fc.constantFrom('A', 'B', 'C', 'D', 'XFC', 'XFD');
const row = fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 8, 1_048_570, 1_048_575, 1_048_576);
const dollar = fc.constantFrom('', '$');
const corner = fc.tuple(dollar, column, dollar, row).map((parts) => parts.join(''));
const formula = fc.oneof(
  corner.map((cell) => `=${cell}`),
  fc.tuple(corner, corner).map(([a, b]) => `=SUM(${a}:${b})`),
  fc.tuple(row, row).map(([a, b]) => `=SUM(${a}:${b})`),
  fc.tuple(column, column).map(([a, b]) => `=SUM(${a}:${b})`),
);
const home = fc.constantFrom('E9', 'E10', 'F9', 'F11', 'F12');
const near = fc.integer({ min: 1, max: 8 });
const count = fc.integer({ min: 1, max: 3 });

type Step = readonly [kind: string, payload: object];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(home, formula)
      .map(([a1, input]): Step => ['cells.set', { cells: [{ a1, input }] }]),
  },
  fc
    .tuple(fc.constantFrom('E9:E12', 'F9:G10'), formula)
    .map(([range, input]): Step => ['range.fill', { range, input }]),
  fc.tuple(near, count).map(([from, n]): Step => ['rows.delete', { from, count: n }]),
  fc.tuple(near, count).map(([before, n]): Step => ['rows.insert', { before, count: n }]),
  fc
    .tuple(near, count, fc.constantFrom(1, 2, 9, 12))
    .map(([from, n, before]): Step => ['rows.move', { from, count: n, before }]),
  fc.constantFrom<Step[]>(
    ['cols.insert', { before: 'B', count: 1 }],
    ['cols.delete', { from: 'A', count: 1 }],
    ['cols.delete', { from: 'B', count: 1 }],
    ['cols.move', { from: 'A', count: 1, before: 'D' }],
  ),
);

function again(driver: StateDriver): StateDriver {
  const store = new NodeStore();
  const read = new StateDriver(formulas);
  read.take(store.load(store.save(driver.state), driver.state.coding));
  return read;
}

const columns = ['B', 'C', 'D', 'E', 'F', 'G', 'H'];

function textsOf(driver: StateDriver): unknown[] {
  return columns.flatMap((letter) =>
    Array.from({ length: 24 }, (_, at) => driver.read(`${letter}${at + 1}`)),
  );
}

/** Kinds of operations that took part. */
const kinds = new Set<string>();

function check(steps: readonly Step[]): void {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  for (const [kind, payload] of steps) {
    const before = again(driver);
    const whole = { sheet: 'One', ...payload };
    if (driver.submit(kind, whole) instanceof Rejection) continue;
    before.apply(kind, whole);
    kinds.add(kind);
    const texts = JSON.stringify(textsOf(driver));
    const hash = drive(driver.state.stateHash());
    for (const [when, cold] of Object.entries({ before, after: again(driver) })) {
      const read = JSON.stringify(textsOf(cold));
      if (read !== texts) throw new Error(`read again ${when} ${kind}: ${read}, not ${texts}`);
      if (drive(cold.state.stateHash()) !== hash) throw new Error(`another hash ${when} ${kind}`);
    }
  }
}

t.test('references to the ends of the grid are read as they were stored', (t) => {
  const steps = fc.array(step, { minLength: 2, maxLength: 8 });
  t.doesNotThrow(() => fc.assert(fc.property(steps, check), { numRuns: caseCount(60) }));
  t.ok(kinds.size > 6, 'few kinds took part');
  t.end();
});
