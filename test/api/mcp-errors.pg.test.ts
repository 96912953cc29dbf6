import t from 'tap';

import { McpClient } from '../support/mcp-client.ts';

type Given = Readonly<Record<string, unknown>>;

/** Words that only a request has; a member of a tool that is called so is fine. */
const restWords =
  /\b(?:GET|POST|PUT|PATCH|DELETE)\b|\/v1\/|\bIf-Match\b|\bETag\b|Idempotency-Key|"\?|[?&]\w+=|\b[a-z]+[A-Z]\w*/g;

t.test('what refuses a call speaks in the arguments of the tool', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', {
    name: 'book',
    sheets: [{ name: 'Plan', csv: 'id,n\n1,2\n' }],
    tables: [{ name: 'T', sheetRange: 'Plan!A1:B2', keyColumn: 'id' }],
  });
  const { tools } = await client.result<{ tools: { name: string; inputSchema: object }[] }>(
    'tools/list',
  );
  const argumentsOf = (name: string): string =>
    JSON.stringify(tools.find((tool) => tool.name === name)?.inputSchema);
  const writes = [{ range: 'A1', values: [[1]] }];
  const op = { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 1 }] } };
  const numbers = { keyColumn: 'k', schema: { columns: [{ name: 'k' }, typed('n')] } };
  await client.call('table_write', { workbook, create: { name: 'U', ...numbers } });
  const bad = { k: 1, n: 'text' };
  const cases: readonly (readonly [string, Given, object])[] = [
    ['range_write', { writes, expect_head: 77 }, { code: 'head_moved', message: /expect_head/ }],
    ['range_write', { writes, expect_head: 'main@77' }, { code: 'head_moved' }],
    ['range_write', { writes, expect_head: 'other@7' }, { hint: /^Send the ref of an answer/ }],
    ['ops_submit', { ops: [op], base_seq: 77 }, { code: 'base_ahead', message: /base_seq is 77/ }],
    ['ops_submit', { ops: [] }, { code: 'invalid_request', message: /\/ops/ }],
    ['ops_submit', { ops: [], mode: 'weird' }, { errors: [{}, { pointer: '/mode' }] }],
    ['ops_submit', { ops: [{ ...op, payload: { sheet: 'X', ...op.payload } }] }, {}],
    ['table_write', { table: 'U', rows: [bad] }, { hint: /on_invalid: skip/ }],
    ['table_write', { table: 'T', mode: 'delete', keys: [9] }, { hint: /on_missing/ }],
    ['table_write', { table: 'None', rows: [bad] }, { hint: /^workbook_describe/ }],
    ['table_read', { table: 'None', changes_from: 'main@1' }, { hint: /^workbook_describe/ }],
    ['range_read', { ranges: ['A1'], ref: 'commit:none' }, { code: 'ref_not_found' }],
    ['range_read', { ranges: ['A1'], ref: 'merge:mrg_none' }, { message: /mrg_none/ }],
    ['range_read', { ranges: ['A1'], ref: 'none' }, { code: 'ref_not_found' }],
    ['branch', { action: 'create', name: 'side', from: 'main@99' }, { code: 'ref_not_found' }],
    ['branch', { action: 'archive', name: 'none' }, { code: 'branch_not_found' }],
    ['branch', { action: 'create', name: 'main' }, { code: 'branch_exists' }],
    ['merge', { action: 'open', source: 'none' }, { code: /not_found/ }],
    ['merge', { action: 'show', merge_id: 'none' }, { hint: /^merge/ }],
    ['merge', { action: 'open', source: 'main' }, {}],
    ['history', { cell: 'B2', since: 1 }, { message: /^\/since/ }],
    ['history', { cell: 'B2', before: 2 }, { message: /^\/before/ }],
    ['history', { branch: 'none' }, { code: /not_found/ }],
    ['diff', { from: 'main@1', to: 'main@99' }, { code: 'ref_not_found' }],
    ['scenario_eval', { formulas: ['=(('] }, { code: 'invalid_request' }],
    ['match_tables', { match_id: 'none' }, { hint: /^match_tables/ }],
    [
      'match_tables',
      {
        left: { tableId: 'T', column: 'n' },
        right: { tableId: 'T', column: 'n' },
        opts: { embed: { provider: 'none' } },
      },
      {},
    ],
  ];
  for (const [name, given, expected] of cases) {
    const refusal = await client.refusal(name, { workbook, ...given });
    const what = `${name} ${JSON.stringify(given)} ${JSON.stringify(refusal)}`;
    t.match(refusal, { hint: /^[A-Za-z]/, ...expected }, what);
    const known = argumentsOf(name);
    const said = JSON.stringify([refusal['message'], refusal['hint'], refusal['errors']]);
    const strange = (said.match(restWords) ?? []).filter((word) => !known.includes(word));
    t.same(strange, [], what);
  }
});

function typed(name: string) {
  return { name, type: 'number' };
}

t.test('the history between two positions, and to either side', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', { name: 'book' });
  for (let count = 0; count < 8; count++) {
    await client.call('range_write', { workbook, writes: [{ range: 'A1', values: [[count]] }] });
  }
  const { ref } = await client.call('history', { workbook });
  const head = Number(String(ref).split('@')[1]);
  const seqs = async (given: Given): Promise<readonly number[]> => {
    const all: number[] = [];
    let next: unknown = { workbook, ...given };
    for (let page = 0; next !== null && page < 20; page++) {
      const answer = await client.call('history', next as Given);
      all.push(...(answer['ops'] as { seq: number }[]).map(({ seq }) => seq));
      next = answer['next'];
    }
    return all;
  };
  const upTo = (first: number, last: number): number[] =>
    Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  for (const limit of [1, 2, 3, 50]) {
    t.same(await seqs({ since: 2, before: 7, limit }), upTo(3, 6), 'between, the oldest first');
    t.same(await seqs({ since: 2, limit }), upTo(3, head));
    t.same(await seqs({ before: 7, limit }), upTo(1, 6).toReversed());
    t.same(await seqs({ limit }), upTo(1, head).toReversed());
    t.same(await seqs({ since: 2, before: head + 9, limit }), upTo(3, head));
  }
  t.same(await seqs({ since: 5, before: 6 }), []);
  t.same(await seqs({ since: 7, before: 3 }), []);
  t.same(await seqs({ since: head }), []);
});

t.test('what is not there is told with the way to what is', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', { name: 'book' });
  const id = String(workbook);
  for (const uri of [
    'wb://nope/main/summary',
    `wb://${id}/none/summary`,
    `wb://${id}/main/Nope!A1.csv`,
    `wb://${id}/main/tables/none.csv`,
    `wb://${id}/merges/none`,
    `wb://${id}/main@99/A1.csv`,
  ]) {
    const { error } = await client.answer('resources/read', { uri });
    t.match(error, { code: -32_602, message: String, data: { hint: /\w/ } }, uri);
    t.notMatch(JSON.stringify(error), /GET|POST|\/v1\//, uri);
  }
  for (const uri of ['wb://nope', 'doc://nothing', 'wb://%/a/summary', 'http://x', '']) {
    const { error } = await client.answer('resources/read', { uri });
    t.match(error, { code: -32_602, message: /resources\/templates\/list/ }, uri);
  }
  const { service, credential } = client;
  for (const path of [
    '/v1/tlog/tile/0/999',
    '/v1/tlog/tile/x/1',
    '/v1/tlog/tile/0/000.p/9',
    '/v1/tlog/past/1/tile/0/000',
    '/v1/tlog/past/1/tile/0/7',
    '/v1/tlog/past/x',
    `/v1/workbooks/${id}/collaborators/nobody`,
    '/v1/workbooks/%zz',
    '/v1/workbooks/nope',
  ]) {
    const { status, json } = await service.request(path, {
      credential,
      ...(path.includes('collaborators') && { method: 'PUT', body: { role: 'viewer' } }),
    });
    t.equal(status, 404, path);
    t.match(json, { code: /not_found$/, hint: /\w/ }, path);
  }
});
