import type { JournalRecord } from '../branches/record.ts';
import { stepsSince, type BackwardJournal } from '../values/blame/backwards.ts';
import type { Position } from './graph.ts';

/** Operations that are looked through, about. */
const operationsMost = 10_000;

interface Stretch {
  readonly workbookId: string;
  /** End of the stretch. */
  readonly position: Position;
  /** The last operation of a branch that was there before. */
  readonly heldOf: (branchNo: number) => number;
}

/** An operation, and where it stands. */
export interface PlacedRecord {
  readonly record: JournalRecord;
  readonly branchNo: number;
  /** Null for a branch that is deleted. */
  readonly branch: string | null;
}

/**
 * Reads the operations of a side since those that both hold, the last first, as far as the limit of
 * the journal goes.
 */
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
