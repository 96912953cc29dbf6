import { createHash } from 'node:crypto';

import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { Principal } from '../model/scope.ts';
import type { Position } from './graph.ts';
import type { MergeRecord, MergeRequest } from './merge-record.ts';
import type { Waiting } from './look.ts';
import type { NewMerge } from './sql.ts';

export interface ProposalRequest extends MergeRequest {
  /** A reference; left out for a revert. */
  readonly source?: string | undefined;
  readonly revertOf?: string | undefined;
  readonly target: string;
}

export interface ProposalWishes extends Waiting {
  readonly principal: Principal;
  /** True to store nothing. */
  readonly isTrial: boolean;
  /** Key of the request, which makes one merge however often it is sent. */
  readonly keyed?: { readonly id: string; readonly firstAt: number } | undefined;
}

/**
 * Time and random bytes that are the same for each attempt of a request, which give its merge one
 * id.
 */
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
  /** The merge that is reverted. */
  readonly reverts: { readonly mergeId: string; readonly seq: number } | undefined;
}

/** Makes a newly proposed merge. */
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

/** Makes the record of a merge that is not stored yet, to compute its outcome. */
export function untriedRecord(merge: NewMerge): MergeRecord {
  return { ...merge, revision: 0, units: [], approvals: [], result: null };
}

interface Worded {
  readonly title?: string | undefined;
  readonly description: string;
  readonly source?: string | undefined;
  readonly revertOf?: string | undefined;
  readonly target: string;
}

/** The title and the description to keep: a merge without words is called after its branches. */
export function proposedWords({ title = '', description, source, revertOf, target }: Worded) {
  const named = source === undefined ? `${revertOf ?? ''} taken back` : `${source} into ${target}`;
  return { title: title.trim() === '' ? named : title.trim(), description: description.trim() };
}
