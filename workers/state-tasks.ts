/**
 * Entry of the thread of large diffs and merges: the name of an export is the name of a task. The
 * threads of evaluations do without this code, which would take half of their start.
 */
import { workerData } from 'node:worker_threads';

import { diffStates, type DiffAnswer, type DiffTask } from './diff-states.ts';
import { useHashKey } from './hash-key.ts';
import { mergeStates, type MergeAnswer, type MergeTask } from './merge-states.ts';

if (workerData instanceof Uint8Array) useHashKey(workerData);

export { diffStates, mergeStates };

/** Payload and answer of each task about states. */
export interface StateTasks {
  readonly diffStates: { payload: DiffTask; result: DiffAnswer };
  readonly mergeStates: { payload: MergeTask; result: MergeAnswer };
}
