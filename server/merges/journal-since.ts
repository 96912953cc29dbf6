import type { JournalRecord } from '../branches/record.ts';
import type { BackwardJournal } from '../values/blame/backwards.ts';
import type { Position } from './graph.ts';

/** Operations that are looked through, about. */
const operationsMost = 10_000;

interface Stretch {
  readonly workbookId: string;
  /** Where it ends. */
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

/** What a side did since what both hold, the last first, as far as the journal is read for it. */
export async function* journalSince(
  { workbookId, position, heldOf }: Stretch,
  journal: Pick<BackwardJournal, 'steps'>,
): AsyncGenerator<PlacedRecord> {
  const { no, seq } = position;
  if (seq <= heldOf(no)) return;
  let left = operationsMost;
  for await (const { branchNo, branch, records, next } of journal.steps(workbookId, {
    branchNo: no,
    seq,
  })) {
    const held = heldOf(branchNo);
    for (const record of records) if (record.seq > held) yield { record, branchNo, branch };
    left -= records.length;
    if (!next || next.seq <= heldOf(next.branchNo) || left <= 0) return;
  }
}
