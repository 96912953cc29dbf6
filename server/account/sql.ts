import { idempotency } from '../model/limits.ts';
import type {
  IdempotencyClaim,
  IdempotencyState,
  IdempotencyStore,
  StoredAnswer,
} from '../model/idempotency.ts';
import type { Environment } from '../model/environment.ts';
import { Repetition } from '../model/repetition.ts';
import type { Sql } from '../storage/postgres.ts';

interface Row {
  fresh: boolean;
  fingerprint: Buffer;
  status: number | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}

const hourMilliseconds = 3_600_000;
const minuteMilliseconds = 60_000;
const tidyRestMilliseconds = 10 * minuteMilliseconds;

/** Answers by Idempotency-Key. A row without a status is a request that runs, or died running. */
export class PostgresIdempotencyStore implements IdempotencyStore {
  readonly #sql: Sql;
  readonly #environment: Environment;
  readonly #tidying: Repetition;

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

  stop(): Promise<void> {
    return this.#tidying.stop();
  }

  /** The insert decides between two at the same time; an outlived row counts as not there. */
  async begin(claim: IdempotencyClaim): Promise<IdempotencyState> {
    const now = new Date(this.#environment.now());
    const dead = new Date(now.getTime() - idempotency.runningMinutes * minuteMilliseconds);
    const [row] = await this.#sql<Row[]>`
      with taken as (
        insert into idempotency as i (owner, route, key, fingerprint, started_at)
        values (${claim.owner}, ${claim.route}, ${claim.key}, ${bytes(claim.fingerprint)}, ${now})
        on conflict (owner, route, key) do update
          set fingerprint = excluded.fingerprint, started_at = excluded.started_at,
              status = null, headers = null, body = null
          where i.started_at < ${this.#oldest(now)}
             or (i.status is null and i.started_at < ${dead})
        returning true as fresh, fingerprint, null::int as status, null::jsonb as headers,
                  null::bytea as body
      )
      select * from taken
      union all
      select false, fingerprint, status, headers, body from idempotency
      where owner = ${claim.owner} and route = ${claim.route} and key = ${claim.key}
        and not exists (select 1 from taken)`;
    // The row of another request can vanish between its insert and our look: then it has ended.
    if (row === undefined) return { state: 'running' };
    if (row.fresh) return { state: 'fresh' };
    if (!row.fingerprint.equals(claim.fingerprint)) return { state: 'mismatch' };
    if (row.status === null) return { state: 'running' };
    const body = row.body ?? Buffer.alloc(0);
    return { state: 'done', answer: { status: row.status, headers: row.headers ?? {}, body } };
  }

  async finish(claim: IdempotencyClaim, answer: StoredAnswer): Promise<void> {
    await this.#sql`
      update idempotency
      set status = ${answer.status}, headers = ${this.#sql.json({ ...answer.headers })},
          body = ${bytes(answer.body)}
      where owner = ${claim.owner} and route = ${claim.route} and key = ${claim.key}
        and fingerprint = ${bytes(claim.fingerprint)} and status is null`;
  }

  async forget(claim: IdempotencyClaim): Promise<void> {
    await this.#sql`
      delete from idempotency
      where owner = ${claim.owner} and route = ${claim.route} and key = ${claim.key}
        and fingerprint = ${bytes(claim.fingerprint)} and status is null`;
  }

  #oldest(now: Date): Date {
    return new Date(now.getTime() - idempotency.hours * hourMilliseconds);
  }

  async #tidy(): Promise<void> {
    const oldest = this.#oldest(new Date(this.#environment.now()));
    await this.#sql`delete from idempotency where started_at < ${oldest}`;
  }
}

function bytes(view: Uint8Array): Buffer {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength);
}
