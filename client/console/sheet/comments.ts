import type { Address } from '../../../server/model/address.ts';

export interface Comment {
  readonly id: string;
  readonly text: string;
  readonly author?: string;
  readonly at?: string;
}

/** A comment thread of a cell. */
export interface Thread {
  readonly id: string;
  readonly at: Address;
  readonly isResolved: boolean;
  readonly comments: readonly Comment[];
}

/** Returns the comment threads of a cell, open ones first. */
export function threadsAt(threads: readonly Thread[], { row, column }: Address): Thread[] {
  return threads
    .filter(({ at }) => at.row === row && at.column === column)
    .toSorted((a, b) => Number(a.isResolved) - Number(b.isResolved));
}
