import type { Role } from '../model/access.ts';
import type { Policy } from '../model/policy.ts';
import type { Choice, ContestPlace } from '../state/merge/judge.ts';
import type { Grouping, UnitGroup } from './units/unit.ts';

export type Granularity = Policy['merge']['conflictGranularity'];
export type Strategy = 'none' | 'ours' | 'theirs';

/** What a merge was asked to be. */
export interface MergeRequest {
  readonly title: string;
  readonly description: string;
  readonly strategy: Strategy;
  /** Leaves out that the target holds the source from then on. */
  readonly squash: boolean;
  readonly apply: 'manual' | 'auto';
  /** As the policy says where it is left out. */
  readonly granularity?: Granularity;
  /** How units are made while nobody makes any; `auto` where it is left out. */
  readonly grouping?: Grouping;
  /** The merge that it takes back, and the operation that applied that one. */
  readonly reverts?: { readonly mergeId: string; readonly seq: number };
}

/** What somebody chose for a conflict or a finding, and of which sides. */
export interface StoredChoice {
  /** `accept` takes a finding as it is, `keep` brings back what its formula names. */
  readonly choice: Choice | 'accept' | 'keep';
  /** Of a finding, the cell that gets the input, or whose formula it is. */
  readonly place?: Pick<ContestPlace, 'sheetId' | 'row' | 'column'>;
  /** Of the sides that were there: others are another question. */
  readonly sides: string;
  readonly by: string;
  readonly at: number;
}

/** By the id of the conflict or finding. */
export type Choices = ReadonlyMap<string, StoredChoice>;

export interface Approval {
  readonly by: string;
  /** What they were to the workbook then. */
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
