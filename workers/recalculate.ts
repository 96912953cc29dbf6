import { attach } from './attached-kernel.ts';
import { freeBytes } from './freed-bytes.ts';
import { KernelFault } from './kernel-instance.ts';
import type { KernelLoan, Recalculation } from './kernel.ts';

export interface RecalculateTask {
  readonly loan: KernelLoan;
  /** Command buffers to apply before anything is evaluated; they are empty afterwards. */
  readonly commands: readonly Uint8Array[];
  /** Undefined: only apply. */
  readonly recalculation: Recalculation | undefined;
  /** After this the rest is left pending; the model stays good. */
  readonly budgetMilliseconds: number;
}

export type RecalculateResult =
  | {
      readonly ok: true;
      readonly isDone: boolean;
      readonly applyMilliseconds: number;
      readonly evaluateMilliseconds: number;
      /** Cells computed so far by the recalculation that this task began or went on with. */
      readonly evaluatedCount: number;
    }
  /** The kernel trapped: the model is not to be used again. */
  | { readonly ok: false; readonly fault: string };

/** Steps between two looks at the clock: some ten milliseconds. */
const sliceFuelSteps = 500_000;

/** Brings a model up to date. The values stay in its memory; only figures go back. */
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
