import type { BranchAddress } from '../branches/journal-store.ts';
import type { Branches } from '../branches/branches.ts';
import type { BranchState } from '../state/branch-state.ts';

/** Reads a state a piece at a time, so that others have their turns in between. */
export type StateLook<Result> = (state: BranchState) => Generator<void, Result>;

/**
 * The part of the branches that models need. A look shows durable states only, and nobody changes
 * the state of a position. Commits are heard in order and without holes, before the submission is
 * answered.
 */
export interface BranchSource extends Pick<
  Branches,
  'locate' | 'readAt' | 'stateAt' | 'timeOf' | 'subscribe'
> {
  read<Result>(address: BranchAddress, look: StateLook<Result>): Promise<Result>;
}
