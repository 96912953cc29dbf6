import type { Policy } from '../../model/policy.ts';
import type { Choice, Contest } from '../merge/judge.ts';

/** Settles a conflict by the workbook's policy; undefined if that leaves it open. */
export function settledByPolicy(contest: Contest, policy: Policy['merge']): Choice | undefined {
  const { kind } = contest;
  if (kind === 'cell.value' || kind === 'tablerow.cell')
    return isAlike(contest, policy) ? 'ours' : undefined;
  if (policy.deleteVsEdit === 'conflict' || !kind.endsWith('.edit_delete')) return undefined;
  const sides = contest.sides();
  // Another member of the policy settles a line that was only formatted.
  if (Object.values(sides).includes('formatted')) return undefined;
  const isOursGone = sides.ours === 'removed';
  return isOursGone === (policy.deleteVsEdit === 'delete') ? 'ours' : 'theirs';
}

/**
 * Returns whether two values count as equal: numbers within the tolerance, or a blank and an empty
 * text.
 */
function isAlike({ sides }: Contest, policy: Policy['merge']): boolean {
  const { ours, theirs } = sides();
  if (typeof ours === 'number' && typeof theirs === 'number') {
    return Math.abs(ours - theirs) <= policy.numericTolerance;
  }
  const isBlank = (side: unknown) => side === undefined || side === '' || side === "'";
  return policy.blankEqualsEmptyString && isBlank(ours) && isBlank(theirs);
}
