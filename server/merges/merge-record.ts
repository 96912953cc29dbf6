import type { Role } from '../model/access.ts';
import type { Policy } from '../model/policy.ts';
import type { Choice, ContestPlace } from '../state/merge/judge.ts';
import type { Grouping, UnitGroup } from './units/unit.ts';

export type Granularity = Policy['merge']['conflictGranularity'];
export type Strategy = 'none' | 'ours' | 'theirs';

/** The request that proposed a merge. */
export interface MergeRequest {
  readonly title: string;
  readonly description: string;
  readonly strategy: Strategy;
  /** Leaves out that the target holds the source from then on. */
  readonly squash: boolean;
  readonly apply: 'manual' | 'auto';
  /** Unit of conflicts; that of the policy where it is left out. */
  readonly granularity?: Granularity;
  /** Rule that makes units while nobody makes any; `auto` where it is left out. */
  readonly grouping?: Grouping;
  /** The merge that it takes back, and the operation that applied that one. */
  readonly reverts?: { readonly mergeId: string; readonly seq: number };
}

/** The choice somebody made for a conflict or a finding, and the sides it was made for. */
export interface StoredChoice {
  /** `accept` takes a finding as it is, `keep` brings back what its formula names. */
  readonly choice: Choice | 'accept' | 'keep';
  /** For a finding, the cell that gets the input, or whose formula it is. */
  readonly place?: Pick<ContestPlace, 'sheetId' | 'row' | 'column'>;
  /** Digest of the sides at the time: other sides are another question. */
  readonly sides: string;
  readonly by: string;
  readonly at: number;
}

/** By the id of the conflict or finding. */
export type Choices = ReadonlyMap<string, StoredChoice>;

export interface Approval {
  readonly by: string;
  /** Role in the workbook at the time. */
  readonly role?: Role;
  readonly at: number;
  readonly digest: string;
  readonly event: 'approve' | 'request_changes' | 'comment';
  readonly comment?: string;
  /** Units that it is for; all of them when left out. */
  readonly units?: readonly string[];
}

export interface TimelineEntry {
  readonly at: number;
  readonly actor: string;
  readonly event:
    | 'created'
    | 'refreshed'
    | 'resolved'
    | 'regrouped'
    | 'approved'
    | 'changes_requested'
    | 'commented'
    | 'applied'
    | 'aborted';
  readonly detail?: string;
  /** The request under a key that did it, so that it is not done twice; shown to nobody. */
  readonly run?: string;
}

export interface MergeResult {
  readonly seq: number;
  readonly stateHash: string;
  readonly vector: Readonly<Record<string, number>>;
}

/** A proposed merge as it is kept. */
export interface MergeRecord {
  readonly workbookId: string;
  readonly id: string;
  /** Grows with every change. */
  readonly revision: number;
  readonly state: 'open' | 'merged' | 'aborted';
  readonly sourceNo: number;
  readonly sourceSeq: number;
  readonly sourcePinned: boolean;
  readonly targetNo: number;
  readonly targetSeq: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly request: MergeRequest;
  readonly choices: Choices;
  /** Empty while nobody made any. */
  readonly units: readonly UnitGroup[];
  readonly approvals: readonly Approval[];
  readonly timeline: readonly TimelineEntry[];
  readonly result: MergeResult | null;
}
