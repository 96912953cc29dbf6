import type { Policy } from '../model/policy.ts';
import type { BranchNames } from './branch-names.ts';
import type { MergeOutcome } from './merge-computer.ts';
import type { Findings } from './findings/findings.ts';
import type { Graph } from './graph.ts';
import type { MergeRecord } from './merge-record.ts';
import type { LoggedMerge } from './sql.ts';
import type { SourceStanding } from './standing.ts';

/** How long a request waits for the outcome of a merge; until its end where nothing is said. */
export interface Waiting {
  readonly waitSeconds?: number | undefined;
  /** Aborted when the client is gone. */
  readonly signal?: AbortSignal | undefined;
}

/** A merge at the time of a request. */
export interface Look {
  readonly record: MergeRecord;
  readonly names: BranchNames;
  readonly policy: Policy;
  readonly graph: Graph;
  /** Entry in the transparency log, for an applied merge. */
  readonly logged?: LoggedMerge | undefined;
}

/** A stored merge with the branches of its workbook. */
export type FoundMerge = Omit<Look, 'policy'>;

/** An open merge with its current outcome. */
export interface OpenLook extends Look {
  readonly outcome: MergeOutcome;
  /** Findings, which may take a while because values are evaluated. */
  readonly findings: Promise<Findings>;
  /** True if its branches moved on and the policy does not make it follow. */
  readonly isOutdated: boolean;
  readonly standing: SourceStanding;
}
