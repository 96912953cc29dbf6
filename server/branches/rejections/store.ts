import type { RejectionError } from '../../model/rejection.ts';
import type { BranchAddress } from '../journal-store.ts';

/** A rejection that every retry of its operation hears again. */
export interface KeptRejection {
  /** Identity of the operation, as `operationKey` has it. */
  readonly key: string;
  readonly error: RejectionError;
}

/** Rejections are numbered on each branch, from 1 on and without holes. */
export interface StoredRejection extends KeptRejection {
  readonly number: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The rejections that a batch adds to those of its branch. */
export interface AddedRejections {
  /** Number of the last one that was known when the batch was judged. */
  readonly after: number;
  readonly kept: readonly KeptRejection[];
  /** Rejections up to this number need not be remembered any more. */
  readonly forgetThrough: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Rejections of a batch that writes nothing else. */
export interface Refusal extends BranchAddress {
  readonly expectedHead: number;
  readonly epoch: number;
  readonly rejections: AddedRejections;
}

/**
 * The store of rejections. As appends compare the number of the last rejection too, an operation
 * that one process has rejected is not applied by another, nor the other way round.
 *
 * `reject` answers true once the rejections are durable; false, and has written nothing, when the
 * branch has another head, epoch or number than expected, or is archived. It may throw at any
 * time, and then nobody knows which: the caller reads the branch again.
 */
export interface RejectionStore {
  reject(refusal: Refusal): Promise<boolean>;
  /** The rejections after a number that are no older than a time, in their order. */
  rejections(
    address: BranchAddress,
    from: { readonly after: number; readonly oldest: number },
  ): Promise<StoredRejection[]>;
}
