import t from 'tap';
import { WebSocket } from 'ws';

import { Transport } from '../../client/library/call.ts';
import { op, Quire } from '../../client/library/quire.ts';
import { DescribedFetch } from '../support/described-fetch.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { IdentityWorld } from '../support/identity-world.ts';
import { codeFor, register, signedIn, asked, verifier } from '../support/oauth-client.ts';
import { TestService } from '../support/test-service.ts';

/**
 * Every operation of the reference goes once through the library, and no answer is anything that
 * the reference does not describe, member for member.
 */

const described = new DescribedFetch();
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const mcpHeaders = { accept: 'application/json, text/event-stream' };

interface Client {
  readonly quire: Quire;
  readonly raw: Transport;
}

function clientOf(url: string, key?: string): Client {
  const options = { url, key, fetch: described.fetch, retries: 0 };
  return { quire: new Quire(options), raw: new Transport(options) };
}

const service = await TestService.start(t, { DEV_HOOKS: '1' }, {});
const owner = clientOf(service.url, await service.registerClaimed());

t.test('workbooks, branches and their journal', async (t) => {
  const { quire } = owner;
  const { call } = quire;
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [['Tea', 2, '=B1*2']] }] });
  const path = { id: book.id };
  const main = { ...path, branch: 'main' };
  t.ok((await quire.workbooks().all()).length > 0);
  await book.rename('plan');
  await book.info();
  await book.state();
  await book.set('Plan!B1', 3);
  t.ok((await book.ops().all()).length > 0);
  await book.fork('q3');
  await book.branches().all();
  await book.on('q3').set('Plan!A2', 'Milk');
  t.ok((await book.diff('main', 'q3', { values: true }).all()).length > 0);
  await book.commit('as approved', { tag: 'v1' });
  await book.commits().all();
  await book.checkpoint();
  await call('POST', '/v1/workbooks/{id}/branches/{branch}/flush', { path: main });
  await call('POST', '/v1/workbooks/{id}/branches/{branch}/restore', { path: main });
  await book.deleteBranch('q3');
  const live = await book.live({ writer: 'ann', WebSocket });
  described.done.add('getWorkbooksWs');
  live.close();
  await call('POST', '/v1/workbooks/{id}/ws-ticket', { path, body: { branch: 'main' } });
  const events = await owner.raw.open('GET', `/v1/workbooks/${book.id}/branches/main/events`, {
    headers: { accept: 'text/event-stream' },
  });
  await events.body?.cancel();
  const { user_id: user } = await (await Quire.register({ url: service.url })).whoami();
  const shared = '/v1/workbooks/{id}/collaborators/{user}';
  await call('PUT', shared, { path: { ...path, user }, body: { role: 'editor' } });
  await call('GET', '/v1/workbooks/{id}/collaborators', { path });
  await call('DELETE', shared, { path: { ...path, user } });
  await call('GET', '/v1/workbooks/{id}/settings', { path });
  await call('PUT', '/v1/workbooks/{id}/settings', { path, body: { policy: {} } });
  await call('POST', '/v1/workbooks/{id}/wake', { path, body: { waitMs: 5_000 } });
  await call('POST', '/v1/workbooks/{id}/topology', { path, body: {} });
  await call('POST', '/v1/workbooks/{id}/verify', { path, body: {} });
  await book.archive();
  await book.restore();
});

t.test('cells, values and records', async (t) => {
  const { quire, raw } = owner;
  const { call } = quire;
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [['Tea', 2, '=B1*2']] }] });
  const path = { id: book.id };
  t.match(await book.read('Plan!A1:C1'), { rows: [['Tea', 2, 4]] });
  await raw.ask('GET', '/v1/workbooks/{id}/values', { path });
  for await (const value of book.values()) t.ok(value);
  await call('DELETE', '/v1/workbooks/{id}/values', { path });
  await call('GET', '/v1/workbooks/{id}/eval-stats', { path });
  const ceiling = { cells: null, grid: null };
  await call('POST', '/v1/workbooks/{id}/eval-ceiling', { path, body: ceiling });
  await book.find('tea').all();
  await book.edge('Plan!A1', 'right');
  await book.scenario({ set: { 'Plan!B1': 5 }, formulas: ['=C1'] });
  await call('GET', '/v1/workbooks/{id}/formats', { path, query: { range: ['Plan!A1:B1'] } });
  await call('GET', '/v1/workbooks/{id}/diff', { path, query: { from: 'main@1', format: 'daff' } });
  await book.blame('Plan!A1:C1').all();
  await book.submit([op.noteSet({ sheet: 'Plan', a1: 'A1', text: 'one' })]);
  await book.records().all();
  t.ok((await book.export('json')).length > 0);
});

t.test('merges', async (t) => {
  const { quire } = owner;
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [[1]] }] });
  const side = await book.fork('side');
  await side.set('Plan!A1', 2);
  await book.set('Plan!A1', 3);
  const merge = await book.merge('side');
  const [conflict] = await merge.conflicts().all();
  await merge.diff().all();
  const path = { id: book.id, mid: merge.id };
  await merge.resolve({ resolutions: [{ id: conflict?.id ?? '', choice: 'theirs' }], bulk: [] });
  await quire.call('PUT', '/v1/workbooks/{id}/merges/{mid}/units', { path, body: { groups: [] } });
  await (await merge.refresh()).approve();
  t.equal(merge.state, 'merged');
  await book.merges().all();
  await side.set('Plan!A1', 9);
  t.equal((await (await book.merge('side')).abort('no')).state, 'aborted');
});

t.test('tables and matches', async (t) => {
  const { quire, raw } = owner;
  const { call } = quire;
  const book = await quire.create();
  const path = { id: book.id };
  const main = { ...path, branch: 'main' };
  const tables = '/v1/workbooks/{id}/branches/{branch}/tables';
  for (const name of ['Ours', 'Theirs']) {
    const body = { name, keyColumn: 'Name', schema: { columns: [{ name: 'Name' }] } };
    await call('POST', tables, { path: main, body });
    await call('POST', `${tables}/{tid}/rows`, {
      path: { ...main, tid: name },
      body: { mode: 'upsert', rows: [{ Name: 'Tea' }, { Name: `Milk of ${name}` }] },
    });
  }
  const at = { ...path, tid: 'Ours' };
  await call('GET', '/v1/workbooks/{id}/tables', { path });
  await call('GET', '/v1/workbooks/{id}/tables/{tid}', { path: at });
  await call('GET', '/v1/workbooks/{id}/tables/{tid}/rows', { path: at });
  await book.tableChanges('Ours', 'main@3').all();
  const started = (await raw.ask('POST', `${tables}/{tid}/rows`, {
    path: { ...main, tid: 'Ours' },
    headers: { prefer: 'respond-async, wait=0' },
    body: { mode: 'upsert', rows: Array.from({ length: 20_000 }, (_, at) => ({ Name: `n${at}` })) },
  })) as { id?: string; wid?: string; poll?: string };
  const write = /\/row-writes\/\w+/.exec(JSON.stringify(started))?.[0] ?? '';
  await raw.ask('GET', `/v1/workbooks/{id}${write}`, { path });
  await raw.ask('DELETE', `/v1/workbooks/{id}${write}`, { path });
  const changes = [{ change: 'column.add', column: 'Note', type: 'text' } as const];
  await call('PATCH', `${tables}/{tid}`, { path: { ...main, tid: 'Theirs' }, body: { changes } });
  await call('GET', '/v1/match-providers', {});
  const [left, right] = ['Theirs', 'Ours'].map((tableId) => ({ tableId, column: 'Name' }));
  if (!left || !right) throw new Error('two sides are matched');
  const match = await book.match({ left, right, opts: { verifyProvider: 'none' } });
  await match.ended();
  const rows = await match.rows().all();
  const decisions = rows.flatMap(({ leftKey, rightKey }) => {
    return rightKey === null ? [] : [{ leftKey, rightKey, decision: 'accept' as const }];
  });
  await match.decide(decisions.slice(0, 1));
  await match.apply({ as: 'table', name: 'Pairs' });
  await book.matches().all();
  await match.cancel();
  await call('DELETE', `${tables}/{tid}`, { path: { ...main, tid: 'Pairs' } });
  await reconcile(owner, { id: book.id, tid: 'Ours' });
  t.ok(rows.length > 0);
});

/** The way of OpenRefine, by an address that needs no credential. */
async function reconcile({ quire, raw }: Client, path: { id: string; tid: string }): Promise<void> {
  const { id } = path;
  const made = (await raw.ask('POST', '/v1/workbooks/{id}/tables/{tid}/reconciliation', {
    path,
    body: { column: 'Name' },
  })) as { id: string; url: string };
  const at = made.url.slice(service.url.length);
  await raw.ask('GET', at);
  const queries = JSON.stringify({ q0: { query: 'Tea' } });
  const body = new TextEncoder().encode(new URLSearchParams({ queries }).toString());
  await raw.ask('POST', at, { body, headers: form });
  await raw.ask('GET', `${at}/suggest/entity`, { query: { prefix: 'te' } });
  await raw.ask('GET', `${at}/properties`, { query: { type: path.tid } });
  const page = { query: { id: 'Tea' }, headers: { accept: '*/*' } };
  await (await raw.open('GET', `${at}/preview`, page)).text();
  await quire.call('GET', '/v1/workbooks/{id}/reconciliation', { path: { id } });
  const link = { id, link: made.id };
  await quire.call('DELETE', '/v1/workbooks/{id}/reconciliation/{link}', { path: link });
}

t.test('webhooks, the log and what the service says of itself', async (t) => {
  const { quire, raw } = owner;
  const { call } = quire;
  const book = await quire.create({ sheets: [{ name: 'Plan', rows: [[1]] }] });
  const path = { id: book.id };
  const receiver = await HookReceiver.start(t);
  const made = await call('POST', '/v1/workbooks/{id}/webhooks', {
    path,
    body: { url: receiver.url, events: ['operations.applied'] },
  });
  const hook = { ...path, webhook: made.id };
  await call('GET', '/v1/workbooks/{id}/webhooks', { path });
  await call('GET', '/v1/workbooks/{id}/webhooks/{webhook}', { path: hook });
  await call('POST', '/v1/workbooks/{id}/webhooks/{webhook}/replay', { path: hook, body: {} });
  await call('DELETE', '/v1/workbooks/{id}/webhooks/{webhook}', { path: hook });
  const { head } = await book.state();
  const proof = await book.proofOf(`main@${head}`);
  await proof.verify(await quire.policy());
  const { proofs } = (await raw.ask('GET', '/v1/workbooks/{id}/proofs', { path })) as {
    proofs: { leafHash: string }[];
  };
  const leaf = proofs[0]?.leafHash ?? '';
  await raw.ask('GET', '/v1/tlog/proof', { query: { leaf_hash: leaf } });
  await call('POST', '/v1/tlog/proofs', { body: { leaf_hashes: [leaf] } });
  const status = (await raw.ask('GET', '/v1/tlog/status')) as { tree_size: number };
  await raw.ask('GET', '/v1/tlog/consistency', { query: { from: 1 } });
  const any = { headers: { accept: '*/*' } };
  const partial = status.tree_size % 256;
  const files = ['checkpoint', 'policy', `tile/0/000.p/${partial}`].map(
    (name) => `/v1/tlog/${name}`,
  );
  const pages = ['/auth.md', '/llms.txt', '/metrics', '/docs', '/docs/operations.md'];
  const known = ['/.well-known/security.txt', '/problems/not_found'];
  for (const page of [...files, ...pages, ...known]) {
    await (await raw.open('GET', page, any)).text();
  }
  const resource = '/.well-known/oauth-protected-resource';
  const server = '/.well-known/oauth-authorization-server';
  for (const page of ['/openapi.json', '/health', '/ready', resource, `${resource}/mcp`, server]) {
    await raw.ask('GET', page);
  }
  t.match(await quire.links(), { console: String });
  t.match(await quire.usage(), { plan: String });
});

t.test('the MCP server, by its messages', async (t) => {
  const { raw } = owner;
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const opened = await raw.open('POST', '/mcp', { body, headers: mcpHeaders });
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  t.match(await opened.json(), { result: { protocolVersion: '2025-11-25' } });
  const stream = await raw.open('GET', '/mcp', { headers: { ...mcpHeaders, ...session } });
  await stream.body?.cancel();
  await raw.open('DELETE', '/mcp', { headers: session });
});

t.test('identities, from a stranger to a claimed agent that leaves', async (t) => {
  const world = await IdentityWorld.start(t, { INTROSPECTION_SECRET: 'i'.repeat(40) });
  const { url } = world.service;
  const made = await Quire.register({ url, fetch: described.fetch });
  const { claim_token } = made.registration;
  const email = 'ada@example.com';
  await made.call('POST', '/agent/auth/claim', { body: { claim_token, email, link: true } });
  const { code: otp } = await world.mail.letter(email, 1);
  const claimed = await made.call('POST', '/agent/auth/claim/complete', {
    body: { claim_token, otp },
  });
  const { quire, raw } = clientOf(url, claimed.data.credential);
  t.match(await quire.whoami(), { user_id: claimed.data.user_id });
  const rotated = await quire.call('POST', '/agent/auth/rotate', {});
  const { quire: last } = clientOf(url, rotated.data.credential);
  await last.call('POST', '/agent/auth/revoke', {});
  await raw.ask('POST', '/oauth2/register', {
    body: { redirect_uris: ['http://127.0.0.1/callback'] },
  });
  const client_id = await register(url);
  const code = await codeFor(await signedIn(world, 'bob@example.com'), client_id);
  const fields = { grant_type: 'authorization_code', client_id, code, redirect_uri: asked };
  const post = (path: string, given: Record<string, string>, headers = {}) => {
    const sent = new TextEncoder().encode(new URLSearchParams(given).toString());
    return raw.ask('POST', path, { body: sent, headers: { ...form, ...headers } });
  };
  const tokens = await post('/oauth2/token', { ...fields, code_verifier: verifier });
  const { access_token: token } = tokens as { access_token: string };
  const secret = { authorization: `Bearer ${'i'.repeat(40)}` };
  t.match(await post('/oauth2/introspect', { token }, secret), { active: true });
  await post('/oauth2/revoke', { token });
});

t.test('nothing is left out, and nothing is answered that is not described', async (t) => {
  // A file of a log that was ended needs one that was.
  const left = described.all.filter((id) => !described.done.has(id) && id !== 'getTlogPastById');
  t.same(left, []);
  t.same(described.faults, []);
});
