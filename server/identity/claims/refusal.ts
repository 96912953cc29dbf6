import type { Addresses } from '../../model/addresses.ts';
import { Failure } from '../../model/failure.ts';
import { limitReached } from '../../model/limit-reached.ts';
import { codeLimits } from '../../model/limits.ts';

const anew = 'Ask for a new one with POST /agent/auth/claim.';
const keys = {
  unknown: ['invalidClaimToken', 'The claim token is not known.', 'Register again.'],
  over: ['claimExpired', 'The registration has expired.', 'Register again.'],
  malformed: ['invalidRequest', 'A code has six digits.', 'Type it as in the letter.'],
  none: ['noClaimInProgress', 'No code was asked for.', 'POST /agent/auth/claim first.'],
  expired: ['otpExpired', 'The code has expired.', anew],
  superseded: ['otpExpired', 'A newer code was sent.', 'Ask for the one in the latest letter.'],
  denied: ['otpExpired', 'The owner of the address refused.', 'Talk to them before you ask again.'],
  burnt: ['otpAttemptsExceeded', 'The code was wrong too often.', anew],
  suspended: ['accountSuspended', 'The account is suspended.', 'Its owner has to write to us.'],
} as const;

/** Returns the failure for a refused claim or code. */
export function refusedCode(
  reason: keyof typeof keys | 'claimed' | 'tooManyKeys',
  { siteUrl }: Addresses,
): Failure {
  if (reason === 'claimed') {
    return new Failure('previouslyClaimed', {
      detail: 'This claim token was used.',
      hint: `Use the credential of that claim; its owner can change it at ${siteUrl}/agents.`,
    });
  }
  if (reason === 'tooManyKeys') {
    return new Failure('tooManyCredentials', {
      hint: `Its owner can revoke some at ${siteUrl}/agents; the code still counts.`,
    });
  }
  const [key, detail, hint] = keys[reason];
  return new Failure(key, { detail, hint });
}

export function wrongCode(tries: number): Failure {
  const left = codeLimits.triesPerCode - tries;
  if (left <= 0) {
    const [key, detail, hint] = keys.burnt;
    return new Failure(key, { detail, hint });
  }
  return new Failure('otpInvalid', {
    detail: `The code does not match. ${left} attempt${left === 1 ? '' : 's'} left.`,
    hint: 'Ask for the code again and compare it digit by digit.',
    extra: { attempts_left: left },
  });
}

const limited = {
  ip: 'Too many requests from this address.',
  global: 'Too many requests on this service.',
  claim: 'Too many codes for this claim token.',
  address: 'Too many codes, or wrong tries, for this e-mail address.',
} as const;

/** The limit that was reached, and when a place is free again. */
export interface Waiting {
  readonly freeAt: Date;
  /** Time of the request in milliseconds since the epoch. */
  readonly now: number;
  readonly most: number;
  readonly windowSeconds: number;
}

/** Returns a failure that says when to try again. */
export function waiting(
  scope: keyof typeof limited | 'otpCooldown',
  { freeAt, now, most, windowSeconds }: Waiting,
): Failure {
  const waitSeconds = Math.max(1, Math.ceil((freeAt.getTime() - now) / 1000));
  const hint = `Wait ${waitSeconds} s.`;
  if (scope === 'otpCooldown') {
    const quota = { name: 'code', most, windowSeconds };
    return limitReached('otpCooldown', { hint, quota, waitSeconds });
  }
  const quota = { name: quotaNames[scope], most, windowSeconds };
  const detail = limited[scope];
  return limitReached('rateLimited', { detail, hint, quota, waitSeconds, extra: { scope } });
}

const quotaNames = {
  ip: 'address',
  global: 'service',
  claim: 'claim-token',
  address: 'email',
} as const satisfies Record<keyof typeof limited, string>;
