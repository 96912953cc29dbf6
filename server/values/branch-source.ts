import type { BranchAddress } from '../branches/journal-store.ts';
import type { Branches } from '../branches/branches.ts';
import type { BranchState } from '../state/branch-state.ts';

/** A stepwise read of a state, with pauses for other work. */
export type StateLook<Result> = (state: BranchState) => Generator<void, Result>;

/**
 * The part of the branches that models need. Reads see durable states only, and states of positions
 * never change. Commits arrive in order and without gaps, before the submission is answered.
 */
export interface BranchSource extends Pick<
  Branches,
  'locate' | 'readAt' | 'stateAt' | 'timeOf' | 'subscribe'
> {
  read<Result>(address: BranchAddress, look: StateLook<Result>): Promise<Result>;
}
