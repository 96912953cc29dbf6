/** A failure with the problem document of the service (RFC 9457). */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: string;
  readonly status: number;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    super(textOf(body['detail']) ?? textOf(body['title']) ?? `The service answered ${status}.`);
    this.status = status;
    this.code = textOf(body['code']) ?? 'unknown';
    this.hint = textOf(body['hint']);
    this.requestId = textOf(body['requestId']);
    this.body = body;
  }
}

/** The service cannot be reached. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly body?: unknown;
  /** File to send instead of JSON. */
  readonly file?: Blob;
  readonly signal?: AbortSignal;
  /** Called whenever the answer is that values are being computed. */
  readonly onComputing?: () => void;
}

export interface ServedFile {
  readonly blob: Blob;
  readonly dropped: readonly { readonly what: string; readonly count: number }[];
}

const computingWaitMs = 500;
export const silent = 'The service does not answer.';

interface ServiceKey {
  readonly key: string | undefined;
  /** Gets another key in the place of one that was refused; false if there is none. */
  renew(refused: string | undefined): Promise<boolean>;
}

/** Calls the service with the credential of this page; answers are parsed JSON. */
export class Service {
  readonly baseUrl: string;
  readonly #credential: ServiceKey;
  readonly #onAnswer: (isRefused: boolean) => void;

  /** `onAnswer` is told at each answer whether the service has refused the credential. */
  constructor(baseUrl: string, credential: ServiceKey, onAnswer: (isRefused: boolean) => void) {
    this.baseUrl = baseUrl;
    this.#credential = credential;
    this.#onAnswer = onAnswer;
  }

  /** Sends a request, and repeats it while values are being computed (202). */
  async ask<Answer>(path: string, options: Ask = {}): Promise<Answer> {
    for (;;) {
      const response = await this.#send(path, options);
      const body = (await readJson(response)) as Answer & Record<string, unknown>;
      if (!response.ok) throw new Problem(response.status, body);
      if (response.status !== 202 || body['status'] !== 'computing') return body;
      options.onComputing?.();
      await new Promise((resolve) => setTimeout(resolve, computingWaitMs));
      options.signal?.throwIfAborted();
    }
  }

  /** Address and headers of a request that something else than `fetch` sends. */
  requestTo(path: string, content: Blob): { readonly url: URL; readonly headers: Headers } {
    const { headers } = requestOf({ file: content }, this.#credential.key);
    return { url: new URL(path, this.baseUrl), headers: new Headers(headers) };
  }

  /** Requests a file, with the list of what it does not contain. */
  async askFile(path: string): Promise<ServedFile> {
    const response = await this.#send(path, {});
    if (!response.ok) {
      throw new Problem(response.status, (await readJson(response)) as Record<string, unknown>);
    }
    const dropped = JSON.parse(response.headers.get('Dropped') ?? '[]') as ServedFile['dropped'];
    return { blob: await response.blob(), dropped };
  }

  /** Requests an answer as text. */
  async askText(path: string, options: Ask = {}): Promise<string> {
    const response = await this.#send(path, options);
    if (response.ok) return response.text();
    throw new Problem(response.status, (await readJson(response)) as Record<string, unknown>);
  }

  async #send(path: string, ask: Ask): Promise<Response> {
    const { key } = this.#credential;
    const response = await this.#sendRenewed(path, ask, key);
    // An answer to a key that was forgotten meanwhile says nothing about the next one.
    if (key !== undefined && key === this.#credential.key) this.#onAnswer(response.status === 401);
    return response;
  }

  /** Sends a request, and once more with a new key if the key had ended. */
  async #sendRenewed(path: string, ask: Ask, key: string | undefined): Promise<Response> {
    const response = await this.#fetch(path, ask, key);
    if (response.status !== 401 || !(await this.#credential.renew(key))) return response;
    return this.#fetch(path, ask, this.#credential.key);
  }

  async #fetch(path: string, ask: Ask, key: string | undefined): Promise<Response> {
    const { signal } = ask;
    try {
      return await fetch(new URL(path, this.baseUrl), {
        ...requestOf(ask, key),
        ...(signal && { signal }),
      });
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new Unreachable(silent, { cause: error });
    }
  }
}

function requestOf({ method, body, file }: Ask, key: string | undefined): RequestInit {
  const headers = new Headers({ Accept: 'application/json' });
  if (key !== undefined) headers.set('Authorization', `Bearer ${key}`);
  const content = file ?? (body === undefined ? undefined : JSON.stringify(body));
  if (content === undefined) return { method: method ?? 'GET', headers };
  headers.set('Content-Type', file?.type ?? 'application/json');
  return { method: method ?? 'POST', headers, body: content };
}

async function readJson(response: Response): Promise<unknown> {
  return parseJson(await response.text(), response.ok);
}

/** Reads the body of an answer; one of a proxy becomes the detail of a problem. */
export function parseJson(text: string, isAnswer: boolean): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    if (isAnswer)
      throw new Error('The answer is no JSON: is a proxy in between?', { cause: error });
    return { detail: text.slice(0, 200) };
  }
}
