import { givenRoles } from '../../../model/access.ts';
import { dayMilliseconds } from '../../../model/durations.ts';
import { isUniqueViolation } from '../../../model/error-code.ts';
import { credentialLife, movedAddressDays } from '../../../model/limits.ts';
import { reservedOwners } from '../../../model/reserved-owners.ts';
import { scopes } from '../../../model/scope.ts';
import type { Sql, Transaction } from '../../../storage/postgres.ts';
import { foldWorkbookName } from '../../../workbooks/workbook.ts';
import { namespaceOf } from '../../email-address.ts';
import type { Repeat } from '../../identity-store.ts';
import { consume, forgive } from '../sql.ts';
import { freeName } from './free-name.ts';

/** All that the right code writes, in one transaction. */
export interface Completion {
  readonly registrationId: string;
  readonly attemptId: string;
  readonly email: string;
  readonly mode: 'merge' | 'link';
  /** The agent; undefined for an assertion, which has none. */
  readonly agentId: string | undefined;
  /** Id for the person when no account has this address yet. */
  readonly newPersonId: string;
  readonly credential: {
    readonly id: string;
    readonly sha256: Buffer;
    readonly last4: string;
    readonly label: string | undefined;
  };
  readonly at: Date;
  readonly address: string;
  readonly requestId: string;
  /** Seals the answer under the sender's Idempotency-Key. */
  readonly repeatOf: (claimed: Claimed) => Repeat | undefined;
}

export interface Claimed {
  readonly userId: string;
  readonly personId: string;
  readonly workbookCount: number;
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** SHA-256 in hexadecimal of the keys that ended. */
  readonly superseded: readonly string[];
}

export type CompletionOutcome =
  | { readonly kind: 'claimed'; readonly claimed: Claimed }
  | { readonly kind: 'before' | 'superseded' | 'suspended' | 'tooManyKeys' };

interface Person {
  readonly userId: string;
  readonly namespace: string;
  readonly isSuspended: boolean;
}

const tries = 3;

export class CompletionTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Runs the transaction, and again when another one took the name meanwhile: a failed try has
   * written nothing.
   */
  async complete(completion: Completion): Promise<CompletionOutcome> {
    for (let count = 1; ; count++) {
      try {
        return await this.#once(completion);
      } catch (error) {
        if (error instanceof Refusal) return { kind: error.outcome };
        if (count === tries || !isUniqueViolation(error)) throw error;
      }
    }
  }

  #once(completion: Completion): Promise<CompletionOutcome> {
    return this.#sql.begin(async (sql): Promise<CompletionOutcome> => {
      await lockUnclaimed(sql, completion);
      await forgive(sql, completion.email);
      if (!(await consume(sql, completion.attemptId))) throw new Refusal('superseded');
      const person = await findOrMakePerson(sql, completion);
      // A failure undoes all that follows as well, so the code stays good for a suspended account.
      if (person.isSuspended) throw new Refusal('suspended');
      const claimed = await settle(sql, completion, person);
      await note(sql, completion, claimed);
      const repeat = completion.repeatOf(claimed);
      if (repeat !== undefined) await storeRepeat(sql, repeat);
      return { kind: 'claimed', claimed };
    });
  }
}

/** An outcome that rolls the transaction back. */
class Refusal extends Error {
  readonly outcome: 'before' | 'superseded' | 'suspended' | 'tooManyKeys';

  constructor(outcome: Refusal['outcome']) {
    super(outcome);
    this.outcome = outcome;
  }
}

async function lockUnclaimed(sql: Transaction, { registrationId }: Completion): Promise<void> {
  const [row] = await sql<{ claimed: boolean }[]>`
    select claimed_at is not null as claimed from registration
     where registration_id = ${registrationId} for update`;
  if (row === undefined || row.claimed) throw new Refusal('before');
}

export async function findOrMakePerson(
  sql: Transaction,
  { email, newPersonId, at }: Pick<Completion, 'email' | 'newPersonId' | 'at'>,
): Promise<Person> {
  const find = () => sql<Person[]>`
    select user_id as "userId", namespace, suspended_at is not null as "isSuspended"
      from identity_user where email = ${email} and kind = 'human' for update`;
  const [known] = await find();
  if (known !== undefined) return known;
  const wanted = namespaceOf(email);
  const taken = await sql<{ namespace: string }[]>`
    select namespace from identity_user where starts_with(namespace, ${wanted})`;
  const isTaken = new Set([...reservedOwners, ...taken.map(({ namespace }) => namespace)]);
  const namespace = freeName(wanted, (name) => isTaken.has(name));
  await sql`
    insert into identity_user (user_id, kind, namespace, created_at, claimed_at, email)
    values (${newPersonId}, 'human', ${namespace}, ${at}, ${at}, ${email})`;
  return { userId: newPersonId, namespace, isSuspended: false };
}

async function settle(sql: Transaction, completion: Completion, person: Person): Promise<Claimed> {
  const { agentId, mode, registrationId, at } = completion;
  const isLink = mode === 'link' && agentId !== undefined;
  const userId = isLink ? agentId : person.userId;
  const superseded = agentId === undefined ? [] : await supersede(sql, agentId, at);
  await insertCredential(sql, userId, completion);
  await sql`
    update registration set claimed_at = ${at}, user_id = coalesce(user_id, ${person.userId})
     where registration_id = ${registrationId}`;
  const base = { userId, personId: person.userId, superseded };
  if (agentId === undefined) return { ...base, workbookCount: 0, renamed: [] };
  if (isLink) {
    await sql`
      update identity_user set claimed_at = ${at}, linked_to = ${person.userId}
       where user_id = ${agentId}`;
    return { ...base, workbookCount: 0, renamed: [] };
  }
  return { ...base, ...(await mergeAgent(sql, { agentId, person, at })) };
}

/**
 * Turns all that an agent has over to a person. The agent's id stays in journals and leads to the
 * person.
 */
export async function mergeAgent(
  sql: Transaction,
  { agentId, person, at }: { agentId: string; person: Omit<Person, 'isSuspended'>; at: Date },
): Promise<Pick<Claimed, 'workbookCount' | 'renamed'>> {
  await sql`
    update identity_user
       set claimed_at = coalesce(claimed_at, ${at}), linked_to = null,
           merged_into = ${person.userId}
     where user_id = ${agentId}`;
  await mergeRoles(sql, agentId, person.userId);
  const moved = await moveWorkbooks(sql, { agentId, person, at });
  // The owner of a workbook has no other role in it.
  await sql`
    delete from collaborator c using workbook w
     where c.user_id = ${person.userId} and w.workbook_id = c.workbook_id
       and w.owner_id = ${person.userId}`;
  return moved;
}

/** Gives the person every role of the agent; where both have one, the higher one counts. */
async function mergeRoles(sql: Transaction, agentId: string, personId: string): Promise<void> {
  const ranks = [...givenRoles];
  await sql`
    insert into collaborator as c (workbook_id, user_id, role, added_by, added_at)
    select workbook_id, ${personId}, role, added_by, added_at
      from collaborator where user_id = ${agentId}
    on conflict (workbook_id, user_id) do update set role = excluded.role
      where array_position(${ranks}::text[], excluded.role)
            < array_position(${ranks}::text[], c.role)`;
  await sql`delete from collaborator where user_id = ${agentId}`;
}

/** Ends all keys of a user as replaced; returns their SHA-256 in hexadecimal. */
export async function supersede(sql: Transaction, userId: string, at: Date): Promise<string[]> {
  const rows = await sql<{ sha256: string }[]>`
    update credential set revoked_at = ${at}, superseded = true
     where user_id = ${userId} and revoked_at is null
    returning encode(sha256, 'hex') as sha256`;
  return rows.map(({ sha256 }) => sha256);
}

async function insertCredential(
  sql: Transaction,
  userId: string,
  { credential: { id, sha256, last4, label }, at }: Completion,
): Promise<void> {
  const [live] = await sql<{ count: number }[]>`
    select count(*) from credential
     where user_id = ${userId} and prefix = 'wbk_live_' and revoked_at is null
       and (expires_at is null or expires_at > ${at})`;
  if ((live?.count ?? 0) >= credentialLife.liveKeysPerUser) throw new Refusal('tooManyKeys');
  await sql`
    insert into credential
      (credential_id, user_id, sha256, prefix, last4, scopes, created_at, label)
    values (${id}, ${userId}, ${sha256}, 'wbk_live_', ${last4}, ${[...scopes]}::text[], ${at},
            ${label ?? null})`;
}

interface MovedWorkbook {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly complete: boolean;
}

async function moveWorkbooks(
  sql: Transaction,
  { agentId, person, at }: { agentId: string; person: Omit<Person, 'isSuspended'>; at: Date },
): Promise<Pick<Claimed, 'workbookCount' | 'renamed'>> {
  const workbooks = await sql<MovedWorkbook[]>`
    select workbook_id as id, namespace, name, complete from workbook
     where owner_id = ${agentId} order by workbook_id for update`;
  const there = await sql<{ folded_name: string }[]>`
    select folded_name from workbook where namespace = ${person.namespace} and complete`;
  const taken = new Set(there.map(({ folded_name: name }) => name));
  const expiresAt = new Date(at.getTime() + movedAddressDays * dayMilliseconds);
  const renamed: { from: string; to: string }[] = [];
  for (const { id, namespace, name, complete } of workbooks) {
    const next = freeName(name, (candidate) => taken.has(foldWorkbookName(candidate)));
    if (complete) taken.add(foldWorkbookName(next));
    await sql`
      update workbook
         set owner_id = ${person.userId}, namespace = ${person.namespace}, name = ${next},
             folded_name = ${foldWorkbookName(next)}
       where workbook_id = ${id}`;
    if (!complete) continue;
    await sql`
      insert into workbook_alias (namespace, folded_name, workbook_id, expires_at)
      values (${namespace}, ${foldWorkbookName(name)}, ${id}, ${expiresAt})
      on conflict (namespace, folded_name) do update
        set workbook_id = excluded.workbook_id, expires_at = excluded.expires_at`;
    if (next !== name) {
      renamed.push({ from: `${namespace}/${name}`, to: `${person.namespace}/${next}` });
    }
  }
  return { workbookCount: workbooks.filter(({ complete }) => complete).length, renamed };
}

/** Notes the completion among the events of both the agent and the person. */
async function note(sql: Transaction, completion: Completion, claimed: Claimed): Promise<void> {
  const { agentId, credential, address, requestId, at } = completion;
  const users = [...new Set([agentId ?? claimed.personId, claimed.personId])];
  await sql`
    insert into auth_event (kind, user_id, credential_id, address, client_name, request_id, at)
    select 'claim.confirmed', user_id, ${credential.id}, ${address}, ${credential.label ?? null},
           ${requestId}, ${at}
      from unnest(${users}::text[]) as who (user_id)`;
}

async function storeRepeat(sql: Transaction, repeat: Repeat): Promise<void> {
  await sql`
    insert into registration_repeat (key_sha256, fingerprint, sealed, expires_at)
    values (${repeat.keySha256}, ${repeat.fingerprint}, ${repeat.sealed}, ${repeat.expiresAt})
    on conflict (key_sha256) do nothing`;
}
