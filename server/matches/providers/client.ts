import { errors, Pool } from 'undici';

import type { Environment } from '../../model/environment.ts';
import { retryAfterSeconds } from '../../model/retry-after.ts';
import { TokenBucket } from '../../model/token-bucket.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { ProviderFault } from './fault.ts';
import type { RemoteSpec } from './registry.ts';

export interface ClientParts {
  readonly name: string;
  readonly spec: RemoteSpec;
  /** Key of the endpoint; undefined if it wants none. */
  readonly apiKey: string | undefined;
  readonly environment: Environment;
}

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly type: string;
  readonly retryAfter: string | undefined;
}

/** Vectors are read by another thread; a verdict is read by this one, and short. */
const answerBytesMost = { vectors: 64 << 20, verdicts: 2 << 20 } as const;
const bodyMilliseconds = 120_000;
const triesMost = 6;
const backoffMilliseconds = 500;
const pauseMillisecondsMost = 30_000;
/** A provider that wants to be left alone for longer is not there. */
const retryAfterSecondsMost = 120;
const windowSeconds = 60;

/** Requests to one provider, of all matches of this process. It follows no redirect. */
export class ProviderClient {
  readonly #parts: ClientParts;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #breaker = new CircuitBreaker();
  readonly #bucket: TokenBucket | undefined;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    const { spec, environment } = parts;
    const { origin, pathname } = new URL(spec.baseUrl);
    this.#path = pathname === '/' ? '' : pathname;
    this.#pool = new Pool(origin, {
      connections: spec.concurrency,
      connect: { timeout: spec.timeoutSeconds * 1000 },
      headersTimeout: spec.timeoutSeconds * 1000,
      bodyTimeout: bodyMilliseconds,
      maxResponseSize: spec.kind === 'chat' ? answerBytesMost.verdicts : answerBytesMost.vectors,
    });
    const { rpm } = spec;
    this.#bucket =
      rpm === undefined ? undefined : new TokenBucket(rpm, windowSeconds, environment.elapsed());
  }

  /** The body of the answer, tried again where that may help. */
  async post(path: string, body: object, signal: AbortSignal): Promise<Uint8Array> {
    const { name, environment } = this.#parts;
    const text = JSON.stringify(body);
    let cause: unknown;
    for (let attempt = 0; attempt < triesMost; attempt++) {
      await this.#turn(signal);
      let pause = this.#backoff(attempt);
      try {
        const answer = await this.#send(path, text, signal);
        if (!isRetried(answer.status)) {
          this.#breaker.succeeded();
          return bodyOf(name, answer);
        }
        // Somebody who is busy is there.
        if (answer.status !== 429) this.#breaker.failed(environment.elapsed());
        const seconds = retryAfterSeconds(answer.retryAfter, environment.now());
        if (seconds > retryAfterSecondsMost) throw unavailable(name, `status ${answer.status}`);
        if (seconds > 0) pause = seconds * 1000 + pause / 10;
        cause = new Error(`status ${answer.status}`);
      } catch (error) {
        if (error instanceof ProviderFault) throw error;
        signal.throwIfAborted();
        if (error instanceof errors.ResponseExceededMaxSizeError) throw tooLong(name, error);
        this.#breaker.failed(environment.elapsed());
        cause = error;
      }
      if (attempt + 1 < triesMost) await rest(environment, pause, signal);
    }
    throw unavailable(name, cause);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }

  async #send(path: string, body: string, signal: AbortSignal): Promise<Answer> {
    const { apiKey } = this.#parts;
    const answer = await this.#pool.request({
      path: `${this.#path}${path}` || '/',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      },
      body,
      signal,
    });
    const { 'content-type': type = '', 'retry-after': retryAfter } = answer.headers;
    return {
      status: answer.statusCode,
      body: new Uint8Array(await answer.body.arrayBuffer()),
      type: String(type),
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
    };
  }

  /** Waits until the breaker is closed and there is a token. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { environment } = this.#parts;
    for (;;) {
      signal.throwIfAborted();
      const now = environment.elapsed();
      const closed = this.#breaker.wait(now);
      const wait = closed > 0 ? closed : (this.#bucket?.take(1, now) ?? 0) * 1000;
      if (wait === 0) return;
      await rest(environment, wait, signal);
    }
  }

  /** Full jitter: those that failed together do not come back together. */
  #backoff(attempt: number): number {
    const most = Math.min(pauseMillisecondsMost, backoffMilliseconds * 2 ** attempt);
    const [low = 0, high = 0] = this.#parts.environment.random(2);
    return (most * (high * 256 + low)) / 65_536;
  }
}

function isRetried(status: number): boolean {
  return status === 429 || status === 408 || status >= 500;
}

function bodyOf(name: string, { status, body, type }: Answer): Uint8Array {
  if (status === 401 || status === 403) {
    throw new ProviderFault('provider_auth', `The provider ${name} does not take our key.`);
  }
  if (status === 400 || status === 413 || status === 422) {
    throw new ProviderFault('provider_refused', `The provider ${name} refused what it was sent.`);
  }
  if (status !== 200 || !/^application\/(?:[\w.+-]+\+)?json\b/i.test(type)) {
    const message = `The provider ${name} answered ${status} ${type.split(';')[0]?.slice(0, 80) ?? ''}.`;
    throw new ProviderFault('provider_bad_answer', message);
  }
  return body;
}

/** Makes the fault for an answer too long: asked again, it would be as long. */
function tooLong(name: string, cause: unknown): ProviderFault {
  const message = `The provider ${name} answered more bytes than an answer may have.`;
  return new ProviderFault('provider_bad_answer', message, cause);
}

function unavailable(name: string, cause: unknown): ProviderFault {
  return new ProviderFault('provider_unavailable', `The provider ${name} does not answer.`, cause);
}

/** Ends early, and fails, when the signal does. */
async function rest(environment: Environment, milliseconds: number, signal: AbortSignal) {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = environment.after(milliseconds, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
  signal.throwIfAborted();
}
