import * as fc from 'fast-check';
import t from 'tap';

import { Pool } from '../../../server/compute/pool.ts';
import { realEnvironment as environment } from '../../../server/foundation.ts';
import type {
  CombinedSides,
  CombinedValues,
} from '../../../server/merges/findings/combined-value.ts';
import { evaluatedValues } from '../../../server/merges/findings/combined-values.ts';
import { triedValues } from '../../../server/merges/findings/tried-values.ts';
import { Metrics } from '../../../server/metrics.ts';
import { Rejection } from '../../../server/model/rejection.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { MergeJudge } from '../../../server/state/merge/merge-judge.ts';
import { mergeChange } from '../../../server/state/merge/merge.ts';
import { OperationParts } from '../../../server/state/merge/parts.ts';
import type { BranchSource } from '../../../server/values/branch-source.ts';
import { Models } from '../../../server/values/models.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { caseCount } from '../../support/case-count.ts';
import { StateDriver } from '../../support/state-driver.ts';

interface Step {
  readonly kind: string;
  readonly payload: object;
}

const workbookId = 'wb_1';

function unreported(step: string): void {
  throw new Error(step);
}

/** Models of two states, as those of the branches 1 and 2. */
function modelsOf(states: Readonly<Record<number, BranchState>>) {
  const run = <Result>(steps: Generator<void, Result>): Result => {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  };
  const stateOf = ({ branchNo }: { branchNo: number }): BranchState => {
    const state = states[branchNo];
    if (!state) throw new Error(`no branch ${branchNo}`);
    return state;
  };
  const source: BranchSource = {
    locate: () => Promise.reject(new Error('nobody asks by name')),
    read: (address, look) => Promise.resolve(run(look(stateOf(address)))),
    readAt: (address, _seq, look) => Promise.resolve(run(look(stateOf(address)))),
    stateAt: (address) => Promise.resolve(stateOf(address)),
    timeOf: () => Promise.resolve(86_400_000),
    subscribe: () => () => undefined,
  };
  const models = new Models({ source, pool, environment, report: unreported });
  return { models, branches: source, environment };
}

const pool = new Pool({ threadCount: 1, environment, metrics: new Metrics() });
t.teardown(() => pool.close());

interface Sides {
  readonly base: readonly Step[];
  readonly ours: readonly Step[];
  readonly theirs: readonly Step[];
}

/** Applies the steps to a state; rejected ones are left out. */
function apply(state: BranchState, steps: readonly Step[]): BranchState {
  const driver = new StateDriver();
  driver.take(state);
  for (const { kind, payload } of steps) driver.submit(kind, payload);
  return state;
}

function merged({ base: before, ours: own, theirs: others }: Sides): CombinedSides | undefined {
  const driver = new StateDriver(new Formulas());
  driver.apply('sheet.add', { name: 'S' });
  const base = apply(driver.state, before);
  const theirs = apply(base.branchOff(2), others);
  const ours = apply(base.fork(), own);
  const state = ours.fork();
  state.begin();
  const parts = new OperationParts(state);
  const judge = new MergeJudge({ otherwise: 'theirs' });
  const heldOf = (branchNo: number) => (branchNo === 1 ? base.head : 0);
  try {
    for (const _ of mergeChange({ base, theirs, heldOf }, parts, judge));
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
  return {
    workbookId,
    target: { no: 1, seq: ours.head },
    source: { no: 2, seq: theirs.head },
    outcome: { ours, theirs, merged: state, mutations: parts.mutations },
  };
}

async function bothWays(sides: CombinedSides) {
  const { ours, theirs } = sides.outcome;
  const parts = modelsOf({ 1: ours, 2: theirs });
  const tried = await triedValues(sides, parts);
  const evaluated = await evaluatedValues(sides, parts);
  parts.models.close();
  return { tried: tried && plain(tried), evaluated: plain(evaluated) };
}

function plain({ cells, places }: CombinedValues) {
  return {
    cells: [...cells],
    places: [...places].map(([id, own]) => [id, [...own].sort((a, b) => a - b)] as const),
  };
}

const set = (a1: string, input: string | number | null): Step => {
  return { kind: 'cells.set', payload: { sheet: 'S', cells: [{ a1, input }] } };
};

const row = fc.integer({ min: 1, max: 9 });
const letter = fc.constantFrom('A', 'B', 'C', 'D');
const cell = fc.tuple(letter, row).map(([column, at]) => `${column}${at}`);
const formula = fc.oneof(
  fc.tuple(cell, cell).map(([a, b]) => `=${a}+${b}`),
  fc.tuple(cell, cell).map(([a, b]) => `=SUM(${a}:${b})`),
  fc.tuple(cell, cell).map(([a, b]) => `=IF(${a}>3,1/0,${b}&"x")`),
  fc.tuple(cell, cell).map(([a, b]) => `=VLOOKUP(${a},A1:D9,2,FALSE)+ROWS(A1:${b})`),
  fc.tuple(cell, cell).map(([a, b]) => `=RANDBETWEEN(1,9)*0+${a}+${b}`),
  cell.map((a) => `=SEQUENCE(2)*${a}`),
);
const input = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 3, arbitrary: formula },
  { weight: 1, arbitrary: fc.constantFrom('word', null) },
);
const edit = fc.tuple(cell, input).map(([a1, value]) => set(a1, value));
const lines = fc.tuple(row, row).map(([before, count]): Step => {
  return { kind: 'rows.insert', payload: { sheet: 'S', before, count: (count % 3) + 1 } };
});

const some = fc.array(fc.oneof({ weight: 6, arbitrary: edit }, { weight: 1, arbitrary: lines }), {
  maxLength: 8,
});
const sides = fc.record({
  base: fc.array(edit, { minLength: 4, maxLength: 20 }),
  ours: some,
  theirs: some,
});

t.test('values of a merge are the same by trial as by evaluating all three sides', async (t) => {
  let triedCount = 0;
  let foundCount = 0;
  await fc.assert(
    fc.asyncProperty(sides, async (given) => {
      const both = merged(given);
      if (!both) return;
      const { tried, evaluated } = await bothWays(both);
      if (!tried) return;
      triedCount++;
      t.same(tried.cells, evaluated.cells);
      if (!evaluated.cells.some(([, cells]) => cells.length > 0)) return;
      foundCount++;
      // Causes of the changes are searched in these places. The quick way may find fewer: arrays
      // may reach into new lines.
      const known = new Map(evaluated.places);
      for (const [id, places] of tried.places) {
        t.same(
          places.filter((place) => known.get(id)?.includes(place) !== true),
          [],
        );
      }
    }),
    { numRuns: caseCount(50) },
  );
  t.ok(triedCount > 25, 'most merges are tried');
  t.ok(foundCount > 5, 'many of them have something to tell');
});
