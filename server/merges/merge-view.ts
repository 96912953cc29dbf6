import { basesOf, type MergeOutcome } from './merge-computer.ts';
import {
  approvalState,
  isOutOfDate,
  protectionFor,
  sourceFaults,
  type ApprovalState,
} from './approval.ts';
import { isBlocking, noFindings, type Finding, type Findings } from './findings/findings.ts';
import type { Look, OpenLook } from './look.ts';
import { isApplicable, undecided } from './readiness.ts';

/** The states of a merge. */
export const mergeStates = [
  'computing',
  'conflicted',
  'review',
  'approved',
  'outdated',
  'merged',
  'aborted',
] as const;
export type MergeState = (typeof mergeStates)[number];

/** Makes the view of a merge in a list, without members that need the outcome. */
export function listedMerge({ record, names, graph, logged }: Omit<Look, 'policy'>) {
  const source = { no: record.sourceNo, seq: record.sourceSeq };
  const target = { no: record.targetNo, seq: record.targetSeq };
  const bases = basesOf(record, graph);
  const { title, description, strategy, squash, granularity, grouping, reverts } = record.request;
  return {
    id: record.id,
    title,
    description,
    state: closedState(record),
    source: names.position(source),
    target: names.position(target),
    base: bases[0] ? { ...names.position(bases[0]), virtual: bases.length > 1 } : null,
    strategy,
    squash,
    ...(granularity && { granularity }),
    ...(grouping && { grouping }),
    ...(reverts && { revertOf: reverts.mergeId }),
    createdBy: record.createdBy,
    createdAt: record.createdAt.toISOString(),
    revision: record.revision,
    result: resultOf({ record, names, logged }),
  };
}

/** Returns the state of a merge without computing it: `computing` for an open one. */
function closedState({ state }: Look['record']): MergeState {
  return state === 'open' ? 'computing' : state;
}

/** Returns whether a merge is applied or aborted. */
export function isEnded({ record }: Pick<Look, 'record'>): boolean {
  return record.state !== 'open';
}

function resultOf({ record, names, logged }: Pick<Look, 'record' | 'names' | 'logged'>) {
  const { result, targetNo } = record;
  if (!result) return null;
  const { seq, stateHash, vector } = result;
  const known = Object.entries(vector).map(([no, last]) => [Number(no), last] as const);
  const branch = names.nameOf(targetNo);
  const { leafHash = null, tlogIndex = null } = logged ?? {};
  return { branch, seq, stateHash, vector: names.vector(new Map(known)), leafHash, tlogIndex };
}

/** Makes the view of a merge, without findings while they are computed. */
export function mergeView(look: Look | OpenLook, findings?: Findings) {
  const { record } = look;
  const timeline = record.timeline.map(({ at, run: _run, ...entry }) => ({
    at: timeText(at),
    ...entry,
  }));
  const links = linksOf(record);
  const listed = listedMerge(look);
  if (!('outcome' in look)) {
    const again = isEnded(look) ? {} : { retry_after: retrySeconds };
    return { ...listed, ...again, timeline, links };
  }
  return { ...listed, ...openView(look, findings), timeline, links };
}

/** Makes the view of a dry run, which is not stored and so has no id or links. */
export function trialView(look: OpenLook, findings?: Findings) {
  const { id: _id, links: _links, ...view } = mergeView(look, findings);
  return view;
}

/** Ids of conflicts that the view of a unit lists; their own route has pages of all. */
const conflictsPerUnit = 1_000;

/** Makes the views of units, without their members, and with the ids of their first conflicts. */
export function unitViews({ units }: Pick<MergeOutcome, 'units'>) {
  return units.map(({ members: _members, conflicts, ...unit }) => {
    const moreConflicts = conflicts.length - conflictsPerUnit;
    return {
      ...unit,
      conflicts: conflicts.slice(0, conflictsPerUnit),
      ...(moreConflicts > 0 && { moreConflicts }),
    };
  });
}

function linksOf({ workbookId, id }: Look['record']) {
  const own = `/v1/workbooks/${workbookId}/merges/${id}`;
  return { self: own, conflicts: `${own}/conflicts`, diff: `${own}/diff` };
}

function openView(look: OpenLook, findings: Findings | undefined) {
  const { record, outcome } = look;
  const protection = protectionFor(look);
  const conflicts = [...outcome.conflicts.values()];
  const openCount = conflicts.filter(({ isSettled }) => !isSettled).length;
  const approval = approvalState(record.approvals, protection, outcome);
  const { required, approvals } = approval;
  const blockedBy = [
    ...(openCount > 0 ? ['conflicts'] : []),
    ...(undecided(look).length > 0 ? ['units'] : []),
    ...blockingKinds(findings),
    ...(approvals < required ? ['approvals'] : []),
    ...(approval.unapproved.length > 0 ? ['owners'] : []),
    ...(approval.isRefused ? ['changes_requested'] : []),
    ...sourceFaults(look, protection),
    ...(look.isOutdated ? ['outdated'] : []),
  ];
  return {
    state: stateOf(look, openCount, findings),
    ...(outcome.refusal && { refusal: outcome.refusal.detail }),
    ...(findings ? {} : { retry_after: retrySeconds }),
    fastForward: outcome.bases.some(
      ({ no, seq }) => no === record.targetNo && seq === record.targetSeq,
    ),
    summary: {
      changes: outcome.changes,
      conflicts: { open: openCount, resolved: conflicts.length - openCount },
      ...countsOf(findings),
    },
    policy: { required, approvals, blockedBy, owners: ownersOf(look, approval) },
    approvals: record.approvals.map((given) => ({
      by: given.by,
      at: timeText(given.at),
      event: given.event,
      digest: `sha256:${given.digest}`,
      stale: isOutOfDate(given, protection, outcome.digest),
      ...(given.comment !== undefined && { comment: given.comment }),
      ...(given.units && { units: given.units }),
    })),
    units: unitViews(outcome),
    digest: `sha256:${outcome.digest}`,
    stateHash: outcome.stateHash,
  };
}

/** Lists the owned parts that the merge changes, and who must approve. */
function ownersOf({ outcome }: OpenLook, { unapproved }: ApprovalState) {
  return outcome.owned.map((part) => ({
    match: part.match,
    approvers: part.approvers,
    approved: !unapproved.includes(part),
  }));
}

export const retrySeconds = 1;
/** Seconds after which a request without a wait of its own is answered with `computing`. */
export const patienceSeconds = 5;

function blockingKinds(findings: Findings | undefined): string[] {
  const blocking = (findings ?? noFindings).list.filter(isBlocking);
  const isEffect = ({ kind }: Finding) => kind.startsWith('effect.');
  return [
    ...(blocking.some(isEffect) ? ['effects'] : []),
    ...(blocking.some((finding) => !isEffect(finding)) ? ['violations'] : []),
  ];
}

function countsOf(findings: Findings | undefined) {
  if (!findings) return { violations: null, effects: null };
  const { list, unchecked } = findings;
  const values = list.filter(({ kind }) => kind === 'effect.value').length;
  const effects = list.filter(({ kind }) => kind.startsWith('effect.')).length;
  const why = unchecked === undefined ? {} : { unchecked };
  return {
    violations: list.length - effects,
    effects: { values, errors: effects - values, ...why },
  };
}

function stateOf(look: OpenLook, openCount: number, findings: Findings | undefined): MergeState {
  if (look.isOutdated) return 'outdated';
  if (openCount > 0) return 'conflicted';
  if (!findings) return 'computing';
  if (findings.list.some(isBlocking)) return 'conflicted';
  const isMet = isApplicable(look, findings) && look.record.approvals.length > 0;
  return isMet ? 'approved' : 'review';
}

function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
