import * as fc from 'fast-check';
import t from 'tap';

import { overlaps, parseRange, rangeName, type Range } from '../../server/model/range.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import type { Choice } from '../../server/state/merge/judge.ts';
import { Formulas } from '../../workers/formulas.ts';
import { caseCount } from '../support/case-count.ts';
import { MergeDriver, type ChoiceByKind, type MergeOutcome } from '../support/merge-driver.ts';
import { mergedOnly } from '../support/merge-histories.ts';
import { mirrorDifference } from '../support/merge-mirror.ts';
import { checkKernels } from '../support/merge-outcome-laws.ts';
import { testSeed } from '../support/test-seed.ts';
import { contentDifference, contentOf } from '../support/undo-driver.ts';

// Merges of sheets with legacy arrays: an array is there as a whole or not at all, from both
// directions, whatever is chosen. Runs long: dozens of random histories.

interface Step {
  readonly kind: string;
  readonly payload: object;
}

const row = fc.integer({ min: 1, max: 5 });
const column = fc.constantFrom('A', 'B', 'C');
const cell = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const area = fc.constantFrom('A1:A3', 'A2:B3', 'B1:B2', 'A1:C1', 'B2:C4', 'A3:A5', 'A1:A2');
const formula = fc.constantFrom('=F1:F3*2', '=F1:G2+1', '=SUM(F1:F4)', '=F2');
const sheet = 'S';
const width = 12;

const array = fc.tuple(area, formula).map(([range, input]): Step => {
  const [a1 = ''] = range.split(':');
  return { kind: 'cells.set', payload: { sheet, cells: [{ a1, input, array: range }] } };
});
const typed = fc
  .array(fc.record({ a1: cell, input: fc.oneof(fc.nat(5), fc.constant(''), fc.constant('=F1')) }), {
    minLength: 1,
    maxLength: 2,
  })
  .map((cells): Step => ({ kind: 'cells.set', payload: { sheet, cells } }));
const cleared = area.map((range): Step => ({
  kind: 'range.clear',
  payload: { sheet, range, what: ['values'] },
}));
const lines = fc.oneof(
  fc.record({ sheet: fc.constant(sheet), before: row, count: fc.constant(1) }).map((payload) => ({
    kind: 'rows.insert',
    payload,
  })),
  fc.record({ sheet: fc.constant(sheet), from: row, count: fc.constant(1) }).map((payload) => ({
    kind: 'rows.delete',
    payload,
  })),
  fc
    .record({ sheet: fc.constant(sheet), before: column, count: fc.constant(1) })
    .map((payload) => ({
      kind: 'cols.insert',
      payload,
    })),
);

const families: Readonly<Record<string, fc.Arbitrary<Step>>> = {
  'arrays and cells': fc.oneof(array, typed, cleared),
  'arrays, cells and lines': fc.oneof(array, typed, cleared, lines),
};

interface Histories {
  readonly base: readonly Step[];
  readonly ours: readonly Step[];
  readonly theirs: readonly Step[];
}

function play({ base, ours, theirs }: Histories): MergeDriver {
  const run = (driver: MergeDriver['ours'], steps: readonly Step[]) => {
    for (const { kind, payload } of steps) driver.submit(kind, payload);
  };
  const driver = new MergeDriver(new Formulas(), (first) => {
    first.apply('sheet.add', { name: sheet });
    first.apply('range.set', {
      sheet,
      range: 'F1:G4',
      inputs: [1, 2, 3, 4].map((v) => [v, v * 10]),
    });
    run(first, base);
  });
  run(driver.ours, ours);
  run(driver.theirs, theirs);
  return driver;
}

interface Filled {
  readonly row0: number;
  readonly column0: number;
  /** The cells that it fills: its own, or those of its array. */
  readonly range: Range;
}

function* filledIn(state: BranchState): Generator<Filled> {
  const [outline] = state.structure.sheets;
  if (!outline) return;
  for (let at = 0; at < width * width; at++) {
    const [row0, column0] = [Math.floor(at / width), at % width];
    const input = state.inputAt(outline, row0, column0);
    if (input === null) continue;
    const own = { row0, column0, row1: row0, column1: column0 };
    const array = typeof input === 'object' && 'array' in input ? input.array : undefined;
    yield { row0, column0, range: parseRange(array ?? '') ?? own };
  }
}

/** The first array that fills a cell which holds something of its own, or which another one fills. */
function cutArray(state: BranchState): string | undefined {
  const filled = [...filledIn(state)];
  const pairs = filled.flatMap((one, at) => filled.slice(at + 1).map((other) => [one, other]));
  const cut = pairs.find(([one, other]) => one && other && overlaps(one.range, other.range));
  return cut?.map(({ range }) => rangeName(range)).join(' lies over ');
}

function check(driver: MergeDriver, options: ChoiceByKind): void {
  for (const otherwise of ['ours', 'theirs'] as const) {
    const outcome = mergedOnly(() => driver.merge({ ...options, otherwise }));
    if (!outcome) continue;
    whole(outcome, otherwise);
    checkKernels(driver.ours.state, outcome);
    const again = mergedOnly(() =>
      driver.mergeInto(outcome.driver.state, { ...options, otherwise }),
    );
    const changed =
      again && contentDifference(contentOf(again.driver.state), contentOf(outcome.driver.state));
    if (changed !== undefined) throw new Error(`once more: ${changed}`);
    for (const { id } of outcome.conflicts) {
      const choices = new Map<string, Choice>([[id, { input: 7 }]]);
      const custom = mergedOnly(() => driver.merge({ ...options, otherwise, choices }));
      if (custom) whole(custom, `7 in ${id}, else ${otherwise}`);
    }
  }
  const difference = mirrorDifference(driver, options);
  if (difference !== undefined) throw new Error(difference);
}

function whole({ driver }: MergeOutcome, what: string): void {
  const cut = cutArray(driver.state);
  if (cut !== undefined) throw new Error(`${what}: ${cut}`);
}

for (const [name, step] of Object.entries(families)) {
  for (const conflictGranularity of ['cell', 'row', 'block', 'table', 'sheet'] as const) {
    t.test(`${name}, by ${conflictGranularity}`, async (t) => {
      let count = 0;
      const steps = fc.array(step, { minLength: 1, maxLength: 3 });
      const histories = fc.record({
        base: fc.array(step, { maxLength: 2 }),
        ours: steps,
        theirs: steps,
      });
      const property = fc.property(histories, (played) => {
        const driver = play(played);
        for (const { state } of [driver.base, driver.ours, driver.theirs]) {
          if (cutArray(state) !== undefined) return;
        }
        count++;
        check(driver, { policy: { conflictGranularity } });
      });
      t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(20), seed: testSeed }));
      t.ok(count > 0);
    });
  }
}

const written = (a1: string, input: string, array: string): Step => ({
  kind: 'cells.set',
  payload: { sheet, cells: [{ a1, input, array }] },
});
const inserted: Step = { kind: 'rows.insert', payload: { sheet, before: 1, count: 1 } };
const deleted = (from: number): Step => ({ kind: 'rows.delete', payload: { sheet, from } });

const found: Readonly<Record<string, Histories>> = {
  'an array whose range begins at a row that ours deleted': {
    base: [inserted],
    ours: [deleted(1), { kind: 'cells.set', payload: { sheet, cells: [{ a1: 'A1', input: 0 }] } }],
    theirs: [written('A3', '=F1:F3*2', 'A3:A5')],
  },
  'arrays of both sides, of which one ends at a row that the other side deleted': {
    base: [inserted],
    ours: [deleted(3), written('A1', '=F1:F3*2', 'A1:A3')],
    theirs: [written('A1', '=F1:F3*2', 'A1:A3')],
  },
  'an array whose first row theirs moved away': {
    base: [],
    ours: [written('A1', '=F1:F3*2', 'A1:A3')],
    theirs: [{ kind: 'rows.move', payload: { sheet, from: 1, before: 6 } }],
  },
};

for (const [name, played] of Object.entries(found)) {
  t.test(`${name} is the same from both directions`, async (t) => {
    const driver = play(played);
    t.doesNotThrow(() => check(driver, {}));
    t.ok(
      mergedOnly(() => driver.mirror()),
      'it can be written in both',
    );
  });
}
