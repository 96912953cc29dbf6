import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export interface ReceivedHook {
  readonly id: string;
  readonly timestamp: number;
  readonly signature: string;
  readonly body: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A status with the `Retry-After` that comes with it. */
interface Refusal {
  readonly status: number;
  readonly retryAfter: string;
}

const waitMilliseconds = 20_000;

/** A receiver of webhooks that answers as a test wants. */
export class HookReceiver {
  readonly received: ReceivedHook[] = [];
  readonly url: string;
  /** The answers that come next; 204 when empty. */
  answers: (number | 'nothing' | Refusal | Promise<number>)[] = [];
  /** Requests that were under way at once, at most. */
  mostAtOnce = 0;
  #underWay = 0;
  #wake: (() => void) | undefined;

  private constructor(url: string) {
    this.url = url;
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<HookReceiver> {
    const server = createServer((request, response) => {
      void receiver.#answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const receiver = new HookReceiver(`http://127.0.0.1:${port}/hook`);
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    return receiver;
  }

  /** Resolves with all that was received once `enough` is met. */
  async until(enough: (received: readonly ReceivedHook[]) => boolean): Promise<ReceivedHook[]> {
    const end = Date.now() + waitMilliseconds;
    while (!enough(this.received)) {
      const left = end - Date.now();
      if (left <= 0) throw new Error(`not enough: ${JSON.stringify(this.received)}`);
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    return this.received;
  }

  count(wanted: number): Promise<ReceivedHook[]> {
    return this.until(({ length }) => length >= wanted);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    const answer = await this.#take(request);
    this.#underWay--;
    if (answer === 'nothing') return;
    if (typeof answer === 'object') response.setHeader('retry-after', answer.retryAfter);
    const status = typeof answer === 'object' ? answer.status : answer;
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {});
    response.end('what it says is of no interest');
  }

  async #take(request: IncomingMessage): Promise<number | 'nothing' | Refusal> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const header = (name: string): string => String(request.headers[name]);
    const { type, data } = JSON.parse(body) as Pick<ReceivedHook, 'type' | 'data'>;
    this.received.push({
      id: header('webhook-id'),
      timestamp: Number(header('webhook-timestamp')),
      signature: header('webhook-signature'),
      body,
      type,
      data,
    });
    this.#wake?.();
    return this.answers.shift() ?? 204;
  }
}

/** Checks a signature as a receiver would by Standard Webhooks alone. */
export function isSigned(
  { id, timestamp, signature, body }: ReceivedHook,
  secret: string,
  now: number,
): boolean {
  if (Math.abs(now / 1000 - timestamp) > 300 || !signature.startsWith('v1,')) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const digest = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const shown = Buffer.from(signature.slice(3), 'base64');
  return shown.length === digest.length && timingSafeEqual(shown, digest);
}
