import { claimedAgent } from './claimed-agent.ts';

export interface TestRequest {
  readonly method?: string;
  readonly credential?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly bytes?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array;
  /** The parsed body of a JSON answer, else undefined. */
  readonly json: unknown;
}

/** A service that is reached by its address, in this process or in another. */
export class ServiceDoor {
  /** Its address, without a slash at the end. */
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async request(path: string, options: TestRequest = {}): Promise<TestAnswer> {
    const { body, bytes, credential } = options;
    const headers = new Headers(options.headers);
    if (credential !== undefined) headers.set('authorization', `Bearer ${credential}`);
    if (body !== undefined) headers.set('content-type', 'application/json');
    const sent = body === undefined ? bytes : JSON.stringify(body);
    const method = options.method ?? (sent === undefined ? 'GET' : 'POST');
    const answer = await fetch(this.url + path, {
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
    });
    const bytesReceived = await bodyOf(answer, method);
    const text = new TextDecoder().decode(bytesReceived);
    const isJson = /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
    const json: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
    return { status: answer.status, headers: answer.headers, text, bytes: bytesReceived, json };
  }

  /** Registers an agent that a person has claimed and resolves with its credential. */
  async registerClaimed(): Promise<string> {
    const { credential } = await claimedAgent(this.url);
    return credential;
  }

  /** Registers an anonymous agent and resolves with its credential. */
  async register(): Promise<string> {
    const { json, status, text } = await this.request('/agent/auth', {
      body: { type: 'anonymous' },
    });
    const answer = json as { data?: { credential?: string } } | undefined;
    const credential = answer?.data?.credential;
    if (credential === undefined) throw new Error(`registration answered ${status}: ${text}`);
    return credential;
  }
}

/** Returns the bytes of an answer; none of events that are followed by GET, which have no end. */
async function bodyOf(answer: Response, method: string): Promise<Uint8Array> {
  const isEvents = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isEvents || method !== 'GET') return new Uint8Array(await answer.arrayBuffer());
  await answer.body?.cancel();
  return new Uint8Array();
}
