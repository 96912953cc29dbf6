import { Failure } from '../model/failure.ts';
import type { Value } from '../model/cell-value.ts';
import type { BranchAddress } from './journal-store.ts';
import type { Place } from './place.ts';

/** A cell that came to another value through writes elsewhere, or by its own formula. */
export interface ChangedCell {
  readonly sheet: string;
  readonly a1: string;
  readonly before: Value;
  readonly after: Value;
}

/** The cells that a commit changed: the first of them in the order of sheets, rows and columns. */
export interface Changes {
  readonly cells: readonly ChangedCell[];
  /** Number of changed cells. */
  readonly total: number;
  /** Cells that hold an error now; they may be among `cells` too. */
  readonly errors: readonly ChangedCell[];
  readonly errorTotal: number;
}

/** Computes values, as far as submissions that ask for their consequences are concerned. */
export interface ChangeSource {
  /** Computes the values of a head, so that a commit after it costs what it changes. */
  readonly prepare: (head: Place) => Promise<void>;
  /** Returns the cells changed by the watched commit that ends with an operation. */
  readonly changesOf: (address: BranchAddress, lastSeq: number) => Promise<Changes>;
}

/** The changes as the answer to a submission tells them. */
export type ToldChanges =
  | (Changes & { readonly truncated: boolean })
  | { readonly unavailable: { readonly code: string; readonly detail: string } };

/** At most `cellsMost` cells. What was written is durable, so a failure is told and not thrown. */
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
