import type { Meter } from '../../model/plan.ts';
import type { Sql } from '../../storage/postgres.ts';

export interface Count {
  readonly userId: string;
  /** Begin of the month, or of the day for operations and bytes. */
  readonly startsAt: Date;
  readonly meter: Meter;
  readonly count: number;
}

export interface Member {
  readonly userId: string;
  /** `own` is the account itself with all that was merged into it. */
  readonly relation: 'own' | 'linked';
  readonly name: string;
}

export interface Held {
  readonly workbooks: number;
  readonly storageBytes: number;
}

const foldedRows = 10_000;

/**
 * Metered quantities. Months are those of the database's clock, in UTC; what the journal tells is
 * counted by day.
 */
export class UsageTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async add(counts: readonly Count[]): Promise<void> {
    const sql = this.#sql;
    await sql`
      insert into usage_window as w (user_id, starts_at, meter, count)
      select * from unnest(${counts.map(({ userId }) => userId)}::text[],
                           ${counts.map(({ startsAt }) => startsAt.toISOString())}::timestamptz[],
                           ${counts.map(({ meter }) => meter)}::text[],
                           ${counts.map(({ count }) => count)}::bigint[])
      on conflict (user_id, starts_at, meter) do update set count = w.count + excluded.count`;
  }

  /** Sums up what came with the journal; returns how many rows that were. */
  async fold(): Promise<number> {
    const [row] = await this.#sql<{ folded: number }[]>`
      with gone as (
        delete from usage_delta where (workbook_id, usage_delta_id) in (
          select workbook_id, usage_delta_id from usage_delta
           order by workbook_id, usage_delta_id limit ${foldedRows} for update skip locked)
        returning principal_id, operation_count, byte_count,
                  date_trunc('day', written_at at time zone 'UTC') at time zone 'UTC' as starts_at
      ), summed as (
        insert into usage_window as w (user_id, starts_at, meter, count)
        select principal_id, starts_at, meter, sum(count)
          from gone, lateral (
            values ('operations', operation_count::bigint), ('bytes', byte_count)
          ) as metered (meter, count)
         group by 1, 2, 3
        on conflict (user_id, starts_at, meter) do update set count = w.count + excluded.count
      )
      select count(*) as folded from gone`;
    return row?.folded ?? 0;
  }

  /** The account that a user draws on: a person with all that is theirs, or the user alone. */
  members(userId: string): Promise<Member[]> {
    return this.#sql<Member[]>`
      select u.user_id as "userId", coalesce(u.client_name, u.namespace) as name,
             case when u.linked_to is null then 'own' else 'linked' end as relation
        from identity_user u
       where u.user_id = any(${this.#account(userId)})
       order by u.user_id desc`;
  }

  /** SQL for the ids of the account that a user draws on, as an array that is made once. */
  #account(userId: string) {
    return this.#sql`array(
      select u.user_id
        from (select coalesce(linked_to, merged_into, user_id) as id
                from identity_user where user_id = ${userId}) as account
        join identity_user u
          on u.user_id = account.id or u.linked_to = account.id or u.merged_into = account.id)`;
  }

  /** All counts from a month on, those included that are not summed up yet. */
  counts(userId: string, from: Date): Promise<Count[]> {
    const users = this.#account(userId);
    return this.#sql<Count[]>`
      select user_id as "userId", starts_at as "startsAt", meter, sum(count)::bigint as count from (
        select user_id, starts_at, meter, count from usage_window
         where user_id = any(${users}) and starts_at >= ${from}
        union all
        select principal_id, date_trunc('day', written_at at time zone 'UTC') at time zone 'UTC',
               metered.meter, metered.count
          from usage_delta, lateral (
            values ('operations', operation_count::bigint), ('bytes', byte_count)
          ) as metered (meter, count)
         where principal_id = any(${users}) and written_at >= ${from}
      ) as all_counts group by 1, 2, 3`;
  }

  /** Workbooks and bytes that the whole account of a user holds. */
  async held(userId: string): Promise<Held> {
    const users = this.#account(userId);
    const [row] = await this.#sql<Held[]>`
      with own as (
        select workbook_id from workbook where owner_id = any(${users}) and complete
      )
      select (select count(*) from own) as workbooks,
             ((select coalesce(sum(byte_count), 0) from sealed_segment
                where workbook_id in (select workbook_id from own))
              + (select coalesce(sum(octet_length(s.body)), 0)
                   from segment s join branch b using (workbook_id, branch_no)
                  where s.workbook_id in (select workbook_id from own)
                    and s.first_seq > b.sealed_seq))::bigint as "storageBytes"`;
    return row ?? { workbooks: 0, storageBytes: 0 };
  }
}
