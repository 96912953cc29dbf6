import { threadId, workerData } from 'node:worker_threads';

/** Tasks for tests of the pool, by what the payload asks for. */
export interface PoolTask {
  readonly what: 'thread' | 'key' | 'spin' | 'throw' | 'exit' | 'wait';
  readonly milliseconds?: number;
}

/** Under the name of a real task, because the pool knows only those. */
export async function recalculate({ what, milliseconds = 0 }: PoolTask): Promise<unknown> {
  switch (what) {
    case 'thread':
      return threadId;
    case 'key':
      return workerData;
    case 'spin':
      for (;;);
    case 'throw':
      throw new RangeError('thrown in the thread');
    case 'exit':
      return process.exit(3);
    case 'wait':
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
      return threadId;
  }
}
