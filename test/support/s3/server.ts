import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeBody, readAll } from './body.ts';
import { Bucket } from './bucket.ts';
import { Faults } from './faults.ts';
import type { Fault, S3Operation } from './faults.ts';
import { perform } from './operations.ts';
import type { S3Answer } from './operations.ts';
import { readRequest } from './request.ts';
import type { S3Request } from './request.ts';
import { S3Error } from './s3-error.ts';
import { verifySignature } from './signature.ts';
import type { Credentials } from './signature.ts';
import { errorDocument } from './xml.ts';

export interface S3ServerOptions {
  readonly region: string;
  /** Below it the bucket is in the name of the host: `bucket.s3.test`. */
  readonly domain: string;
  readonly pageSizeMost: number;
  readonly seed: number;
  /** Some stores answer with the whole object. */
  readonly knowsRanges: boolean;
  /** Its own clock, which signatures are checked against. */
  readonly now: () => number;
}

interface SeenRequest {
  readonly operation: S3Operation;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Somebody who ends the server; a test, or a bench that has none. */
interface Owner {
  teardown(action: () => void): void;
}

const defaults: S3ServerOptions = {
  region: 'us-east-1',
  domain: 's3.test',
  pageSizeMost: 1000,
  seed: 1,
  knowsRanges: true,
  now: () => Date.now(),
};

/**
 * A small S3 in memory with the parts that storing relies on: signatures, checksums, conditional
 * writes, ranges, paged listings; and faults on demand.
 */
export class S3Server {
  static readonly credentials: Credentials = {
    accessKeyId: 'test-key-id',
    secretAccessKey: 'test/secret+key',
  };
  readonly bucket = new Bucket();
  readonly faults: Faults;
  /** Every request that was let in, the latest last. */
  readonly seen: SeenRequest[] = [];
  /** Most requests at one time. */
  inFlightMost = 0;
  #inFlightCount = 0;
  readonly #options: S3ServerOptions;
  readonly #server: Server;
  #port = 0;

  private constructor(options: S3ServerOptions) {
    this.#options = options;
    this.faults = new Faults(options.seed);
    this.#server = createServer((incoming, response) => {
      this.#serve(incoming, response).catch(() => incoming.socket.destroy());
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Its credentials are put where the SDK finds them. */
  static async start(owner: Owner, options: Partial<S3ServerOptions> = {}): Promise<S3Server> {
    process.env['AWS_ACCESS_KEY_ID'] = S3Server.credentials.accessKeyId;
    process.env['AWS_SECRET_ACCESS_KEY'] = S3Server.credentials.secretAccessKey;
    const server = new S3Server({ ...defaults, ...options });
    await server.comeBack();
    owner.teardown(() => server.goAway());
    return server;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** An OBJECT_STORE_URL for this server. */
  get url(): string {
    return this.urlBelow('some/prefix');
  }

  urlBelow(prefix: string): string {
    const query = new URLSearchParams({
      endpoint: this.endpoint,
      region: this.#options.region,
      forcePathStyle: 'true',
    });
    return `s3://bucket/${prefix}?${query.toString()}`;
  }

  /** Stops listening and cuts all connections. */
  goAway(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** Listens again, on the same port. */
  async comeBack(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address !== 'string') this.#port = address.port;
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = randomBytes(8).toString('hex').toUpperCase();
    response.setHeader('x-amz-request-id', requestId);
    response.setHeader('x-amz-id-2', 'test');
    response.setHeader('date', new Date(this.#options.now()).toUTCString());
    try {
      const request = this.#admit(incoming);
      const fault = this.faults.take(request.operation, faultKey(request));
      this.inFlightMost = Math.max(this.inFlightMost, ++this.#inFlightCount);
      response.once('close', () => this.#inFlightCount--);
      const answer = await this.#answer(request, { incoming, response, fault });
      if (answer !== undefined) send(response, request.method, { answer, fault });
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      const body = errorDocument(error, { resource: incoming.url ?? '/', requestId });
      const headers = { 'content-type': 'application/xml' };
      const answer = { status: error.status, headers, body };
      send(response, incoming.method ?? '', { answer, fault: undefined });
      incoming.resume();
    }
  }

  #admit(incoming: IncomingMessage): S3Request {
    const request = readRequest(incoming, this.#options.domain);
    verifySignature(request, {
      credentials: S3Server.credentials,
      region: this.#options.region,
      nowMilliseconds: this.#options.now(),
    });
    const { bucketName, operation, key, headers } = request;
    if (bucketName !== 'bucket') {
      const message = 'The specified bucket does not exist';
      throw new S3Error(404, 'NoSuchBucket', message, { BucketName: bucketName });
    }
    this.seen.push({ operation, key, headers });
    return request;
  }

  /** Undefined if there is to be none. */
  async #answer(request: S3Request, exchange: Exchange): Promise<S3Answer | undefined> {
    const { incoming, response, fault } = exchange;
    if (fault?.kind === 'reset') {
      incoming.socket.destroy();
      return undefined;
    }
    if (fault?.kind === 'earlyError') {
      response.once('finish', () => incoming.socket.destroy());
      throw new S3Error(fault.status, fault.code, 'a fault of the test');
    }
    const end =
      request.operation === 'put'
        ? this.bucket.begin(request.key, request.conditions)
        : () => undefined;
    let answer: S3Answer;
    try {
      const body = decodeBody(await readAll(incoming), request.headers);
      if ((await suffer(fault, 'before', response)) === 'gone') return undefined;
      const now = new Date(this.#options.now());
      const setting = { ...this.#options, bucket: this.bucket, body, now, fault };
      answer = perform(request, setting);
    } finally {
      end();
    }
    if ((await suffer(fault, 'after', response)) === 'gone') return undefined;
    return answer;
  }
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly fault: Fault | undefined;
}

/** Returns the key for rules, which may name it with or without the prefix. */
function faultKey({ key, parameters }: S3Request): string {
  return key === '' ? (parameters.get('prefix') ?? '') : key;
}

async function suffer(
  fault: Fault | undefined,
  when: 'before' | 'after',
  response: ServerResponse,
): Promise<'here' | 'gone'> {
  if (fault === undefined) return 'here';
  if (fault.kind === 'lostAnswer' && when === 'after') {
    response.socket?.destroy();
    return 'gone';
  }
  if (!('when' in fault) || fault.when !== when) return 'here';
  if (fault.kind === 'error') {
    throw new S3Error(fault.status, fault.code, 'a fault of the test');
  }
  if (fault.kind === 'delay') {
    // The client may be gone by then; the request still takes effect.
    await delay(fault.milliseconds);
    return 'here';
  }
  if (!response.closed) await once(response, 'close');
  return 'gone';
}

interface Sending {
  readonly answer: S3Answer;
  readonly fault: Fault | undefined;
}

function send(response: ServerResponse, method: string, { answer, fault }: Sending): void {
  const { status, headers } = answer;
  const body = Buffer.from(answer.body ?? '');
  const length = status === 204 || status === 304 ? {} : { 'content-length': String(body.length) };
  response.writeHead(status, { ...headers, ...length });
  if (method === 'HEAD' || body.length === 0) response.end();
  else sendBody(response, body, fault);
}

function sendBody(response: ServerResponse, body: Buffer, fault: Fault | undefined): void {
  const middle = body.length >> 1;
  switch (fault?.kind) {
    case 'truncatedBody':
      response.write(body.subarray(0, middle), () => response.socket?.destroy());
      return;
    case 'stalledBody':
      response.write(body.subarray(0, middle));
      return;
    case 'wrongBytes': {
      const wrong = Buffer.from(body);
      wrong[middle] = (wrong[middle] ?? 0) ^ 1;
      response.end(wrong);
      return;
    }
    default:
      response.end(body);
  }
}
