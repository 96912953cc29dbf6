import type { Policy } from '../model/policy.ts';
import { protectionOf } from '../model/protection.ts';
import type { BranchNames } from './branch-names.ts';
import type { Graph } from './graph.ts';
import type { MergeRecord } from './merge-record.ts';
import type { MergeTable } from './sql.ts';

/** Facts about a source that a policy may require. */
export interface SourceStanding {
  /** True if it holds all of its target. */
  readonly isUpToDate: boolean;
  /** True if it is committed at the merged position; undefined if no policy asks. */
  readonly isCheckpoint: boolean | undefined;
}

interface Ends {
  readonly record: MergeRecord;
  readonly names: BranchNames;
  readonly graph: Graph;
}

export async function standingOf(
  { record, names, graph }: Ends,
  policy: Policy,
  table: Pick<MergeTable, 'isCheckpoint'>,
): Promise<SourceStanding> {
  const { workbookId, request, targetNo, targetSeq } = record;
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  // The source of a revert is the target before the merge, so it is always up to date.
  const isUpToDate =
    request.reverts !== undefined || graph.hasAll(source, { no: targetNo, seq: targetSeq });
  const isWanted = protectionOf(policy, names.nameOf(targetNo))?.requireCheckpoint === true;
  const isCheckpoint = isWanted ? await table.isCheckpoint(workbookId, source) : undefined;
  return { isUpToDate, isCheckpoint };
}
