import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Test } from 'tap';

/** What the stub does instead of answering: before or after it has done the work. */
export interface Fault {
  readonly method: string;
  readonly status: number;
  readonly when: 'before' | 'after';
}

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

const pageSize = 1000;

/**
 * A small S3 in memory, path style, one bucket per first path segment. It honours conditional
 * puts, which other stand-ins accept and ignore.
 */
export class S3Stub {
  readonly objects = new Map<string, Buffer>();
  /** Taken one by one, first in first out, by requests of their method. */
  readonly faults: Fault[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(asError(error)));
    });
  }

  static async start(t: Pick<Test, 'teardown'>): Promise<S3Stub> {
    const stub = new S3Stub();
    stub.#server.listen(0, '127.0.0.1');
    await once(stub.#server, 'listening');
    t.teardown(() => {
      stub.#server.closeAllConnections();
      stub.#server.close();
    });
    return stub;
  }

  /** An OBJECT_STORE_URL for this stub. */
  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the stub has ended');
    const endpoint = encodeURIComponent(`http://127.0.0.1:${address.port}`);
    return `s3://bucket/some/prefix?endpoint=${endpoint}&region=us-east-1&forcePathStyle=true`;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const fault = this.#takeFault(request.method ?? '');
    const answer = fault?.when === 'before' ? undefined : this.#answer(request, body);
    const shown = fault === undefined ? answer : { status: fault.status };
    response.writeHead(shown?.status ?? 500, shown?.headers);
    response.end(request.method === 'HEAD' ? undefined : shown?.body);
  }

  #takeFault(method: string): Fault | undefined {
    const index = this.faults.findIndex((fault) => fault.method === method);
    return index < 0 ? undefined : this.faults.splice(index, 1)[0];
  }

  #answer(request: IncomingMessage, body: Buffer): Answer {
    const url = new URL(request.url ?? '/', 'http://stub');
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
    switch (request.method) {
      case 'PUT':
        return this.#put(key, body, request);
      case 'GET':
        return key === '' ? this.#list(url.searchParams) : this.#get(key);
      case 'HEAD':
        return this.#get(key);
      case 'DELETE':
        this.objects.delete(key);
        return { status: 204 };
      case 'POST':
        return this.#deleteMany(body.toString('utf8'));
      default:
        return { status: 405 };
    }
  }

  #put(key: string, body: Buffer, request: IncomingMessage): Answer {
    const found = this.objects.get(key);
    if (request.headers['if-none-match'] === '*' && found !== undefined) {
      return failure(412, 'PreconditionFailed');
    }
    const expected = request.headers['if-match'];
    if (expected !== undefined && (found === undefined || etag(found) !== expected)) {
      return failure(found === undefined ? 404 : 412, 'PreconditionFailed');
    }
    this.objects.set(key, body);
    return { status: 200, headers: { etag: etag(body) } };
  }

  #get(key: string): Answer {
    const found = this.objects.get(key);
    if (found === undefined) return failure(404, 'NoSuchKey');
    const headers = { etag: etag(found), 'content-length': String(found.byteLength) };
    return { status: 200, headers, body: found };
  }

  #list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const most = Math.min(Number(query.get('max-keys') ?? pageSize), pageSize);
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && key > after)
      .sort((left, right) => (left < right ? -1 : 1));
    const page = keys.slice(0, most);
    const next = keys.length > page.length ? page.at(-1) : undefined;
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('');
    const token =
      next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    return xml(200, `<ListBucketResult>${contents}${token}</ListBucketResult>`);
  }

  #deleteMany(body: string): Answer {
    for (const match of body.matchAll(/<Key>([^<]*)<\/Key>/g)) this.objects.delete(match[1] ?? '');
    return xml(200, '<DeleteResult></DeleteResult>');
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks);
}

function etag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function failure(status: number, code: string): Answer {
  return xml(status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

function xml(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'application/xml' }, body };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
