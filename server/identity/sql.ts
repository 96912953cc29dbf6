import { isUniqueViolation } from '../model/error-code.ts';
import { credentialLife } from '../model/limits.ts';
import type { Principal, Scope } from '../model/scope.ts';
import type { Sql } from '../storage/postgres.ts';
import type {
  AuthEvent,
  CredentialDetails,
  IdentityStore,
  KnownCredential,
  NewRegistration,
  RegistrationOutcome,
  Repeat,
  Rotated,
  Rotation,
} from './identity-store.ts';

interface CredentialRow {
  credential_id: string;
  user_id: string;
  sha256: Buffer;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  superseded: boolean;
  kind: 'agent' | 'human';
  namespace: string;
  claimed_at: Date | null;
  resource: string | null;
}

interface DetailsRow {
  last4: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  label: string | null;
  owner_id: string | null;
  owner_email: string | null;
}

interface OutcomeRow {
  registered: boolean;
  by_address: number;
  oldest_by_address: Date | null;
  oldest: Date | null;
}

/** Channel on which revocations are notified; migration 2 names it. */
const revokedChannel = 'auth_revoked';

export class PostgresIdentityStore implements IdentityStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async findCredential(sha256: Buffer): Promise<KnownCredential | undefined> {
    const [row] = await this.#sql<CredentialRow[]>`
      select c.credential_id, c.user_id, c.sha256, c.scopes, c.expires_at,
             coalesce(c.revoked_at, u.suspended_at, p.suspended_at) as revoked_at, c.superseded,
             u.kind, u.namespace, u.claimed_at, g.resource
      from credential c join identity_user u using (user_id)
      left join identity_user p on p.user_id = u.linked_to
      left join oauth_grant g on g.grant_id = c.grant_id
      where c.sha256 = ${sha256}`;
    return row === undefined ? undefined : knownCredential(row);
  }

  async describeCredential(credentialId: string): Promise<CredentialDetails | undefined> {
    const [row] = await this.#sql<DetailsRow[]>`
      select c.last4, c.created_at, c.last_used_at, c.expires_at, c.label,
             o.user_id as owner_id, o.email as owner_email
        from credential c join identity_user u using (user_id)
        left join identity_user o
          on o.user_id = case when u.kind = 'human' then u.user_id else u.linked_to end
       where c.credential_id = ${credentialId}`;
    if (row === undefined) return undefined;
    const { owner_id: userId, owner_email: email } = row;
    return {
      label: row.label ?? undefined,
      owner: userId === null ? undefined : { userId, email: email ?? '' },
      id: credentialId,
      last4: row.last4,
      created: row.created_at,
      lastUsed: row.last_used_at ?? undefined,
      expires: row.expires_at ?? undefined,
    };
  }

  async namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#sql<{ user_id: string; name: string }[]>`
      select user_id, coalesce(client_name, namespace) as name
        from identity_user where user_id = any(${[...userIds]}::text[])`;
    return new Map(rows.map(({ user_id: id, name }) => [id, name]));
  }

  async register(registration: NewRegistration): Promise<RegistrationOutcome> {
    try {
      return outcomeOf(await this.#insert(registration), registration);
    } catch (error) {
      // All ids are random, so only the key of the repeat can exist already.
      const isRepeat = registration.repeat !== undefined && isUniqueViolation(error);
      if (isRepeat) return { kind: 'repeated' };
      throw new Error('could not write the registration', { cause: error });
    }
  }

  /**
   * Inserts an agent in one statement, so that a crash leaves either the whole agent or nothing.
   */
  async #insert(r: NewRegistration): Promise<OutcomeRow | undefined> {
    const hourAgo = new Date(r.at.getTime() - 3_600_000);
    const { repeat } = r;
    const [row] = await this.#sql<OutcomeRow[]>`
      with recent as (
        select count(*) filter (where address_group = ${r.addressGroup})::int as by_address,
               min(created_at) filter (where address_group = ${r.addressGroup})
                 as oldest_by_address,
               count(*)::int as by_all, min(created_at) as oldest
        from registration where ${r.isLimited} and kind = 'anonymous' and created_at > ${hourAgo}
      ), allowed as (
        select 1 from recent
        where by_address < ${r.most.perAddress} and by_all < ${r.most.perDeployment}
      ), agent as (
        insert into identity_user
          (user_id, kind, namespace, client_name, client_version, created_at)
        select ${r.userId}, 'agent', ${r.namespace}, ${r.client.name ?? null},
               ${r.client.version ?? null}, ${r.at} from allowed
        returning user_id
      ), key as (
        insert into credential
          (credential_id, user_id, sha256, prefix, last4, scopes, created_at, expires_at)
        select ${r.credentialId}, user_id, ${r.credentialSha256}, 'wbk_live_', ${r.last4},
               ${[...r.scopes]}::text[], ${r.at}, ${r.expiresAt} from agent
      ), entry as (
        insert into registration
          (registration_id, user_id, kind, claim_token_sha256, claim_expires_at, address_group,
           created_at)
        select ${r.registrationId}, user_id, 'anonymous', ${r.claimTokenSha256}, ${r.expiresAt},
               ${r.addressGroup}, ${r.at} from agent
      ), event as (
        insert into auth_event
          (kind, user_id, credential_id, address, client_name, request_id, at)
        select 'registration.created', user_id, ${r.credentialId}, ${r.address},
               ${r.client.name ?? null}, ${r.requestId}, ${r.at} from agent
      ), repeated as (
        insert into registration_repeat (key_sha256, fingerprint, sealed, expires_at)
        select ${repeat?.keySha256 ?? null}::bytea, ${repeat?.fingerprint ?? null}::bytea,
               ${repeat?.sealed ?? null}::bytea, ${repeat?.expiresAt ?? null}::timestamptz
        from agent where ${repeat !== undefined}
      )
      select exists (select 1 from agent) as registered, by_address, oldest_by_address, oldest
      from recent`;
    return row;
  }

  async findRepeat(keySha256: Buffer, at: Date): Promise<Repeat | undefined> {
    await this.#sql`
      delete from registration_repeat where key_sha256 = ${keySha256} and expires_at <= ${at}`;
    const [row] = await this.#sql<{ fingerprint: Buffer; sealed: Buffer; expires_at: Date }[]>`
      select fingerprint, sealed, expires_at from registration_repeat
      where key_sha256 = ${keySha256}`;
    if (row === undefined) return undefined;
    const { fingerprint, sealed, expires_at: expiresAt } = row;
    return { keySha256, fingerprint, sealed, expiresAt };
  }

  async revoke(sha256: Buffer, event: AuthEvent): Promise<void> {
    await this.#sql`
      with ended as (
        update credential set revoked_at = ${event.at}
        where sha256 = ${sha256} and revoked_at is null
        returning credential_id, user_id
      )
      insert into auth_event (kind, user_id, credential_id, address, request_id, at)
      select ${event.kind}, user_id, credential_id, ${event.address}, ${event.requestId},
             ${event.at} from ended`;
  }

  async rotate(rotation: Rotation): Promise<Rotated | 'tooMany' | undefined> {
    const { oldId, oldExpiresAt, newId, sha256, last4, liveMost, at } = rotation;
    return this.#sql.begin(async (sql) => {
      const [old] = await sql<{ user_id: string; sha256: string; live: number }[]>`
        select c.user_id, encode(c.sha256, 'hex') as sha256, (
                 select count(*) from credential l
                  where l.user_id = c.user_id and l.prefix = 'wbk_live_' and l.revoked_at is null
                    and (l.expires_at is null or l.expires_at > ${at})) as live
          from credential c join identity_user u using (user_id)
         where c.credential_id = ${oldId} and c.revoked_at is null and c.prefix = 'wbk_live_'
           for update of u`;
      if (old === undefined) return undefined;
      if (old.live >= liveMost) return 'tooMany';
      const [made] = await sql<{ expires: Date | null }[]>`
        insert into credential
          (credential_id, user_id, sha256, prefix, last4, scopes, created_at, expires_at, label)
        select ${newId}, user_id, ${sha256}, prefix, ${last4}, scopes, ${at},
               case when rotated_at is null then expires_at end, label
          from credential where credential_id = ${oldId} and rotated_at is null
        returning expires_at as expires`;
      if (made === undefined) return undefined;
      await sql`
        update credential set rotated_at = ${at},
               expires_at = least(expires_at, ${oldExpiresAt}::timestamptz)
         where credential_id = ${oldId}`;
      await sql`
        insert into auth_event (kind, user_id, credential_id, address, request_id, at)
        values ('credential.rotated', ${old.user_id}, ${newId}, ${rotation.address},
                ${rotation.requestId}, ${at})`;
      const { expires } = made;
      return {
        expires: expires ?? undefined,
        oldExpires: oldExpiresAt,
        oldSha256: old.sha256,
      };
    });
  }

  async touch(credentialIds: readonly string[], usedAt: Date, expiresAt: Date): Promise<void> {
    await this.#sql`
      with used as (
        update credential c set
          last_used_at = greatest(last_used_at, ${usedAt}),
          expires_at = case
            when rotated_at is not null or prefix <> 'wbk_live_' then expires_at
            when expires_at is not null then greatest(expires_at, ${expiresAt})
          end
        where credential_id = any(${[...credentialIds]}) and revoked_at is null
        returning user_id, case when prefix = 'wbk_live_' then expires_at end as expires_at
      )
      update registration r set claim_expires_at = greatest(claim_expires_at, ${expiresAt})
        from used
       where r.user_id = used.user_id and r.kind = 'anonymous' and r.claimed_at is null
         and used.expires_at is not null`;
  }

  async tidy(at: Date): Promise<void> {
    await this.#sql`delete from registration_repeat where expires_at <= ${at}`;
    const idleSince = new Date(at.getTime() - credentialLife.claimedIdleDays * 86_400_000);
    await this.#sql`
      update credential set revoked_at = ${at}
       where expires_at is null and revoked_at is null
         and coalesce(last_used_at, created_at) < ${idleSince}`;
  }

  async listen(
    revoked: (sha256: string) => void,
    reconnected: () => void,
  ): Promise<() => Promise<void>> {
    const listening = await this.#sql.listen(revokedChannel, revoked, reconnected);
    return () => listening.unlisten();
  }
}

function knownCredential(row: CredentialRow): KnownCredential {
  const ended = row.superseded ? 'superseded' : 'revoked';
  return {
    principal: principalOf(row),
    sha256: row.sha256.toString('hex'),
    expiresAt: row.expires_at?.getTime(),
    ended: row.revoked_at === null ? undefined : ended,
    resource: row.resource ?? undefined,
  };
}

function principalOf(row: CredentialRow): Principal {
  const agentKind = row.claimed_at === null ? 'anonymous' : 'claimed';
  return {
    userId: row.user_id,
    kind: row.kind === 'human' ? 'human' : agentKind,
    scopes: row.scopes,
    credentialId: row.credential_id,
    namespace: row.namespace,
  };
}

function outcomeOf(
  row: OutcomeRow | undefined,
  registration: NewRegistration,
): RegistrationOutcome {
  if (row === undefined) throw new Error('the registration statement gave no row');
  if (row.registered) return { kind: 'registered' };
  const byAddress = row.by_address >= registration.most.perAddress;
  const oldest = byAddress ? row.oldest_by_address : row.oldest;
  return { kind: 'limited', by: byAddress ? 'ip' : 'global', oldest: oldest ?? registration.at };
}
