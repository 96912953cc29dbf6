import type { paths } from './api.d.ts';
import { makeUlid } from './ulid.ts';
import { CutOff, Problem, problemOf, strangeAnswer, unreachable } from './problem.ts';

export interface Codec {
  /** Media type of the bodies, such as `application/vnd.msgpack`. */
  readonly type: string;
  encode(value: unknown): Uint8Array;
  decode(bytes: Uint8Array): unknown;
}

/** Progress of a computation that an answer waits for, in cells. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

export interface QuireOptions {
  /** Address of the service, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** The credential, sent as `Authorization: Bearer`; without one only public calls succeed. */
  readonly key?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  /** Reads and writes bodies in another format than JSON. */
  readonly codec?: Codec | undefined;
  /** Repetitions of a call that fails for a passing reason; 5 by default. */
  readonly retries?: number | undefined;
  /** Address of the identity service, if it is not that of the workbook service. */
  readonly authUrl?: string | undefined;
}

type Plain = string | number | boolean;
type Query = Readonly<Record<string, Plain | readonly Plain[] | undefined>>;

export interface CallSettings {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * With false, an answer that says `computing` is returned at once; by default the call waits for
   * the result.
   */
  readonly wait?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

type Method<Path extends keyof paths> = Uppercase<keyof Omit<paths[Path], 'parameters'> & string>;
type Operation<Path extends keyof paths, M extends string> =
  Lowercase<M> extends keyof paths[Path] ? paths[Path][Lowercase<M>] : never;
type Given<O, Where extends string> = O extends { parameters: infer P }
  ? Where extends keyof P
    ? P[Where]
    : undefined
  : undefined;
type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Responses<O> = O extends { responses: infer R } ? R : never;
type BodyOf<O> = O extends { requestBody?: infer R } ? JsonOf<NonNullable<R>> : undefined;

/** The answer of a call when its computation is done. */
export type Answer<Path extends keyof paths, M extends Method<Path>> = {
  [Status in keyof Responses<Operation<Path, M>>]: Status extends 202
    ? never
    : JsonOf<Responses<Operation<Path, M>>[Status]>;
}[keyof Responses<Operation<Path, M>>];

export interface CallOptions<
  Path extends keyof paths,
  M extends Method<Path>,
> extends CallSettings {
  /** Values of the path's parameters, by name. */
  readonly path?: Given<Operation<Path, M>, 'path'>;
  readonly query?: Given<Operation<Path, M>, 'query'>;
  readonly body?: BodyOf<Operation<Path, M>>;
}

export interface RawOptions extends CallSettings {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Query | undefined;
  readonly body?: unknown;
}

const firstDelayMilliseconds = 250;
const longestDelayMilliseconds = 10_000;
/** A service that asks for a longer pause than this is not waited for: the call fails instead. */
const longestHeldSeconds = 120;
const progressMilliseconds = 500;

/** Calls of one service with one credential. A call is repeated where that cannot write twice. */
export class Transport {
  readonly url: string;
  readonly authUrl: string;
  readonly key: string | undefined;
  readonly codec: Codec | undefined;
  readonly #fetch: typeof fetch;
  readonly #retries: number;

  constructor({ url, authUrl, key, fetch: given, codec, retries = 5 }: QuireOptions) {
    this.url = url.replace(/\/+$/, '');
    this.authUrl = (authUrl ?? url).replace(/\/+$/, '');
    // Keys that come out of files often end with their line.
    this.key = key?.trim();
    this.codec = codec;
    this.#fetch = given ?? globalThis.fetch.bind(globalThis);
    this.#retries = retries;
  }

  /**
   * Calls a method and a path as /openapi.json spells them. Resolves with the parsed answer, waits
   * while it is being computed, and throws a Problem.
   */
  async call<Path extends keyof paths, M extends Method<Path>>(
    method: M,
    path: Path,
    options: CallOptions<Path, M> = {},
  ): Promise<Answer<Path, M>> {
    return (await this.ask(method, path, options)) as Answer<Path, M>;
  }

  /** Calls a path that no type describes; otherwise as `call`. */
  async ask(method: string, path: string, options: RawOptions = {}): Promise<unknown> {
    for (;;) {
      const { status, value, after } = await this.#send(method, path, options, async (response) => {
        const { headers } = response;
        const address = this.#address(path, options);
        const inner = await this.#read(response, address);
        // No read answers nothing; a proxy or another program may.
        if (method === 'GET' && (inner ?? null) === null) throw strangeAnswer(response, address);
        return { status: response.status, value: inner, after: headers.get('retry-after') };
      });
      const seconds = Number((value as { retry_after?: number } | null)?.retry_after ?? after ?? 0);
      const mustWait = status === 202 && method === 'GET' && options.wait !== false;
      if (!mustWait) return value;
      await this.#watch(path, options, Math.max(seconds, 0.1) * 1_000);
    }
  }

  /**
   * Resolves with the answer as a stream, for files. A call is repeated until its headers have
   * come, and not after.
   */
  async open(method: string, path: string, options: RawOptions = {}): Promise<Response> {
    for (;;) {
      const response = await this.#send(method, path, options, (one) => Promise.resolve(one));
      if (response.status !== 202 || method !== 'GET' || options.wait === false) return response;
      const body = (await response.json()) as { retry_after?: number };
      await this.#watch(path, options, Math.max(body.retry_after ?? 1, 0.1) * 1_000);
    }
  }

  #address(path: string, { path: places, query }: RawOptions): string {
    const base = /^\/(agent|oauth2)\//.test(path) ? this.authUrl : this.url;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent(places?.[name] ?? '');
    });
    const text = new URLSearchParams();
    for (const [name, value] of Object.entries(query ?? {})) {
      for (const one of [value ?? []].flat()) text.append(name, String(one));
    }
    const mark = filled.includes('?') ? '&' : '?';
    const asked = text.toString();
    return base + filled + (asked === '' ? '' : mark + asked);
  }

  async #send<T>(
    method: string,
    path: string,
    options: RawOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const address = this.#address(path, options);
    const init = this.#init(method, options);
    for (let attempt = 0; ; attempt++) {
      const problem = await this.#try(address, init, read).catch((error: unknown) => {
        options.signal?.throwIfAborted();
        return error instanceof Problem ? error : unreachable(address, error);
      });
      if (!(problem instanceof Problem)) return problem.value;
      if (attempt >= this.#retries || !mayRepeat(problem, attempt)) throw problem;
      const held = problem.retryAfterSeconds;
      await pause(held === undefined ? delayOf(attempt) : held * 1_000, options.signal);
    }
  }

  async #try<T>(
    address: string,
    init: RequestInit,
    read: (response: Response) => Promise<T>,
  ): Promise<Problem | { readonly value: T }> {
    const response = await this.#fetch(address, init);
    return response.ok ? { value: await read(response) } : problemOf(response, address);
  }

  #init(method: string, { body, headers: given, signal }: RawOptions): RequestInit {
    const type = this.codec?.type ?? 'application/json';
    const headers: Record<string, string> = { accept: type };
    if (this.key !== undefined) headers['authorization'] = `Bearer ${this.key}`;
    if (method !== 'GET') headers['idempotency-key'] = makeUlid();
    const isReady = body === undefined || body instanceof Uint8Array;
    if (!isReady) headers['content-type'] = type;
    const sent = isReady ? body : (this.codec?.encode(body) ?? JSON.stringify(body));
    const init: RequestInit = { method, headers: { ...headers, ...given } };
    if (sent !== undefined) init.body = sent as string | Uint8Array<ArrayBuffer>;
    if (signal) init.signal = signal;
    return init;
  }

  async #read(response: Response, address: string): Promise<unknown> {
    const type = response.headers.get('content-type') ?? '';
    if (type === '') return undefined;
    const { codec } = this;
    const isCoded = codec !== undefined && type.startsWith(codec.type);
    if (!isCoded && !/[/+]json\b/.test(type)) throw strangeAnswer(response, address);
    try {
      return isCoded
        ? codec.decode(new Uint8Array(await response.arrayBuffer()))
        : await response.json();
    } catch (cause) {
      throw new CutOff('The answer ended before its end.', cause);
    }
  }

  /** Waits, and meanwhile reports the progress of the workbook's computation. */
  async #watch(path: string, options: RawOptions, milliseconds: number): Promise<void> {
    const { onProgress, signal, path: places } = options;
    const id = places?.['id'];
    if (onProgress !== undefined && id !== undefined && path.startsWith('/v1/workbooks/')) {
      const query = { ref: options.query?.['ref'] as string | undefined };
      for (let left = milliseconds; left > 0; left -= progressMilliseconds) {
        const address = '/v1/workbooks/{id}/eval-stats';
        const { computation } = (await this.ask('GET', address, {
          path: { id },
          query,
          signal,
        })) as { computation: Progress | null };
        if (computation) onProgress({ done: computation.done, total: computation.total });
        await pause(Math.min(left, progressMilliseconds), signal);
      }
      return;
    }
    await pause(milliseconds, signal);
  }
}

/**
 * Returns whether a call is repeated. After a repetition the first attempt may still be running on
 * the service, whose answer will be there in a moment.
 */
function mayRepeat({ code, retryable, retryAfterSeconds = 0 }: Problem, attempt: number): boolean {
  // Whoever waited for one that says nothing has waited long enough.
  if (code === 'silent' || retryAfterSeconds > longestHeldSeconds) return false;
  return retryable || (code === 'idempotency_in_progress' && attempt > 0);
}

function delayOf(attempt: number): number {
  const longest = Math.min(firstDelayMilliseconds * 2 ** attempt, longestDelayMilliseconds);
  return Math.random() * longest;
}

export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
