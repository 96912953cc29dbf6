import { settingsBranchNo } from '../model/policy.ts';
import type { Sql, Statements } from '../storage/postgres.ts';
import { webhookLimits as limits } from './limits.ts';
import type { Delivery, Event, EventType, Webhook } from './webhook.ts';

/** A branch with operations that a webhook has not received. */
export interface Untold {
  readonly webhookId: string;
  readonly workbookId: string;
  readonly events: readonly EventType[];
  readonly branchNo: number;
  readonly branch: string;
  readonly head: number;
  readonly isDeleted: boolean;
  /** Last operation that it was told of; undefined for a branch that is new to it. */
  readonly seq: number | undefined;
}

export interface Standing {
  readonly webhookId: string;
  readonly workbookId: string;
  readonly events: readonly EventType[];
  readonly archived: boolean;
}

/** A delivery that is to be sent now. */
export interface DueDelivery {
  readonly id: string;
  readonly webhookId: string;
  readonly attempts: number;
}

export interface Parcel extends DueDelivery {
  readonly url: string;
  readonly secret: Uint8Array;
  readonly body: string;
}

export interface Outcome {
  readonly state: Delivery['state'];
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** The time of the next try, or of the end. */
  readonly at: Date;
  /** Reason to disable the webhook, if any. */
  readonly disabledBecause?: string | undefined;
}

/** Event with the id made for it. */
export type NamedEvent = Event & { readonly id: string };

/** The tables of webhooks, of their progress and of deliveries. */
export class WebhookTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Adds a webhook for operations from now on; returns false if the workbook has too many. */
  async add(
    webhook: Webhook,
    { secret, archived }: { secret: Uint8Array; archived: boolean },
  ): Promise<boolean> {
    const { id, workbookId, url, events, createdBy, createdAt } = webhook;
    return this.#sql.begin(async (sql) => {
      await sql`select from workbook where workbook_id = ${workbookId} for update`;
      const added = await sql`
        insert into webhook (webhook_id, workbook_id, url, events, secret, created_by, created_at,
                             archived)
        select ${id}, ${workbookId}, ${url}, ${[...events]}, ${secret}, ${createdBy}, ${createdAt},
               ${archived}
         where (select count(*) from webhook where workbook_id = ${workbookId})
               < ${limits.perWorkbook}`;
      await sql`
        insert into webhook_cursor (webhook_id, branch_no, seq)
        select w.webhook_id, branch_no, head from branch b join webhook w using (workbook_id)
         where w.webhook_id = ${id} and b.deleted_at is null`;
      return added.count === 1;
    });
  }

  async list(workbookId: string): Promise<Webhook[]> {
    const sql = this.#sql;
    return sql<Webhook[]>`
      select ${webhookColumns(sql)} from webhook where workbook_id = ${workbookId}
       order by webhook_id`;
  }

  async find(workbookId: string, id: string): Promise<Webhook | undefined> {
    const sql = this.#sql;
    const [row] = await sql<Webhook[]>`
      select ${webhookColumns(sql)} from webhook
       where workbook_id = ${workbookId} and webhook_id = ${id}`;
    return row;
  }

  async remove(workbookId: string, id: string): Promise<boolean> {
    const sql = this.#sql;
    const done = await sql`
      delete from webhook where workbook_id = ${workbookId} and webhook_id = ${id}`;
    return done.count === 1;
  }

  /** The latest first. */
  async deliveries(webhookId: string): Promise<Delivery[]> {
    const sql = this.#sql;
    return sql<Delivery[]>`
      select delivery_id as id, type, state, attempts, made_at as "madeAt", at,
             last_status as "lastStatus", last_error as "lastError"
        from webhook_delivery where webhook_id = ${webhookId}
       order by delivery_id desc limit ${limits.listedDeliveries}`;
  }

  /** Repeats failed deliveries, named ones, or all since a time; enables the webhook. */
  async replay(
    webhookId: string,
    asked: { readonly ids: readonly string[] | undefined; readonly since: Date | undefined },
    now: Date,
  ): Promise<number> {
    const { ids, since } = asked;
    return this.#sql.begin(async (sql) => {
      await sql`
        update webhook set disabled_at = null, disabled_because = null
         where webhook_id = ${webhookId}`;
      const done = await sql`
        update webhook_delivery set state = 'waiting', attempts = 0, at = ${now}
         where delivery_id in (
           select delivery_id from webhook_delivery
            where webhook_id = ${webhookId} and state <> 'waiting'
              and case when ${ids !== undefined} then delivery_id = any(${[...(ids ?? [])]})
                       when ${since !== undefined} then made_at >= ${since ?? now}
                       else state = 'failed' end
            order by delivery_id limit ${limits.replayMost})`;
      return done.count;
    });
  }

  /** Workbooks with webhooks that are told of them. */
  async hooked(): Promise<string[]> {
    const sql = this.#sql;
    const rows = await sql<{ id: string }[]>`
      select distinct workbook_id as id from webhook where disabled_at is null`;
    return rows.map(({ id }) => id);
  }

  /** Branches that some webhook has not been told all of, as long as it takes what it is told. */
  async untold(most: number): Promise<Untold[]> {
    const sql = this.#sql;
    const rows = await sql<(Omit<Untold, 'seq'> & { seq: number | null })[]>`
      select w.webhook_id as "webhookId", w.workbook_id as "workbookId", w.events,
             b.branch_no as "branchNo", b.name as branch, b.head,
             b.deleted_at is not null as "isDeleted", c.seq
        from webhook w
        join branch b on b.workbook_id = w.workbook_id and b.branch_no <> ${settingsBranchNo}
        left join webhook_cursor c
          on c.webhook_id = w.webhook_id and c.branch_no = b.branch_no
       where w.disabled_at is null
         and case when c.webhook_id is null then b.deleted_at is null
                  else b.head > c.seq or (b.deleted_at is not null and not c.is_gone) end
         and (select count(*) from webhook_delivery d
               where d.webhook_id = w.webhook_id and d.state = 'waiting') < ${limits.waitingMost}
       order by w.webhook_id, b.branch_no limit ${most}`;
    return rows.map(({ seq, ...row }) => ({ ...row, seq: seq ?? undefined }));
  }

  /** Returns webhooks not told yet that their workbook was archived or restored. */
  async changedStandings(): Promise<Standing[]> {
    const sql = this.#sql;
    return sql<Standing[]>`
      select h.webhook_id as "webhookId", h.workbook_id as "workbookId", h.events, w.archived
        from webhook h join workbook w using (workbook_id)
       where h.disabled_at is null and h.archived <> w.archived`;
  }

  /** Makes deliveries of a part of the journal, unless another process has been faster. */
  async tell(
    { webhookId, branchNo, seq, isDeleted }: Untold,
    { through, events, madeAt }: { through: number; events: readonly NamedEvent[]; madeAt: Date },
  ): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const moved =
        seq === undefined
          ? await sql`
              insert into webhook_cursor (webhook_id, branch_no, seq, is_gone)
              select webhook_id, ${branchNo}, ${through}, ${isDeleted} from webhook
               where webhook_id = ${webhookId}
              on conflict do nothing`
          : await sql`
              update webhook_cursor set seq = ${through}, is_gone = ${isDeleted}
               where webhook_id = ${webhookId} and branch_no = ${branchNo} and seq = ${seq}
                 and (seq < ${through} or not is_gone)`;
      if (moved.count === 1) await insertEvents(sql, webhookId, { events, madeAt });
      return moved.count === 1;
    });
  }

  async tellStanding(
    { webhookId, archived }: Standing,
    { events, madeAt }: { events: readonly NamedEvent[]; madeAt: Date },
  ): Promise<void> {
    await this.#sql.begin(async (sql) => {
      const moved = await sql`
        update webhook set archived = ${archived}
         where webhook_id = ${webhookId} and archived <> ${archived}`;
      if (moved.count === 1) await insertEvents(sql, webhookId, { events, madeAt });
    });
  }

  /**
   * The oldest that is due of each webhook: the next one follows when it has ended, so that they
   * come in order and one at a time. None of a webhook that asked to be left alone for a while.
   */
  async due(now: Date, most: number): Promise<DueDelivery[]> {
    const sql = this.#sql;
    return sql<DueDelivery[]>`
      select distinct on (d.webhook_id)
             d.delivery_id as id, d.webhook_id as "webhookId", d.attempts
        from webhook_delivery d join webhook w using (webhook_id)
       where d.state = 'waiting' and d.at <= ${now} and w.disabled_at is null
         and not exists (
           select from webhook_delivery r
            where r.webhook_id = d.webhook_id and r.state = 'waiting' and r.at > ${now}
              and r.last_status = any(${[...limits.restStatuses]}))
       order by d.webhook_id, d.made_at, d.delivery_id limit ${most}`;
  }

  /** Returns undefined where it is not waiting for this very try. */
  async parcel({
    id,
    attempts,
  }: Pick<DueDelivery, 'id' | 'attempts'>): Promise<Parcel | undefined> {
    const sql = this.#sql;
    const [row] = await sql<Parcel[]>`
      select d.delivery_id as id, d.webhook_id as "webhookId", d.attempts, d.body, w.url, w.secret
        from webhook_delivery d join webhook w using (webhook_id)
       where d.delivery_id = ${id} and d.attempts = ${attempts} and d.state = 'waiting'
         and w.disabled_at is null`;
    return row;
  }

  async record({ id, webhookId, attempts }: DueDelivery, outcome: Outcome): Promise<void> {
    const { state, status, error, at, disabledBecause } = outcome;
    await this.#sql.begin(async (sql) => {
      await sql`
        update webhook_delivery
           set state = ${state}, attempts = attempts + 1, at = ${at},
               last_status = ${status ?? null}, last_error = ${error ?? null}
         where delivery_id = ${id} and attempts = ${attempts} and state = 'waiting'`;
      if (disabledBecause === undefined) return;
      await sql`
        update webhook set disabled_at = ${at}, disabled_because = ${disabledBecause}
         where webhook_id = ${webhookId} and disabled_at is null`;
    });
  }

  /** Forgets what was delivered or given up before then. */
  async trim(before: Date): Promise<void> {
    const sql = this.#sql;
    await sql`delete from webhook_delivery where state <> 'waiting' and at < ${before}`;
  }
}

function webhookColumns(sql: Statements) {
  return sql`
    webhook_id as id, workbook_id as "workbookId", url, events, created_by as "createdBy",
    created_at as "createdAt", disabled_at as "disabledAt", disabled_because as "disabledBecause"`;
}

async function insertEvents(
  sql: Statements,
  webhookId: string,
  { events, madeAt }: { events: readonly NamedEvent[]; madeAt: Date },
): Promise<void> {
  for (const { id, type, body } of events) {
    await sql`
      insert into webhook_delivery (delivery_id, webhook_id, type, body, state, made_at, at)
      values (${id}, ${webhookId}, ${type}, ${body}, 'waiting', ${madeAt}, ${madeAt})`;
  }
}
