import { createHmac } from 'node:crypto';

import type { Addresses } from '../../../model/addresses.ts';
import { dayMilliseconds } from '../../../model/durations.ts';
import type { Environment } from '../../../model/environment.ts';
import { Failure } from '../../../model/failure.ts';
import { makeId } from '../../../model/identifier.ts';
import { secretHash } from '../../credential.ts';
import { isSameHmac } from '../../one-time-code.ts';
import type { Origin } from '../../claims/claims.ts';
import type { NewSession, SessionTable, SessionUser } from './sql.ts';

const lifeDays = 30;
const prolongEveryMilliseconds = 3_600_000;
const tokenBytes = 32;
const browserDays = 365;
const browserIdBytes = 16;

/** A person who is signed in. */
export interface SignedIn extends Omit<SessionUser, 'lastUsedAt'> {
  /** Token that every form of the session carries, so that no other site can send one. */
  readonly formToken: string;
  readonly sha256: Buffer;
}

/** A person who proved to read this address, and the provider account that proves it too. */
export type Person = Pick<NewSession, 'email' | 'upstream'>;

type CookieName = 'session' | 'signin' | 'flow' | 'browser';

export interface SessionsParts {
  readonly table: SessionTable;
  readonly environment: Environment;
  readonly addresses: Addresses;
  /** Key of the tokens in forms. */
  readonly formKey: Buffer;
}

/** Sessions in cookies. Every sign-in makes a new one, so that a planted cookie is never used. */
export class Sessions {
  readonly #parts: SessionsParts;
  readonly #isSecure: boolean;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
    this.#isSecure = parts.addresses.siteUrl.startsWith('https:');
  }

  /** Begins a session of the person with this address or provider account; returns its cookie. */
  async begin({ email, upstream }: Person, origin: Origin): Promise<string> {
    const { table, environment } = this.#parts;
    const token = Buffer.from(environment.random(tokenBytes)).toString('base64url');
    const at = new Date(environment.now());
    const begun = await table.begin({
      address: origin.address,
      requestId: origin.requestId,
      sha256: secretHash(token),
      email,
      upstream,
      newPersonId: makeId('usr_', environment),
      at,
      expiresAt: new Date(at.getTime() + lifeDays * dayMilliseconds),
    });
    if (!begun) throw new Failure('accountSuspended');
    return this.cookie('session', token, lifeDays * 86_400);
  }

  async find(cookies: string | undefined): Promise<SignedIn | undefined> {
    const token = this.read(cookies, 'session');
    if (token === undefined) return undefined;
    const { table, environment } = this.#parts;
    const sha256 = secretHash(token);
    const now = environment.now();
    const found = await table.find(sha256, new Date(now));
    if (found === undefined) return undefined;
    const { lastUsedAt, ...user } = found;
    if (now - lastUsedAt.getTime() > prolongEveryMilliseconds) {
      await table.prolong(sha256, new Date(now), new Date(now + lifeDays * dayMilliseconds));
    }
    return { ...user, sha256, formToken: this.#formToken(sha256) };
  }

  /** Fails unless the form was made for this session. */
  checkForm({ sha256 }: SignedIn, formToken: string | null): void {
    const given = Buffer.from(formToken ?? '', 'base64url');
    if (isSameHmac(given, Buffer.from(this.#formToken(sha256), 'base64url'))) return;
    throw new Failure('forbidden', {
      detail: 'This form is not from a page of your session.',
      hint: 'Load the page anew and send it from there.',
    });
  }

  async end({ sha256 }: SignedIn): Promise<string> {
    await this.#parts.table.end(sha256);
    return this.cookie('session', '', 0);
  }

  /** Returns a cookie that marks this browser as one that signed in with this address before. */
  rememberBrowser(email: string): string {
    const id = Buffer.from(this.#parts.environment.random(browserIdBytes));
    const value = Buffer.concat([id, this.#browserMac(id, email)]).toString('base64url');
    return this.cookie('browser', value, browserDays * 86_400);
  }

  /** Returns the id of a browser that signed in with this address before; undefined for others. */
  knownBrowser(cookies: string | undefined, email: string): string | undefined {
    const value = Buffer.from(this.read(cookies, 'browser') ?? '', 'base64url');
    const id = value.subarray(0, browserIdBytes);
    const isOurs = isSameHmac(value.subarray(browserIdBytes), this.#browserMac(id, email));
    return isOurs ? id.toString('hex') : undefined;
  }

  /**
   * Returns a Set-Cookie header. Over https the prefix binds the cookie to this host and to
   * encrypted connections.
   */
  cookie(name: CookieName, value: string, seconds: number): string {
    const secure = this.#isSecure ? '; Secure' : '';
    return `${this.#cookieName(name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
  }

  read(cookies: string | undefined, name: CookieName): string | undefined {
    const wanted = `${this.#cookieName(name)}=`;
    const found = cookies?.split(/;\s*/).find((pair) => pair.startsWith(wanted));
    const value = found?.slice(wanted.length);
    return value !== undefined && /^[\w-]{20,100}$/.test(value) ? value : undefined;
  }

  #cookieName(name: CookieName): string {
    return `${this.#isSecure ? '__Host-' : ''}wb_${name}`;
  }

  #browserMac(id: Buffer, email: string): Buffer {
    return createHmac('sha256', this.#parts.formKey)
      .update('browser\0')
      .update(id)
      .update(email)
      .digest();
  }

  #formToken(sha256: Buffer): string {
    return createHmac('sha256', this.#parts.formKey).update(sha256).digest('base64url');
  }
}
