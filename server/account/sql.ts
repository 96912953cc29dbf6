import { createHash } from 'node:crypto';

import { hourMilliseconds } from '../model/durations.ts';
import { Failure } from '../model/failure.ts';
import { idempotency } from '../model/limits.ts';
import type {
  IdempotencyClaim,
  IdempotencyState,
  IdempotencyStore,
  KeyRun,
  StoredAnswer,
} from '../model/idempotency.ts';
import type { Environment } from '../model/environment.ts';
import { Repetition } from '../model/repetition.ts';
import { openLone, type Sql, type Statements, type Transaction } from '../storage/postgres.ts';

interface Row {
  isAlive: boolean;
  /** Null where there is no row, or none yet. */
  fresh: boolean | null;
  fingerprint: Buffer;
  status: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
  startedAt: Date;
}

/** The session whose lock shows that this process lives. */
interface Holder {
  readonly sql: Sql;
  readonly number: Promise<number>;
}

const minuteMilliseconds = 60_000;
const tidyRestMilliseconds = 10 * minuteMilliseconds;

/** Advisory locks with this as their first number are those of processes with keys. */
const holderLocks = 1_903_520_107;
const bytesOfNumber = 4;
const runIdDigits = 32;
/** PostgreSQL's integers have a sign. */
const numberMost = 2 ** 31;
/** Looks at a row that changed between its insert and its reading. */
const looksMost = 3;

/**
 * Answers by Idempotency-Key. A row without a status is a request that runs, as long as its holder
 * lives: that is an advisory lock, which goes with the session of the process that took it.
 */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #sql: Sql;
  readonly #environment: Environment;
  readonly #tidying: Repetition;
  /**
   * The session that holds the lock of this process; undefined until it is needed, or when it was
   * lost.
   */
  #holder: Holder | undefined;

  constructor(sql: Sql, environment: Environment, report: (step: string, error: unknown) => void) {
    this.#sql = sql;
    this.#environment = environment;
    this.#tidying = new Repetition({
      environment,
      restMilliseconds: tidyRestMilliseconds,
      step: 'drop old idempotency keys',
      pass: () => this.#tidy(),
      report,
    });
  }

  start(): void {
    this.#tidying.start();
  }

  async stop(): Promise<void> {
    await this.#tidying.stop();
    if (this.#holder) await this.#letGo(this.#holder);
  }

  async begin(claim: IdempotencyClaim): Promise<IdempotencyState> {
    for (let look = 1; ; look++) {
      const held = (this.#holder ??= this.#hold());
      const state = await this.#take(claim, await this.#numberOf(held));
      // A run that ends between the insert and the look at the row is seen by the next look.
      if (state?.state === 'fresh') await this.#environment.checkpoint?.('key.begun');
      if (state && (state.state !== 'running' || look >= looksMost)) return state;
      if (!state && look >= looksMost) throw unlocked();
      if (!state) await this.#letGo(held);
    }
  }

  /**
   * The insert decides between two at the same time; an outlived row counts as not there. Undefined
   * when the lock that shows that this process lives was lost: then no row is taken with it, also
   * when it is lost while the statement runs.
   */
  async #take(claim: IdempotencyClaim, holder: number): Promise<IdempotencyState | undefined> {
    const sql = this.#sql;
    const now = new Date(this.#environment.now());
    const dead = new Date(now.getTime() - idempotency.runningMinutes * minuteMilliseconds);
    const oldest = this.#oldest(now);
    const [row] = await sql<Row[]>`
      with taken as (
        insert into idempotency as i
          (owner, route, key, fingerprint, started_at, taken_at, holder)
        select ${claim.owner}, ${claim.route}, ${claim.key}, ${bytes(claim.fingerprint)}, ${now},
               ${now}, ${holder}::int
         where ${this.#isAlive(sql`${holder}::int`)}
        on conflict (owner, route, key) do update
          set fingerprint = excluded.fingerprint, taken_at = excluded.taken_at,
              started_at = case when i.started_at < ${oldest} then excluded.started_at
                                else i.started_at end,
              holder = excluded.holder, status = null, headers = null, body = null
          where i.started_at < ${oldest}
             or (i.status is null and i.fingerprint = excluded.fingerprint
                 and (coalesce(i.taken_at, i.started_at) < ${dead}
                      or (i.holder is distinct from excluded.holder
                          and not ${this.#isAlive(sql`i.holder`)})))
        returning true as fresh, fingerprint, null::int as status, null::jsonb as headers,
                  null::bytea as body, started_at
      )
      select own.alive as "isAlive", found.*
        from (select ${this.#isAlive(sql`${holder}::int`)} as alive) as own
        left join (
          select fresh, fingerprint, status, headers, body, started_at as "startedAt" from taken
          union all
          select false, fingerprint, status, headers, body, started_at from idempotency
           where owner = ${claim.owner} and route = ${claim.route} and key = ${claim.key}
             and not exists (select 1 from taken)
        ) as found on true`;
    if (row?.fresh === true) {
      return { state: 'fresh', run: runOf(claim, { firstAt: row.startedAt, takenAt: now }) };
    }
    if (row?.isAlive !== true) return undefined;
    // Another request made the row after this statement began, or ended just now.
    if (row.fresh === null) return { state: 'running' };
    if (!row.fingerprint.equals(claim.fingerprint)) return { state: 'mismatch' };
    if (row.status === null) return { state: 'running' };
    const body = row.body ?? Buffer.alloc(0);
    return { state: 'done', answer: { status: row.status, headers: row.headers ?? {}, body } };
  }

  async settle(transaction: unknown, run: KeyRun, answer: StoredAnswer): Promise<void> {
    // Whoever does the work hands in the transaction that it does it in.
    const isKept = await this.#keep(transaction as Transaction, run, answer);
    if (isKept) return;
    throw new Failure('idempotencyInProgress', {
      detail: 'Another try of this request has begun, because this one seemed to have ended.',
      hint: 'Send the same request again.',
      headers: { 'Retry-After': '1' },
    });
  }

  async finish(run: KeyRun, answer: StoredAnswer | undefined): Promise<void> {
    await this.#environment.checkpoint?.('key.finish');
    if (answer) await this.#keep(this.#sql, run, answer);
  }

  async forget(run: KeyRun): Promise<void> {
    const sql = this.#sql;
    await sql`delete from idempotency where ${this.#isOf(sql, run)}`;
  }

  async #keep(sql: Statements, run: KeyRun, answer: StoredAnswer): Promise<boolean> {
    const kept = await sql`
      update idempotency
      set status = ${answer.status}, headers = ${this.#sql.json({ ...answer.headers })},
          body = ${bytes(answer.body)}
      where ${this.#isOf(sql, run)}`;
    return kept.count === 1;
  }

  /** The row as this try has left it. */
  #isOf(sql: Statements, { owner, route, key, fingerprint, takenAt }: KeyRun) {
    return sql`
      owner = ${owner} and route = ${route} and key = ${key} and status is null
      and fingerprint = ${bytes(fingerprint)} and taken_at = ${new Date(takenAt)}`;
  }

  /** SQL that tells whether the process with this number lives. */
  #isAlive(holder: ReturnType<Sql>) {
    return this.#sql`
      exists (select from pg_locks
               where locktype = 'advisory' and granted and classid = ${holderLocks}::int::oid
                 and objid = ${holder}::bigint::oid
                 and database = (select oid from pg_database
                                  where datname = current_database()))`;
  }

  /** A session that could not be opened is not asked again. */
  async #numberOf(held: Holder): Promise<number> {
    try {
      return await held.number;
    } catch (error) {
      await this.#letGo(held);
      throw error;
    }
  }

  #hold(): Holder {
    const sql = openLone(this.#sql);
    const random = Buffer.from(this.#environment.random(bytesOfNumber));
    return { sql, number: freeNumber(sql, random.readUInt32LE() >>> 1) };
  }

  /** The next key is taken under another number. */
  async #letGo(held: Holder): Promise<void> {
    if (this.#holder === held) this.#holder = undefined;
    await held.sql.end({ timeout: 0 });
  }

  #oldest(now: Date): Date {
    return new Date(now.getTime() - idempotency.hours * hourMilliseconds);
  }

  async #tidy(): Promise<void> {
    const oldest = this.#oldest(new Date(this.#environment.now()));
    await this.#sql`delete from idempotency where started_at < ${oldest}`;
  }
}

function unlocked(): Failure {
  return new Failure('unavailable', {
    detail: 'The lock of this process is not kept by PostgreSQL right now.',
    hint: 'Send the same request again.',
    headers: { 'Retry-After': '1' },
  });
}

/** The lock of the first number from this one on that no process holds. */
async function freeNumber(sql: Sql, from: number): Promise<number> {
  for (let number = from; ; number = (number + 1) % numberMost) {
    const [row] = await sql<{ isTaken: boolean }[]>`
      select pg_try_advisory_lock(${holderLocks}::int, ${number}::int) as "isTaken"`;
    if (row?.isTaken === true) return number;
  }
}

/** After a day the key is that of another request, whose id is another one. */
function runOf(
  claim: IdempotencyClaim,
  { firstAt, takenAt }: { readonly firstAt: Date; readonly takenAt: Date },
): KeyRun {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([claim.owner, claim.route, claim.key, firstAt.getTime()]));
  const id = hash.update(claim.fingerprint).digest('hex').slice(0, runIdDigits);
  return { ...claim, id, firstAt: firstAt.getTime(), takenAt: takenAt.getTime() };
}

function bytes(view: Uint8Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
