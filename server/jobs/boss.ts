import type PgBoss from 'pg-boss';

import { openLone, type Sql } from '../storage/postgres.ts';

export type Boss = Pick<
  PgBoss,
  'send' | 'fetch' | 'complete' | 'fail' | 'cancel' | 'deleteJob' | 'stop'
>;

/** Rules of a queue for its jobs; a finally failed one is copied to the dead letters. */
export interface QueueRule {
  readonly retryLimit: number;
  /** An active job that is older was lost by everybody; a last resort, as death is noticed sooner. */
  readonly expireInSeconds: number;
}

type Executor = PgBoss.Db;

export const bossSchema = 'job_queue';
/** Any number that no other advisory lock has, as long as every process takes the same. */
const queuesLock = 7_483_222;
const maintenanceSeconds = 60;
const archiveAfterSeconds = 3600;
const deadLetterMinutes = 24 * 60;

/**
 * Loaded at start and awaited by the first job: it takes the thread for 60 ms, unnoticed while
 * PostgreSQL starts.
 */
const library = import('pg-boss');

/**
 * Opens pg-boss over our connections, with its tables in a separate schema. It has no schedule and
 * no workers: callers fetch jobs.
 */
export async function openBoss(
  sql: Sql,
  queues: ReadonlyMap<string, QueueRule>,
  report: (step: string, error: unknown) => void,
): Promise<Boss> {
  const { default: Constructor } = await library;
  const boss = new Constructor({
    db: executor(sql),
    schema: bossSchema,
    schedule: false,
    maintenanceIntervalSeconds: maintenanceSeconds,
    archiveCompletedAfterSeconds: archiveAfterSeconds,
    deleteAfterHours: 24,
  });
  boss.on('error', (error) => report('keep the job queue tidy', error));
  try {
    await inTurn(sql, async () => {
      await boss.start();
      await createQueues(boss, queues);
    });
  } catch (error) {
    // Its work of each minute would continue for the life of the process.
    await closeBoss(boss);
    throw error;
  }
  return boss;
}

async function createQueues(boss: PgBoss, queues: ReadonlyMap<string, QueueRule>): Promise<void> {
  for (const [name, rule] of queues) {
    const deadLetter = `${name}-dead`;
    await boss.createQueue(deadLetter, { name: deadLetter, retentionMinutes: deadLetterMinutes });
    await boss.createQueue(name, { name, ...rule, deadLetter });
  }
}

/**
 * Runs `work` exclusively on this database: two concurrent creations of queues wait for one
 * another's table locks, and PostgreSQL ends one of them (40P01).
 */
async function inTurn(sql: Sql, work: () => Promise<void>): Promise<void> {
  const turn = openLone(sql);
  try {
    await turn`select pg_advisory_lock(${queuesLock}::bigint)`;
    await work();
  } finally {
    await turn.end();
  }
}

/** Ends what it does by the clock; the connections are not its own. */
export function closeBoss(boss: Pick<Boss, 'stop'>): Promise<void> {
  return boss.stop({ graceful: false, close: false });
}

/**
 * Fetches the next job, now active; `young` jobs are in their head start and are skipped for
 * others. pg-boss itself takes any error for an empty queue.
 */
export async function fetchJob<Data extends object>(
  boss: Boss,
  sql: Sql,
  { name, takesYoung }: { name: string; takesYoung: boolean },
): Promise<PgBoss.Job<Data> | undefined> {
  const statements = executor(sql);
  let failure: { error: unknown } | undefined;
  const db: Executor = {
    executeSql: async (text, values) => {
      try {
        return await statements.executeSql(text, values);
      } catch (error) {
        failure = { error };
        throw error;
      }
    },
  };
  const [job] = await boss.fetch<Data>(name, { batchSize: 1, db, ignoreStartAfter: takesYoung });
  if (failure !== undefined) throw failure.error;
  return job;
}

function executor(sql: Sql): Executor {
  return {
    async executeSql(text: string, values: readonly unknown[] = []) {
      // A value that pg-boss leaves undefined is null in its statements, and not known to the
      // driver.
      const given = values.map((value) => value ?? null) as Parameters<Sql['unsafe']>[1];
      if (values.length > 0) return { rows: [...(await sql.unsafe(text, given))] };
      return { rows: await executeScript(sql, text) };
    },
  };
}

/** Statements that may begin and commit by themselves need one connection for all of them. */
async function executeScript(sql: Sql, text: string): Promise<unknown[]> {
  const lone = openLone(sql);
  try {
    return [...(await lone.unsafe(text))];
  } finally {
    await lone.end();
  }
}
