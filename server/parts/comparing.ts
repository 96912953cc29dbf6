import { Pool, stateTasksModule } from '../compute/pool.ts';
import { DiffPool } from '../diffs/diff-pool.ts';
import { StateTasks } from '../diffs/state-tasks.ts';
import type { Foundation } from '../foundation.ts';
import { MergePool } from '../merges/merge-pool.ts';

/** Starts the thread of large diffs and merges: evaluations do not wait for it. */
export function startComparing({ environment }: Pick<Foundation, 'environment'>) {
  const tasks = stateTasksModule;
  const mergeThread = new Pool({ threadCount: 1, threadsAtStart: 0, environment, tasks });
  const parts = { tasks: new StateTasks({ pool: mergeThread, environment }), environment };
  return { mergeThread, diffPool: new DiffPool(parts), mergePool: new MergePool(parts) };
}
