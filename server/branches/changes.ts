import { Failure } from '../model/failure.ts';
import type { Value } from '../model/cell-value.ts';
import type { BranchAddress } from './journal-store.ts';
import type { Place } from './place.ts';

/** A cell whose value changed through writes elsewhere, or by its own formula. */
export interface ChangedCell {
  readonly sheet: string;
  readonly a1: string;
  readonly before: Value;
  readonly after: Value;
}

/** Cells that a commit changed: the first ones by sheet, row and column. */
export interface Changes {
  readonly cells: readonly ChangedCell[];
  /** Number of changed cells. */
  readonly total: number;
  /** Cells that now have an error; they may also be in `cells`. */
  readonly errors: readonly ChangedCell[];
  readonly errorTotal: number;
}

/** Computes the changed values for submissions that ask for them. */
export interface ChangeSource {
  /** Computes the values of a head in advance, so that a commit only computes its changes. */
  readonly prepare: (head: Place) => Promise<void>;
  /** Returns the cells changed by the watched commit that ends with an operation. */
  readonly changesOf: (address: BranchAddress, lastSeq: number) => Promise<Changes>;
}

/** The changes in the answer to a submission. */
export type ToldChanges =
  | (Changes & { readonly truncated: boolean })
  | { readonly unavailable: { readonly code: string; readonly detail: string } };

/**
 * Reports at most `cellsMost` cells. A failure is reported and not thrown, as the write is durable.
 */
export async function tellChanges(
  source: ChangeSource,
  { address, lastSeq }: { readonly address: BranchAddress; readonly lastSeq: number },
  cellsMost: number,
): Promise<ToldChanges> {
  try {
    const changes = await source.changesOf(address, lastSeq);
    const cells = changes.cells.slice(0, cellsMost);
    const truncated = cells.length < changes.total || changes.errors.length < changes.errorTotal;
    return { ...changes, cells, truncated };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { unavailable: { code: error.code, detail: error.detail } };
  }
}
