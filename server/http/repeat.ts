import { createHash } from 'node:crypto';

import { Failure } from '../model/failure.ts';
import type {
  IdempotencyClaim,
  IdempotencyStore,
  KeyRun,
  Settle,
  StoredAnswer,
} from '../model/idempotency.ts';
import { idempotency } from '../model/limits.ts';
import type { Principal } from '../model/scope.ts';
import type { Incoming } from './incoming.ts';
import type { Encoded } from './encode.ts';
import { encodeReply, encodeStored, storable } from './render.ts';
import type { Negotiated } from './negotiate.ts';
import type { KeyedCall, Reply, Route } from './route.ts';

interface ClaimingRequest {
  readonly incoming: Incoming;
  readonly principal: Principal | undefined;
  /** The bytes of the body. */
  readonly bytes: Uint8Array;
  /** The parsed body. */
  readonly body: unknown;
}

/**
 * Returns the Idempotency-Key of a request with a digest of the request; undefined without a key,
 * or when its route takes none.
 */
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

/** Returns the key in the body, for routes that allow it there. */
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

/** An answer before it is put into the form of a transfer. */
export interface Answered {
  readonly reply: Reply;
  readonly encoded: Encoded | undefined;
}

interface FirstRun {
  readonly negotiated: Negotiated;
  /** Runs the handler. */
  readonly handle: (key: KeyedCall) => Reply | Promise<Reply>;
  /** Answers a failure; those below 500 are stored as answers too. */
  readonly refusal: (error: unknown) => Promise<Answered>;
}

/** Runs a handler under the key of its request, or repeats the answer that is stored for it. */
export async function answerKeyed(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  { negotiated, handle, refusal }: FirstRun,
): Promise<Answered> {
  const earlier = await replay(store, claim);
  if ('answer' in earlier) {
    const { answer: stored } = earlier;
    const { 'Content-Type': _type, ...headers } = stored.headers;
    const replayed = { ...headers, 'Idempotency-Replayed': 'true' };
    return { reply: { status: stored.status, headers: replayed }, encoded: encodeStored(stored) };
  }
  const keyed = keyedCall(store, earlier.run, negotiated);
  const attempt = async (): Promise<Answered> => {
    const reply = await handle(keyed);
    return { reply, encoded: encodeReply(reply, negotiated) };
  };
  const answer = await attempt().catch(refusal);
  await keepAnswer(store, earlier.run, keyed, answer);
  return answer;
}

/** Returns the stored answer of an earlier run, or begins a run. */
async function replay(
  store: IdempotencyStore,
  claim: IdempotencyClaim,
): Promise<{ readonly answer: StoredAnswer } | { readonly run: KeyRun }> {
  const found = await store.begin(claim);
  switch (found.state) {
    case 'fresh':
      return { run: found.run };
    case 'done':
      return { answer: found.answer };
    case 'running':
      throw new Failure('idempotencyInProgress', {
        hint: 'Wait a second and send the same request again.',
        headers: { 'Retry-After': '1' },
      });
    case 'mismatch':
      throw new Failure('idempotencyMismatch', { hint: 'Use a new key for a new request.' });
  }
}

/** The functions by which a handler uses the key of its request. */
export interface UsedKey extends KeyedCall {
  /** True once the answer was handed to a transaction, which is kept if the handler succeeds. */
  readonly isSettled: boolean;
}

export function keyedCall(
  store: Pick<IdempotencyStore, 'settle'>,
  run: KeyRun,
  negotiated: Negotiated,
): UsedKey {
  let isSettled = false;
  return {
    id: run.id,
    firstAt: run.firstAt,
    get isSettled() {
      return isSettled;
    },
    settling:
      <Result>(replyOf: (result: Result) => Reply): Settle<Result> =>
      async (transaction, result) => {
        const reply = replyOf(result);
        await store.settle(transaction, run, storable(reply, encodeReply(reply, negotiated)));
        isSettled = true;
      },
  };
}

/** Keeps the answer of a run for its repetitions; a passing failure, or a stream, is not kept. */
export async function keepAnswer(
  store: Pick<IdempotencyStore, 'finish' | 'forget'>,
  run: KeyRun,
  { isSettled }: Pick<UsedKey, 'isSettled'>,
  { reply, encoded }: Answered,
): Promise<void> {
  const { status = 200 } = reply;
  const isStored = isSettled && status < 400;
  const isKept = status < 500 && !(encoded !== undefined && 'pieces' in encoded);
  if (isStored) await store.finish(run, undefined);
  else if (isKept) await store.finish(run, storable(reply, encoded));
  else await store.forget(run);
}
