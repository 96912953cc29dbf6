import { createHash } from 'node:crypto';

import type { Metrics } from '../metrics.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { closeBoss, fetchJob, openBoss, type Boss, type QueueRule } from './boss.ts';
import type { JobTable, Progress, StoredJob } from './sql.ts';
import type { Sql } from '../storage/postgres.ts';

/** A piece of work; equal keys are one job. */
export interface JobRequest {
  readonly queue: string;
  /** Digest of all that the result depends on. */
  readonly key: Buffer;
  /** Input of the worker; plain JSON. */
  readonly data: object;
  /** Tenant of the work, so that the work of one does not delay others. */
  readonly tenant: string;
  /** Estimated seconds of work. */
  readonly seconds: number;
}

/** A job's data as stored in its queue. */
interface StoredWork {
  readonly tenant: string;
  readonly work: object;
}

/** State of a job; `none` if it was never requested, or ended and its result is gone. */
export type JobState =
  | { readonly kind: 'none' | 'queued' }
  | { readonly kind: 'active'; readonly progress: Progress }
  | { readonly kind: 'failed'; readonly message: string };

/** The signal and the report of progress that a worker has while it works. */
export interface JobRun {
  /** Aborted when the job was cancelled or this process stops. */
  readonly signal: AbortSignal;
  readonly progressed: (progress: Progress) => void;
}

export interface JobQueue extends QueueRule {
  /** Does the work, which is done when it returns; it may be done twice, because processes die. */
  readonly work: (data: unknown, run: JobRun) => Promise<void>;
}

export interface JobsOptions {
  readonly sql: Sql;
  readonly table: JobTable;
  readonly environment: Environment;
  readonly metrics: Metrics;
  /** Returns whether a thread of the pool has nothing to do. */
  readonly hasFreeThread: () => boolean;
  readonly runsMost: number;
  /**
   * Milliseconds, 200 by default, in which other processes skip a young job, because the requesting
   * process has the workbook in memory.
   */
  readonly headStartMilliseconds?: number;
  /** Between being taken and being held by its worker a job is not taken for lost, 1 s. */
  readonly takenSeconds?: number;
  readonly report: (step: string, error: unknown) => void;
}

interface Running {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

const pollMilliseconds = 2000;
/** While a job is known to wait for a thread of this process. */
const crowdedPollMilliseconds = 200;
const usualHeadStartMilliseconds = 200;
/** Seconds of the Unix epoch that are left away, as a priority has 32 bits. */
const firstDueSeconds = Date.UTC(2026, 0) / 1000;
const noteMilliseconds = 500;
const usualTakenSeconds = 1;
/** A job that failed for good is not tried again before this. */
const failedSeconds = 30;
/** News of other processes may be missed. */
const waitStepMilliseconds = 1000;

/**
 * Work that any process of the service may do, each piece once. A dead worker is noticed by the
 * next request, because its lock is free.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #queues = new Map<string, JobQueue>();
  readonly #runs = new Map<string, Running>();
  /** Questions under way, whose answers concurrent requests share. */
  readonly #asked = new Map<string, Promise<JobState>>();
  readonly #waiters = new Map<string, Set<() => void>>();
  #boss: Promise<Boss> | undefined;
  /** Offers of jobs in their head start. */
  readonly #offers = new Set<() => void>();
  #stopListening: (() => Promise<void>) | undefined;
  #cancelPoll: (() => void) | undefined;
  #taking: Promise<void> | undefined;
  #isTakingAgain = false;
  /** Time until which a young job of this process may be there. */
  #headStartEnd = 0;
  #isStopped = false;

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Registers a queue; to be called before `start`. */
  handle(name: string, queue: JobQueue): void {
    this.#queues.set(name, queue);
  }

  async start(): Promise<void> {
    this.#stopListening = await this.#options.table.listen((news) => {
      const [what, id = ''] = news.split(' ');
      if (what === 'queued') this.#wake();
      else this.#ended(id);
    });
  }

  /** Releases the jobs that run here to other processes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPoll?.();
    for (const cancel of this.#offers) cancel();
    await this.#stopListening?.();
    await this.#taking;
    for (const { abort } of this.#runs.values()) abort.abort();
    await Promise.all([...this.#runs.values()].map(({ done }) => done));
    const boss = await this.#boss?.catch(noBoss);
    if (boss) await closeBoss(boss);
  }

  async state({ queue, key }: Pick<JobRequest, 'queue' | 'key'>): Promise<JobState> {
    await this.#open();
    return stateOf(await this.#options.table.find(queue, jobId(key)));
  }

  /** Ensures that a job is worked on, unless it failed a moment ago. */
  ensure(request: JobRequest): Promise<JobState> {
    const id = jobId(request.key);
    const asked = this.#asked.get(id);
    if (asked !== undefined) return asked;
    const answer = this.#ensure(id, request).finally(() => this.#asked.delete(id));
    this.#asked.set(id, answer);
    return answer;
  }

  async #ensure(id: string, request: JobRequest): Promise<JobState> {
    const { queue } = request;
    const { takenSeconds = usualTakenSeconds } = this.#options;
    const boss = await this.#open();
    const found = await this.#options.table.find(queue, id);
    const isLost = found?.state === 'active' && !found.isHeld && found.ageSeconds > takenSeconds;
    if (isLost) {
      await boss.fail(queue, id, { message: 'the process that worked on it has gone' });
      this.#wake();
      return stateOf(await this.#options.table.find(queue, id));
    }
    const state = stateOf(found);
    // The worker of a cancelled job must release it before another begins.
    if (state.kind !== 'none' || found?.isHeld === true) return state;
    if (found) await boss.deleteJob(queue, id);
    await this.#send(boss, id, request);
    return { kind: 'queued' };
  }

  /** Waits until a running job may have ended, at most for a time. */
  async wait(key: Buffer, milliseconds: number): Promise<void> {
    const id = jobId(key);
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters);
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        waiters.delete(end);
        if (waiters.size === 0) this.#waiters.delete(id);
        resolve();
      };
      const delay = Math.min(milliseconds, waitStepMilliseconds);
      const cancel = this.#options.environment.after(delay, end);
      waiters.add(end);
    });
  }

  /** Cancels a job; returns whether there was one to cancel. */
  async cancel({ queue, key }: Pick<JobRequest, 'queue' | 'key'>): Promise<boolean> {
    const boss = await this.#open();
    const id = jobId(key);
    const { kind } = stateOf(await this.#options.table.find(queue, id));
    if (kind !== 'queued' && kind !== 'active') return false;
    await boss.cancel(queue, id);
    this.#runs.get(id)?.abort.abort();
    return true;
  }

  #open(): Promise<Boss> {
    if (this.#boss !== undefined) return this.#boss;
    if (this.#isStopped) return Promise.reject(new Failure('unavailable'));
    const { sql, report } = this.#options;
    const boss = openBoss(sql, this.#queues, report);
    this.#boss = boss;
    boss.then(
      () => this.#wake(),
      () => (this.#boss = undefined),
    );
    return boss;
  }

  /**
   * Jobs are taken in the order in which they would be due if each tenant's were done one after the
   * other, all tenants side by side: so one more of many waits for those, and an only one does not.
   */
  async #send(boss: Boss, id: string, request: JobRequest): Promise<void> {
    const { environment, table } = this.#options;
    const { headStartMilliseconds = usualHeadStartMilliseconds } = this.#options;
    const { queue, key, data: work, tenant, seconds } = request;
    const now = environment.now() / 1000 - firstDueSeconds;
    const due = Math.max(now, await table.lastDue(queue, tenant)) + seconds;
    const data: StoredWork = { tenant, work };
    await boss.send(queue, data, {
      id,
      singletonKey: key.toString('hex'),
      priority: -Math.ceil(due),
      startAfter: headStartMilliseconds / 1000,
    });
    this.#headStartEnd = environment.elapsed() + headStartMilliseconds;
    this.#wake();
    const cancel = environment.after(headStartMilliseconds, () => {
      this.#offers.delete(cancel);
      this.#offer().catch((error: unknown) => this.#options.report('offer a job', error));
    });
    this.#offers.add(cancel);
  }

  /** Offers a job that no thread of this process was free for to the other processes. */
  async #offer(): Promise<void> {
    this.#wake();
    if (!this.#hasRoom) await this.#options.table.tell('queued');
  }

  get #hasRoom(): boolean {
    return this.#runs.size < this.#options.runsMost && this.#options.hasFreeThread();
  }

  #wake(): void {
    if (this.#isStopped) return;
    if (this.#taking !== undefined) {
      this.#isTakingAgain = true;
      return;
    }
    this.#cancelPoll?.();
    this.#taking = this.#takeAll()
      .catch((error: unknown) => this.#options.report('take a job', error))
      .finally(() => this.#rest());
  }

  #rest(): void {
    this.#taking = undefined;
    if (this.#isStopped) return;
    if (this.#isTakingAgain) {
      this.#isTakingAgain = false;
      this.#wake();
      return;
    }
    const isCrowded = this.#runs.size < this.#options.runsMost && !this.#hasRoom;
    const delay = isCrowded ? crowdedPollMilliseconds : pollMilliseconds;
    this.#cancelPoll = this.#options.environment.after(delay, () => this.#wake());
  }

  async #takeAll(): Promise<void> {
    const { environment, sql } = this.#options;
    const boss = await this.#open();
    for (const queue of this.#queues.keys()) {
      while (this.#hasRoom && !this.#isStopped) {
        const takesYoung = environment.elapsed() < this.#headStartEnd;
        const job = await fetchJob<StoredWork>(boss, sql, { name: queue, takesYoung });
        if (!job) break;
        this.#run(queue, { id: job.id, data: job.data.work });
      }
    }
  }

  #run(queue: string, { id, data }: { id: string; data: unknown }): void {
    // The job took too long and was given out again; the first run ends this one too.
    if (this.#runs.has(id)) return;
    const abort = new AbortController();
    const done = this.#work(queue, { id, data, abort })
      .catch((error: unknown) => this.#options.report('end a job', error))
      .finally(() => {
        this.#runs.delete(id);
        this.#ended(id);
        this.#wake();
      });
    this.#runs.set(id, { abort, done });
  }

  async #work(
    queue: string,
    { id, data, abort }: { id: string; data: unknown; abort: AbortController },
  ): Promise<void> {
    const { table } = this.#options;
    // An earlier worker still runs and will end this one too.
    if (!(await table.hold(id))) return;
    try {
      const outcome = await this.#attempt(queue, { id, data, abort });
      this.#options.metrics.jobs.inc({ queue, outcome });
    } finally {
      await table.release(id);
      await table.tell(`ended ${id}`);
    }
  }

  async #attempt(
    queue: string,
    { id, data, abort }: { id: string; data: unknown; abort: AbortController },
  ): Promise<'done' | 'failed' | 'cancelled'> {
    const boss = await this.#open();
    const notes = this.#takeNotes(queue, id, abort);
    try {
      await this.#queues.get(queue)?.work(data, { signal: abort.signal, ...notes });
      await boss.complete(queue, id);
      return 'done';
    } catch (error) {
      if (abort.signal.aborted && !this.#isStopped) return 'cancelled';
      if (!abort.signal.aborted) this.#options.report(`do a job of ${queue}`, error);
      const message = error instanceof Error ? error.message : String(error);
      await boss.fail(queue, id, { message });
      return 'failed';
    } finally {
      notes.end();
    }
  }

  /** Writes down now and then how far a job is, and hears so of its end. */
  #takeNotes(queue: string, id: string, abort: AbortController) {
    const { environment, table, report } = this.#options;
    let latest: Progress | undefined;
    let cancel: (() => void) | undefined;
    const note = async (): Promise<void> => {
      const isOurs = await table.advance(queue, id, latest ?? { done: 0, total: 0 });
      if (!isOurs) abort.abort();
    };
    const arm = (): void => {
      cancel = environment.after(noteMilliseconds, () => {
        note()
          .catch((error: unknown) => report('note the progress of a job', error))
          .finally(() => cancel && arm());
      });
    };
    arm();
    return {
      progressed: (progress: Progress): void => void (latest = progress),
      end: (): void => {
        cancel?.();
        cancel = undefined;
      },
    };
  }

  #ended(id: string): void {
    for (const end of this.#waiters.get(id) ?? []) end();
  }
}

/** A UUID made of the digest, so that the table itself keeps a second job of a key away. */
function jobId(key: Buffer): string {
  const digits = createHash('sha256').update(key).digest('hex');
  const parts = [8, 12, 16, 20, 32].map((end, index, ends) =>
    digits.slice(ends[index - 1] ?? 0, end),
  );
  return parts.join('-');
}

function stateOf(job: StoredJob | undefined): JobState {
  if (job === undefined) return { kind: 'none' };
  const { state, output } = job;
  if (state === 'created' || state === 'retry') return { kind: 'queued' };
  if (state === 'active') return { kind: 'active', progress: progressOf(output) };
  if (state === 'failed' && job.ageSeconds < failedSeconds) {
    return { kind: 'failed', message: output?.message ?? '' };
  }
  return { kind: 'none' };
}

function progressOf(output: StoredJob['output']): Progress {
  return { done: output?.done ?? 0, total: output?.total ?? 0 };
}

function noBoss(): undefined {
  return undefined;
}
