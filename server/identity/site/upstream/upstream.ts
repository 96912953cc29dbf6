import { createHmac } from 'node:crypto';

import type { Addresses } from '../../../model/addresses.ts';
import type { Environment } from '../../../model/environment.ts';
import { Failure } from '../../../model/failure.ts';
import type { Origin } from '../../claims/claims.ts';
import { secretHash } from '../../credential.ts';
import { readEmail } from '../../email-address.ts';
import type { Sessions } from '../sign-in/sessions.ts';
import type { Provider } from './providers.ts';
import { RelyingParty } from './relying-party.ts';
import type { Asserted, Ties } from './relying-party.ts';
import type { FlowTable } from './sql.ts';

const flowSeconds = 600;
const tokenBytes = 32;

export interface UpstreamParts {
  readonly providers: readonly Provider[];
  readonly table: FlowTable;
  readonly sessions: Sessions;
  readonly environment: Environment;
  readonly addresses: Addresses;
  /** Key of the values that are sent to the provider and have to come back. */
  readonly flowKey: Buffer;
  readonly report: (step: string, error: unknown) => void;
}

/** The next address of the browser, and the cookie that it gets. */
export interface Step {
  readonly location: string;
  readonly cookie: string;
}

/** Signs people in through an account at a provider. */
export class Upstream {
  readonly providers: readonly Provider[];
  readonly #parts: UpstreamParts;
  readonly #parties: ReadonlyMap<string, RelyingParty>;

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
    this.providers = parts.providers;
    const { siteUrl } = parts.addresses;
    this.#parties = new Map(
      parts.providers.map((provider) => [
        provider.id,
        new RelyingParty(provider, `${siteUrl}/oauth/callback/${provider.id}`),
      ]),
    );
  }

  /** Sends the browser to the provider with a cookie, without which the answer is worth nothing. */
  async begin(id: string, next: string): Promise<Step> {
    const party = this.#party(id);
    const { table, environment, sessions } = this.#parts;
    const token = Buffer.from(environment.random(tokenBytes)).toString('base64url');
    const location = await this.#ask(party, () => party.authorizationUrl(this.#ties(token)));
    const expiresAt = new Date(environment.now() + flowSeconds * 1000);
    await table.begin({ sha256: secretHash(token), provider: id, next }, expiresAt);
    return { location, cookie: sessions.cookie('flow', token, flowSeconds) };
  }

  /**
   * Takes the answer of the provider. It counts once, in the browser that was sent there, and for
   * this provider.
   */
  async finish(
    id: string,
    queryText: string,
    given: Origin & { cookies: string | undefined },
  ): Promise<Step> {
    const party = this.#party(id);
    const { table, environment, sessions } = this.#parts;
    const token = sessions.read(given.cookies, 'flow');
    const at = new Date(environment.now());
    const flow = token === undefined ? undefined : await table.take(secretHash(token), at);
    if (token === undefined || flow?.provider !== id) throw astray();
    if (new URLSearchParams(queryText).has('error')) throw notAllowed(party.provider);
    const ties = this.#ties(token);
    const asserted = await this.#ask(party, () => party.takeAnswer(queryText, ties));
    const cookie = await sessions.begin(this.#person(party, asserted), given);
    return { location: flow.next, cookie };
  }

  #person(
    { provider }: RelyingParty,
    { issuer, subject, email }: Asserted,
  ): Parameters<Sessions['begin']>[0] {
    const address = email === undefined ? undefined : readEmail(email);
    if (address === undefined) {
      throw new Failure('forbidden', {
        detail: `${provider.name} did not say that it has checked your e-mail address.`,
        hint: `Confirm the address at ${provider.name}, or sign in with a code by mail.`,
      });
    }
    return { email: address, upstream: { issuer, subject, provider: provider.name } };
  }

  /**
   * Does work at a provider. The log gets the reason of a failure, the person only that it failed.
   */
  async #ask<Answer>({ provider }: RelyingParty, work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      // Errors of the library repeat answers of the provider, which hold secrets.
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      this.#parts.report(`sign somebody in through ${provider.id}`, new Error(reason));
      throw new Failure('unavailable', {
        detail: `Signing in through ${provider.name} did not work.`,
        hint: 'Try again, or sign in with a code by mail.',
      });
    }
  }

  #party(id: string): RelyingParty {
    const party = this.#parties.get(id);
    if (party !== undefined) return party;
    throw new Failure('notFound', { detail: 'Nobody signs in this way here.' });
  }

  /**
   * Derives all values from the one secret in the browser, so that the database holds none of them.
   */
  #ties(token: string): Ties {
    const derive = (purpose: string): string =>
      createHmac('sha256', this.#parts.flowKey).update(`${purpose}\n${token}`).digest('base64url');
    return { state: derive('state'), nonce: derive('nonce'), verifier: derive('verifier') };
  }
}

function astray(): Failure {
  return new Failure('invalidRequest', {
    detail: 'This browser was not on its way to sign in, or took too long.',
    hint: 'Sign in again from the start.',
  });
}

function notAllowed({ name }: Provider): Failure {
  return new Failure('forbidden', {
    detail: `${name} did not let you sign in here.`,
    hint: 'Sign in again, or with a code by mail.',
  });
}
