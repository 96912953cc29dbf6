import t from 'tap';

import { McpClient, statelessVersion } from '../support/mcp-client.ts';

const messageHeaders = { accept: 'application/json, text/event-stream' };

t.test('without a credential it says where to get one', async (t) => {
  const { service } = await McpClient.start(t);
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const { status, headers, json } = await service.request('/mcp', {
    body,
    headers: messageHeaders,
  });
  t.equal(status, 401);
  const [, metadata = ''] =
    /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
  t.equal(metadata, `${service.url}/.well-known/oauth-protected-resource/mcp`);
  const about = await service.request('/.well-known/oauth-protected-resource/mcp');
  t.match(about.json, { resource: `${service.url}/mcp`, authorization_servers: [service.url] });
  t.match(headers.get('link'), /auth\.md/);
  t.match(json, { code: 'unauthenticated', hint: /agent\/auth/, auth_md: /auth\.md$/ });
  const wrong = await service.request('/mcp', { body, credential: 'wbk_live_wrong' });
  t.equal(wrong.status, 401);
  t.match(wrong.json, { code: 'invalid_token' });
});

t.test('pages of other origins are refused', async (t) => {
  const client = await McpClient.start(t);
  const evil = await client.send('tools/list', {}, { origin: 'http://evil.example.com' });
  t.equal(evil.status, 403);
  t.match(evil.json, { code: 'origin_not_allowed', title: /may not use the service/ });
  const own = await client.send('tools/list', {}, { origin: 'http://localhost:6274' });
  t.equal(own.status, 200, 'a page of this machine may ask a service that is for nobody else');
});

t.test('messages that are none are refused by the protocol', async (t) => {
  const { service, credential } = await McpClient.start(t);
  const send = (body: unknown, headers = {}) =>
    service.request('/mcp', { credential, body, headers: { ...messageHeaders, ...headers } });
  for (const [body, message] of [
    [{ id: 1, method: 'ping' }, /jsonrpc/],
    [{ jsonrpc: '2.0', id: 1 }, /method/],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, /id of a request/],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, /object/],
  ] as const) {
    const { status, json } = await send(body);
    t.equal(status, 400);
    t.match(json, { jsonrpc: '2.0', error: { code: -32_600, message } });
  }
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const note = { jsonrpc: '2.0', method: 'notifications/initialized' };
  const refused = { jsonrpc: '2.0', id: 3, method: 'tools/lst' };
  const list = await send([ping, note, 7, refused]);
  t.equal(list.status, 200);
  t.match(list.json, [
    { id: 1, result: {} },
    { id: null, error: { code: -32_600 } },
    { id: 3, error: { code: -32_601 } },
  ]);
  t.equal((await send([note, note])).status, 202);
  for (const [body, message, version] of [
    [[], /at least one/, '2025-03-26'],
    [Array.from({ length: 51 }, () => ping), /at most 50/, '2025-03-26'],
    [[{ ...ping, method: 'initialize' }], /by itself/, '2025-03-26'],
    [[ping], /2025-06-18 has no batches/, '2025-06-18'],
  ] as const) {
    const { status, json } = await send(body, { 'mcp-protocol-version': version });
    t.equal(status, 400);
    t.match(json, { jsonrpc: '2.0', id: null, error: { code: -32_600, message } });
  }
  const unknown = await send({ jsonrpc: '2.0', id: 'x', method: 'tools/lst' });
  t.match(unknown.json, { id: 'x', error: { code: -32_601 } });
  const version = await send(
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { 'mcp-protocol-version': '2031-01-01' },
  );
  t.equal(version.status, 400);
  t.match(version.json, { error: { code: -32_022, data: { supported: Array } } });
  const broken = await service.request('/mcp', {
    credential,
    bytes: new TextEncoder().encode('{"jsonrpc":'),
    headers: { 'content-type': 'application/json' },
  });
  t.equal(broken.status, 400);
  t.match(broken.json, { code: 'invalid_json' });
});

t.test('headers have to say what the body says', async (t) => {
  const client = await McpClient.start(t);
  const call = { name: 'workbook_describe', arguments: { workbook: 'a/b' } };
  for (const headers of [
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'range_read' },
    { 'mcp-param-workbook': 'a/c' },
    { 'mcp-param-workbook': '=?base64?%%?=' },
    { 'mcp-protocol-version': '2025-11-25' },
  ]) {
    const { status, json } = await client.send('tools/call', call, headers);
    t.equal(status, 400, JSON.stringify(headers));
    t.match(json, { error: { code: -32_020, data: { mismatch: Object } } });
  }
  const packed = { 'mcp-param-workbook': `=?base64?${Buffer.from('a/b').toString('base64')}?=` };
  t.equal((await client.send('tools/call', call, packed)).status, 200);
  const nobody = { _meta: { 'io.modelcontextprotocol/clientCapabilities': undefined } };
  const { status, json } = await client.send('tools/list', nobody);
  t.equal(status, 400);
  t.match(json, { error: { code: -32_602, message: /clientCapabilities: missing/ } });
  t.match((await client.send('initialize')).status, 404, `${statelessVersion} has no handshake`);
});

t.test('arguments of the wrong type are named, with what is expected', async (t) => {
  const client = await McpClient.start(t);
  const { id } = await client.call('workbook_create', { name: 'book' });
  const workbook = String(id);
  const cases: readonly [string, object, object][] = [
    ['range_read', { workbook, ranges: 'A1' }, { message: /\/ranges: This must be a list/ }],
    ['range_read', { workbook, range: ['A1'] }, { errors: [{ message: /did you mean "ranges"/ }] }],
    ['range_read', { workbook, ranges: ['1A'] }, { code: 'invalid_range' }],
    ['range_read', { workbook, ranges: ['A1'], lens: 'values' }, { message: /\/lens/ }],
    ['range_read', { workbook, ranges: ['Nope!A1'] }, { code: 'sheet_not_found' }],
    ['range_read', { workbook, ranges: ['A1'], ref: 'main@99' }, { code: 'ref_not_found' }],
    [
      'range_read',
      { workbook: 'wb_nope', ranges: ['A1'] },
      { code: 'not_found', hint: /workbook_list/ },
    ],
    ['range_read', { workbook: 'nobody/nothing', ranges: ['A1'] }, { code: 'not_found' }],
    ['range_read', { ranges: ['A1'] }, { message: /\/workbook: This is missing/ }],
    ['range_write', { workbook, writes: [{ range: 'A1' }] }, { message: /exactly one of/ }],
    [
      'range_write',
      { workbook, writes: [{ range: 'A1:B2', values: [[1]] }] },
      { message: /2 x 2/ },
    ],
    ['range_write', { workbook, writes: [{ range: 'A1', values: [['=(']] }] }, { errors: Array }],
    [
      'range_write',
      { workbook, branch: 'nope', writes: [{ range: 'A1', values: [[1]] }] },
      { code: 'branch_not_found' },
    ],
    [
      'range_write',
      { workbook, expect_head: 77, writes: [{ range: 'A1', values: [[1]] }] },
      { code: 'head_moved', hint: /expect_head/ },
    ],
    [
      'ops_submit',
      { workbook, ops: [{ kind: 'cell.set', payload: {} }] },
      { message: /\/ops\/0\/kind/ },
    ],
    [
      'ops_submit',
      { workbook, ops: [{ kind: 'sheet.delete', payload: { sheet: 'X' } }] },
      { errors: Array },
    ],
    ['scenario_eval', { workbook, set: [{ cell: 'A1:B2', input: 1 }] }, { message: /one cell/ }],
    [
      'table_read',
      { workbook, table: 'Sales' },
      { code: 'table_not_found', message: /no table "Sales"/, hint: /^workbook_describe/ },
    ],
    ['table_write', { workbook, table: 'Sales', rows: [{ a: 1 }] }, { message: /Sales/ }],
    ['table_write', { workbook, rows: [{ a: 1 }] }, { message: /Name a table/ }],
    ['history', { workbook, cell: '?' }, { code: 'invalid_range' }],
    ['diff', { workbook, from: '@' }, { code: 'invalid_reference' }],
    ['branch', { workbook, action: 'create' }, { message: /create needs it/ }],
    [
      'branch',
      { workbook, action: 'archive', name: 'main' },
      { code: 'forbidden', hint: /^Name another branch/ },
    ],
    ['branch', { workbook, action: 'destroy' }, { message: /\/action/ }],
    ['merge', { workbook, action: 'open' }, { message: /needs a source/ }],
    ['merge', { workbook, action: 'show', merge_id: 'mrg_none' }, { code: 'merge_not_found' }],
    ['merge', { workbook, action: 'resolve' }, { message: /merge_id/ }],
    ['match_tables', { workbook }, { errors: [{ pointer: '/left' }] }],
    [
      'match_tables',
      {
        workbook,
        left: { tableId: 'T', column: 'a' },
        right: { tableId: 'T', column: 'a' },
      },
      { code: 'table_not_found' },
    ],
    ['match_tables', { workbook, match_id: 'mat_none' }, { code: 'match_not_found' }],
    ['match_tables', { workbook, match_id: 'mat_none', wait_ms: 26_000 }, { message: /wait_ms/ }],
    ['account', { action: 'claim_start', email: 'nobody' }, { message: /e-mail/ }],
    ['account', { action: 'claim_complete' }, { message: /otp/ }],
    ['workbook_create', { name: 'book' }, { code: 'name_taken' }],
    ['workbook_create', { xlsx_base64: '' }, { message: /empty/ }],
    ['workbook_list', { limit: 1e9 }, { message: /\/limit/ }],
  ];
  for (const [name, given, expected] of cases) {
    const refusal = await client.refusal(name, given as Readonly<Record<string, unknown>>);
    t.match(
      refusal,
      { code: /^[a-z_]+$/, message: String, ...expected },
      `${name} ${JSON.stringify(given)}`,
    );
  }
  const { error } = await client.answer('tools/call', { name: 'range_reed', arguments: {} });
  t.match(error, { code: -32_602, message: /range_read/ });
});

t.test('a resource that is not there is refused with its URI', async (t) => {
  const client = await McpClient.start(t);
  for (const uri of ['wb://nope/main/summary', 'wb://nope', 'doc://nothing', 'wb://%/a/summary']) {
    const { error } = await client.answer('resources/read', { uri });
    t.match(error, { code: -32_602, message: String }, uri);
  }
  const { error } = await client.answer('resources/read', { uri: 'doc://nothing' });
  t.same(error?.data, { uri: 'doc://nothing' });
});
