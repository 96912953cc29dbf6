import { extname } from 'node:path';
import type { MessagePort, Worker } from 'node:worker_threads';

import { Piscina } from 'piscina';

import type { Metrics } from '../metrics.ts';
import { inTime } from '../model/deadline.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { hashKeyBytes } from '../../workers/hash-key.ts';
import type { Tasks } from '../../workers/tasks.ts';
import { Affinity } from './affinity.ts';

export type TaskName = keyof Tasks;
export type Payload<Name extends TaskName> = Tasks[Name]['payload'];
export type Result<Name extends TaskName> = Tasks[Name]['result'];

export interface RunOptions {
  /** Time limit including the queue, after which the thread is ended. */
  readonly timeoutMilliseconds: number;
  /** Tasks of one key prefer one thread. */
  readonly affinity?: string;
  /** Gives the task up early, the same way. */
  readonly signal?: AbortSignal;
  readonly transfer?: readonly (ArrayBuffer | MessagePort)[];
}

export interface PoolOptions {
  readonly threadCount: number;
  readonly environment: Environment;
  /** Metrics; left out for a pool that is not measured. */
  readonly metrics?: Metrics;
  /** The module with the tasks; that of evaluations when left out. */
  readonly tasks?: URL;
  /** Threads that are begun before there is a task; 1 when left out. */
  readonly threadsAtStart?: number;
  /** Mebibytes of a thread for objects that are young; those of V8 when left out. */
  readonly youngMebibytesMost?: number;
}

/** Tasks that may wait for a thread; beyond it the service says that it is overloaded. */
const waitingMost = 1000;
const idleMilliseconds = 60_000;
/**
 * Mebibytes of JavaScript heap of one thread. A task that outgrows it ends that thread, not the
 * service.
 */
const heapMebibytesMost = 2048;

/** Milliseconds that a starting thread is waited for before it is ended all the same. */
const loadMilliseconds = 10_000;

/** Error of an unfinished task: it took too long, was given up, or its thread died. */
export class TaskAborted extends Error {
  override readonly name: string = 'TaskAborted';
}

/** Error of a task that its caller gave up. */
export class TaskGivenUp extends TaskAborted {
  override readonly name = 'TaskGivenUp';
}

/** All threads of the service. A task that hangs or dies takes its thread along and nothing else. */
export class Pool {
  readonly #piscina: Piscina;
  readonly #affinity = new Affinity();
  readonly #options: PoolOptions;
  /** Ids of threads that have loaded the tasks. */
  readonly #loaded = new Set<number>();
  #runCount = 0;

  constructor(options: PoolOptions) {
    const { threadCount, tasks = tasksModule, threadsAtStart = 1, youngMebibytesMost } = options;
    this.#options = options;
    this.#piscina = new Piscina({
      filename: tasks.href,
      minThreads: threadsAtStart,
      maxThreads: threadCount,
      idleTimeout: idleMilliseconds,
      maxQueue: waitingMost,
      // Loaders and hooks of the parent would triple the time a thread takes to start.
      execArgv: [],
      workerData: options.environment.random(hashKeyBytes),
      resourceLimits: {
        maxOldGenerationSizeMb: heapMebibytesMost,
        ...(youngMebibytesMost !== undefined && { maxYoungGenerationSizeMb: youngMebibytesMost }),
      },
      loadBalancer: (task, threads) => this.#affinity.choose(affinityOf(task), threads),
    });
    // Piscina reports these threads as ready at once, and later ones when they are.
    const first = new Set(this.#piscina.threads.map(({ threadId }) => threadId));
    for (const thread of this.#piscina.threads) {
      thread.once('message', () => this.#loaded.add(thread.threadId));
    }
    this.#piscina.on('workerCreate', ({ id }: { id: number }) => {
      if (!first.has(id)) this.#loaded.add(id);
    });
  }

  get hasFreeThread(): boolean {
    return this.#runCount < this.#options.threadCount;
  }

  async run<Name extends TaskName>(
    name: Name,
    payload: Payload<Name>,
    options: RunOptions,
  ): Promise<Result<Name>> {
    const { environment, metrics } = this.#options;
    const { timeoutMilliseconds, affinity, signal, transfer = [] } = options;
    const abort = new AbortController();
    // Threads that start may not be ended, and which of them has the task is not known.
    const giveUp = (): void => void this.#threadsLoaded().then(() => abort.abort());
    const cancel = environment.after(timeoutMilliseconds, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (signal?.aborted === true) abort.abort();
    // Symbols do not travel: only the balancer sees this one.
    const task = { ...payload, [Piscina.queueOptionsSymbol]: { affinity } };
    this.#runCount++;
    try {
      metrics?.poolQueueSize.set(this.#piscina.queueSize);
      const run = { name, signal: abort.signal, transferList: [...transfer] };
      // The task's module says what it answers; Piscina does not know.
      return (await this.#piscina.run(task, run)) as Result<Name>;
    } catch (error) {
      throw this.#explain(error, abort.signal, options);
    } finally {
      this.#runCount--;
      cancel();
      signal?.removeEventListener('abort', giveUp);
      metrics?.poolQueueSize.set(this.#piscina.queueSize);
    }
  }

  /** Ends all threads; what still runs is given up. */
  async close(): Promise<void> {
    await this.#threadsLoaded();
    await this.#piscina.destroy();
  }

  /** Node 20 aborts the process when a thread is ended while it loads its modules. */
  async #threadsLoaded(): Promise<void> {
    const loading = this.#piscina.threads.filter(({ threadId }) => !this.#loaded.has(threadId));
    if (loading.length === 0) return;
    const wait = { environment: this.#options.environment, milliseconds: loadMilliseconds };
    await inTime(Promise.all(loading.map(loadedOrGone)), wait);
  }

  #explain(error: unknown, signal: AbortSignal, options: RunOptions): unknown {
    if (signal.aborted) {
      if (options.affinity !== undefined) this.#affinity.forget(options.affinity);
      if (options.signal?.aborted === true) {
        return new TaskGivenUp('nobody waits for the task any more', { cause: error });
      }
      const { timeoutMilliseconds } = options;
      return new TaskAborted(`the task took more than ${timeoutMilliseconds} ms`, { cause: error });
    }
    if (error instanceof Error && error.message.startsWith('worker exited with code')) {
      return new TaskAborted('the thread of the task died', { cause: error });
    }
    if (error instanceof Error && error.message === 'Task queue is at limit') {
      return new Failure('unavailable', {
        detail: 'More calculations are waiting than the service can take on.',
        hint: 'Try again in a few seconds.',
        headers: { 'Retry-After': '5' },
        cause: error,
      });
    }
    return error;
  }
}

function loadedOrGone(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    thread.once('message', () => resolve());
    thread.once('exit', () => resolve());
  });
}

/** Extension of this file, which differs between the source and the build. */
const extension = extname(import.meta.url);
const tasksModule = new URL(`../../workers/tasks${extension}`, import.meta.url);
/** The module with the tasks about states. */
export const stateTasksModule = new URL(`../../workers/state-tasks${extension}`, import.meta.url);

/** The module with the task that writes files. */
export const exportTasksModule = new URL(`../../workers/export-tasks${extension}`, import.meta.url);

function affinityOf(task: object): string | undefined {
  const options: unknown = Reflect.get(task, Piscina.queueOptionsSymbol);
  if (typeof options !== 'object' || options === null || !('affinity' in options)) return undefined;
  return typeof options.affinity === 'string' ? options.affinity : undefined;
}
