import {
  STATISTIC_BATCHED,
  STATISTIC_BYTES_USED,
  STATISTIC_CELLS,
  STATISTIC_CIRCULAR,
  STATISTIC_EVALUATED,
  STATISTIC_FORMULA_CELLS,
  STATISTIC_MEMORY_BYTES,
  STATISTIC_PROBES,
  STATISTIC_RUNS,
  STATISTIC_STEPS,
  STATISTIC_TEMPLATES,
} from '../assembly/abi.ts';
import type { KernelExports } from './kernel-exports.ts';

/** Figures that a model reports about itself. */
export interface KernelStatistics {
  readonly formulas: number;
  readonly cells: number;
  readonly templates: number;
  readonly runs: number;
  readonly usedBytes: number;
  readonly evaluated: number;
  /** Number of evaluated cells that the batch interpreter computed. */
  readonly batched: number;
  readonly circular: number;
  readonly memoryBytes: number;
  readonly pending: number;
  /** Number of entries looked at in hash tables so far. */
  readonly probes: number;
  /** Steps of the last recalculation, or of the marking after the last edit. */
  readonly steps: number;
}

export function readStatistics(kernel: KernelExports): KernelStatistics {
  const figure = (index: number): number => kernel.statistic(index);
  return {
    formulas: figure(STATISTIC_FORMULA_CELLS),
    cells: figure(STATISTIC_CELLS),
    templates: figure(STATISTIC_TEMPLATES),
    runs: figure(STATISTIC_RUNS),
    usedBytes: figure(STATISTIC_BYTES_USED),
    evaluated: figure(STATISTIC_EVALUATED),
    batched: figure(STATISTIC_BATCHED),
    circular: figure(STATISTIC_CIRCULAR),
    memoryBytes: figure(STATISTIC_MEMORY_BYTES),
    pending: kernel.pendingCount(),
    probes: figure(STATISTIC_PROBES),
    steps: figure(STATISTIC_STEPS),
  };
}
