import type { Addresses } from '../../../model/addresses.ts';
import type { Environment } from '../../../model/environment.ts';
import { Failure } from '../../../model/failure.ts';
import { makeId } from '../../../model/identifier.ts';
import { idempotency } from '../../../model/limits.ts';
import { scopes } from '../../../model/scope.ts';
import { makeSecret, secretHash } from '../../credential.ts';
import { maskEmail } from '../../email-address.ts';
import type { IdentityStore, Repeat } from '../../identity-store.ts';
import { codeHmac, isSameHmac, readCode } from '../../one-time-code.ts';
import { fingerprintOf, repeatId, seal, unseal } from '../../repeat.ts';
import type { Claims, ClaimSubject, Origin } from '../claims.ts';
import { refusedCode, waiting, wrongCode } from '../refusal.ts';
import type { Attempt, ClaimTable, FoundRegistration } from '../sql.ts';
import type { Claimed, Completion, CompletionTable } from './sql.ts';

export interface CompletionsParts {
  readonly claims: Claims;
  readonly claimTable: ClaimTable;
  readonly table: CompletionTable;
  readonly store: Pick<IdentityStore, 'findRepeat'>;
  readonly environment: Environment;
  readonly addresses: Addresses;
  readonly pepper: Buffer;
  /** Called with the SHA-256 in hexadecimal of each key that ended. */
  readonly forget: (sha256: string) => void;
}

export interface CompletionRequest extends Origin {
  readonly claimToken: ClaimSubject;
  readonly code: string;
  readonly idempotencyKey: string | undefined;
}

export interface CompletionAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly replayed: boolean;
}

/**
 * Takes codes. A try is counted before it is compared; the right code does all of its work or
 * nothing.
 */
export class Completions {
  readonly #parts: CompletionsParts;

  constructor(parts: CompletionsParts) {
    this.#parts = parts;
  }

  async complete(request: CompletionRequest): Promise<CompletionAnswer> {
    const { claims, addresses } = this.#parts;
    await claims.countCompletion(request.address);
    const code = readCode(request.code);
    if (code === undefined) throw malformedCode();
    const found = await claims.find(request.claimToken);
    if (found.isClaimed) {
      const earlier = await this.#earlier(request);
      if (earlier !== undefined) return earlier;
      throw refusedCode('claimed', addresses);
    }
    const attempt = await this.#parts.claimTable.latest(found.registrationId);
    if (attempt === undefined) throw refusedCode('none', addresses);
    const subject = { registrationId: found.registrationId, userId: found.userId };
    await this.check(attempt, code, { ...request, ...subject });
    return { data: await this.#claim(found, attempt, request), replayed: false };
  }

  /** Compares a code with that of the attempt; fails unless they are equal. */
  async check(
    attempt: Attempt,
    code: string,
    who: Origin & { registrationId: string | undefined; userId: string | undefined },
  ): Promise<void> {
    const { claimTable, environment, addresses, pepper } = this.#parts;
    const at = new Date(environment.now());
    const tried = await claimTable.try(attempt, at);
    if (tried.kind === 'locked') throw waiting('address', { ...tried, now: at.getTime() });
    if (tried.kind === 'used') throw refusedCode('claimed', addresses);
    if (tried.kind !== 'counted') throw refusedCode(tried.kind, addresses);
    if (isSameHmac(tried.hmac, codeHmac(pepper, attempt.attemptId, code))) return;
    const { userId, address, requestId, registrationId } = who;
    await claimTable.note({ kind: 'otp.failed', userId, address, requestId, at });
    if (registrationId !== undefined && (await this.#isOlder(registrationId, code, at))) {
      throw refusedCode('superseded', addresses);
    }
    throw wrongCode(tried.tries);
  }

  async #isOlder(registrationId: string, code: string, at: Date): Promise<boolean> {
    const older = await this.#parts.claimTable.superseded(registrationId, at);
    return older.some(({ id, hmac }) => isSameHmac(hmac, codeHmac(this.#parts.pepper, id, code)));
  }

  async #claim(
    found: FoundRegistration,
    attempt: Attempt,
    request: CompletionRequest,
  ): Promise<CompletionAnswer['data']> {
    const { table, environment, addresses, forget } = this.#parts;
    const secret = makeSecret('wbk_live_', environment);
    const completion: Completion = {
      registrationId: found.registrationId,
      attemptId: attempt.attemptId,
      email: attempt.email,
      mode: attempt.isLink ? 'link' : 'merge',
      agentId: found.userId,
      newPersonId: makeId('usr_', environment),
      credential: {
        id: makeId('crd_', environment),
        sha256: secretHash(secret),
        last4: secret.slice(-4),
        label: found.clientName ?? found.userId,
      },
      at: new Date(environment.now()),
      address: request.address,
      requestId: request.requestId,
      repeatOf: (claimed) => this.#repeat(request, answerOf(secret, completion, claimed)),
    };
    const outcome = await table.complete(completion);
    if (outcome.kind === 'before') throw refusedCode('claimed', addresses);
    if (outcome.kind !== 'claimed') throw refusedCode(outcome.kind, addresses);
    for (const sha256 of outcome.claimed.superseded) forget(sha256);
    return answerOf(secret, completion, outcome.claimed);
  }

  /** Returns the first answer for a retry with the same Idempotency-Key. */
  async #earlier(request: CompletionRequest): Promise<CompletionAnswer | undefined> {
    const { idempotencyKey: key, address } = request;
    if (key === undefined) return undefined;
    const at = new Date(this.#parts.environment.now());
    const repeat = await this.#parts.store.findRepeat(repeatKey(key, address), at);
    if (repeat === undefined || !repeat.fingerprint.equals(fingerprint(request))) return undefined;
    const text = unseal(repeat.sealed, sealingText(key, request));
    return { data: JSON.parse(text) as CompletionAnswer['data'], replayed: true };
  }

  #repeat(request: CompletionRequest, data: unknown): Repeat | undefined {
    const { idempotencyKey: key, address } = request;
    if (key === undefined) return undefined;
    const { environment } = this.#parts;
    return {
      keySha256: repeatKey(key, address),
      fingerprint: fingerprint(request),
      sealed: seal(JSON.stringify(data), sealingText(key, request), environment),
      expiresAt: new Date(environment.now() + idempotency.registrationMinutes * 60_000),
    };
  }
}

function repeatKey(key: string, address: string): Buffer {
  return repeatId(`claim/complete\n${key}`, address);
}

function fingerprint({ claimToken, code }: CompletionRequest): Buffer {
  return fingerprintOf([claimToken, readCode(code)]);
}

/** Returns the secret that seals the answer: of the sender's key and the claim token. */
function sealingText(key: string, { claimToken }: CompletionRequest): string {
  return `${key}\n${typeof claimToken === 'object' ? claimToken.userId : claimToken}`;
}

function answerOf(
  secret: string,
  { agentId, mode, registrationId, email }: Completion,
  { userId, personId, workbookCount, renamed }: Claimed,
): CompletionAnswer['data'] {
  return {
    credential: secret,
    user_id: userId,
    scopes,
    mode: agentId === undefined ? 'merge' : mode,
    status: 'claimed',
    registration_id: registrationId,
    credential_type: 'api_key',
    credential_expires: null,
    previous_credential: agentId === undefined ? null : 'revoked',
    owner: { user_id: personId, email: maskEmail(email) },
    transferred: { workbooks: workbookCount, renamed },
  };
}

function malformedCode(): Failure {
  return new Failure('invalidRequest', {
    detail: 'otp: a code has six digits.',
    hint: 'Send it as in the letter; spaces and dashes do not matter.',
    extra: { fields: [{ path: 'otp', message: 'six digits' }] },
  });
}
