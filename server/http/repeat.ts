import { createHash } from 'node:crypto';

import { Failure } from '../model/failure.ts';
import type { IdempotencyClaim, IdempotencyStore, StoredAnswer } from '../model/idempotency.ts';
import { idempotency } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Incoming } from './incoming.ts';
import type { Route } from './route.ts';

interface ClaimingRequest {
  readonly incoming: Incoming;
  readonly principal: Principal | undefined;
  /** As it came. */
  readonly bytes: Uint8Array;
  /** As it was read. */
  readonly body: unknown;
}

/** The claim a request makes, or undefined when it sent no key or its route takes none. */
export function readClaim(
  route: Route,
  { incoming, principal, bytes, body }: ClaimingRequest,
): IdempotencyClaim | undefined {
  const key = incoming.headers.get('idempotency-key') ?? keyIn(route, body);
  const byEdge = (route.idempotency ?? 'edge') === 'edge' && route.method !== 'GET';
  if (key === undefined || !byEdge || principal === undefined) return undefined;
  checkKey(key);
  const fingerprint = createHash('sha256')
    .update(`${incoming.path}?${incoming.queryText}\n`)
    .update(bytes)
    .digest();
  return { owner: principal.userId, route: `${route.method} ${route.path}`, key, fingerprint };
}

/** The key that a route takes within its body, for clients that set no headers. */
function keyIn({ keyMember }: Route, body: unknown): string | undefined {
  if (keyMember === undefined || typeof body !== 'object' || body === null) return undefined;
  const key: unknown = Object.entries(body).find(([name]) => name === keyMember)?.[1];
  return typeof key === 'string' ? key : undefined;
}

export function checkKey(key: string): void {
  if (key.length <= idempotency.keyLength && /^[\x21-\x7e]+$/.test(key)) return;
  throw new Failure('invalidIdempotencyKey', {
    detail: `An Idempotency-Key is 1 to ${idempotency.keyLength} visible ASCII characters.`,
    hint: 'Send a UUID.',
  });
}

/** The stored answer of an earlier run, or undefined when this request is the one to run. */
export async function replay(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
): Promise<StoredAnswer | undefined> {
  const found = await store.begin(claim);
  switch (found.state) {
    case 'fresh':
      return undefined;
    case 'done':
      return found.answer;
    case 'running':
      throw new Failure('idempotencyInProgress', {
        hint: 'Wait a second and send the same request again.',
        headers: { 'Retry-After': '1' },
      });
    case 'mismatch':
      throw new Failure('idempotencyMismatch', { hint: 'Use a new key for a new request.' });
  }
}
