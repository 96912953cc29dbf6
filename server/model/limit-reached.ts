import { Failure, type FailureKey } from './failure.ts';

/** A limit in numbers, as the header RateLimit-Policy names it. */
export interface Quota {
  readonly name: string;
  readonly most: number;
  /** Time window of the limit; left out for a limit on concurrent things. */
  readonly windowSeconds?: number;
  /** Unit of a limit on concurrent things. */
  readonly unit?: 'concurrent-requests' | 'content-bytes';
}

export interface ReachedLimit {
  readonly quota: Quota;
  /** Whole seconds, at least 1. */
  readonly waitSeconds: number;
  readonly detail?: string;
  readonly hint: string;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** The failures that a limit is the reason of: each of them is answered with 429. */
export type LimitKey = Extract<
  FailureKey,
  'rateLimited' | 'tooManyConcurrent' | 'tooManySockets' | 'tooManyMatches' | 'otpCooldown'
>;

/** The only maker of refusals with the status 429, so that each tells its limit in the same way. */
export function limitReached(
  key: LimitKey,
  { quota, waitSeconds, detail, hint, extra }: ReachedLimit,
): Failure {
  return new Failure(key, {
    ...(detail !== undefined && { detail }),
    hint,
    extra: { ...extra, retry_after: waitSeconds },
    headers: {
      'Retry-After': String(waitSeconds),
      'RateLimit-Policy': policyOf(quota),
      RateLimit: `"${quota.name}";r=0;t=${waitSeconds}`,
    },
  });
}

/** A limit without a window has room again as soon as one of the concurrent things ends. */
function policyOf({ name, most, windowSeconds, unit = 'concurrent-requests' }: Quota): string {
  const limit = `"${name}";q=${most}`;
  return windowSeconds === undefined ? `${limit};qu="${unit}"` : `${limit};w=${windowSeconds}`;
}
