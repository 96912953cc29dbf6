import type { BranchState } from '../branch-state.ts';
import { undoCells } from './cells.ts';
import { undoFormats } from './formats.ts';
import { undoLines } from './lines.ts';
import { undoLooks } from './looks.ts';
import { undoNewNames, undoOtherNames } from './names.ts';
import type { OperationParts } from './parts.ts';
import { liftRules, undoRecords } from './records.ts';
import { undoSheets } from './sheets.ts';
import { Skipped, type SpanUndo, type UndoneSpan } from './span-undo.ts';
import { undoTables } from './tables.ts';

/**
 * Undoes spans of operations, the latest first: what each of them changed becomes as it was before
 * it, unless somebody changed it since. Answers what stays for that reason. It compares states by
 * identity, so that it is the same for every kind of operation.
 */
export function* undoSpans(
  spans: readonly UndoneSpan[],
  parts: OperationParts,
): Generator<void, Skipped> {
  const skipped = new Skipped();
  for (const { before, after } of spans) {
    checkCoding(before, parts.state);
    checkCoding(after, parts.state);
    const ours = parts.state.fork();
    yield* undoSpan({ before, after, ours, parts, skipped, lost: [], moved: [] });
  }
  return skipped;
}

/** What cells hold is put last but one: by then all that formulas name is there. */
function* undoSpan(undo: SpanUndo): Generator<void, void> {
  yield* liftRules(undo);
  yield* undoNewNames(undo);
  yield* undoSheets(undo);
  yield* undoLines(undo);
  yield* undoTables(undo);
  yield* undoLooks(undo);
  yield* undoFormats(undo);
  yield* undoCells(undo);
  yield* undoOtherNames(undo);
  yield* undoRecords(undo);
}

function checkCoding({ coding }: BranchState, state: BranchState): void {
  if (coding !== state.coding) throw new Error('the states do not share their dictionary');
}
