import type { Pool } from '../compute/pool.ts';
import type { Environment } from '../model/environment.ts';
import type { Mutation } from '../model/mutation.ts';
import type { Kernel, KernelLoan } from '../../workers/kernel.ts';
import type { Position } from './position.ts';
import type { SheetList } from './sheet-list.ts';

/** Consecutive operations and what they did to the grid. */
export interface Change {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly at: number;
  readonly mutations: readonly Mutation[];
  /** True when somebody wants to know which cells come to another value by it. */
  readonly isWatched?: boolean;
}

/** The model as a reader sees it, while nobody else touches it. */
export interface ModelView {
  readonly kernel: Kernel;
  readonly sheets: SheetList;
  readonly position: Position;
  readonly lastRecalculation: LastRecalculation | undefined;
  /** The values are those of the position. */
  readonly isEvaluated: boolean;
  /** The model for a task of the pool; `kernel` is not to be used until `work` is over. */
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
  /** Milliseconds of a clock that goes forward alone; the process's own when left out. */
  readonly stopwatch?: () => number;
}

export interface UseOptions {
  /** The exact position that is wanted; the newest one when left out. */
  readonly seq?: number | undefined;
  readonly evaluate: boolean;
  /** Evaluation stops after so many tasks of the pool, perhaps unfinished; never when left out. */
  readonly tasksMost?: number;
}
