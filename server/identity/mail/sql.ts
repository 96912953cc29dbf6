import type { Sql } from '../../storage/postgres.ts';

export interface WaitingLetter {
  readonly mailId: string;
  readonly attemptId: string;
  readonly sealed: Buffer;
  /** Number of tries, including the current one. */
  readonly tries: number;
}

/** Letters that wait. A process takes one for a limited time, so another goes on if it dies. */
export class OutboxTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Takes letters that are due, and deletes those whose code is no longer valid. */
  async take(at: Date, until: Date, most: number): Promise<WaitingLetter[]> {
    const sql = this.#sql;
    await sql`
      delete from mail_outbox m using claim_attempt a
       where a.attempt_id = m.attempt_id and (m.expires_at <= ${at} or a.ended is not null)`;
    return sql<WaitingLetter[]>`
      update mail_outbox set tries = tries + 1, next_at = ${until}
       where mail_id in (
         select mail_id from mail_outbox where next_at <= ${at}
          order by next_at limit ${most} for update skip locked)
      returning mail_id as "mailId", attempt_id as "attemptId", sealed, tries`;
  }

  async sent(mailId: string, at: Date): Promise<void> {
    await this.#sql`
      with gone as (delete from mail_outbox where mail_id = ${mailId} returning attempt_id)
      insert into auth_event (kind, user_id, at)
      select 'otp.sent', r.user_id, ${at}
        from gone join claim_attempt a using (attempt_id)
        left join registration r using (registration_id)`;
  }

  async postpone(mailId: string, until: Date): Promise<void> {
    await this.#sql`update mail_outbox set next_at = ${until} where mail_id = ${mailId}`;
  }

  async drop(mailId: string, at: Date): Promise<void> {
    await this.#sql`
      with gone as (delete from mail_outbox where mail_id = ${mailId} returning attempt_id)
      insert into auth_event (kind, user_id, at)
      select 'otp.undelivered', r.user_id, ${at}
        from gone join claim_attempt a using (attempt_id)
        left join registration r using (registration_id)`;
  }
}
