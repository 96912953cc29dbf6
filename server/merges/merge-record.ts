import type { Role } from '../model/access.ts';
import type { OutcomeWishes } from '../state/outcome/merge-question.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import type { UnitGroup } from '../state/outcome/units/unit.ts';

/** The request that proposed a merge. */
export interface MergeRequest extends OutcomeWishes {
  readonly title: string;
  readonly description: string;
  /** True to leave the source out of the history of the target. */
  readonly squash: boolean;
  readonly apply: 'manual' | 'auto';
  /** The merge that is reverted, and the operation that applied it. */
  readonly reverts?: { readonly mergeId: string; readonly seq: number };
}

export interface Approval {
  readonly by: string;
  /** Role of the actor at the time. */
  readonly role?: Role;
  readonly at: number;
  readonly digest: string;
  readonly event: 'approve' | 'request_changes' | 'comment';
  readonly comment?: string;
  /** Approved units; all if left out. */
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
  /** Key of the request, by which a repetition is found; never in a response. */
  readonly run?: string;
}

export interface MergeResult {
  readonly seq: number;
  readonly stateHash: string;
  readonly vector: Readonly<Record<string, number>>;
}

/** A stored merge. */
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
  /** Units that were made; empty if they follow from the rule. */
  readonly units: readonly UnitGroup[];
  readonly approvals: readonly Approval[];
  readonly timeline: readonly TimelineEntry[];
  readonly result: MergeResult | null;
}
