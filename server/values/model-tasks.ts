import { Pace } from '../branches/pace.ts';
import { TaskAborted, TaskGivenUp } from '../compute/pool.ts';
import { Failure } from '../model/failure.ts';
import type { Mutation } from '../model/mutation.ts';
import { encodeMutations } from '../../workers/encode.ts';
import { KernelFault } from '../../workers/kernel-instance.ts';
import type { Kernel, Recalculation } from '../../workers/kernel.ts';
import type { LastRecalculation, ModelParts } from './model-view.ts';

/** Command buffers, whose memory is transferred to the thread that applies them. */
export type Commands = Uint8Array<ArrayBuffer>;

/** Most bytes of command buffers in one task. */
const taskBytesMost = 4 << 20;
/** Bytes of one command buffer: about a millisecond of encoding. */
const commandsBytes = 64 << 10;
/** Time after which a task ends and its model continues in another task. */
const taskBudgetMilliseconds = 250;
/** Time after which a task counts as stuck inside a formula. */
export const taskTimeoutMilliseconds = 30_000;
const evaluationMilliseconds = 120_000;

/** Runs tasks that change a model in the pool; the owner ensures that no others use it. */
export class ModelTasks {
  readonly #kernel: Kernel;
  readonly #affinity: string;
  readonly #parts: ModelParts;

  constructor(kernel: Kernel, affinity: string, parts: ModelParts) {
    this.#kernel = kernel;
    this.#affinity = affinity;
    this.#parts = parts;
  }

  /** Applies all but the last few buffers in the pool, and returns those for the next task. */
  async send(mutations: readonly Mutation[]): Promise<Commands[]> {
    const pace = new Pace(this.#parts.environment);
    let commands: Commands[] = [];
    let byteCount = 0;
    for (const chunk of encodeMutations(mutations, commandsBytes)) {
      commands.push(chunk.slice());
      byteCount += chunk.length;
      if (pace.isDue) await pace.rest();
      if (byteCount < taskBytesMost) continue;
      await this.run(commands, undefined);
      commands = [];
      byteCount = 0;
    }
    return commands;
  }

  /** Applies commands, and evaluates for as long as a task may take. */
  async run(
    commands: readonly Commands[],
    recalculation: Recalculation | undefined,
  ): Promise<{ readonly isDone: boolean; readonly last: LastRecalculation }> {
    const { loan } = this.#kernel;
    const budget = { budgetMilliseconds: taskBudgetMilliseconds };
    const result = await this.#parts.pool.run(
      'recalculate',
      { loan, commands, recalculation, ...budget },
      {
        timeoutMilliseconds: taskTimeoutMilliseconds,
        affinity: this.#affinity,
        transfer: commands.map(({ buffer }) => buffer),
      },
    );
    if (!result.ok) throw new KernelFault(result.fault);
    const { isDone, applyMilliseconds, evaluateMilliseconds, evaluatedCount: cells } = result;
    return { isDone, last: { cells, applyMilliseconds, evaluateMilliseconds, inPool: true } };
  }

  /** Makes a deadline: a function that throws once an evaluation that begins now takes too long. */
  patience(milliseconds = evaluationMilliseconds, otherwise = tooSlow): () => void {
    const { environment } = this.#parts;
    const deadline = environment.elapsed() + milliseconds;
    return () => {
      if (environment.elapsed() > deadline) throw otherwise(milliseconds / 1000);
    };
  }
}

function tooSlow(seconds: number): Failure {
  return new Failure('evaluationFailed', {
    detail: `The calculation takes longer than ${seconds} seconds.`,
  });
}

/** Returns whether an error leaves the memory of a model in an unknown state. */
export function isFault(error: unknown): boolean {
  return error instanceof KernelFault || error instanceof TaskAborted;
}

/** Turns an error into the one for the client. */
export function explained(error: unknown): unknown {
  if (!isFault(error) || error instanceof TaskGivenUp) return error;
  return new Failure('evaluationFailed', {
    detail: 'The calculation of this workbook was stopped by a fault.',
    hint: 'Read with lens=formula to look at the formulas; undo the last change if it goes on.',
    cause: error,
  });
}
