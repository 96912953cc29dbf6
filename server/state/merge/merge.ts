import type { BranchState } from '../branch-state.ts';
import { alignNames } from './aligned-names.ts';
import { nameColumnsApart } from './apart-columns.ts';
import { dropBlankRows, type Originals } from './blank-rows.ts';
import { mergeCells } from './cells.ts';
import { completeRows } from './completed-rows.ts';
import { settleDropped } from './dropped-tables.ts';
import { keepRows } from './emptied-tables.ts';
import { mergeFormats } from './formats.ts';
import { followMoves } from './followed-moves.ts';
import type { Judge } from './judge.ts';
import { baseWithoutKept } from './kept-deletions.ts';
import { mergeLines } from './lines.ts';
import { mergeLooks } from './looks.ts';
import type { Change, Merging } from './merging.ts';
import { deleteNames, mergeNames } from './names.ts';
import type { OperationParts } from './parts.ts';
import { liftRules, mergeRecords } from './records.ts';
import type { Scope } from './scope.ts';
import { settleReferences } from './settled-references.ts';
import { mergeSheets } from './sheets.ts';
import { alignTables } from './table-alignment.ts';
import { mergeTables } from './tables.ts';

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
  const { heldOf, moves, kept, policy } = change;
  const was = { ours: parts.state.fork(), theirs: change.theirs };
  checkCoding(change.theirs, parts.state);
  checkCoding(change.base, parts.state);
  const named = yield* alignNames(change, parts, { judge, scope });
  const settled = yield* settleDropped(named, parts, { judge, scope });
  const followed = yield* followMoves(settled, parts, { moves, judge });
  const sides = yield* alignTables(followed, parts, { judge, scope });
  const common = sides.base;
  const held = { ...sides, heldOf, kept, policy, ours: parts.state.fork() };
  const base = judge.isBetweenBranches ? yield* baseWithoutKept(held, judge) : common;
  const theirs = yield* nameColumnsApart({ ...held, base, common }, parts, scope);
  const ours = parts.state.fork();
  const merging = { base, theirs, ours, common, heldOf, moves, policy, parts, judge, scope };
  yield* merge({ ...merging, lost: [], mute: [], chosen: new Set() }, was);
}

/**
 * Runs the passes of a merge. Cells come late, when everything that formulas can name is in place.
 */
function* merge(merging: Merging, was: Originals): Generator<void, void> {
  yield* liftRules(merging);
  yield* deleteNames(merging);
  yield* mergeSheets(merging);
  yield* mergeLines(merging);
  yield* mergeTables(merging);
  yield* mergeLooks(merging);
  yield* mergeFormats(merging);
  yield* mergeCells(merging);
  yield* completeRows(merging);
  yield* dropBlankRows(merging, was);
  yield* keepRows(merging);
  yield* mergeNames(merging);
  yield* mergeRecords(merging);
  yield* settleReferences(merging);
}

function checkCoding({ coding }: BranchState, state: BranchState): void {
  if (coding !== state.coding) throw new Error('the states do not share their dictionary');
}
