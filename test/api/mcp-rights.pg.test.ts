import t from 'tap';

import { IdentityWorld } from '../support/identity-world.ts';
import { McpClient } from '../support/mcp-client.ts';
import { allow, ask, register, requestOf, signedIn, trade } from '../support/oauth-client.ts';

t.test('a token for the MCP server that only reads is told so when it writes', async (t) => {
  const world = await IdentityWorld.start(t);
  const { service } = world;
  const browser = await signedIn(world, 'ada@example.com');
  const clientId = await register(service.url);
  const more = { resource: `${service.url}/mcp`, scope: 'read' };
  const back = await allow(browser, await ask(browser, requestOf(clientId, more)));
  const { json } = await trade(service.url, clientId, back.searchParams.get('code') ?? '');
  const client = new McpClient(service, json.access_token);
  t.match(await client.call('workbook_list', {}), { total: 0 });
  const given = { name: 'workbook_create', arguments: { name: 'book' } };
  const refused = await client.send('tools/call', given);
  t.equal(refused.status, 403);
  t.match(refused.headers.get('www-authenticate'), /insufficient_scope/);
  t.match(refused.json, { code: 'insufficient_scope', required: ['write'] });
  const other = { ...more, resource: 'http://elsewhere.example/mcp' };
  t.match(
    (await ask(browser, requestOf(clientId, other))).headers.get('location'),
    /invalid_target/,
  );
});

t.test('tools allow what roles and policies allow', async (t) => {
  const owner = await McpClient.start(t);
  const { service } = owner;
  const { id } = await owner.call('workbook_create', { name: 'shared' });
  const workbook = String(id);
  const viewer = new McpClient(service, await service.register());
  t.match(await viewer.refusal('workbook_describe', { workbook }), { code: 'not_found' });
  const { identity } = await viewer.call('account', { action: 'whoami' });
  const { user_id } = identity as { user_id: string };
  const path = `/v1/workbooks/${workbook}`;
  const { credential } = owner;
  const shared = { method: 'PUT', credential, body: { role: 'viewer' } };
  t.equal((await service.request(`${path}/collaborators/${user_id}`, shared)).status, 200);
  t.match(await viewer.call('workbook_describe', { workbook }), { id });
  const write = { workbook, writes: [{ range: 'A1', values: [[1]] }] };
  t.match(await viewer.refusal('range_write', write), { code: 'forbidden', role: 'viewer' });

  const policy = { protectedBranches: [{ pattern: 'main', requiredApprovals: 0 }] };
  const set = await service.request(`${path}/settings`, {
    method: 'PUT',
    credential,
    body: { policy },
  });
  t.equal(set.status, 200, set.text);
  t.match(await owner.refusal('range_write', write), {
    code: 'policy',
    hint: /create_branch_from/,
  });
  await owner.call('range_write', { ...write, branch: 'b', create_branch_from: 'main' });
  const { merge } = await owner.call('merge', { workbook, action: 'open', source: 'b' });
  const { merge_id } = merge as { merge_id: string };
  const complete = (more: object) =>
    owner.result('tools/call', {
      name: 'merge',
      arguments: { workbook, action: 'complete', merge_id },
      _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } },
      ...more,
    });
  const asked = await complete({});
  t.match(asked, {
    resultType: 'input_required',
    inputRequests: { complete: { method: 'elicitation/create' } },
    requestState: /^sha256:/,
  });
  const { requestState } = asked as { requestState: string };
  const answered = (content: object) => ({
    inputResponses: { complete: { action: 'accept', content } },
  });
  t.match(
    await complete({ ...answered({ complete: true }), requestState: 'sha256:other' }),
    { resultType: 'input_required' },
    'what was agreed to is something else',
  );
  t.match(await complete({ ...answered({ complete: false }), requestState }), { isError: true });
  t.match(await complete({ ...answered({ complete: true }), requestState }), {
    structuredContent: { merge: { state: 'merged' } },
  });
});

t.test('an archived workbook is read, and not written to', async (t) => {
  const client = await McpClient.start(t);
  const { service, credential } = client;
  const { id } = await client.call('workbook_create', { name: 'old' });
  await service.request(`/v1/workbooks/${String(id)}`, { method: 'DELETE', credential });
  t.match(await client.call('workbook_list', {}), { total: 0 });
  t.match(await client.call('workbook_list', { include_archived: true }), { total: 1 });
  t.match(await client.call('range_read', { workbook: id, ranges: ['A1'] }), { ranges: [{}] });
  const write = { workbook: id, writes: [{ range: 'A1', values: [[1]] }] };
  t.match(await client.refusal('range_write', write), {
    code: 'workbook_archived',
    hint: new RegExp(`${String(id)}/restore`),
  });
});

t.test('the same call sent again is done once', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', {});
  const write = {
    workbook,
    branch: 'b',
    create_branch_from: 'main',
    idempotency_key: 'once',
    writes: [{ range: 'A1', values: [[1]] }],
  };
  const first = await client.call('range_write', write);
  const second = await client.call('range_write', write);
  t.equal(second['ref'], first['ref']);
  t.match([first, second], [{ branch_created: true }, { branch_created: false }]);
});

t.test('a workbook whose tables are wrong is not made at all', async (t) => {
  const client = await McpClient.start(t);
  const sheets = [
    {
      name: 'Plan',
      rows: [
        ['Item', 'Cost'],
        ['Rent', 1],
      ],
    },
  ];
  const given = { name: 'book', sheets };
  const table = { name: 'Costs', sheetRange: 'Plan!A1:B2', keyColumn: 'Itm' };
  t.match(await client.refusal('workbook_create', { ...given, tables: [table] }), {
    code: 'submission_rejected',
    errors: [{ pointer: /^\/tables\/0/ }],
  });
  t.match(await client.call('workbook_list', { include_archived: true }), { total: 0 });
  const right = { ...table, keyColumn: 'Item' };
  t.match(await client.call('workbook_create', { ...given, tables: [right] }), {
    tables: [{ name: 'Costs' }],
  });
});

t.test('a workbook is made from a file', async (t) => {
  const client = await McpClient.start(t);
  const { service, credential } = client;
  const { id } = await client.call('workbook_create', {
    sheets: [{ name: 'In', rows: [[2, '=A1*3']] }],
  });
  const path = `/v1/workbooks/${String(id)}/branches/main/export?format=xlsx`;
  const { bytes } = await service.request(path, { credential });
  const xlsx_base64 = Buffer.from(bytes).toString('base64');
  const copy = await client.call('workbook_create', { name: 'copy', xlsx_base64 });
  const read = { workbook: copy['id'], ranges: ['In!A1:B1'], lens: 'both' };
  t.match(await client.call('range_read', read), {
    ranges: [{ rows: [[2, 6]], formulas: [[null, '=A1*3']] }],
  });
  const broken = Buffer.from('no workbook').toString('base64');
  t.match(await client.refusal('workbook_create', { xlsx_base64: broken }), {
    code: 'invalid_file',
  });
});
