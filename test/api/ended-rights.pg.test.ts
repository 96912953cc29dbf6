import t, { type Test } from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Book } from '../support/book.ts';
import { claimedAgent } from '../support/claimed-agent.ts';
import { LiveClient } from '../support/live-client.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';

/** The blocks of a stream of events, up to its end. */
class Following {
  readonly text: Promise<string>;
  #seen = '';
  #wake: (() => void) | undefined;

  constructor({ body }: Response) {
    this.text = this.#read(body);
  }

  async seen(part: string): Promise<void> {
    while (!this.#seen.includes(part)) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async #read(body: Response['body']): Promise<string> {
    const decoder = new TextDecoder();
    for await (const bytes of body ?? []) {
      this.#seen += decoder.decode(bytes as Uint8Array, { stream: true });
      this.#wake?.();
    }
    return this.#seen;
  }
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Each way in which a client goes on hearing of a workbook. */
class Listener {
  readonly #book: Book;
  readonly #credential: string;

  constructor(book: Book, credential = book.credential) {
    this.#book = book;
    this.#credential = credential;
  }

  async events(): Promise<Following> {
    const { id } = this.#book;
    const stream = await this.#open(`/v1/workbooks/${id}/branches/main/events`);
    await stream.seen('event: start');
    return stream;
  }

  async changes(): Promise<Following> {
    const stream = await this.#open(`${this.#table}/changes?from=main`);
    await stream.seen(':\n\n');
    return stream;
  }

  async waiting(): Promise<number> {
    const { status } = await this.#fetch(`${this.#table}/changes?from=main&wait=10`);
    return status;
  }

  socket(): Promise<LiveClient> {
    return LiveClient.join(this.#book, { credential: this.#credential });
  }

  /** The newer way of MCP. */
  async listening(others: readonly string[] = []): Promise<Following> {
    const asked = [this.#uri, ...others];
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { notifications: { resourceSubscriptions: asked }, _meta };
    const stream = await this.#mcp(
      { id: 'sub', method: 'subscriptions/listen', params },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    );
    const listening = new Following(stream);
    await listening.seen('acknowledged');
    return listening;
  }

  /** The older one, with a session. */
  async session(): Promise<Following> {
    const version = '2025-11-25';
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: version, capabilities: {}, clientInfo };
    const { headers } = await this.#mcp({ id: 1, method: 'initialize', params });
    const session = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
    const uri = this.#uri;
    await this.#mcp({ id: 2, method: 'resources/subscribe', params: { uri } }, session);
    const stream = await this.#open('/mcp', session);
    await stream.seen('listening');
    return stream;
  }

  get #uri(): string {
    return `wb://${this.#book.id}/main/summary`;
  }

  get #table(): string {
    return `/v1/workbooks/${this.#book.id}/tables/Costs`;
  }

  async #open(path: string, headers: Record<string, string> = {}): Promise<Following> {
    const answer = await this.#fetch(path, {
      headers: { accept: 'text/event-stream', ...headers },
    });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return new Following(answer);
  }

  #mcp(message: object, headers: Record<string, string> = {}): Promise<Response> {
    return this.#fetch('/mcp', {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  }

  #fetch(path: string, { headers, ...rest }: Asked = {}): Promise<Response> {
    const authorization = `Bearer ${this.#credential}`;
    const all = { authorization, 'content-type': 'application/json', ...headers };
    return fetch(this.#book.service.url + path, { ...rest, headers: all });
  }
}

async function bookOf(service: TestService, credential?: string): Promise<Book> {
  const book = await Book.create(service, credential === undefined ? {} : { credential });
  const body = { name: 'Costs', keyColumn: 'id', schema: { id: 'number' } };
  const { status, text } = await book.ask('/branches/main/tables', { body });
  if (status !== 201) throw new Error(text);
  return book;
}

const complete = /"id":"sub","result":\{"resultType":"complete"/;

async function allEnd(t: Test, listener: Listener, end: () => Promise<unknown>): Promise<void> {
  const [events, changes, socket, listening, session] = await Promise.all([
    listener.events(),
    listener.changes(),
    listener.socket(),
    listener.listening(),
    listener.session(),
  ]);
  const waiting = listener.waiting();
  await end();
  t.match(await events.text, /event: end\ndata: \{"code":4401,.*"reconnect":false\}/u);
  t.match(await changes.text, /event: end\ndata: \{"code":4401,.*"reconnect":false\}/u);
  t.match(await socket.closed, { code: 4401 });
  t.match(await listening.text, complete, 'in good order');
  await session.text;
  t.equal(await waiting, 401);
}

t.test('everything that goes on ends with a key that is revoked', async (t) => {
  const service = await TestService.start(t);
  const book = await bookOf(service);
  const revoke = () =>
    service.request('/agent/auth/revoke', { credential: book.credential, body: {} });
  await allEnd(t, new Listener(book), revoke);
});

t.test('everything that goes on ends at the moment at which a key does', async (t) => {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const service = await TestService.start(t, { DATABASE_URL: url });
  const owner = await service.registerClaimed();
  const book = await bookOf(service, owner);
  const { json } = await service.request('/agent/auth/rotate', { credential: owner, body: {} });
  const { data } = json as { data: { credential: string } };
  // A look at the old key reads its end anew: the service has forgotten it as it was rotated.
  const soon = new Date(Date.now() + 3_000);
  await sql`update credential set expires_at = ${soon} where rotated_at is not null`;
  await allEnd(t, new Listener(book), async () => undefined);
  const after = new Listener(book, data.credential);
  const socket = await after.socket();
  await socket.settled();
  socket.close();
});

t.test('whoever loses their role hears no more of the workbook', async (t) => {
  const service = await TestService.start(t);
  const book = await bookOf(service, await service.registerClaimed());
  const { credential, userId } = await claimedAgent(service.url);
  const own = await bookOf(service, credential);
  const shared = `/collaborators/${userId}`;
  await book.ask(shared, { method: 'PUT', body: { role: 'viewer' } });
  const guest = new Listener(book, credential);
  const changes = await guest.changes();
  const listening = await guest.listening();
  const both = await guest.listening([`wb://${own.id}/main/summary`]);
  const waiting = guest.waiting();
  await book.ask(shared, { method: 'DELETE' });
  t.match(await changes.text, /event: end\ndata: \{"code":4403,/u);
  t.match(await listening.text, complete, 'there is nothing left to hear of');
  t.equal(await waiting, 404);
  await book.set('A9', 1);
  await own.set('A9', 1);
  await both.seen(own.id);
  await service.app.stop();
  t.notMatch((await both.text).split('acknowledged')[1] ?? '', new RegExp(`updated.*${book.id}`));
});

t.test('a table is followed until its workbook or its branch is gone', async (t) => {
  const service = await TestService.start(t);
  const book = await bookOf(service, await service.registerClaimed());
  const listener = new Listener(book);
  const [changes, listening] = await Promise.all([listener.changes(), listener.listening()]);
  await book.purge(await book.archive());
  t.match(await changes.text, /event: end\ndata: \{"code":4403,/u);
  t.match(await listening.text, complete);
});
