import type { Failure } from './failure.ts';

/** The right to continue something: of a credential, and to read a workbook. */
export interface HeldRight {
  /** The header that the credential was shown in. */
  readonly authorization: string | undefined;
  /** Left out where no workbook is read. */
  readonly workbookId?: string;
}

/** Milliseconds for which a right that was checked counts; most requests take less. */
export const rightCountsMilliseconds = 500;

/** Checks whether long-running work is still allowed. */
export interface Rights {
  /** Fails as a new request of the holder would. */
  check(held: HeldRight): Promise<void>;
  /**
   * Calls `ended` once, with the refusal of a new request, as soon as the credential has ended, by time too, or the workbook may not be
   * read any more. The returned function ends the watch.
   */
  watch(held: HeldRight, ended: (failure: Failure) => void): () => void;
}
