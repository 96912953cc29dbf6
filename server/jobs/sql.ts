import { openLone, type Sql } from '../storage/postgres.ts';
import { bossSchema } from './boss.ts';

/** States of a job in the words of pg-boss. */
type StoredState = 'created' | 'retry' | 'active' | 'completed' | 'cancelled' | 'failed';

/** Progress in a whole that is counted in units of the job's own. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface StoredJob {
  readonly state: StoredState;
  /** The last note: progress while it is active, the fault once it failed. */
  readonly output: (Partial<Progress> & { readonly message?: string }) | null;
  /** Since it was made, taken or ended, whichever came last. */
  readonly ageSeconds: number;
  /** True when a live worker is at it. */
  readonly isHeld: boolean;
}

const channel = 'job';
/** pg_locks shows the two halves of a lock's number, and this beside them. */
const wholeNumberLock = 1;

/** Jobs as other processes see them: rows, the locks of their workers, and news of them. */
export class JobTable {
  readonly #sql: Sql;
  /** The locks of this process live and die with this connection. */
  #holder: Sql | undefined;
  readonly #held = new Set<string>();

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Finds a job, or undefined; the queues have to be open. */
  async find(queue: string, id: string): Promise<StoredJob | undefined> {
    const sql = this.#sql;
    const [high, low] = lockHalves(id);
    const [row] = await sql<StoredJob[]>`
      select state,
             -- What pg-boss writes arrives as a text of JSON.
             case jsonb_typeof(output) when 'string' then (output #>> '{}')::jsonb else output end
               as output,
             extract(epoch from clock_timestamp()
               - greatest(created_on, started_on, completed_on))::float8 as "ageSeconds",
             exists (select from pg_locks
                      where locktype = 'advisory' and objsubid = ${wholeNumberLock} and granted
                        and classid = ${high}::bigint::oid and objid = ${low}::bigint::oid
                        and database = (select oid from pg_database
                                         where datname = current_database())) as "isHeld"
        from ${sql(`${bossSchema}.job`)} where name = ${queue} and id = ${id}`;
    return row;
  }

  /** Time at which all unended jobs of a tenant would be done, one after the other. */
  async lastDue(queue: string, tenant: string): Promise<number> {
    const sql = this.#sql;
    const [row] = await sql<{ due: number | null }[]>`
      select max(-priority) as due from ${sql(`${bossSchema}.job`)}
       where name = ${queue} and state < 'completed' and data->>'tenant' = ${tenant}`;
    return row?.due ?? 0;
  }

  /** Notes how far a job is. False: it was ended meanwhile. */
  async advance(queue: string, id: string, progress: Progress): Promise<boolean> {
    const sql = this.#sql;
    const done = await sql`
      update ${sql(`${bossSchema}.job`)} set output = ${sql.json({ ...progress })}
       where name = ${queue} and id = ${id} and state = 'active'`;
    return done.count === 1;
  }

  /** Takes the lock that shows others that the worker on a job is alive. */
  async hold(id: string): Promise<boolean> {
    this.#held.add(id);
    let isTaken = false;
    try {
      const sql = (this.#holder ??= openLone(this.#sql));
      const [row] = await sql<{ isTaken: boolean }[]>`
        select pg_try_advisory_lock(${lockNumber(id)}::bigint) as "isTaken"`;
      isTaken = row?.isTaken === true;
    } finally {
      if (!isTaken) await this.#let(id);
    }
    return isTaken;
  }

  async release(id: string): Promise<void> {
    try {
      const sql = this.#holder;
      if (sql) await sql`select pg_advisory_unlock(${lockNumber(id)}::bigint)`;
    } finally {
      await this.#let(id);
    }
  }

  /** Tells every process: `queued` that a job waits, `ended <id>` that one is over. */
  async tell(news: string): Promise<void> {
    await this.#sql.notify(channel, news);
  }

  async listen(hear: (news: string) => void): Promise<() => Promise<void>> {
    const listening = await this.#sql.listen(channel, hear);
    return () => listening.unlisten();
  }

  async #let(id: string): Promise<void> {
    this.#held.delete(id);
    if (this.#held.size > 0) return;
    const holder = this.#holder;
    this.#holder = undefined;
    await holder?.end();
  }
}

/** The first 64 bits of a job's id, which are those of a digest. */
function lockNumber(id: string): string {
  return BigInt.asIntN(64, BigInt(`0x${id.replaceAll('-', '').slice(0, 16)}`)).toString();
}

function lockHalves(id: string): [high: number, low: number] {
  const digits = id.replaceAll('-', '');
  return [Number.parseInt(digits.slice(0, 8), 16), Number.parseInt(digits.slice(8, 16), 16)];
}
