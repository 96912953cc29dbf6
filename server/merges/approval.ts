import { Failure } from '../model/failure.ts';
import type { ProtectedBranch } from '../model/policy.ts';
import type { Principal } from '../model/scope.ts';
import type { Approval } from './merge-record.ts';
import type { UnitReport } from './units/report.ts';
import { isLeftOut } from './units/unit.ts';

export interface ApprovalState {
  readonly required: number;
  readonly approvals: number;
  readonly isSatisfied: boolean;
  readonly isRefused: boolean;
}

/** Whether those who looked at a merge agree with it as it is now. */
export function approvalState(
  approvals: readonly Approval[],
  protection: ProtectedBranch | undefined,
  { digest, units }: ApprovedThing,
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
  const isSatisfied = given.length >= required && !isRefused;
  return { required, approvals: given.length, isSatisfied, isRefused };
}

interface ApprovedThing {
  readonly digest: string;
  readonly units: readonly UnitReport[];
}

/** An approval of some units counts once it is for all that are taken. */
function covers({ units: seen }: Approval, units: readonly UnitReport[]): boolean {
  return (
    seen === undefined ||
    units.every(({ id, decision }) => isLeftOut(decision) || seen.includes(id))
  );
}

/** Whether an approval was given for something else than what there is now. */
export function isOutOfDate(
  approval: Approval,
  protection: ProtectedBranch | undefined,
  digest: string,
): boolean {
  return (protection?.dismissStaleApprovals ?? true) && approval.digest !== digest;
}

interface Proposal {
  readonly createdBy: string;
  readonly ownerId: string;
  /** Who wrote the last operation of the source. */
  readonly lastWriterId: string | undefined;
}

/** Fails unless the principal's approval counts for a branch that needs approvals. */
export function checkApprover(
  principal: Principal,
  { createdBy, ownerId, lastWriterId }: Proposal,
  protection: ProtectedBranch | undefined,
): void {
  if (!protection || protection.requiredApprovals === 0) return;
  const { userId, kind } = principal;
  if (kind !== 'human' && !protection.allowAgentApproval) {
    throw notApprover('the policy counts approvals of people alone');
  }
  if (!isListed(protection, userId, userId === ownerId))
    throw notApprover('the policy lists others as approvers');
  if (createdBy === userId && !protection.allowSelfApproval) {
    throw selfApproval('You proposed this merge');
  }
  if (lastWriterId === userId && protection.requireLastPushApproval) {
    throw selfApproval('You wrote the last operation of the source');
  }
}

function isListed({ approvers }: ProtectedBranch, userId: string, isOwner: boolean): boolean {
  if (approvers.length === 0 || approvers.includes(`user:${userId}`)) return true;
  return isOwner && approvers.includes('role:owner');
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
