import { daySeconds, hourSeconds } from '../../model/durations.ts';
import { codeLimits } from '../../model/limits.ts';

/** A limit that is reached, and the time at which a place is free again. */
export interface Full {
  readonly freeAt: Date;
  readonly most: number;
  readonly windowSeconds: number;
}

/** Limit of tries at the codes of one address. */
export const triesQuota = { most: codeLimits.triesPerEmailPerDay, windowSeconds: daySeconds };

/** Reason why no code is sent now. */
export type CodeRefusal =
  | { readonly kind: 'full' }
  | { readonly kind: 'cooldown'; readonly freeAt: Date }
  | ({ readonly kind: 'limited'; readonly scope: 'claim' | 'address' } & Full);

/** A code that is asked for: the time, and its purpose. */
export interface AskedCode {
  readonly at: Date;
  readonly purpose: string;
}

export interface Guard {
  tries: number;
  tries_since: Date;
  muted_until: Date | null;
}

export interface Counts {
  by_claim: number;
  oldest_by_claim: Date | null;
  latest_by_claim: Date | null;
  by_hour: number;
  oldest_of_hour: Date | null;
  by_day: number;
  oldest: Date | null;
  waiting: number;
}

/** Returns the limit that forbids sending a code; undefined when none does. */
export function refusalOf(code: AskedCode, guard: Guard, counts: Counts): CodeRefusal | undefined {
  const later = (from: Date | null, milliseconds: number): Date =>
    new Date((from ?? code.at).getTime() + milliseconds);
  const cooled = later(counts.latest_by_claim, codeLimits.cooldownSeconds * 1000);
  if (counts.latest_by_claim !== null && cooled > code.at) {
    return { kind: 'cooldown', freeAt: cooled };
  }
  if (counts.by_claim >= codeLimits.perClaimTokenPerHour) {
    const freeAt = later(counts.oldest_by_claim, hourSeconds * 1000);
    const most = codeLimits.perClaimTokenPerHour;
    return { kind: 'limited', scope: 'claim', freeAt, most, windowSeconds: hourSeconds };
  }
  const full = addressFull(code, guard, counts);
  if (full !== undefined) return { kind: 'limited', scope: 'address', ...full };
  return counts.waiting >= codeLimits.waitingLetters ? { kind: 'full' } : undefined;
}

/** Returns the reached limit of an address that ends last; undefined when none is reached. */
function addressFull({ at, purpose }: AskedCode, guard: Guard, counts: Counts): Full | undefined {
  const isLocked = guard.tries >= codeLimits.triesPerEmailPerDay;
  const full: Full[] = [];
  const add = (from: Date | null, quota: Omit<Full, 'freeAt'>): void => {
    const freeAt = new Date((from ?? at).getTime() + quota.windowSeconds * 1000);
    full.push({ freeAt, ...quota });
  };
  if (counts.by_hour >= codeLimits.perEmailPerHour) {
    add(counts.oldest_of_hour, { most: codeLimits.perEmailPerHour, windowSeconds: hourSeconds });
  }
  const ofDay = { most: codeLimits.perEmailPerDay, windowSeconds: daySeconds };
  if (counts.by_day >= codeLimits.perEmailPerDay) add(counts.oldest, ofDay);
  if (isLocked) add(guard.tries_since, triesQuota);
  // A person who refused an agent can still sign in.
  if (guard.muted_until !== null && purpose === 'claim') {
    full.push({ freeAt: guard.muted_until, ...ofDay });
  }
  const later = full.filter(({ freeAt }) => freeAt > at);
  return later.toSorted((one, other) => +other.freeAt - +one.freeAt)[0];
}
