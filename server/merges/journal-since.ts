import type { JournalRecord } from '../branches/record.ts';
import { stepsSince, type BackwardJournal } from '../values/blame/backwards.ts';
import type { Position } from './graph.ts';

/** Most operations that are read, approximately. */
const operationsMost = 10_000;

interface Stretch {
  readonly workbookId: string;
  /** Position from which to read back. */
  readonly position: Position;
  /** Returns the last operation of a branch that is not read any more. */
  readonly heldOf: (branchNo: number) => number;
}

/** An operation and its branch. */
export interface PlacedRecord {
  readonly record: JournalRecord;
  readonly branchNo: number;
  /** Name of the branch; null for a deleted one. */
  readonly branch: string | null;
}

/** Yields the operations that only one side holds, the last first, up to the limit. */
export async function* journalSince(
  { workbookId, position, heldOf }: Stretch,
  journal: Pick<BackwardJournal, 'steps'>,
): AsyncGenerator<PlacedRecord> {
  const from = { branchNo: position.no, seq: position.seq };
  let left = operationsMost;
  for await (const step of stepsSince(journal, workbookId, { from, heldOf })) {
    const { branchNo, branch, records } = step;
    for (const record of records) yield { record, branchNo, branch };
    left -= records.length;
    if (left <= 0) return;
  }
}
