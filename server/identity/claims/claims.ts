import type { Addresses } from '../../model/addresses.ts';
import { hourMilliseconds, hourSeconds } from '../../model/durations.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import { makeId } from '../../model/identifier.ts';
import { codeLimits, loopbackFactor } from '../../model/limits.ts';
import type { LimitsProfile } from '../../model/limits.ts';
import { scopes } from '../../model/scope.ts';
import { isWellFormed, makeSecret, secretHash } from '../credential.ts';
import { maskEmail } from '../email-address.ts';
import { codeLetter } from '../mail/letter.ts';
import type { CodeLetter } from '../mail/letter.ts';
import type { Outbox } from '../mail/outbox.ts';
import { codeHmac, makeCode } from '../one-time-code.ts';
import { addressGroup } from '../registration.ts';
import { refusedCode, waiting } from './refusal.ts';
import type { ClaimTable, FoundRegistration, NewAssertion } from './sql.ts';

export interface ClaimsParts {
  readonly table: ClaimTable;
  readonly outbox: Outbox;
  readonly environment: Environment;
  readonly addresses: Addresses;
  readonly profile: LimitsProfile;
  /** Key of the HMAC under which codes are stored. */
  readonly pepper: Buffer;
}

/** Client address and request id of a call, for limits and for the audit. */
export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

export interface AssertionRequest extends Origin {
  readonly email: string;
  readonly clientName: string | undefined;
}

/** A claim token, or the id of the agent when the agent itself asks. */
export type ClaimSubject = string | { readonly userId: string };

export interface ClaimRequest extends Origin {
  readonly claimToken: ClaimSubject;
  readonly email: string;
  readonly isLink: boolean;
}

export interface SentCode {
  readonly attemptId: string;
  readonly expiresAt: Date;
}

interface CodeRequest extends Origin {
  readonly email: string;
  /** A browser that signed in with the address before. */
  readonly browser?: string | undefined;
  readonly purpose: CodeLetter['purpose'];
  readonly registrationId: string | undefined;
  readonly clientName: string | undefined;
  readonly assertion?: NewAssertion;
}

type Answer = Readonly<Record<string, unknown>>;

const minuteMilliseconds = 60_000;

/**
 * Sends codes by mail. It never looks whether an address has an account, so neither an answer nor
 * its duration can tell; only the right code reveals it.
 */
export class Claims {
  readonly #parts: ClaimsParts;

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
  }

  /** Registers an address without an agent: whoever reads its mail gets a key of its account. */
  async assertEmail(request: AssertionRequest): Promise<Answer> {
    const { environment } = this.#parts;
    const { email, clientName, address } = request;
    await this.#count('assertion', address, codeLimits.requestsPerAddressPerHour);
    await this.#countAll('assertion', codeLimits.assertionsPerDeploymentPerHour);
    const claimToken = makeSecret('wbc_', environment);
    const registrationId = makeId('reg_', environment);
    const expiresAt = new Date(environment.now() + codeLimits.assertionHours * hourMilliseconds);
    const sent = await this.#send({
      ...request,
      purpose: 'key',
      registrationId,
      assertion: {
        registrationId,
        claimTokenSha256: secretHash(claimToken),
        expiresAt,
        addressGroup: addressGroup(address),
        clientName,
      },
    });
    return {
      claim_token: claimToken,
      verification_required: true,
      message: sentMessage(email),
      registration_id: registrationId,
      registration_type: 'email-verification',
      claim_token_expires: expiresAt.toISOString(),
      otp_expires: sent.expiresAt.toISOString(),
      resend_after: codeLimits.cooldownSeconds,
      post_claim_scopes: scopes,
    };
  }

  /** Sends a code for a registration; the code before it no longer counts. */
  async request(request: ClaimRequest): Promise<Answer> {
    const { claimToken, email, isLink, address } = request;
    await this.#count('claim', address, codeLimits.requestsPerAddressPerHour);
    const found = await this.find(claimToken);
    if (found.isClaimed) throw refusedCode('claimed', this.#parts.addresses);
    checkAssertion(found, request);
    const agentPurpose = isLink ? 'link' : 'merge';
    const sent = await this.#send({
      ...request,
      purpose: found.kind === 'anonymous' ? agentPurpose : 'key',
      registrationId: found.registrationId,
      clientName: found.clientName,
    });
    return {
      verification_required: true,
      message: sentMessage(email),
      registration_id: found.registrationId,
      claim_attempt_id: sent.attemptId,
      status: 'initiated',
      mode_requested: isLink ? 'link' : 'merge',
      otp_expires: sent.expiresAt.toISOString(),
      resend_after: codeLimits.cooldownSeconds,
    };
  }

  /**
   * Sends a code for signing in at the site. Codes for a browser that signed in with this address
   * before are counted separately, so that strangers who use up the codes of an address do not lock
   * its owner out.
   */
  async signIn(email: string, browser: string | undefined, origin: Origin): Promise<SentCode> {
    await this.#count('sign-in', origin.address, codeLimits.requestsPerAddressPerHour);
    const none = { registrationId: undefined, clientName: undefined };
    return this.#send({ ...origin, ...none, email, browser, purpose: 'sign-in' });
  }

  /** Finds a registration by its claim token; fails alike for all tokens that are none. */
  async find(subject: ClaimSubject): Promise<FoundRegistration> {
    const found = await this.#registrationOf(subject);
    if (found === undefined) throw refusedCode('unknown', this.#parts.addresses);
    const isOver = found.expiresAt.getTime() <= this.#parts.environment.now();
    if (isOver && !found.isClaimed) throw refusedCode('over', this.#parts.addresses);
    return found;
  }

  async #registrationOf(subject: ClaimSubject): Promise<FoundRegistration | undefined> {
    const { table } = this.#parts;
    if (typeof subject === 'object') return table.findOf(subject.userId);
    return isWellFormed('wbc_', subject) ? table.find(secretHash(subject)) : undefined;
  }

  /** Ends the code of a letter, when its reader follows the link "If this was not you". False: no such code. */
  async deny(denyToken: string, origin: Origin): Promise<boolean> {
    const at = new Date(this.#parts.environment.now());
    return this.#parts.table.deny(secretHash(denyToken), { ...origin, at });
  }

  async #send(request: CodeRequest): Promise<SentCode> {
    const { table, outbox, environment, addresses, pepper } = this.#parts;
    const { email, browser, purpose, registrationId, assertion } = request;
    const at = new Date(environment.now());
    const code = makeCode(environment);
    const attemptId = makeId('cla_', environment);
    const denyToken = Buffer.from(environment.random(24)).toString('base64url');
    const letter = { ...request, to: email, code, attemptId, denyToken, at };
    const outcome = await table.write(
      {
        attemptId,
        purpose: purpose === 'sign-in' ? 'sign-in' : 'claim',
        registrationId,
        email,
        guard: browser === undefined ? email : `browser:${browser}`,
        isLink: purpose === 'link',
        hmac: codeHmac(pepper, attemptId, code),
        denySha256: secretHash(denyToken),
        mailId: makeId('ltr_', environment),
        sealedLetter: outbox.sealed(codeLetter(letter, addresses)),
        at,
        address: request.address,
        requestId: request.requestId,
      },
      assertion,
    );
    switch (outcome.kind) {
      case 'written':
        outbox.wake();
        return {
          attemptId,
          expiresAt: new Date(at.getTime() + codeLimits.lifeMinutes * minuteMilliseconds),
        };
      case 'claimed':
        throw refusedCode('claimed', addresses);
      case 'full':
        throw new Failure('mailUnavailable', {
          detail: 'Too many letters are waiting to be sent.',
          hint: 'Try again in some minutes.',
          extra: { retry_after: 60 },
        });
      case 'cooldown':
        throw waiting('otpCooldown', {
          freeAt: outcome.freeAt,
          now: environment.now(),
          most: 1,
          windowSeconds: codeLimits.cooldownSeconds,
        });
      case 'limited':
        throw waiting(outcome.scope, { ...outcome, now: environment.now() });
    }
  }

  /** Counts a request of a client address; the loopback profile allows a developer more. */
  async #count(what: string, address: string, most: number): Promise<void> {
    await this.#countKey(`${what} ${addressGroup(address)}`, most, 'ip');
  }

  async #countAll(what: string, most: number): Promise<void> {
    await this.#countKey(what, most, 'global');
  }

  /** Counts one try of `claim/complete` from a client address. */
  async countCompletion(address: string): Promise<void> {
    await this.#count('complete', address, codeLimits.completionsPerAddressPerHour);
  }

  /** Counts one registration of a client from a client address. */
  async countClient(address: string): Promise<void> {
    await this.#count('client', address, codeLimits.requestsPerAddressPerHour);
  }

  /** Counts one reading of a client's document for a client address. */
  async countDocument(address: string): Promise<void> {
    await this.#count('document', address, codeLimits.requestsPerAddressPerHour);
  }

  /** Counts one redirect to a sign-in provider from a client address. */
  async countUpstream(address: string): Promise<void> {
    await this.#count('upstream', address, codeLimits.requestsPerAddressPerHour);
  }

  async #countKey(key: string, most: number, scope: 'ip' | 'global'): Promise<void> {
    const { table, environment, profile } = this.#parts;
    if (profile === 'off') return;
    const now = environment.now();
    const { count, freeAt } = await table.count(key, new Date(now));
    const allowed = most * (profile === 'loopback' ? loopbackFactor : 1);
    if (count <= allowed) return;
    throw waiting(scope, { freeAt, now, most: allowed, windowSeconds: hourSeconds });
  }
}

/** Refuses to change the address of an assertion, and to link it: it has no agent to keep. */
function checkAssertion(found: FoundRegistration, { email, isLink }: ClaimRequest): void {
  if (found.kind === 'anonymous') return;
  if (isLink) {
    throw new Failure('linkNotAvailable', {
      hint: 'Leave link out, or register with {"type":"anonymous"} and claim that with link.',
    });
  }
  if (found.email !== email) {
    throw new Failure('emailMismatch', {
      hint: 'Send the address you registered with, or register again with the other one.',
    });
  }
}

function sentMessage(email: string): string {
  return `A 6-digit code was sent to ${maskEmail(email)}. Ask its owner to read it to you, then POST it to /agent/auth/claim/complete.`;
}
