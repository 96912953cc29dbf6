import type { Policy } from '../model/policy.ts';
import type { BranchNames } from './branch-names.ts';
import type { MergeOutcome } from './computer.ts';
import type { Findings } from './findings/findings.ts';
import type { Graph } from './graph.ts';
import type { MergeRecord } from './merge-record.ts';
import type { LoggedMerge } from './sql.ts';
import type { SourceStanding } from './standing.ts';

/** A merge at the moment it was looked at. */
export interface Look {
  readonly record: MergeRecord;
  readonly names: BranchNames;
  readonly policy: Policy;
  readonly graph: Graph;
  /** Entry in the transparency log, for an applied merge. */
  readonly logged?: LoggedMerge | undefined;
}

/** An open merge with its outcome now. */
export interface OpenLook extends Look {
  readonly outcome: MergeOutcome;
  /** Findings: evaluating the merge may take a while. */
  readonly findings: Promise<Findings>;
  /** True when its branches went on and the policy left it where it was. */
  readonly isOutdated: boolean;
  readonly standing: SourceStanding;
}
