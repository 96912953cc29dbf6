import type { BranchAddress } from '../../branches/journal-store.ts';
import type { Branches } from '../../branches/branches.ts';
import type { OperationResult } from '../../branches/submission.ts';
import { noRows, readCounts, type RowCounts } from '../../state/plan/row-counts.ts';

/** Returns the counts of the rows of an operation; for a repeat they come from the journal. */
export async function operationCounts(
  branches: Pick<Branches, 'history'>,
  address: BranchAddress,
  { rows, seq }: OperationResult,
): Promise<RowCounts> {
  if (rows) return rows;
  if (seq === undefined) return noRows;
  const { records } = await branches.history(address, { after: seq - 1, limit: 1 });
  return readCounts(records[0]?.resolved.counts ?? []);
}
