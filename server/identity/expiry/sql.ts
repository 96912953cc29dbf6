import type { Sql } from '../../storage/postgres.ts';

export interface ExpiredAgent {
  readonly userId: string;
  readonly namespace: string;
  readonly workbookIds: readonly string[];
}

const agentsMost = 100;

/** Reads and ends agents that nobody claimed and nobody uses. */
export class ExpiryTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns agents whose time is over, with the workbooks that are still to be archived. */
  due(at: Date): Promise<ExpiredAgent[]> {
    return this.#sql<ExpiredAgent[]>`
      select u.user_id as "userId", u.namespace, array(
               select w.workbook_id from workbook w
                where w.owner_id = u.user_id and w.complete and not w.archived) as "workbookIds"
        from registration r join identity_user u using (user_id)
       where r.claimed_at is null and r.claim_expires_at <= ${at} and u.kind = 'agent'
         and u.expired_at is null
       order by r.claim_expires_at limit ${agentsMost}`;
  }

  /** Returns agents that ended before a time, with the workbooks that still exist. */
  past(before: Date): Promise<ExpiredAgent[]> {
    return this.#sql<ExpiredAgent[]>`
      select u.user_id as "userId", u.namespace, array_agg(w.workbook_id) as "workbookIds"
        from identity_user u join workbook w on w.owner_id = u.user_id and w.complete
       where u.expired_at <= ${before}
       group by u.user_id, u.namespace limit ${agentsMost}`;
  }

  /** Ends an agent and its keys. False: it was used or claimed meanwhile. */
  async end(userId: string, at: Date): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const [entry] = await sql`
        select from registration
         where user_id = ${userId} and claimed_at is null and claim_expires_at <= ${at} for update`;
      if (entry === undefined) return false;
      await sql`update identity_user set expired_at = ${at} where user_id = ${userId}`;
      await sql`
        update credential set revoked_at = ${at} where user_id = ${userId} and revoked_at is null`;
      await sql`
        insert into auth_event (kind, user_id, at) values ('registration.expired', ${userId}, ${at})`;
      return true;
    });
  }
}
