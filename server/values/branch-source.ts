import type { Branches } from '../branches/branches.ts';

/**
 * What models need of the branches. A look shows durable states only. Commits are heard in order
 * and without holes, before the submission is answered; `mutations` replays from the first
 * operation, and ends exactly at `through`.
 */
export type BranchSource = Pick<
  Branches,
  'address' | 'read' | 'readAt' | 'mutations' | 'history' | 'subscribe'
>;
