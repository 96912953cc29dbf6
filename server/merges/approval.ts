import { Failure } from '../model/failure.ts';
import type { ProtectedBranch } from '../model/policy.ts';
import { isAmong, protectionOf, type Actor } from '../model/protection.ts';
import type { Principal } from '../model/scope.ts';
import type { Approval } from './merge-record.ts';
import type { Look, OpenLook } from './look.ts';
import type { OwnedPart } from '../state/outcome/owners.ts';
import type { UnitReport } from '../state/outcome/units/report.ts';
import { isLeftOut } from '../state/outcome/units/unit.ts';

export interface ApprovalState {
  readonly required: number;
  readonly approvals: number;
  readonly isSatisfied: boolean;
  readonly isRefused: boolean;
  /** Changed parts that none of their owners has approved. */
  readonly unapproved: readonly OwnedPart[];
}

/**
 * Returns the protection of the target by the policy; undefined if there is none or it does not
 * bind the actor.
 */
export function protectionFor(
  { policy, names, record }: Pick<Look, 'policy' | 'names' | 'record'>,
  actor?: Actor,
): ProtectedBranch | undefined {
  const protection = protectionOf(policy, names.nameOf(record.targetNo));
  return protection && actor && isAmong(protection.bypass, actor) ? undefined : protection;
}

/** Returns whether an actor may apply merges under a protection. */
export function isMerger(protection: ProtectedBranch | undefined, actor: Actor): boolean {
  const { mergers = [] } = protection ?? {};
  return mergers.length === 0 || isAmong(mergers, actor);
}

/** Finds the requirements of the policy that a source does not meet. */
export function sourceFaults(
  { standing }: Pick<OpenLook, 'standing'>,
  protection: ProtectedBranch | undefined,
): readonly ('behind' | 'checkpoint')[] {
  const isBehind = protection?.requireUpToDate === true && !standing.isUpToDate;
  const isLoose = protection?.requireCheckpoint === true && standing.isCheckpoint !== true;
  return [...(isBehind ? ['behind' as const] : []), ...(isLoose ? ['checkpoint' as const] : [])];
}

/** Sums up the approvals of a merge that count now. */
export function approvalState(
  approvals: readonly Approval[],
  protection: ProtectedBranch | undefined,
  { digest, units, owned }: ApprovedThing,
): ApprovalState {
  const latest = new Map<string, Approval>();
  for (const approval of approvals) {
    if (approval.event !== 'comment') latest.set(approval.by, approval);
  }
  const required = protection?.requiredApprovals ?? 0;
  const isStale = (approval: Approval) => isOutOfDate(approval, protection, digest);
  const given = [...latest.values()].filter(
    (approval) => approval.event === 'approve' && !isStale(approval) && covers(approval, units),
  );
  const isRefused = [...latest.values()].some(({ event }) => event === 'request_changes');
  const parts = protection ? owned : [];
  const unapproved = parts.filter(
    ({ approvers }) => !given.some(({ by, role }) => isAmong(approvers, { userId: by, role })),
  );
  const isSatisfied = given.length >= required && !isRefused && unapproved.length === 0;
  return { required, approvals: given.length, isSatisfied, isRefused, unapproved };
}

interface ApprovedThing {
  readonly digest: string;
  readonly units: readonly UnitReport[];
  readonly owned: readonly OwnedPart[];
}

/** Returns whether an approval covers all units that are taken and not empty. */
function covers({ units: seen }: Approval, units: readonly UnitReport[]): boolean {
  return (
    seen === undefined ||
    units.every((unit) => isEmpty(unit) || isLeftOut(unit.decision) || seen.includes(unit.id))
  );
}

function isEmpty({ changes, conflicts }: UnitReport): boolean {
  return changes === 0 && conflicts.length === 0;
}

/** Returns whether an approval was for an earlier outcome, and the policy drops such approvals. */
export function isOutOfDate(
  approval: Approval,
  protection: ProtectedBranch | undefined,
  digest: string,
): boolean {
  return (protection?.dismissStaleApprovals ?? true) && approval.digest !== digest;
}

interface Proposal {
  readonly createdBy: string;
  /** Author of the last operation of the source. */
  readonly lastWriterId: string | undefined;
  readonly owned: readonly OwnedPart[];
}

/** Explains why an actor's approval does not count for a protected branch; undefined if it does. */
export function approverFault(
  { kind, ...actor }: Actor & Pick<Principal, 'kind'>,
  { createdBy, lastWriterId, owned }: Proposal,
  protection: ProtectedBranch | undefined,
): Failure | undefined {
  if (!protection || protection.requiredApprovals + owned.length === 0) return undefined;
  const { userId } = actor;
  if (kind !== 'human' && !protection.allowAgentApproval) {
    return notApprover('the policy counts approvals of people alone');
  }
  const lists = [protection.approvers, ...owned.map(({ approvers }) => approvers)];
  if (protection.approvers.length > 0 && !lists.some((listed) => isAmong(listed, actor))) {
    return notApprover('the policy lists others as approvers');
  }
  if (createdBy === userId && !protection.allowSelfApproval) {
    return selfApproval('You proposed this merge');
  }
  if (lastWriterId === userId && protection.requireLastPushApproval) {
    return selfApproval('You wrote the last operation of the source');
  }
  return undefined;
}

function notApprover(why: string): Failure {
  return new Failure('notApprover', {
    detail: `Your approval does not count: ${why}.`,
    hint: 'Ask one of them, or change protectedBranches in the settings of the workbook.',
  });
}

function selfApproval(why: string): Failure {
  return new Failure('selfApproval', {
    detail: `${why}, and the policy wants somebody else to approve it.`,
    hint: 'Ask somebody else, or allow it in protectedBranches of the settings.',
  });
}
