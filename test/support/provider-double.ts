import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { Test } from 'tap';

/** A fault instead of a right answer. */
export type ProviderFaultKind =
  | 'nan'
  | 'zero'
  | 'few'
  | 'short'
  | 'html'
  | 'empty'
  | 'text'
  | 'nothing'
  | 'cut'
  | 'redirect'
  | 'long'
  | { readonly status: number; readonly retryAfter?: string };

export interface ReceivedRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A pair as a prompt has it. */
export interface PromptPair {
  readonly i: number;
  readonly left: string;
  readonly right: string;
}

const size = 32;
const poison = /poison/;
/** Bytes beyond the limit of a verdict. */
const longBytes = 3 << 20;

/**
 * A server with the protocols of embedding providers, written from their public descriptions. Texts
 * with the same meaning in `meanings` get similar vectors.
 */
export class ProviderDouble {
  readonly url: string;
  readonly received: ReceivedRequest[] = [];
  /** Faults of the next answers, in order. */
  faults: ProviderFaultKind[] = [];
  /** Meanings of texts; any other text means itself. */
  meanings: Readonly<Record<string, string>> = {};
  /** Returns the answer to a prompt; by default pairs with the same meaning match. */
  judge: (pairs: readonly PromptPair[]) => string = (pairs) =>
    JSON.stringify({
      results: pairs.map(({ i, left, right }) => ({
        i,
        match: this.meaningOf(left) === this.meaningOf(right),
        reason: 'the same thing',
      })),
    });
  /** False to refuse answers by a schema, as older servers do. */
  hasSchemas = true;
  /** Requests that are answered at this moment, and the most there were. */
  open = 0;
  openMost = 0;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<ProviderDouble> {
    const server = createServer((request, response) => {
      void double.#answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const double = new ProviderDouble(server, `http://127.0.0.1:${port}`);
    t.teardown(() => double.stop());
    return double;
  }

  /** Ends requests that hang. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  /** Texts that were sent to be made vectors of. */
  get texts(): string[] {
    return this.received.flatMap(({ body }) => {
      const input = body['input'] ?? body['inputs'];
      return Array.isArray(input) ? (input as string[]) : [];
    });
  }

  meaningOf(text: string): string {
    const key = text.toLowerCase();
    return this.meanings[key] ?? key;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open++;
    this.openMost = Math.max(this.openMost, this.open);
    response.once('close', () => this.open--);
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as Record<string, unknown>;
    const { url: path = '', headers } = request;
    this.received.push({ path, authorization: headers.authorization, body });
    const fault = this.faults.shift();
    if (fault === 'nothing') return;
    if (fault === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"data":[');
      setImmediate(() => response.destroy());
      return;
    }
    if (fault === 'long') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.alloc(longBytes, ' '));
      return;
    }
    if (fault !== undefined && refuse(response, fault)) return;
    if (path.endsWith('/chat/completions')) this.#chat(response, body);
    else this.#embed(response, { path, body, fault });
  }

  #embed(
    response: ServerResponse,
    given: { path: string; body: Record<string, unknown>; fault: ProviderFaultKind | undefined },
  ): void {
    const { path, body, fault } = given;
    const input = (body['input'] ?? body['inputs']) as string[];
    if (input.some((text) => text === '' || poison.test(text))) {
      send(response, 400, { error: { message: 'invalid input' } });
      return;
    }
    const length = typeof body['dimensions'] === 'number' ? body['dimensions'] : size;
    const vectors = input.map((text) => broken(this.vectorOf(text, length), fault));
    if (fault === 'few') vectors.pop();
    if (path.endsWith('/api/embed'))
      send(response, 200, { model: body['model'], embeddings: vectors });
    else if (path.endsWith('/embed')) send(response, 200, vectors);
    else if (path.endsWith('/embeddings')) {
      const data = vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding:
          body['encoding_format'] === 'base64'
            ? Buffer.from(Float32Array.from(vector as number[]).buffer).toString('base64')
            : vector,
      }));
      // The order is given by the indexes, not by the list.
      send(response, 200, { object: 'list', data: data.toReversed(), model: body['model'] });
    } else send(response, 200, { embeddings: vectors });
  }

  #chat(response: ServerResponse, body: Record<string, unknown>): void {
    const { response_format: format, messages } = body as {
      response_format: { type: string };
      messages: { role: string; content: string }[];
    };
    if (format.type === 'json_schema' && !this.hasSchemas) {
      send(response, 400, { error: { message: 'response_format is not supported' } });
      return;
    }
    const data = /<data>\n(.*)\n<\/data>/s.exec(messages.at(-1)?.content ?? '')?.[1] ?? '';
    const { pairs } = JSON.parse(data) as { pairs: PromptPair[] };
    const content = this.judge(pairs);
    send(response, 200, { choices: [{ index: 0, message: { role: 'assistant', content } }] });
  }

  /** Returns a vector: nearly equal for texts of one meaning, random for others. */
  vectorOf(text: string, length: number): number[] {
    const own = numbersOf(text, length);
    return numbersOf(this.meaningOf(text), length).map((value, at) => value + (own[at] ?? 0) / 5);
  }
}

function numbersOf(text: string, length: number): number[] {
  let state = 7;
  for (const unit of text) state = (Math.imul(state, 31) + (unit.codePointAt(0) ?? 0)) >>> 0;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  });
}

function broken(vector: number[], fault: ProviderFaultKind | undefined): (number | null)[] {
  if (fault === 'nan') return vector.with(0, Number.NaN);
  if (fault === 'zero') return vector.fill(0);
  return fault === 'short' ? vector.slice(1) : vector;
}

/** True when that was the answer. */
function refuse(response: ServerResponse, fault: ProviderFaultKind): boolean {
  if (typeof fault === 'object') {
    const { status, retryAfter } = fault;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    send(response, status, { error: { message: 'not now' } });
    return true;
  }
  if (fault === 'redirect') response.writeHead(302, { location: '/elsewhere' }).end();
  else if (fault === 'html') {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
  } else if (fault === 'empty')
    response.writeHead(200, { 'content-type': 'application/json' }).end();
  else if (fault === 'text') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('not today');
  } else return false;
  return true;
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
