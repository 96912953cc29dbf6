import { setTimeout as sleep } from 'node:timers/promises';

import { readEvents } from './mcp-events.ts';
import { headersOf, isStateless, type Message } from './mcp-headers.ts';

export interface BridgeWays {
  /** Address of the MCP server. */
  readonly address: string;
  /** Resolves with the credential for the next request. */
  readonly key: () => Promise<string>;
  readonly send: (message: unknown) => void;
  /** Prints a message for people that answers no request. */
  readonly note: (text: string) => void;
}

const internalError = -32_603;
const invalidRequest = -32_600;
const parseError = -32_700;
/** Pause before a broken stream is opened again. */
const reopenMilliseconds = 1_000;

/** Connects a client that speaks JSON lines with a server that speaks HTTP. */
export class McpBridge {
  readonly #ways: BridgeWays;
  readonly #open = new Map<string, AbortController>();
  readonly #waiting = new Set<Promise<void>>();
  readonly #streams = new AbortController();
  /** Headers that repeat arguments, by tool; requested before the first call of a tool. */
  #repeated: Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> | undefined;
  #session: string | undefined;
  #version: string | undefined;
  #listening: Promise<void> | undefined;

  constructor(ways: BridgeWays) {
    this.#ways = ways;
  }

  /** Takes one line of the client: a message, or text that is answered with an error. */
  take(line: string): void {
    let message: Message | string | number | boolean | null;
    try {
      message = JSON.parse(line) as typeof message;
    } catch (error) {
      return this.#refuse(parseError, `This line is no JSON: ${(error as Error).message}`);
    }
    if (typeof message !== 'object' || message === null) {
      return this.#refuse(invalidRequest, 'A message is an object.');
    }
    const cancelled = message.method === 'notifications/cancelled' && message.params?.['requestId'];
    // In the newer protocol an HTTP request is cancelled by closing it; over lines there is a
    // message.
    if (cancelled !== undefined && this.#session === undefined) {
      this.#open.get(JSON.stringify(cancelled))?.abort();
    }
    const done = this.#forward(message).finally(() => this.#waiting.delete(done));
    if (message.method !== 'subscriptions/listen') this.#waiting.add(done);
  }

  #refuse(code: number, message: string): void {
    this.#ways.send({ jsonrpc: '2.0', id: null, error: { code, message } });
  }

  /**
   * Resolves once all requests are answered; streams are closed, because nobody reads them any
   * more.
   */
  async end(): Promise<void> {
    await Promise.all(this.#waiting);
    this.#streams.abort();
    for (const one of this.#open.values()) one.abort();
    await this.#listening;
    if (this.#session !== undefined) await this.#leave();
  }

  async #forward(message: Message): Promise<void> {
    const key = JSON.stringify(message.id);
    const cancel = new AbortController();
    if (isRequest(message)) this.#open.set(key, cancel);
    try {
      const headers = headersOf(message, await this.#repeatedFor(message));
      const response = await this.#ask('POST', { message, headers, signal: cancel.signal });
      await this.#answer(message, response);
    } catch (error) {
      if (!cancel.signal.aborted)
        this.#fail(message, `The service did not answer: ${reason(error)}`);
    } finally {
      if (this.#open.get(key) === cancel) this.#open.delete(key);
    }
  }

  async #ask(method: string, sent: Partial<Sent> = {}): Promise<Response> {
    const { message, headers, signal } = sent;
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    const version = this.#version === undefined ? {} : { 'mcp-protocol-version': this.#version };
    return fetch(this.#ways.address, {
      method,
      headers: {
        authorization: `Bearer ${await this.#ways.key()}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...(message !== undefined && isStateless(message) ? {} : { ...session, ...version }),
        ...headers,
      },
      ...(message !== undefined && { body: JSON.stringify(message) }),
      ...(signal && { signal }),
    });
  }

  async #answer(message: Message, response: Response): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) return this.#passOn(message, response);
    const text = await response.text();
    if (type.startsWith('application/json') && this.#tell(message, text, response)) return;
    if (!response.ok) return this.#fail(message, problemText(response, text));
    if (message.method === 'notifications/initialized') this.#listening ??= this.#listen();
    if (isRequest(message)) this.#fail(message, strangeText(response, type));
  }

  /** Hands on an answer of the protocol; returns whether it was one. */
  #tell(message: Message, text: string, response: Response): boolean {
    const told = JSON.parse(text) as Message | readonly Message[] | null;
    if (told !== null && 'jsonrpc' in told) {
      this.#remember(message, told, response);
      if (message.id !== undefined) this.#ways.send({ ...told, id: told.id ?? message.id });
      return true;
    }
    const isBatch = Array.isArray(told);
    if (isBatch) this.#ways.send(told);
    return isBatch;
  }

  /** Hands on the messages of a stream, the last of which answers the request. */
  async #passOn(message: Message, response: Response): Promise<void> {
    let isAnswered = !isRequest(message) || message.method === 'subscriptions/listen';
    for await (const one of readEvents(response)) {
      isAnswered ||= (one as Message).id === message.id;
      this.#ways.send(one);
    }
    if (!isAnswered) this.#fail(message, 'The answer ended before its end.');
  }

  /** Keeps the session id of the older protocol's handshake, which all later requests repeat. */
  #remember({ method }: Message, { result }: Message, { headers }: Response): void {
    if (method !== 'initialize' || result === undefined) return;
    this.#session = headers.get('mcp-session-id') ?? undefined;
    this.#version = result['protocolVersion'] as string | undefined;
  }

  /** Reads the session's stream of news about resources until the client is gone. */
  async #listen(): Promise<void> {
    const { signal } = this.#streams;
    try {
      while (await this.#hear(signal)) await sleep(reopenMilliseconds, undefined, { signal });
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error;
    }
  }

  /** Reads the stream to its end; resolves with whether it should be opened again. */
  async #hear(signal: AbortSignal): Promise<boolean> {
    try {
      const response = await this.#ask('GET', { signal });
      if (!response.ok) return false;
      for await (const one of readEvents(response)) this.#ways.send(one);
    } catch (error) {
      signal.throwIfAborted();
      this.#ways.note(`The stream broke off: ${reason(error)}`);
    }
    return true;
  }

  async #leave(): Promise<void> {
    try {
      await this.#ask('DELETE');
    } catch (error) {
      this.#ways.note(`The session was not ended: ${reason(error)}`);
    }
  }

  async #repeatedFor(
    message: Message,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>> | undefined> {
    if (message.method !== 'tools/call' || !isStateless(message)) return undefined;
    this.#repeated ??= this.#readRepeated(message);
    try {
      return await this.#repeated;
    } catch (error) {
      this.#repeated = undefined;
      throw error;
    }
  }

  async #readRepeated({
    params,
  }: Message): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const own = { _meta: params?.['_meta'] };
    const message = { jsonrpc: '2.0', id: 'quire-mcp', method: 'tools/list', params: own } as const;
    const response = await this.#ask('POST', { message, headers: headersOf(message) });
    const { result } = (await response.json()) as { result?: { tools?: readonly Tool[] } };
    return new Map((result?.tools ?? []).map((tool) => [tool.name, headersOfTool(tool)]));
  }

  #fail(message: Message, text: string): void {
    if (!isRequest(message)) return this.#ways.note(text);
    const { id } = message;
    this.#ways.send({ jsonrpc: '2.0', id, error: { code: internalError, message: text } });
  }
}

interface Sent {
  readonly message: Message;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface Tool {
  readonly name: string;
  readonly inputSchema?: {
    readonly properties?: Readonly<Record<string, { readonly 'x-mcp-header'?: string }>>;
  };
}

function headersOfTool({ inputSchema }: Tool): ReadonlyMap<string, string> {
  const members = Object.entries(inputSchema?.properties ?? {});
  return new Map(
    members.flatMap(([name, schema]) => {
      const header = schema['x-mcp-header'];
      return header === undefined ? [] : [[name, header] as const];
    }),
  );
}

/** Returns whether somebody waits for an answer. */
function isRequest({ id, method }: Message): boolean {
  return id !== undefined && method !== undefined;
}

function strangeText({ status }: Response, type: string): string {
  const what = type === '' ? 'no type' : type;
  return `The address answered ${status} with ${what}, as no Quire service does: perhaps a proxy stands in between.`;
}

/** Returns the message of the service; a proxy's answer is not repeated. */
function problemText({ status }: Response, text: string): string {
  try {
    const { detail, hint } = JSON.parse(text) as { detail?: string; hint?: string };
    if (detail !== undefined) return [detail, hint].filter((one) => one !== undefined).join(' ');
  } catch {
    // The answer is no problem document.
  }
  return `The service answered ${status}.`;
}

/** Returns the reason of a failed fetch, which is only in the cause of its error. */
function reason(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
