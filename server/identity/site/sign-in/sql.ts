import type { Sql, Transaction } from '../../../storage/postgres.ts';
import { findOrMakePerson } from '../../claims/completion/sql.ts';

export interface SessionUser {
  readonly userId: string;
  readonly email: string;
  readonly namespace: string;
  readonly lastUsedAt: Date;
}

/** An account at a provider. It stays the same person's when its mail address changes. */
export interface UpstreamAccount {
  readonly issuer: string;
  readonly subject: string;
  /** Name of the provider, shown to people. */
  readonly provider: string;
}

export interface NewSession {
  readonly sha256: Buffer;
  readonly email: string;
  readonly upstream: UpstreamAccount | undefined;
  readonly newPersonId: string;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly address: string;
  readonly requestId: string;
}

export class SessionTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Begins a session of the person with this address. False: the account is suspended. */
  async begin(session: NewSession): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const { userId, isSuspended } = await personOf(sql, session);
      if (isSuspended) return false;
      await sql`
        insert into session (session_sha256, user_id, created_at, last_used_at, expires_at)
        values (${session.sha256}, ${userId}, ${session.at}, ${session.at}, ${session.expiresAt})`;
      await sql`
        insert into auth_event (kind, user_id, client_name, address, request_id, at)
        values ('session.began', ${userId}, ${session.upstream?.provider ?? null},
                ${session.address}, ${session.requestId}, ${session.at})`;
      return true;
    });
  }

  async find(sha256: Buffer, at: Date): Promise<SessionUser | undefined> {
    const [row] = await this.#sql<SessionUser[]>`
      select u.user_id as "userId", u.email, u.namespace, s.last_used_at as "lastUsedAt"
        from session s join identity_user u using (user_id)
       where s.session_sha256 = ${sha256} and s.expires_at > ${at} and u.suspended_at is null`;
    return row;
  }

  async prolong(sha256: Buffer, at: Date, expiresAt: Date): Promise<void> {
    await this.#sql`
      update session set last_used_at = ${at}, expires_at = ${expiresAt}
       where session_sha256 = ${sha256}`;
  }

  async end(sha256: Buffer): Promise<void> {
    await this.#sql`delete from session where session_sha256 = ${sha256}`;
  }

  async endAll(userId: string): Promise<void> {
    await this.#sql`delete from session where user_id = ${userId}`;
  }

  async tidy(at: Date): Promise<void> {
    await this.#sql`delete from session where expires_at <= ${at}`;
  }
}

/** Finds the person by the provider account if it was used before, else by the address. */
async function personOf(
  sql: Transaction,
  session: NewSession,
): Promise<{ userId: string; isSuspended: boolean }> {
  const { upstream, at } = session;
  if (upstream === undefined) return findOrMakePerson(sql, session);
  const { issuer, subject } = upstream;
  const [known] = await sql<{ userId: string; isSuspended: boolean }[]>`
    select u.user_id as "userId", u.suspended_at is not null as "isSuspended"
      from upstream_account a join identity_user u using (user_id)
     where a.issuer = ${issuer} and a.subject = ${subject}`;
  if (known !== undefined) return known;
  const person = await findOrMakePerson(sql, session);
  await sql`
    insert into upstream_account (issuer, subject, user_id, created_at)
    values (${issuer}, ${subject}, ${person.userId}, ${at})
    on conflict do nothing`;
  return person;
}
