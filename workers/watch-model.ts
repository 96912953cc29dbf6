import { operationLimits as limits } from '../server/model/operation-limits.ts';
import type { Value } from '../server/model/cell-value.ts';
import { attach } from './attached-kernel.ts';
import { KernelFault } from './kernel-instance.ts';
import type { Kernel, KernelLoan } from './kernel.ts';

/** A cell whose value changed; `sheet` is a key. */
export interface FoundChange {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly from: Value;
  readonly to: Value;
}

/** The first changes, and their number. */
export interface FoundChanges {
  readonly cells: readonly FoundChange[];
  readonly total: number;
}

/** Changes since a kernel began to watch: all cells that changed, and the errors among them. */
export interface WatchedCells {
  readonly computed: FoundChanges;
  readonly errors: FoundChanges;
}

export interface WatchTask {
  readonly loan: KernelLoan;
  /** True to return the changes and end the watch; false to start it. */
  readonly isEnd: boolean;
}

export type WatchResult =
  | { readonly ok: true; readonly watched: WatchedCells | undefined }
  | { readonly ok: false; readonly fault: string };

/** Starts the watch of a model, or ends it. It takes time for each column and each change. */
export function watchModel({ loan, isEnd }: WatchTask): WatchResult {
  try {
    const kernel = attach(loan);
    const watched = isEnd ? endWatch(kernel) : undefined;
    if (!isEnd) kernel.watchChanges(true);
    return { ok: true, watched };
  } catch (error) {
    if (!(error instanceof KernelFault)) throw error;
    return { ok: false, fault: error.message };
  }
}

/** Returns the changes since the kernel began to watch, and ends the watch. */
export function endWatch(kernel: Kernel): WatchedCells {
  const read = (which: 'computed' | 'errors', most: number): FoundChanges => {
    const cells: FoundChange[] = [];
    const total = kernel.readChanges(which, most, (cell) => cells.push(cell));
    return { cells, total };
  };
  const computed = read('computed', limits.changesPerAnswer);
  const errors = read('errors', limits.errorsPerAnswer);
  kernel.watchChanges(false);
  return { computed, errors };
}
