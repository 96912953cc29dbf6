import { dayMilliseconds, hourMilliseconds } from '../../model/durations.ts';
import { codeLimits } from '../../model/limits.ts';
import type { Sql, Transaction } from '../../storage/postgres.ts';
import { refusalOf, triesQuota } from './code-limits.ts';
import type { CodeRefusal, Counts, Full, Guard } from './code-limits.ts';

const minuteMilliseconds = 60_000;

export interface FoundRegistration {
  readonly registrationId: string;
  readonly kind: 'anonymous' | 'email-verification';
  readonly userId: string | undefined;
  /** The folded address of an assertion; undefined for other registrations. */
  readonly email: string | undefined;
  readonly clientName: string | undefined;
  readonly expiresAt: Date;
  readonly isClaimed: boolean;
}

/** A new code with the letter that brings it. */
export interface NewCode {
  readonly attemptId: string;
  readonly purpose: 'claim' | 'sign-in';
  readonly registrationId: string | undefined;
  readonly email: string;
  /** Key under which tries are counted: the address, or the browser that is known to its reader. */
  readonly guard: string;
  readonly isLink: boolean;
  readonly hmac: Buffer;
  readonly denySha256: Buffer;
  readonly mailId: string;
  readonly sealedLetter: Buffer;
  readonly at: Date;
  readonly address: string;
  readonly requestId: string;
}

/** An assertion: a registration that has no user before it is claimed. */
export interface NewAssertion {
  readonly registrationId: string;
  readonly claimTokenSha256: Buffer;
  readonly expiresAt: Date;
  readonly addressGroup: string;
  readonly clientName: string | undefined;
}

export type CodeOutcome = { readonly kind: 'written' } | { readonly kind: 'claimed' } | CodeRefusal;

/** Outcome of one try at a code, before the code was compared. */
export type TryOutcome =
  | { readonly kind: 'counted'; readonly hmac: Buffer; readonly tries: number }
  | { readonly kind: 'none' | 'expired' | 'burnt' | 'denied' | 'used' }
  | ({ readonly kind: 'locked' } & Full);

export interface Attempt {
  readonly attemptId: string;
  readonly email: string;
  readonly guard: string;
  readonly isLink: boolean;
  readonly ended: 'used' | 'superseded' | 'denied' | null;
  readonly tries: number;
  readonly expiresAt: Date;
}

/**
 * Codes and the counts around them. Locks are taken in the order registration, guard, code, so that
 * two requests about the same ones cannot deadlock.
 */
export class ClaimTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Adds one to the count of this hour; returns it with the time at which the hour ends. */
  async count(key: string, at: Date): Promise<{ count: number; freeAt: Date }> {
    const startsAt = new Date(Math.floor(at.getTime() / hourMilliseconds) * hourMilliseconds);
    const [row] = await this.#sql<{ count: number }[]>`
      insert into rate_window as w (key, starts_at, count) values (${key}, ${startsAt}, 1)
      on conflict (key, starts_at) do update set count = w.count + 1
      returning count`;
    return { count: row?.count ?? 1, freeAt: new Date(startsAt.getTime() + hourMilliseconds) };
  }

  find(claimTokenSha256: Buffer): Promise<FoundRegistration | undefined> {
    const sql = this.#sql;
    return this.#find(sql`r.claim_token_sha256 = ${claimTokenSha256}`);
  }

  /** Returns the registration of an agent that registered by itself. */
  findOf(userId: string): Promise<FoundRegistration | undefined> {
    const sql = this.#sql;
    return this.#find(sql`r.user_id = ${userId} and r.kind = 'anonymous'`);
  }

  async #find(isMeant: ReturnType<Sql>): Promise<FoundRegistration | undefined> {
    const [row] = await this.#sql<(Omit<FoundRegistration, keyof Nullable> & Nullable)[]>`
      select r.registration_id as "registrationId", r.kind, r.user_id as "userId", r.email,
             coalesce(r.client_name, u.client_name) as "clientName",
             r.claim_expires_at as "expiresAt", r.claimed_at is not null as "isClaimed"
        from registration r left join identity_user u using (user_id)
       where ${isMeant}`;
    if (row === undefined) return undefined;
    const { userId, email, clientName, ...rest } = row;
    return {
      ...rest,
      userId: userId ?? undefined,
      email: email ?? undefined,
      clientName: clientName ?? undefined,
    };
  }

  /** Writes a code with its letter and ends the code before it; or writes nothing and says why. */
  write(code: NewCode, assertion?: NewAssertion): Promise<CodeOutcome> {
    return this.#sql.begin(async (sql) => {
      if (assertion) await this.#insertAssertion(sql, code, assertion);
      else if (await this.#isClaimed(sql, code)) return { kind: 'claimed' };
      const guard = await this.#lockGuard(sql, code);
      const refusal = refusalOf(code, guard, await this.#counts(sql, code));
      if (refusal !== undefined) {
        // The registration of an assertion that is refused is no registration.
        if (assertion) {
          await sql`delete from registration where registration_id = ${assertion.registrationId}`;
        }
        return refusal;
      }
      await this.#insertCode(sql, code);
      return { kind: 'written' };
    });
  }

  async #insertAssertion(sql: Transaction, code: NewCode, assertion: NewAssertion): Promise<void> {
    await sql`
      insert into registration
        (registration_id, kind, claim_token_sha256, claim_expires_at, address_group, created_at,
         email, client_name)
      values (${assertion.registrationId}, 'email-verification', ${assertion.claimTokenSha256},
              ${assertion.expiresAt}, ${assertion.addressGroup}, ${code.at}, ${code.email},
              ${assertion.clientName ?? null})`;
  }

  async #isClaimed(sql: Transaction, { registrationId }: NewCode): Promise<boolean> {
    if (registrationId === undefined) return false;
    const [row] = await sql<{ claimed: boolean }[]>`
      select claimed_at is not null as claimed from registration
       where registration_id = ${registrationId} for update`;
    return row?.claimed ?? true;
  }

  async #lockGuard(sql: Transaction, { guard, at }: NewCode): Promise<Guard> {
    const [row] = await sql<Guard[]>`
      insert into code_guard as g (guard, tries_since) values (${guard}, ${at})
      on conflict (guard) do update set guard = g.guard
      returning tries, tries_since, muted_until`;
    if (row === undefined) throw new Error('the guard of a code gave no row');
    return row;
  }

  async #counts(sql: Transaction, { guard, registrationId, at }: NewCode): Promise<Counts> {
    const hourAgo = new Date(at.getTime() - hourMilliseconds);
    const dayAgo = new Date(at.getTime() - dayMilliseconds);
    const [counts] = await sql<Counts[]>`
      select by_claim, oldest_by_claim, latest_by_claim, by_hour, oldest_of_hour, by_day, oldest,
             (select count(*)::int from (
                select from mail_outbox limit ${codeLimits.waitingLetters}) as m) as waiting
        from (
          select count(*)::int as by_claim, min(created_at) as oldest_by_claim,
                 max(created_at) as latest_by_claim
            from claim_attempt
           where registration_id = ${registrationId ?? null} and created_at > ${hourAgo}
        ) as of_claim, (
          select count(*) filter (where created_at > ${hourAgo})::int as by_hour,
                 min(created_at) filter (where created_at > ${hourAgo}) as oldest_of_hour,
                 count(*)::int as by_day, min(created_at) as oldest
            from claim_attempt where guard = ${guard} and created_at > ${dayAgo}
        ) as of_guard`;
    if (counts === undefined) throw new Error('the counts of an address gave no row');
    return counts;
  }

  async #insertCode(sql: Transaction, code: NewCode): Promise<void> {
    const expiresAt = new Date(code.at.getTime() + codeLimits.lifeMinutes * minuteMilliseconds);
    const { registrationId = null } = code;
    await sql`
      update claim_attempt set ended = 'superseded'
       where registration_id = ${registrationId} and ended is null`;
    await sql`
      insert into claim_attempt
        (attempt_id, purpose, registration_id, email, guard, is_link, code_hmac, deny_sha256,
         created_at, expires_at)
      values (${code.attemptId}, ${code.purpose}, ${registrationId}, ${code.email}, ${code.guard},
              ${code.isLink}, ${code.hmac}, ${code.denySha256}, ${code.at}, ${expiresAt})`;
    await sql`
      insert into mail_outbox (mail_id, attempt_id, sealed, next_at, expires_at)
      values (${code.mailId}, ${code.attemptId}, ${code.sealedLetter}, ${code.at}, ${expiresAt})`;
    await sql`
      insert into auth_event (kind, user_id, address, request_id, at)
      values (${`${code.purpose}.requested`},
              (select user_id from registration where registration_id = ${registrationId}),
              ${code.address}, ${code.requestId}, ${code.at})`;
  }

  /** Returns the code to try: the valid one, or else the newest. */
  async latest(registrationId: string): Promise<Attempt | undefined> {
    const [row] = await this.#sql<Attempt[]>`
      select attempt_id as "attemptId", email, guard, is_link as "isLink", ended, tries,
             expires_at as "expiresAt"
        from claim_attempt where registration_id = ${registrationId}
       order by created_at desc, (ended is null) desc limit 1`;
    return row;
  }

  async signIn(attemptId: string): Promise<Attempt | undefined> {
    const [row] = await this.#sql<Attempt[]>`
      select attempt_id as "attemptId", email, guard, is_link as "isLink", ended, tries,
             expires_at as "expiresAt"
        from claim_attempt where attempt_id = ${attemptId} and purpose = 'sign-in'`;
    return row;
  }

  /** Counts a try, and only after that returns what the code is to be compared with. */
  try({ attemptId, guard }: Attempt, at: Date): Promise<TryOutcome> {
    const dayAgo = new Date(at.getTime() - dayMilliseconds);
    return this.#sql.begin(async (sql): Promise<TryOutcome> => {
      const [counted] = await sql<{ tries: number; tries_since: Date }[]>`
        update code_guard
           set tries = case when tries_since <= ${dayAgo} then 1 else tries + 1 end,
               tries_since = case when tries_since <= ${dayAgo} then ${at} else tries_since end
         where guard = ${guard}
        returning tries, tries_since`;
      if (counted === undefined) throw new Error('a code has no guard');
      if (counted.tries > codeLimits.triesPerEmailPerDay) {
        const freeAt = new Date(counted.tries_since.getTime() + dayMilliseconds);
        return { kind: 'locked', freeAt, ...triesQuota };
      }
      const [tried] = await sql<{ hmac: Buffer; tries: number }[]>`
        update claim_attempt set tries = tries + 1
         where attempt_id = ${attemptId} and ended is null and expires_at > ${at}
           and tries < ${codeLimits.triesPerCode}
        returning code_hmac as hmac, tries`;
      if (tried !== undefined) return { kind: 'counted', ...tried };
      await sql`update code_guard set tries = tries - 1 where guard = ${guard}`;
      return { kind: await endOf(sql, attemptId) };
    });
  }

  /** Returns codes that a newer one replaced and that would otherwise still be valid. */
  async superseded(registrationId: string, at: Date): Promise<{ id: string; hmac: Buffer }[]> {
    return this.#sql<{ id: string; hmac: Buffer }[]>`
      select attempt_id as id, code_hmac as hmac from claim_attempt
       where registration_id = ${registrationId} and ended = 'superseded' and expires_at > ${at}`;
  }

  /** Ends a code for signing in. False: it was used or denied meanwhile. */
  async use({ attemptId, guard }: Attempt): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      await forgive(sql, guard);
      return consume(sql, attemptId);
    });
  }

  async note(event: {
    readonly kind: string;
    readonly userId: string | undefined;
    readonly address: string;
    readonly requestId: string;
    readonly at: Date;
  }): Promise<void> {
    await this.#sql`
      insert into auth_event (kind, user_id, address, request_id, at)
      values (${event.kind}, ${event.userId ?? null}, ${event.address}, ${event.requestId},
              ${event.at})`;
  }

  /** Ends the code of a letter and keeps its address from being written to. False: no such code. */
  async deny(
    denySha256: Buffer,
    { at, address, requestId }: { at: Date; address: string; requestId: string },
  ): Promise<boolean> {
    const until = new Date(at.getTime() + codeLimits.muteHours * hourMilliseconds);
    return this.#sql.begin(async (sql) => {
      const [found] = await sql<{ attempt_id: string; email: string; user_id: string | null }[]>`
        select a.attempt_id, a.email, r.user_id
          from claim_attempt a left join registration r using (registration_id)
         where a.deny_sha256 = ${denySha256}`;
      if (found === undefined) return false;
      await sql`
        insert into code_guard (guard, tries_since, muted_until)
        values (${found.email}, ${at}, ${until})
        on conflict (guard) do update set muted_until = excluded.muted_until`;
      await sql`
        update claim_attempt set ended = 'denied'
         where attempt_id = ${found.attempt_id} and ended is null`;
      await sql`
        insert into auth_event (kind, user_id, address, request_id, at)
        values ('claim.denied', ${found.user_id}, ${address}, ${requestId}, ${at})`;
      return true;
    });
  }

  /** Deletes counts and codes that no limit looks at any more. */
  async tidy(at: Date): Promise<void> {
    const dayAgo = new Date(at.getTime() - dayMilliseconds);
    await this.#sql`delete from rate_window where starts_at < ${dayAgo}`;
    await this.#sql`delete from claim_attempt where created_at < ${dayAgo}`;
    await this.#sql`
      delete from code_guard g
       where tries_since < ${dayAgo} and (muted_until is null or muted_until < ${at})
         and not exists (select from claim_attempt a where a.guard = g.guard)`;
  }
}

type Nullable = {
  readonly userId: string | null;
  readonly email: string | null;
  readonly clientName: string | null;
};

/** Takes back the try that the guard counted, because the code was right. */
export async function forgive(sql: Transaction, guard: string): Promise<void> {
  await sql`update code_guard set tries = greatest(0, tries - 1) where guard = ${guard}`;
}

/** Ends a code as used. False: another request was faster, or a newer code replaced it. */
export async function consume(sql: Transaction, attemptId: string): Promise<boolean> {
  const done = await sql`
    update claim_attempt set ended = 'used' where attempt_id = ${attemptId} and ended is null`;
  return done.count === 1;
}

async function endOf(
  sql: Transaction,
  attemptId: string,
): Promise<'none' | 'expired' | 'burnt' | 'denied' | 'used'> {
  const [row] = await sql<{ ended: string | null; tries: number }[]>`
    select ended, tries from claim_attempt where attempt_id = ${attemptId}`;
  if (row === undefined) return 'none';
  if (row.ended === 'denied' || row.ended === 'used') return row.ended;
  return row.tries >= codeLimits.triesPerCode ? 'burnt' : 'expired';
}
