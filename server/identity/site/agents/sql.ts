import { dayMilliseconds } from '../../../model/durations.ts';
import { credentialLife } from '../../../model/limits.ts';
import { scopes } from '../../../model/scope.ts';
import type { Sql, Transaction } from '../../../storage/postgres.ts';
import { mergeAgent, supersede } from '../../claims/completion/sql.ts';

export interface OwnAgent {
  readonly userId: string;
  readonly name: string;
  readonly relation: 'linked' | 'merged';
  readonly keyCount: number;
  readonly lastUsed: Date | null;
}

export interface OwnKey {
  readonly id: string;
  readonly label: string;
  readonly last4: string;
  readonly created: Date;
  readonly lastUsed: Date | null;
}

/** An application that the person allowed to act for them. */
export interface OwnGrant {
  readonly grantId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly created: Date;
}

export interface OwnEvent {
  readonly kind: string;
  readonly name: string | null;
  readonly address: string | null;
  readonly at: Date;
}

/** The person who acts and the request, for the record of events. */
export interface Actor {
  readonly personId: string;
  readonly address: string;
  readonly requestId: string;
  readonly at: Date;
}

export interface NewKey {
  readonly id: string;
  readonly sha256: Buffer;
  readonly last4: string;
  readonly label: string;
}

const eventsShown = 30;

/** Agents and keys of one person; no statement reaches those of others. */
export class OwnTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  agents(personId: string): Promise<OwnAgent[]> {
    return this.#sql<OwnAgent[]>`
      select u.user_id as "userId", coalesce(u.client_name, u.namespace) as name,
             case when u.linked_to is null then 'merged' else 'linked' end as relation,
             count(c.credential_id) filter (where c.revoked_at is null) as "keyCount",
             max(c.last_used_at) as "lastUsed"
        from identity_user u left join credential c using (user_id)
       where u.linked_to = ${personId} or u.merged_into = ${personId}
       group by u.user_id order by u.created_at desc`;
  }

  keys(personId: string, at: Date): Promise<OwnKey[]> {
    return this.#sql<OwnKey[]>`
      select credential_id as id, coalesce(label, 'key') as label, last4, created_at as created,
             last_used_at as "lastUsed"
        from credential
       where user_id = ${personId} and revoked_at is null and prefix = 'wbk_live_'
         and (expires_at is null or expires_at > ${at})
       order by created_at desc`;
  }

  grants(personId: string): Promise<OwnGrant[]> {
    return this.#sql<OwnGrant[]>`
      select g.grant_id as "grantId", coalesce(c.name, g.client_id) as name, g.scopes,
             g.created_at as created
        from oauth_grant g left join oauth_client c using (client_id)
       where g.user_id = ${personId} and g.revoked_at is null and exists (
         select from oauth_refresh r where r.grant_id = g.grant_id and r.used_at is null)
       order by g.created_at desc`;
  }

  events(personId: string): Promise<OwnEvent[]> {
    return this.#sql<OwnEvent[]>`
      select e.kind, coalesce(u.client_name, u.namespace) as name, e.address, e.at
        from auth_event e join identity_user u using (user_id)
       where u.user_id = ${personId} or u.linked_to = ${personId} or u.merged_into = ${personId}
       order by e.event_id desc limit ${eventsShown}`;
  }

  /**
   * Ends one key, all of one linked agent, or everything. Returns the SHA-256 of each ended key.
   */
  revoke(
    actor: Actor,
    what:
      | { readonly key: string }
      | { readonly agent: string }
      | { readonly grant: string }
      | 'all',
  ): Promise<string[]> {
    const { personId, at } = actor;
    return this.#sql.begin(async (sql) => {
      const key = typeof what === 'object' && 'key' in what ? what.key : null;
      const agent = typeof what === 'object' && 'agent' in what ? what.agent : null;
      const grant = typeof what === 'object' && 'grant' in what ? what.grant : null;
      // Ends grants too: their refresh tokens would otherwise make new keys.
      if (what === 'all' || grant !== null) {
        await sql`
          update oauth_grant set revoked_at = ${at}
           where user_id = ${personId} and revoked_at is null
             and (${grant}::text is null or grant_id = ${grant})`;
      }
      const rows = await sql<{ id: string; userId: string; sha256: string }[]>`
        update credential c set revoked_at = ${at}
          from identity_user u
         where u.user_id = c.user_id and c.revoked_at is null
           and (u.user_id = ${personId} or u.linked_to = ${personId})
           and (${key}::text is null or c.credential_id = ${key})
           and (${grant}::text is null or c.grant_id = ${grant})
           and (${agent}::text is null or (c.user_id = ${agent} and u.linked_to = ${personId}))
        returning c.credential_id as id, c.user_id as "userId", encode(c.sha256, 'hex') as sha256`;
      for (const { id, userId } of rows) {
        await note(sql, actor, { kind: 'credential.revoked', userId, credentialId: id });
      }
      return rows.map(({ sha256 }) => sha256);
    });
  }

  /** Ends the link of an agent, which goes on as an agent that nobody claimed. */
  unlink(actor: Actor, agentId: string): Promise<string[]> {
    const { personId, at } = actor;
    const expiresAt = new Date(at.getTime() + credentialLife.unclaimedDays * dayMilliseconds);
    return this.#sql.begin(async (sql) => {
      const done = await sql`
        update identity_user set linked_to = null, claimed_at = null
         where user_id = ${agentId} and linked_to = ${personId}`;
      if (done.count === 0) return [];
      // The claim token is valid again, and the agent ends again when nobody claims it.
      await sql`
        update registration set claimed_at = null, claim_expires_at = ${expiresAt}
         where user_id = ${agentId} and kind = 'anonymous'`;
      const rows = await sql<{ sha256: string }[]>`
        update credential set scopes = '{read,write}', expires_at = ${expiresAt}
         where user_id = ${agentId} and revoked_at is null
        returning encode(sha256, 'hex') as sha256`;
      await note(sql, actor, { kind: 'agent.unlinked', userId: agentId });
      return rows.map(({ sha256 }) => sha256);
    });
  }

  /** A linked agent becomes part of the account: its workbooks move and its keys end. */
  merge(actor: Actor, agentId: string): Promise<string[]> {
    const { personId, at } = actor;
    return this.#sql.begin(async (sql) => {
      const [person] = await sql<{ namespace: string }[]>`
        select p.namespace from identity_user a join identity_user p on p.user_id = a.linked_to
         where a.user_id = ${agentId} and p.user_id = ${personId} for update`;
      if (person === undefined) return [];
      const superseded = await supersede(sql, agentId, at);
      const { namespace } = person;
      await mergeAgent(sql, { agentId, person: { userId: personId, namespace }, at });
      await note(sql, actor, { kind: 'agent.merged', userId: agentId });
      return superseded;
    });
  }

  /** Makes a key. False: the person has as many as allowed. */
  makeKey(actor: Actor, { id, sha256, last4, label }: NewKey): Promise<boolean> {
    const { personId, at } = actor;
    return this.#sql.begin(async (sql) => {
      await sql`select from identity_user where user_id = ${personId} for update`;
      const done = await sql`
        insert into credential
          (credential_id, user_id, sha256, prefix, last4, scopes, created_at, label)
        select ${id}, ${personId}, ${sha256}, 'wbk_live_', ${last4}, ${[...scopes]}::text[], ${at},
               ${label}
         where (select count(*) from credential
                 where user_id = ${personId} and revoked_at is null and prefix = 'wbk_live_'
                   and (expires_at is null or expires_at > ${at}))
               < ${credentialLife.liveKeysPerUser}::int`;
      if (done.count === 0) return false;
      await note(sql, actor, { kind: 'credential.created', userId: personId, credentialId: id });
      return true;
    });
  }
}

async function note(
  sql: Transaction,
  { address, requestId, at }: Actor,
  event: { kind: string; userId: string; credentialId?: string },
): Promise<void> {
  await sql`
    insert into auth_event (kind, user_id, credential_id, address, request_id, at)
    values (${event.kind}, ${event.userId}, ${event.credentialId ?? null}, ${address},
            ${requestId}, ${at})`;
}
