import * as fc from 'fast-check';
import t from 'tap';

import { cellName } from '../../server/model/address.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { OperationParts, replayParts } from '../../server/state/merge/parts.ts';
import { caseCount } from '../support/case-count.ts';
import {
  checkSame,
  hashOf,
  mergedOnly,
  playHistories,
  type Histories,
} from '../support/merge-histories.ts';
import { mirrorDifference } from '../support/merge-mirror.ts';
import { hold, outcomeLaws } from '../support/merge-outcome-laws.ts';
import { drive, type StateDriver } from '../support/state-driver.ts';
import { testSeed } from '../support/test-seed.ts';

// Merges of histories that insert and delete cells, so that all behind them are shifted.

const sheet = fc.constant('One');
const row = fc.integer({ min: 1, max: 8 });
const letters = ['A', 'B', 'C', 'D'];
const cell = fc.tuple(fc.constantFrom(...letters.slice(0, 3)), row).map(([c, r]) => `${c}${r}`);
const area = fc
  .tuple(fc.integer({ min: 0, max: 2 }), row, fc.integer({ min: 0, max: 1 }), row)
  .map(([column, first, width, height]) => {
    const last = first + (height % 3);
    return `${letters[column]}${first}:${letters[column + width]}${last}`;
  });

const of = <Payload>(kind: string, payload: fc.Arbitrary<Payload>) =>
  payload.map((made) => ({ kind, payload: made as object }));

const down = fc.constantFrom('down', 'down', 'down', 'right');
const up = fc.constantFrom('up', 'up', 'up', 'left');
const input = fc.oneof(
  fc.integer({ min: 1000, max: 9999 }),
  fc.constantFrom('=A3', '=SUM(A2:A6)', '=B4*2'),
);
const steps = [
  { weight: 2, arbitrary: of('range.insert', fc.record({ sheet, range: area, shift: down })) },
  { weight: 2, arbitrary: of('range.delete', fc.record({ sheet, range: area, shift: up })) },
  {
    weight: 3,
    arbitrary: of(
      'cells.set',
      fc.record({ sheet, cells: fc.array(fc.record({ a1: cell, input }), { minLength: 1 }) }),
    ),
  },
  {
    weight: 1,
    arbitrary: of('rows.insert', fc.record({ sheet, before: row, count: fc.constant(1) })),
  },
];
const to = fc.constantFrom('F1', 'G5', 'A14');
const cut = of('range.move', fc.record({ sheet, source: area, to }));

/** Every number of the base is there once. */
const numbers = Array.from({ length: 12 }, (_, at) => [1, 2, 3].map((one) => (at + 1) * 10 + one));
const filled = { kind: 'range.set', payload: { sheet: 'One', range: 'A1:C12', inputs: numbers } };
const historiesOf = (step: fc.Arbitrary<Histories['ours'][number]>): fc.Arbitrary<Histories> =>
  fc.record({
    base: fc.constant([filled]),
    ours: fc.array(step, { maxLength: 3 }),
    theirs: fc.array(step, { maxLength: 3 }),
  });
const winner = fc.constantFrom<'ours' | 'theirs'>('ours', 'theirs');
const shifting = historiesOf(fc.oneof(...steps));
const histories = historiesOf(fc.oneof(...steps, { weight: 1, arbitrary: cut }));
const gone = of(
  'rows.delete',
  fc.record({ sheet, from: row, count: fc.integer({ min: 1, max: 2 }) }),
);
const deleting = historiesOf(fc.oneof(...steps, { weight: 2, arbitrary: gone }));

/** How often each number is in the first sheet. */
function counts(state: BranchState): ReadonlyMap<unknown, number> {
  const [first] = state.structure.sheets;
  if (!first) throw new Error('there is a sheet');
  const found = new Map<unknown, number>();
  for (let at = 0; at < 12 * 40; at++) {
    const held = state.inputAt(first, Math.floor(at / 12), at % 12);
    found.set(held, (found.get(held) ?? 0) + 1);
  }
  return found;
}

t.test('laws of outcomes', async (t) => {
  for (const [law, check] of Object.entries(outcomeLaws)) {
    const property = fc.property(shifting, (played) => void hold(check, played));
    const options = { numRuns: caseCount(15), seed: testSeed };
    t.doesNotThrow(() => fc.assert(property, options), law);
  }
});

t.test('both directions come to the same', async (t) => {
  const property = fc.property(fc.oneof(histories, deleting), (played) => {
    const difference = mirrorDifference(playHistories(played));
    if (difference !== undefined) throw new Error(difference);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(30), seed: testSeed + 1 }));
});

t.test('no number is lost or there twice, unless something is asked', async (t) => {
  let mergedCount = 0;
  const property = fc.property(fc.oneof(histories, deleting), (played) => {
    const driver = playHistories(played);
    const merged = mergedOnly(() => driver.merge());
    if (!merged || merged.conflicts.length > 0) return;
    mergedCount++;
    const [ours, theirs, both] = [driver.ours, driver.theirs, merged.driver].map(({ state }) =>
      counts(state),
    );
    for (const number of numbers.flat()) {
      const [here, there] = [ours?.get(number) ?? 0, theirs?.get(number) ?? 0];
      const count = both?.get(number) ?? 0;
      if (count < Math.min(here, there) || count > Math.max(here, there)) {
        throw new Error(`${number} is there ${count} times, and not ${here} or ${there}`);
      }
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(60), seed: testSeed + 2 }));
  t.ok(mergedCount > 0, 'some of them are merged without a question');
});

/** The first cell that holds a number. */
function placeOf(number: number, driver: StateDriver): string | undefined {
  const rows = driver.rows('A1:P40');
  const row = rows.findIndex((line) => line.includes(number));
  const column = rows[row]?.indexOf(number) ?? -1;
  return row < 0 ? undefined : cellName(row, column);
}

t.test('what is written after a merge goes with the number that it is written over', async (t) => {
  let mergedCount = 0;
  const written = fc.constantFrom(...numbers.flat());
  const property = fc.property(
    shifting,
    written,
    winner,
    fc.boolean(),
    (played, number, otherwise, isBack) => {
      const driver = playHistories(played);
      const merged = mergedOnly(() => driver.merge({ otherwise }));
      if (!merged) return;
      const later = driver.driverOn(driver.theirs.state.fork());
      const [from, to] = [later, merged.driver].map((one) => placeOf(number, one));
      if (from === undefined || to === undefined) return;
      later.apply('cells.set', { sheet: 'One', cells: [{ a1: from, input: 77 }] });
      const again = driver.mergeLater(merged.driver, later.state, isBack);
      if (again.conflicts.length > 0) return;
      mergedCount++;
      const expected = merged.driver
        .rows('A1:P40')
        .flat()
        .map((held) => (held === number ? 77 : held));
      const found = again.driver.rows('A1:P40').flat();
      for (const [at, held] of expected.entries()) {
        if (found[at] === held) continue;
        const cell = cellName(Math.floor(at / 16), at % 16);
        throw new Error(
          `${number} to 77: ${cell} is ${String(found[at])}, and not ${String(held)}`,
        );
      }
    },
  );
  t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(30), seed: testSeed + 3 }));
  t.ok(mergedCount > 0, 'some of them are merged without a question');
});

t.test('what the journal has of a merge leads to the same, in a replay too', async (t) => {
  let notedCount = 0;
  const property = fc.property(shifting, winner, (played, otherwise) => {
    const driver = playHistories(played);
    const merged = mergedOnly(() => driver.merge({ otherwise }));
    if (!merged) return;
    const { ours } = driver;
    const parts = asJournalled(merged.parts);
    notedCount += parts.filter(({ kind }) => kind === 'restore.shift').length;
    const [admitted, replayed] = [ours.state.fork(), ours.state.fork()];
    for (const state of [admitted, replayed]) state.begin();
    const done = new OperationParts(admitted);
    for (const part of parts) drive(done.add(part));
    drive(replayParts(replayed, parts, asJournalled(done.resolved)));
    for (const state of [admitted, replayed]) {
      checkSame(state, merged.driver.state, 'the journal');
      if (hashOf(state) !== hashOf(merged.driver.state)) throw new Error('the hash is another');
    }
  });
  const crossing: Histories = {
    base: [filled],
    ours: [{ kind: 'range.insert', payload: { sheet: 'One', range: 'B3:C4', shift: 'down' } }],
    theirs: [{ kind: 'range.delete', payload: { sheet: 'One', range: 'A1:B3', shift: 'left' } }],
  };
  const options = { numRuns: caseCount(20), seed: testSeed + 4 };
  const examples: [Histories, 'ours' | 'theirs'][] = [[crossing, 'theirs']];
  t.doesNotThrow(() => fc.assert(property, { ...options, examples }));
  t.ok(notedCount > 0, 'some of them take a shift back');
});

function asJournalled<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
