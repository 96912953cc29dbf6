import type { BranchState } from '../branch-state.ts';
import { alignNames } from './aligned-names.ts';
import { nameColumnsApart } from './apart-columns.ts';
import { settleBlankRows, type Originals } from './blank-rows.ts';
import { mergeCells } from './cells.ts';
import { completeRows } from './completed-rows.ts';
import { settleDropped } from './dropped-tables.ts';
import { mergeFormats } from './formats.ts';
import { followMoves } from './followed-moves.ts';
import type { Judge } from './judge.ts';
import { settleGone } from './gone-lines.ts';
import { leaveKept } from './kept-deletions.ts';
import { noteKeptMoves } from './kept-moves.ts';
import { mergeLines } from './lines.ts';
import { mergeLooks } from './looks.ts';
import type { Change, Merging } from './merging.ts';
import { deleteNames, mergeNames } from './names.ts';
import { addShifted } from './new-lines.ts';
import { nameLost } from './named-losses.ts';
import { partsOn, type AlignedSides, type OperationParts } from './parts.ts';
import { liftRules, mergeRecords } from './records.ts';
import { returnKept, type SettledBase } from './returned-lines.ts';
import type { Asked, Scope } from './scope.ts';
import { settleReferences } from './settled-references.ts';
import { mergeSheets } from './sheets.ts';
import { alignTables } from './table-alignment.ts';
import { mergeTables } from './tables.ts';
import type { Revert } from './withdrawn-shifts.ts';

/**
 * Merges the change from `base` to `theirs` into the state of `parts`. First the three states are
 * aligned, so that the same thing has the same name and place in each; then they are compared by
 * identity, register by register. So kinds of operations need no merge of their own. Changes out of
 * the scope are left out.
 */
export function* mergeChange(
  change: Change,
  parts: OperationParts,
  judge: Judge,
  scope?: Scope,
): Generator<void, void> {
  const { base, theirs, heldOf, moves, policy, whole } = change;
  const was = { ours: parts.state.fork(), theirs };
  for (const state of [base, theirs]) checkCoding(state, parts.state);
  const asked = { judge, scope };
  const given = { base: partsOn(base), ours: parts, theirs: partsOn(theirs) };
  const named = yield* alignNames(given, asked);
  const { kept } = judge.isBetweenBranches ? yield* alignSides(named, change, asked) : change;
  const common = named.base.state;
  const sides = { ...named, base: partsOn(common) };
  if (judge.isBetweenBranches) {
    yield* leaveKept(sides, { ...change, kept }, judge);
    if (sides.base.state !== common) {
      for (const side of [sides.ours, sides.theirs]) yield* nameLost(common, side);
    }
    yield* nameColumnsApart(sides, common, scope);
  }
  const states = { base: sides.base.state, ours: parts.state.fork(), theirs: sides.theirs.state };
  const merging = { ...states, common, whole, heldOf, moves, policy, parts, ...asked };
  yield* merge({ ...merging, lost: [], mute: [], chosen: new Set() }, was);
}

/** Does to all sides what one of them dropped, moved, or deleted; returns what is kept. */
function* alignSides(
  named: AlignedSides,
  change: Change,
  asked: Asked,
): Generator<void, Pick<Change, 'kept'>> {
  const { judge } = asked;
  yield* settleDropped(named, asked);
  const revert: Revert = (made, on) => mergeChange({ ...made, heldOf: change.heldOf }, on, keeper);
  const align = function* (sides: AlignedSides, moves: Change['moves']): Generator<void, void> {
    yield* followMoves(sides, moves, { ...asked, revert });
    yield* alignTables(sides, asked);
  };
  if (judge === keeper) {
    yield* align(named, change.moves);
    return change;
  }
  yield* addShifted(named, change.moves, asked.scope);
  const { moves, kept } = yield* settleGone(named, change, asked);
  const settle = function* (sides: AlignedSides): Generator<void, SettledBase> {
    yield* align(sides, moves);
    const left = { ...sides, base: partsOn(sides.base.state) };
    yield* leaveKept(left, { ...change, kept }, judge);
    return { common: sides.base.state, base: left.base.state };
  };
  yield* align(named, yield* returnKept(named, { moves, settle, revert }));
  return { kept };
}

/** Keeps what a side did when one of its shifts is taken back. */
const keeper: Judge = { isBetweenBranches: true, decide: () => 'ours' };

/**
 * Runs the passes of a merge. Cells come late, when everything that formulas can name is in place.
 */
function* merge(merging: Merging, was: Originals): Generator<void, void> {
  yield* liftRules(merging);
  yield* deleteNames(merging);
  yield* mergeSheets(merging);
  yield* mergeLines(merging);
  yield* noteKeptMoves(merging);
  yield* mergeTables(merging);
  yield* mergeLooks(merging);
  yield* mergeFormats(merging);
  yield* mergeCells(merging);
  yield* completeRows(merging);
  yield* settleBlankRows(merging, was);
  yield* mergeNames(merging);
  yield* mergeRecords(merging);
  yield* settleReferences(merging);
}

function checkCoding({ coding }: BranchState, state: BranchState): void {
  if (coding !== state.coding) throw new Error('the states do not share their dictionary');
}
