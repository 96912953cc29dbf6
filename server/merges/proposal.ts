import { createHash } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { Principal } from '../model/scope.ts';
import type { Position } from './graph.ts';
import type { MergeRecord, MergeRequest } from './merge-record.ts';
import type { NewMerge } from './sql.ts';

export interface ProposalRequest extends MergeRequest {
  /** A reference; left out where a merge is named that is taken back. */
  readonly source?: string | undefined;
  readonly revertOf?: string | undefined;
  readonly target: string;
}

export interface ProposalWishes {
  readonly principal: Principal;
  /** Keeps nothing. */
  readonly isTrial: boolean;
  /** The key that the request runs under, which makes one merge however often it is sent. */
  readonly keyed?: { readonly id: string; readonly firstAt: number } | undefined;
}

/** Time and chance that every try of a request finds the same: its merge has the same id. */
export function sameEachTry(
  environment: Environment,
  { id, firstAt }: { readonly id: string; readonly firstAt: number },
): Environment {
  const digest = createHash('sha256').update(id).digest();
  return { ...environment, now: () => firstAt, random: (count) => digest.subarray(0, count) };
}

interface ProposalEnds {
  readonly from: Position & { readonly isPinned: boolean };
  readonly to: Position;
  /** The merge that is taken back. */
  readonly reverts: { readonly mergeId: string; readonly seq: number } | undefined;
}

/** A merge as it is when somebody has proposed it. */
export function newMerge(
  { source: _source, target: _target, revertOf: _revertOf, ...asked }: ProposalRequest,
  {
    from,
    to,
    reverts,
    ...given
  }: ProposalEnds & Pick<NewMerge, 'workbookId' | 'choices' | 'createdBy'>,
  environment: Environment,
): NewMerge {
  const { workbookId, choices, createdBy } = given;
  const now = environment.now();
  return {
    workbookId,
    id: makeId('mrg_', environment),
    state: 'open',
    sourceNo: from.no,
    sourceSeq: from.seq,
    sourcePinned: from.isPinned,
    targetNo: to.no,
    targetSeq: to.seq,
    createdBy,
    request: { ...asked, ...(reverts && { reverts }) },
    choices,
    createdAt: new Date(now),
    timeline: [{ at: now, actor: createdBy, event: 'created' }],
  };
}

/** The record that it would have, for looking at what it comes to before it is kept. */
export function untriedRecord(merge: NewMerge): MergeRecord {
  return { ...merge, revision: 0, units: [], approvals: [], result: null };
}
