import type { Pool } from '../compute/pool.ts';
import type { Environment } from '../model/environment.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Kernel, KernelLoan } from '../../workers/kernel.ts';
import type { Position } from './position.ts';
import type { SheetList } from './sheet-list.ts';

/** Consecutive operations and their mutations of the grid. */
export interface Change {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly mutations: readonly Mutation[];
  /** True if the cells whose value it changes are requested. */
  readonly isWatched?: boolean;
}

/** A model while one reader uses it exclusively. */
export interface ModelView {
  readonly kernel: Kernel;
  readonly sheets: SheetList;
  readonly position: Position;
  readonly lastRecalculation: LastRecalculation | undefined;
  /** True if the values are those of the position. */
  readonly isEvaluated: boolean;
  /** Lends the model to a task of the pool; `kernel` must not be used until the task ends. */
  readonly lend: () => KernelLoan;
}

/** Figures of the last recalculation. */
export interface LastRecalculation {
  readonly cells: number;
  readonly applyMilliseconds: number;
  readonly evaluateMilliseconds: number;
  readonly inPool: boolean;
}

export interface ModelParts {
  readonly pool: Pick<Pool, 'run'>;
  readonly environment: Environment;
  /** Monotonic clock in milliseconds; the process's own if left out. */
  readonly stopwatch?: () => number;
}

export interface UseOptions {
  /** Exact sequence; the newest one if left out. */
  readonly seq?: number | undefined;
  readonly evaluate: boolean;
  /**
   * Number of pool tasks after which evaluation stops, even if unfinished; no limit if left out.
   */
  readonly tasksMost?: number;
}
