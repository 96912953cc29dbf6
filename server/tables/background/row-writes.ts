import type { JobQueue, JobRun, Jobs } from '../../jobs/jobs.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { limitReached } from '../../model/limit-reached.ts';
import { makeId } from '../../model/identifier.ts';
import { packFailure } from '../../model/portable-failure.ts';
import { Repetition } from '../../model/repetition.ts';
import type { Spool } from '../../storage/spool.ts';
import { hasEnded, rowWriteLimits, type RowWriteRecord } from './row-write.ts';
import { RowWriteRunner, WriteEnded, type RunnerParts } from './runner.ts';
import type { NewRowWrite, RowWriteTable } from './sql.ts';

export interface RowWritesParts extends RunnerParts {
  readonly jobs: Jobs;
  readonly table: RowWriteTable;
  readonly spool: Spool;
  readonly environment: Environment;
  /** Returns the owner of a workbook. */
  readonly ownerOf: (workbookId: string) => Promise<string>;
  readonly report: (step: string, error: unknown) => void;
}

export const rowWriteQueue = 'row-write';
const expireSeconds = 6 * 60 * 60;
const lookMilliseconds = 2_000;
const sweepLooks = 1_800;
const bytesPerSecond = 3e6;

/** Writes bodies of rows in the background, in any process, and continues after a crash. */
export class RowWrites {
  readonly #parts: RowWritesParts;
  readonly #looking: Repetition;
  #looks = 0;

  constructor(parts: RowWritesParts) {
    this.#parts = parts;
    const { environment, report } = parts;
    this.#looking = new Repetition({
      environment,
      restMilliseconds: lookMilliseconds,
      step: 'look for unfinished writes of rows',
      pass: () => this.#look(),
      report,
    });
  }

  /** The queue of jobs, for workers. */
  get queue(): JobQueue {
    const work = (data: unknown, run: JobRun): Promise<void> =>
      this.#work(data as { workbookId: string; id: string }, run);
    return { retryLimit: rowWriteLimits.attempts, expireInSeconds: expireSeconds, work };
  }

  start(): void {
    this.#looking.start();
  }

  stop(): Promise<void> {
    return this.#looking.stop();
  }

  async create(given: Omit<NewRowWrite, 'id' | 'ownerId'>): Promise<RowWriteRecord> {
    const { table, environment, ownerOf } = this.#parts;
    const id = makeId('rwr_', environment);
    const ownerId = await ownerOf(given.workbookId);
    if (!(await table.create({ ...given, id, ownerId }))) throw tooMany();
    await this.#offer({ id, workbookId: given.workbookId, ownerId }, given.request.body.byteCount);
    return this.get(given.workbookId, id);
  }

  async get(workbookId: string, id: string): Promise<RowWriteRecord> {
    const write = await this.#parts.table.find(workbookId, id);
    if (write) return write;
    throw new Failure('rowWriteNotFound', {
      detail: `The workbook has no write of rows ${id.slice(0, 100)}.`,
      hint: `One goes ${rowWriteLimits.retentionDays} days after it has ended.`,
    });
  }

  /** Returns a write once it has ended, or after some time. */
  async wait(workbookId: string, id: string, seconds: number): Promise<RowWriteRecord> {
    const { jobs, environment } = this.#parts;
    const deadline = environment.elapsed() + seconds * 1000;
    for (;;) {
      const write = await this.get(workbookId, id);
      const left = deadline - environment.elapsed();
      if (hasEnded(write) || left <= 0) return write;
      await jobs.wait(keyOf(id), Math.min(left, lookMilliseconds));
    }
  }

  /** Cancels an unfinished write; rows written so far stay. */
  async cancel(workbookId: string, id: string): Promise<RowWriteRecord> {
    const { table, jobs } = this.#parts;
    const write = await this.get(workbookId, id);
    if (hasEnded(write)) return write;
    await table.cancel(id);
    await jobs.cancel({ queue: rowWriteQueue, key: keyOf(id) });
    return this.get(workbookId, id);
  }

  async #look(): Promise<void> {
    const { table, spool } = this.#parts;
    if (this.#looks++ % sweepLooks === 0) {
      await table.expire();
      await spool.sweep();
    }
    for (const { id, bodyId } of await table.undropped()) {
      await spool.drop(bodyId);
      await table.dropped(id);
    }
    for (const write of await table.due()) await this.#offer(write, 0);
  }

  async #offer(
    { id, workbookId, ownerId }: Pick<RowWriteRecord, 'id' | 'workbookId' | 'ownerId'>,
    byteCount: number,
  ): Promise<void> {
    const job = { queue: rowWriteQueue, key: keyOf(id), tenant: ownerId };
    const seconds = Math.max(1, byteCount / bytesPerSecond);
    await this.#parts.jobs.ensure({ ...job, data: { workbookId, id }, seconds });
  }

  async #work({ workbookId, id }: { workbookId: string; id: string }, run: JobRun): Promise<void> {
    const { table, report } = this.#parts;
    const write = await table.claim(workbookId, id);
    if (!write) return;
    try {
      if (write.attempts > rowWriteLimits.attempts) throw lost();
      const result = await new RowWriteRunner(this.#parts, write, run.signal).run();
      await table.end(id, { result });
    } catch (error) {
      if (error instanceof WriteEnded) return;
      run.signal.throwIfAborted();
      if (error instanceof Failure && error.status < 500) {
        await table.end(id, { error: packFailure(error) });
      } else if (write.attempts >= rowWriteLimits.attempts) {
        report('write rows', error);
        await table.end(id, { error: packFailure(lost()) });
      } else throw error;
    }
  }
}

function keyOf(id: string): Buffer {
  return Buffer.from(`row write ${id}`);
}

function lost(): Failure {
  return new Failure('rowWriteLost', {
    hint: 'Send the rows again with the same id: what was written is not written twice.',
  });
}

function tooMany(): Failure {
  return limitReached('tooManyConcurrent', {
    detail: `An account has at most ${rowWriteLimits.unfinishedPerAccount} unfinished writes of rows.`,
    hint: 'Wait for one to end, or cancel one: DELETE …/row-writes/{wid}.',
    quota: { name: 'row-writes', most: rowWriteLimits.unfinishedPerAccount },
    waitSeconds: 5,
  });
}
