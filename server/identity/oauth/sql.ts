import type { Scope } from '../../model/scope.ts';
import type { Sql, Transaction } from '../../storage/postgres.ts';

export interface OauthClient {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** A grant with the code or the token that leads to it. */
export interface FoundGrant {
  readonly grantId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: Scope[];
  readonly resource: string;
  readonly isUsed: boolean;
  readonly isOver: boolean;
}

export interface FoundCode extends FoundGrant {
  readonly redirectUri: string;
  readonly challenge: string;
}

export interface NewCode {
  readonly sha256: Buffer;
  readonly grantId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly at: Date;
  readonly expiresAt: Date;
}

export interface NewTokens {
  readonly grantId: string;
  readonly scopes: readonly Scope[];
  readonly access: { readonly id: string; readonly sha256: Buffer; readonly last4: string };
  readonly accessExpiresAt: Date;
  readonly refreshSha256: Buffer;
  readonly refreshExpiresAt: Date;
  readonly at: Date;
}

/** A token for a part of the service itself, which needs no consent. */
export interface OwnToken extends Pick<NewTokens, 'scopes' | 'access' | 'accessExpiresAt' | 'at'> {
  readonly userId: string;
  readonly clientId: string;
  readonly resource: string;
  /** Id of the grant to make when the person has none for that client yet. */
  readonly newGrantId: string;
}

export interface Introspected {
  readonly userId: string;
  readonly email: string | null;
  readonly clientId: string | null;
  readonly scopes: Scope[];
  readonly resource: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

const idleDays = 90;

export class OauthTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async register({ clientId, name, redirectUris }: OauthClient, at: Date): Promise<void> {
    await this.#sql`
      insert into oauth_client (client_id, name, redirect_uris, created_at, last_used_at)
      values (${clientId}, ${name}, ${[...redirectUris]}::text[], ${at}, ${at})`;
  }

  /** Returns a client and notes the use, so that unused clients can be deleted. */
  async client(clientId: string, at: Date): Promise<OauthClient | undefined> {
    const [row] = await this.#sql<OauthClient[]>`
      update oauth_client set last_used_at = ${at} where client_id = ${clientId}
      returning client_id as "clientId", name, redirect_uris as "redirectUris"`;
    return row;
  }

  /** Returns a client whose document was read after `since`. */
  async freshClient(clientId: string, since: Date): Promise<OauthClient | undefined> {
    const [row] = await this.#sql<OauthClient[]>`
      select client_id as "clientId", name, redirect_uris as "redirectUris"
        from oauth_client where client_id = ${clientId} and document_at > ${since}`;
    return row;
  }

  /** Stores a client's description of itself in place of the earlier one. */
  async keepDocument({ clientId, name, redirectUris }: OauthClient, at: Date): Promise<void> {
    await this.#sql`
      insert into oauth_client
        (client_id, name, redirect_uris, created_at, last_used_at, document_at)
      values (${clientId}, ${name}, ${[...redirectUris]}::text[], ${at}, ${at}, ${at})
      on conflict (client_id) do update
        set name = excluded.name, redirect_uris = excluded.redirect_uris,
            last_used_at = excluded.last_used_at, document_at = excluded.document_at`;
  }

  async saveCode(code: NewCode): Promise<void> {
    await this.#sql.begin(async (sql) => {
      await sql`
        insert into oauth_grant (grant_id, user_id, client_id, scopes, resource, created_at)
        values (${code.grantId}, ${code.userId}, ${code.clientId}, ${[...code.scopes]}::text[],
                ${code.resource}, ${code.at})`;
      await sql`
        insert into oauth_code (code_sha256, grant_id, redirect_uri, challenge, expires_at)
        values (${code.sha256}, ${code.grantId}, ${code.redirectUri}, ${code.challenge},
                ${code.expiresAt})`;
      await sql`
        insert into auth_event (kind, user_id, client_name, at)
        values ('grant.created', ${code.userId}, ${code.clientId}, ${code.at})`;
    });
  }

  async code(sha256: Buffer, at: Date): Promise<FoundCode | undefined> {
    const [row] = await this.#sql<FoundCode[]>`
      select g.grant_id as "grantId", g.client_id as "clientId", g.user_id as "userId", g.scopes,
             g.resource, c.redirect_uri as "redirectUri", c.challenge,
             c.used_at is not null as "isUsed",
             (c.expires_at <= ${at} or g.revoked_at is not null) as "isOver"
        from oauth_code c join oauth_grant g using (grant_id) where c.code_sha256 = ${sha256}`;
    return row;
  }

  /** Marks a code as used. False: another request was faster. */
  async useCode(sha256: Buffer, at: Date): Promise<boolean> {
    const done = await this.#sql`
      update oauth_code set used_at = ${at} where code_sha256 = ${sha256} and used_at is null`;
    return done.count === 1;
  }

  async refresh(sha256: Buffer, at: Date): Promise<FoundGrant | undefined> {
    const [row] = await this.#sql<FoundGrant[]>`
      select g.grant_id as "grantId", g.client_id as "clientId", g.user_id as "userId", g.scopes,
             g.resource, r.used_at is not null as "isUsed",
             (r.expires_at <= ${at} or g.revoked_at is not null
               or u.suspended_at is not null) as "isOver"
        from oauth_refresh r join oauth_grant g using (grant_id)
        join identity_user u on u.user_id = g.user_id
       where r.token_sha256 = ${sha256}`;
    return row;
  }

  async useRefresh(sha256: Buffer, at: Date): Promise<boolean> {
    const done = await this.#sql`
      update oauth_refresh set used_at = ${at} where token_sha256 = ${sha256} and used_at is null`;
    return done.count === 1;
  }

  /** Stores tokens. False: the grant was revoked meanwhile. */
  saveTokens(tokens: NewTokens): Promise<boolean> {
    const { grantId, access, at } = tokens;
    return this.#sql.begin(async (sql) => {
      const made = await sql`
        insert into credential
          (credential_id, user_id, sha256, prefix, last4, scopes, created_at, expires_at, grant_id,
           label)
        select ${access.id}, user_id, ${access.sha256}, 'wbo_', ${access.last4},
               ${[...tokens.scopes]}::text[], ${at}, ${tokens.accessExpiresAt}, grant_id, client_id
          from oauth_grant where grant_id = ${grantId} and revoked_at is null for update`;
      if (made.count === 0) return false;
      await sql`
        insert into oauth_refresh (token_sha256, grant_id, expires_at)
        values (${tokens.refreshSha256}, ${grantId}, ${tokens.refreshExpiresAt})`;
      return true;
    });
  }

  /** Stores an access token under the person's one grant for that client. */
  async saveOwnToken({ userId, clientId, access, at, ...token }: OwnToken): Promise<void> {
    const scopes = [...token.scopes];
    await this.#sql.begin(async (sql) => {
      // Concurrent calls wait for each other here, so that there is one grant.
      await sql`select from identity_user where user_id = ${userId} for update`;
      await sql`
        insert into oauth_grant (grant_id, user_id, client_id, scopes, resource, created_at)
        select ${token.newGrantId}, ${userId}, ${clientId}, ${scopes}::text[],
               ${token.resource}, ${at}
         where not exists (select from oauth_grant
           where user_id = ${userId} and client_id = ${clientId} and revoked_at is null)`;
      await sql`
        insert into credential
          (credential_id, user_id, sha256, prefix, last4, scopes, created_at, expires_at, grant_id,
           label)
        select ${access.id}, user_id, ${access.sha256}, 'wbo_', ${access.last4}, ${scopes}::text[],
               ${at}, ${token.accessExpiresAt}, grant_id, client_id
          from oauth_grant
         where user_id = ${userId} and client_id = ${clientId} and revoked_at is null`;
    });
  }

  /** Ends a grant with its codes and tokens; returns the SHA-256 of its access tokens. */
  revokeGrant(grantId: string, kind: string, at: Date): Promise<string[]> {
    return this.#sql.begin((sql) => endGrant(sql, { grantId, kind, at }));
  }

  async introspect(sha256: Buffer, at: Date): Promise<Introspected | undefined> {
    const [row] = await this.#sql<Introspected[]>`
      select c.user_id as "userId", u.email, g.client_id as "clientId", c.scopes, g.resource,
             c.created_at as "createdAt", c.expires_at as "expiresAt"
        from credential c join identity_user u using (user_id)
        left join identity_user p on p.user_id = u.linked_to
        left join oauth_grant g using (grant_id)
       where c.sha256 = ${sha256} and c.revoked_at is null
         and coalesce(u.suspended_at, p.suspended_at) is null
         and (c.expires_at is null or c.expires_at > ${at})`;
    return row;
  }

  async tidy(at: Date): Promise<void> {
    const dayAgo = new Date(at.getTime() - 86_400_000);
    const idle = new Date(at.getTime() - idleDays * 86_400_000);
    await this.#sql`delete from credential where prefix = 'wbo_' and expires_at < ${dayAgo}`;
    await this.#sql`delete from oauth_code where expires_at < ${dayAgo}`;
    await this.#sql`delete from oauth_refresh where expires_at < ${dayAgo}`;
    await this.#sql`delete from oauth_client where last_used_at < ${idle}`;
  }
}

async function endGrant(
  sql: Transaction,
  { grantId, kind, at }: { grantId: string; kind: string; at: Date },
): Promise<string[]> {
  const [grant] = await sql<{ userId: string; clientId: string }[]>`
    update oauth_grant set revoked_at = ${at} where grant_id = ${grantId} and revoked_at is null
    returning user_id as "userId", client_id as "clientId"`;
  if (grant === undefined) return [];
  await sql`
    insert into auth_event (kind, user_id, client_name, at)
    values (${kind}, ${grant.userId}, ${grant.clientId}, ${at})`;
  const rows = await sql<{ sha256: string }[]>`
    update credential set revoked_at = ${at} where grant_id = ${grantId} and revoked_at is null
    returning encode(sha256, 'hex') as sha256`;
  return rows.map(({ sha256 }) => sha256);
}
