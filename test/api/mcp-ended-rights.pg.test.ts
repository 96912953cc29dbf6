import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { claimedAgent } from '../support/claimed-agent.ts';
import { McpClient } from '../support/mcp-client.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

/** Time after which a right is looked at again, and calls of the book below are still under way. */
const restMilliseconds = 700;
const rowCount = 6_000;
const uri = '/S!B1:B10.csv';

/**
 * A workbook whose cells take seconds together, whenever its first one changes.
 * Runs long: so do the calls.
 */
class SlowBook {
  readonly #owner: McpClient;
  readonly id: string;
  #value = 1;

  private constructor(owner: McpClient, id: string) {
    this.#owner = owner;
    this.id = id;
  }

  static async create(service: TestService): Promise<SlowBook> {
    const owner = new McpClient(service, await service.registerClaimed());
    const { id } = await owner.call('workbook_create', { sheets: [{ name: 'S', rows: [[1]] }] });
    const book = new SlowBook(owner, String(id));
    const fill = (range: string, input: unknown) => ({
      kind: 'range.fill',
      payload: { sheet: 'S', range, input },
    });
    const dear = '=SUMPRODUCT((SIN($C$1:$C$2000+ROW()+$A$1))^2)';
    await book.#write([fill('C1:C2000', 2), fill(`B1:B${rowCount}`, dear)]);
    return book;
  }

  /** Makes the next reader wait. */
  async change(): Promise<void> {
    const cells = [{ a1: 'A1', input: ++this.#value }];
    await this.#write([{ kind: 'cells.set', payload: { sheet: 'S', cells } }]);
  }

  share(userId: string, role: string | undefined): Promise<TestAnswer> {
    const { service, credential } = this.#owner;
    const path = `/v1/workbooks/${this.id}/collaborators/${userId}`;
    const sent = role === undefined ? { method: 'DELETE' } : { method: 'PUT', body: { role } };
    return service.request(path, { credential, ...sent });
  }

  async #write(ops: readonly object[]): Promise<void> {
    const submission = { credential: this.#owner.credential, body: { writer: 'w', ops } };
    const path = `/v1/workbooks/${this.id}/branches/main/ops`;
    const { status, text } = await this.#owner.service.request(path, submission);
    if (status !== 200) throw new Error(text);
  }
}

t.test('a call that takes long does not answer who lost the right to meanwhile', async (t) => {
  const service = await TestService.start(t);
  const book = await SlowBook.create(service);
  const guest = await claimedAgent(service.url);
  const client = new McpClient(service, guest.credential);
  const calls: Readonly<Record<string, () => Promise<TestAnswer>>> = {
    range_read: () => {
      const given = { workbook: book.id, ranges: ['S!B1:B10'] };
      return client.send('tools/call', { name: 'range_read', arguments: given });
    },
    resource: () => client.send('resources/read', { uri: `wb://${book.id}/main${uri}` }),
  };
  const during = async (call: () => Promise<TestAnswer>, end?: () => Promise<unknown>) => {
    await book.share(guest.userId, 'viewer');
    await book.change();
    const answer = call();
    await sleep(restMilliseconds);
    await end?.();
    return answer;
  };
  const withdraw = () => book.share(guest.userId, undefined);
  for (const [name, call] of Object.entries(calls)) {
    const read = await during(call);
    t.match(read.json, { result: {} }, name);
    t.notMatch(read.text, /not_found/u, name);
    const refused = await during(call, withdraw);
    t.match(refused.text, /not_found/u, `${name} of a workbook that is not shared any more`);
  }
  const { credential } = guest;
  const revoke = () => service.request('/agent/auth/revoke', { credential, body: {} });
  const { range_read: call } = calls;
  if (!call) throw new Error('there is no such call');
  const refused = await during(call, revoke);
  t.equal(refused.status, 401, refused.text);
  t.match(refused.headers.get('www-authenticate'), /Bearer/u);
});

t.test('a call under way ends with its session', async (t) => {
  const service = await TestService.start(t);
  const book = await SlowBook.create(service);
  const { userId, credential } = await claimedAgent(service.url);
  await book.share(userId, 'viewer');
  const version = { 'mcp-protocol-version': '2025-11-25' };
  const accept = 'application/json, text/event-stream';
  const post = (method: string, params: object, headers: Readonly<Record<string, string>>) =>
    service.request('/mcp', {
      credential,
      body: { jsonrpc: '2.0', id: 1, method, params },
      headers: { accept, ...headers },
    });
  const clientInfo = { name: 'test', version: '1' };
  const asked = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const opened = await post('initialize', asked, {});
  const session = { ...version, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const given = { workbook: book.id, ranges: ['S!B1:B10'] };
  const answer = post('tools/call', { name: 'range_read', arguments: given }, session);
  await sleep(restMilliseconds);
  const ended = await service.request('/mcp', { method: 'DELETE', credential, headers: session });
  t.equal(ended.status, 204);
  const { status, text } = await answer;
  t.equal(status, 404, text);
  t.match(text, /session has ended/u);
});
