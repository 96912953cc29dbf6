import type { ModelParts } from '../../server/values/model.ts';
import { attach } from '../../workers/attached-kernel.ts';
import { recalculate, type RecalculateTask } from '../../workers/recalculate.ts';
import { watchModel } from '../../workers/watch-model.ts';

/** About as many as a thread does that has the processor to itself. */
const stepsPerMillisecond = 20_000;

/** The work of a task as if it took as long as it has steps, however loaded the machine is. */
function timed(task: RecalculateTask): ReturnType<typeof recalculate> {
  const result = recalculate(task);
  if (!result.ok) return result;
  const { steps } = attach(task.loan).statistics();
  return { ...result, evaluateMilliseconds: steps / stepsPerMillisecond };
}

/** A pool for models that does its tasks on the spot, with an instance of its own, and names them. */
export function kernelPool(): ModelParts['pool'] & { readonly tasks: string[] } {
  const tasks: string[] = [];
  const doers: Record<string, (payload: never) => unknown> = { recalculate: timed, watchModel };
  const run = async (name: string, payload: unknown): Promise<unknown> => {
    tasks.push(name);
    return doers[name]?.(payload as never);
  };
  // The name of a task decides the type of its result, which a table cannot express.
  return { tasks, run: run as ModelParts['pool']['run'] };
}
