import { attach } from './attached-kernel.ts';
import { freeBytes } from './freed-bytes.ts';
import { KernelFault } from './kernel-instance.ts';
import type { KernelLoan, Recalculation } from './kernel.ts';

export interface RecalculateTask {
  readonly loan: KernelLoan;
  /** Command buffers to apply before the evaluation; they are transferred and empty afterwards. */
  readonly commands: readonly Uint8Array[];
  /** Options of the evaluation; undefined to apply commands only. */
  readonly recalculation: Recalculation | undefined;
  /** Time after which the remaining cells stay pending; the model stays usable. */
  readonly budgetMilliseconds: number;
}

export type RecalculateResult =
  | {
      readonly ok: true;
      readonly isDone: boolean;
      readonly applyMilliseconds: number;
      readonly evaluateMilliseconds: number;
      /** Cells evaluated by the recalculation that this task began or continued. */
      readonly evaluatedCount: number;
    }
  /** The kernel trapped; the model is unusable. */
  | { readonly ok: false; readonly fault: string };

/** Steps between two looks at the clock, some ten milliseconds. */
const sliceFuelSteps = 500_000;

/** Brings a model up to date. Values stay in its memory; only figures are returned. */
export function recalculate(task: RecalculateTask): RecalculateResult {
  try {
    return work(task);
  } catch (error) {
    if (!(error instanceof KernelFault)) throw error;
    return { ok: false, fault: error.message };
  }
}

function work(task: RecalculateTask): RecalculateResult {
  const started = performance.now();
  const kernel = attach(task.loan);
  for (const commands of task.commands) {
    kernel.applyCommands(commands);
    freeBytes(commands);
  }
  const applied = performance.now();
  let isDone = true;
  if (task.recalculation !== undefined) {
    const deadline = started + task.budgetMilliseconds;
    do isDone = kernel.recalculate(task.recalculation, sliceFuelSteps);
    while (!isDone && performance.now() < deadline);
  }
  return {
    ok: true,
    isDone,
    applyMilliseconds: applied - started,
    evaluateMilliseconds: performance.now() - applied,
    evaluatedCount: kernel.evaluatedCount,
  };
}
