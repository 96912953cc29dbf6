import type { ScopedChange } from '../../merge/scope.ts';

/** The author of a change of the source. */
export interface ChangeAuthor {
  readonly writer: string;
  /** The group it was submitted with, or the operation by itself: `q3@9`. */
  readonly group: string;
}

/**
 * Finds the authors of changes of the source; undefined for changes that the journal does not tell.
 */
export interface SourceAuthors {
  of(change: ScopedChange): ChangeAuthor | undefined;
}

/** The authors for requests that ask for none. */
export const noAuthors: SourceAuthors = { of: () => undefined };
