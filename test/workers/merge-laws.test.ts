import * as fc from 'fast-check';
import t from 'tap';

import type { BranchState } from '../../server/state/branch-state.ts';
import type { CellPlace } from '../../server/state/cells/cell-coding.ts';
import { isCell } from '../../server/state/merge/judge.ts';
import { namedDeletions } from '../../server/state/merge/named-deletions.ts';
import { OperationParts } from '../../server/state/merge/parts.ts';
import { caseCount } from '../support/case-count.ts';
import { handedOver } from '../support/handed-over.ts';
import {
  checkSame,
  hashOf,
  mergedOnly,
  mergeHistories,
  playHistories,
  type Histories,
} from '../support/merge-histories.ts';
import type { MergeDriver, MergeOutcome } from '../support/merge-driver.ts';
import { NodeStore } from '../support/node-store.ts';
import { drive, type StateDriver } from '../support/state-driver.ts';
import { testSeed } from '../support/test-seed.ts';

// Laws of versioning: two random histories of one base, merged. Runs long: dozens of them.

/** Checks that changes of only one side are taken whole. */
function checkOneSided(histories: Histories): void {
  const ahead = playHistories({ ...histories, ours: [] });
  const outcome = mergedOnly(() => ahead.merge());
  if (!outcome) return;
  if (outcome.conflicts.length > 0) throw new Error('conflicts with nobody');
  checkSame(outcome.driver.state, ahead.theirs.state, 'a fast-forward is the source');
  if (hashOf(outcome.driver.state) !== hashOf(ahead.theirs.state)) {
    throw new Error('a fast-forward has another hash than its source');
  }
  const back = ahead.mirror();
  if (back.parts.length > 0) throw new Error('there was nothing to merge');
}

/** Both directions contest the same. */
function checkSymmetry(histories: Histories): void {
  const driver = playHistories(histories);
  const outcome = mergedOnly(() => driver.merge());
  // A dropped table is kept or not: the other conflicts are the same for the same winner.
  const isDropped = outcome?.conflicts.some(({ contest }) => contest.kind === 'table.edit_drop');
  const otherwise = isDropped ? 'theirs' : 'ours';
  const mirrored = mergedOnly(() => driver.mirror({ otherwise }));
  if (!outcome || !mirrored) return;
  // Lines that both sides moved, and formulas that go along, may count as moved by one of them.
  const ids = ({ conflicts }: MergeOutcome) =>
    conflicts
      .filter(({ contest }) => isCell(contest) && isPlain(contest.sides()))
      .map(({ id, contest }) => `${id} ${contest.text}`)
      .sort();
  const [one, other] = [ids(outcome), ids(mirrored)];
  if (String(one.map(first)) !== String(other.map(first))) {
    throw new Error(`contested here: ${one.join('; ')}, and there: ${other.join('; ')}`);
  }
}

function isPlain(sides: object): boolean {
  return !Object.values(sides).some((side) => typeof side === 'string' && side.startsWith('='));
}

function first(text: string): string {
  return text.split(' ')[0] ?? '';
}

/** The record is all that a replay needs. */
function checkReplay(histories: Histories): void {
  const driver = playHistories(histories);
  const outcome = mergedOnly(() => driver.merge({ otherwise: 'theirs' }));
  if (!outcome) return;
  const state = driver.ours.state.fork();
  state.begin();
  const parts = new OperationParts(state);
  const journalled = JSON.parse(JSON.stringify(outcome.parts)) as typeof outcome.parts;
  for (const part of journalled) drive(parts.add(part));
  if (hashOf(state) !== hashOf(outcome.driver.state)) throw new Error('a replay leads elsewhere');
}

/** Neither who looked before nor how the states came into memory says anything of a merge. */
function checkAgain(histories: Histories): void {
  const told = (merge: () => MergeOutcome) => {
    const outcome = mergedOnly(merge);
    if (!outcome) return 'refused';
    const conflicts = outcome.conflicts.map(({ id, contest }) => [id, contest.sides()]);
    return JSON.stringify([outcome.parts, conflicts, hashOf(outcome.driver.state)]);
  };
  const driver = playHistories(histories);
  const first = told(() => driver.merge());
  const store = new NodeStore();
  const { coding } = driver.base.state;
  const ways: Record<string, () => MergeOutcome> = {
    'once more': () => driver.merge(),
    'after their hashes were asked for': () => {
      for (const { state } of [driver.base, driver.ours, driver.theirs]) hashOf(state);
      return driver.merge();
    },
    'from what was stored': () =>
      driver.mergeAgain((state) => store.load(store.save(state), coding, state.branchNo)),
    'in another thread': () => {
      const sides = [driver.base, driver.ours, driver.theirs].map(({ state }) => state);
      const over = handedOver(sides);
      return driver.mergeAgain((state) => over[sides.indexOf(state)] ?? state);
    },
  };
  for (const [way, merge] of Object.entries(ways)) {
    const again = told(merge);
    if (again !== first) throw new Error(`${way}: ${again}, and not ${first}`);
  }
}

/** A formula that keeps what it names loses nothing to the other side, from either direction. */
function checkKept(histories: Histories): void {
  const named = { kind: 'cells.set', payload: { cells: [{ a1: 'One!G7', input: '=B2+Two!C4' }] } };
  const gone = { kind: 'cols.delete', payload: { sheet: 'One', from: 'B', count: 1 } };
  const [ours, theirs] = [
    [...histories.ours, gone],
    [...histories.theirs, named],
  ];
  const driver = playHistories({ ...histories, ours, theirs });
  for (const keep of placesToKeep(driver)) {
    const lost = Math.max(...[driver.ours, driver.theirs].map(({ state }) => lostIn(state, keep)));
    for (const merge of [() => driver.merge({ keep }), () => driver.mirror({ keep })]) {
      const outcome = mergedOnly(merge);
      if (!outcome || outcome.conflicts.length > 0) continue;
      if (lostIn(outcome.driver.state, keep) > lost) throw new Error('lost what it was to keep');
    }
  }
}

/**
 * Cells of theirs whose formulas name what the other side deleted, unless that deleted single cells
 * too: these do not come back.
 */
function placesToKeep({ base, ours, theirs }: MergeDriver): CellPlace[] {
  const sides = { base: base.state, ours: ours.state, theirs: theirs.state };
  return theirs.state.structure.sheets.flatMap((sheet) =>
    Array.from({ length: 64 }, (_, at) => {
      const [row, column] = [sheet.rows.idAt(at >> 3), sheet.columns.idAt(at & 7)];
      return { sheetId: sheet.id, row, column };
    }).filter((place) => {
      const all = namedDeletions(place, sides).length;
      const ofTheirs = namedDeletions(place, { ...sides, scope: () => false }).length;
      const deleters = [...(all > ofTheirs ? [ours] : []), ...(ofTheirs > 0 ? [theirs] : [])];
      return deleters.length > 0 && !deleters.some(hasDeletedCells);
    }),
  );
}

function hasDeletedCells({ admitted }: StateDriver): boolean {
  return admitted.some(({ kind }) => kind === 'range.delete');
}

/** How many references a formula has lost. */
function lostIn(state: BranchState, { sheetId, row, column }: CellPlace): number {
  const sheet = state.structure.withId(sheetId);
  const down = sheet?.rows.positionOf(row.branch, row.sequence, row.offset);
  const across = sheet?.columns.positionOf(column.branch, column.sequence, column.offset);
  if (!sheet || down === undefined || across === undefined) return 0;
  const input = state.inputAt(sheet, down, across);
  const isFormula = typeof input === 'object' && input !== null && 'formula' in input;
  return isFormula ? input.formula.split('#REF!').length - 1 : 0;
}

const laws = { checkOneSided, checkSymmetry, checkReplay, checkKept, checkAgain };

for (const [name, histories] of mergeHistories) {
  for (const [index, [law, check]] of Object.entries(laws).entries()) {
    t.test(`${name}: ${law}`, async (t) => {
      let caseNumber = 0;
      const counted = (played: Histories) => {
        caseNumber++;
        check(played);
      };
      const options = { numRuns: caseCount(20), seed: testSeed + index };
      t.doesNotThrow(() => fc.assert(fc.property(histories, counted), options));
      t.ok(caseNumber > 0);
    });
  }
}
