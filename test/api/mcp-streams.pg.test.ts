import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';

import { McpClient } from '../support/mcp-client.ts';

const accept = 'application/json, text/event-stream';

t.test('resources are listed, read and kept as long as they may be', async (t) => {
  const client = await McpClient.start(t);
  const { address, id } = await client.call('workbook_create', {
    name: 'book',
    sheets: [
      {
        name: 'Plan',
        rows: [
          ['Rent', 1200],
          ['All', '=B1*12'],
        ],
      },
    ],
    tables: [{ name: 'Costs', sheetRange: 'Plan!A1:B2', headerRow: false }],
  });
  const { resources } = await client.result<{ resources: { uri: string }[] }>('resources/list');
  t.ok(resources.some(({ uri }) => uri === `wb://${String(id)}/main/summary`));
  const { resourceTemplates } = await client.result<{ resourceTemplates: unknown[] }>(
    'resources/templates/list',
  );
  t.equal(resourceTemplates.length, 5);
  const escaped = encodeURIComponent(String(address));
  const read = (uri: string) => client.result('resources/read', { uri });
  t.match(await read(`wb://${escaped}/main/summary`), {
    contents: [{ mimeType: 'text/markdown', text: /## Sheet Plan/ }],
    ttlMs: 0,
    cacheScope: 'private',
  });
  t.match(await read(`wb://${escaped}/main@1/Plan!A1:B2.csv`), { ttlMs: 86_400_000 });
  t.match(await read(`wb://${escaped}/main/Plan!A1:B2.csv`), {
    contents: [{ mimeType: 'text/csv', text: 'Rent,1200\nAll,14400' }],
  });
  t.match(await read(`wb://${escaped}/main/tables/Costs.csv`), { contents: [{ text: /14400/ }] });
  t.match(await read('wb://tlog/checkpoint'), { contents: [{ text: /\n\n— / }] });
  for (const name of ['auth.md', 'formulas', 'operations']) {
    t.match(await read(`doc://${name}`), { contents: [{ text: /./ }], cacheScope: 'public' });
  }
  const opened = await client.call('range_write', {
    workbook: id,
    branch: 'b',
    create_branch_from: 'main',
    writes: [{ range: 'A1', values: [['Lease']] }],
  });
  t.match(opened, { branch_created: true });
  const { merge } = await client.call('merge', { workbook: id, action: 'open', source: 'b' });
  const { merge_id } = merge as { merge_id: string };
  t.match(await read(`wb://${escaped}/merges/${merge_id}`), { contents: [{ text: /Lease/ }] });
});

t.test('prompts are filled in, and arguments completed', async (t) => {
  const client = await McpClient.start(t);
  const { id, address } = await client.call('workbook_create', { name: 'sales' });
  const { prompts } = await client.result<{ prompts: { name: string }[] }>('prompts/list');
  t.same(
    prompts.map(({ name }) => name),
    ['review_merge', 'audit_formulas', 'import_and_reconcile', 'explain_cell', 'build_model'],
  );
  const prompt = { name: 'explain_cell', arguments: { workbook: 'a/b', cell: 'Plan!B7' } };
  t.match(await client.result('prompts/get', prompt), {
    messages: [
      { role: 'user', content: { text: /^Explain the cell Plan!B7 of the workbook a\/b/ } },
    ],
  });
  for (const wrong of [{}, { workbook: 1, cell: 'A1' }, { workbook: 'a', cell: 'A1', more: '' }]) {
    const given = { name: 'explain_cell', arguments: wrong };
    t.match(await client.answer('prompts/get', given), { error: { code: -32_602 } });
  }
  t.match(await client.answer('prompts/get', { name: 'none' }), { error: { code: -32_602 } });
  const complete = (argument: object, settled = {}) =>
    client.result('completion/complete', {
      ref: { type: 'ref/resource', uri: 'wb://{workbook}/{ref}/summary' },
      argument,
      context: { arguments: settled },
    });
  t.match(await complete({ name: 'workbook', value: 'sa' }), { completion: { values: [address] } });
  t.match(await complete({ name: 'ref', value: 'm' }, { workbook: id }), {
    completion: { values: ['main', /^main@/] },
  });
  t.match(await complete({ name: 'ref', value: 'm' }, { workbook: 'wb_no' }), {
    completion: { values: [], hasMore: false },
  });
  for (const ref of [
    { type: 'ref/prompt', name: 'none' },
    { type: 'ref/resource', uri: 'wb://none' },
  ]) {
    const unknown = { ref, argument: { name: 'workbook', value: '' } };
    t.match(await client.answer('completion/complete', unknown), { error: { code: -32_602 } });
  }
  const none = await client.answer('completion/complete', { ref: {}, argument: {} });
  t.match(none, { error: { code: -32_602 } });
});

/** The messages of a stream, as they come. */
async function* events(body: ReadableStream<Uint8Array> | null): AsyncGenerator<object> {
  if (!body) return;
  let text = '';
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      if (data !== undefined) yield JSON.parse(data) as object;
    }
  }
}

t.test('a stream tells of changes to the head of a branch, and of nothing else', async (t) => {
  const client = await McpClient.start(t);
  const { id } = await client.call('workbook_create', { name: 'watched' });
  const uri = `wb://${String(id)}/main/summary`;
  const aborting = new AbortController();
  const asked = ['wb://nope/main/summary', 'wb://tlog/checkpoint', uri];
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const params = { notifications: { resourceSubscriptions: asked }, _meta: meta };
  const answer = await fetch(`${client.service.url}/mcp`, {
    method: 'POST',
    signal: aborting.signal,
    headers: {
      accept,
      'content-type': 'application/json',
      authorization: `Bearer ${client.credential}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'sub', method: 'subscriptions/listen', params }),
  });
  t.match(answer.headers.get('content-type'), 'text/event-stream');
  const stream = events(answer.body);
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 'sub' };
  t.match((await stream.next()).value, {
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { resourceSubscriptions: [uri] }, _meta },
  });
  const write = { workbook: id, writes: [{ range: 'A1', values: [[1]] }] };
  await client.call('range_write', { ...write, branch: 'other', create_branch_from: 'main' });
  await client.call('range_write', write);
  t.match((await stream.next()).value, {
    method: 'notifications/resources/updated',
    params: { uri, _meta },
  });
  const ended = stream.next();
  await client.service.app.stop();
  t.match((await ended).value, { id: 'sub', result: { resultType: 'complete' } }, 'ended in order');
  aborting.abort();
});

t.test('a session of the older generation subscribes, and is ended', async (t) => {
  const raw = await McpClient.start(t);
  const { id } = await raw.call('workbook_create', { name: 'watched' });
  const uri = `wb://${String(id)}/main/summary`;
  const headers = { authorization: `Bearer ${raw.credential}` };
  const url = new URL(`${raw.service.url}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } });
  const client = new Client({ name: 'test', version: '1' });
  const told = new Promise<unknown>((resolve) => {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      resolve(params),
    );
  });
  await client.connect(transport);
  t.match(transport.sessionId, /^mcp_/);
  await client.ping();
  await client.subscribeResource({ uri });
  // The stream of the session is opened beside the requests.
  const writing = setInterval(() => {
    void raw.call('range_write', {
      workbook: id,
      writes: [{ range: 'A1', values: [[Date.now()]] }],
    });
  }, 100);
  t.match(await told, { uri });
  clearInterval(writing);
  await client.unsubscribeResource({ uri });
  await t.rejects(client.subscribeResource({ uri: 'wb://nope/main/summary' }), { code: -32_602 });
  const session = transport.sessionId ?? '';
  await transport.terminateSession();
  const after = await raw.service.request('/mcp', {
    credential: raw.credential,
    headers: { accept, 'mcp-session-id': session },
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  });
  t.equal(after.status, 404);
  await client.close();
  const stranger = await raw.service.register();
  const stream = { credential: stranger, headers: { accept, 'mcp-session-id': 'nonsense' } };
  t.equal((await raw.service.request('/mcp', stream)).status, 404);
  const none = await raw.service.request('/mcp', { credential: stranger, headers: { accept } });
  t.equal(none.status, 405);
  t.equal(none.headers.get('allow'), 'POST');
  const end = { method: 'DELETE', credential: stranger };
  t.equal((await raw.service.request('/mcp', end)).status, 405);
});

t.test('progress comes before the result, where it is asked for', async (t) => {
  const client = await McpClient.start(t);
  const { id } = await client.call('workbook_create', {
    sheets: [{ name: 'A', rows: [[1, '=A1']] }],
  });
  const given = { workbook: id, set: [{ cell: 'A1', input: 2 }], read: ['B1'] };
  const call = { name: 'scenario_eval', arguments: given, _meta: { progressToken: 'p' } };
  const { text, headers } = await client.send('tools/call', call);
  t.match(headers.get('content-type'), 'text/event-stream');
  const messages = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)) as object);
  t.match(messages, [
    { method: 'notifications/progress', params: { progressToken: 'p', progress: 0 } },
    { result: { structuredContent: { ranges: [{ after: [[2]] }] } } },
  ]);
  const plain = await client.send('tools/call', call, { accept: 'application/json' });
  t.match(plain.headers.get('content-type'), 'application/json', 'who reads no stream gets none');
});
