import type { Policy } from '../../model/policy.ts';
import type { Choice, Contest } from '../merge/judge.ts';

/** Decides a conflict by the policy of the workbook; undefined for one that it leaves open. */
export function settledByPolicy(contest: Contest, policy: Policy['merge']): Choice | undefined {
  const { kind } = contest;
  if (kind === 'cell.value' || kind === 'tablerow.cell')
    return isAlike(contest, policy) ? 'ours' : undefined;
  if (policy.deleteVsEdit === 'conflict' || !kind.endsWith('.edit_delete')) return undefined;
  const sides = contest.sides();
  // A line that was only formatted is decided by another member of the policy.
  if (Object.values(sides).includes('formatted')) return undefined;
  const isOursGone = sides.ours === 'removed';
  return isOursGone === (policy.deleteVsEdit === 'delete') ? 'ours' : 'theirs';
}

/** Numbers within the tolerance are one and the same, and so are a blank and no text at all. */
function isAlike({ sides }: Contest, policy: Policy['merge']): boolean {
  const { ours, theirs } = sides();
  if (typeof ours === 'number' && typeof theirs === 'number') {
    return Math.abs(ours - theirs) <= policy.numericTolerance;
  }
  const isBlank = (side: unknown) => side === undefined || side === '' || side === "'";
  return policy.blankEqualsEmptyString && isBlank(ours) && isBlank(theirs);
}
