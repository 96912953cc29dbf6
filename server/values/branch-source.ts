import type { Branches } from '../branches/branches.ts';

/**
 * The part of the branches that models need. A look shows durable states only, and nobody changes
 * the state of a position. Commits are heard in order and without holes, before the submission is
 * answered.
 */
export type BranchSource = Pick<
  Branches,
  'locate' | 'read' | 'readAt' | 'stateAt' | 'timeOf' | 'subscribe'
>;
