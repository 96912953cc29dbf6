import t from 'tap';

import { McpClient } from '../support/mcp-client.ts';
import { TestService } from '../support/test-service.ts';

t.test('tools are listed in their order, with schemas for what goes in and out', async (t) => {
  const client = await McpClient.start(t);
  const { tools } = await client.result<{ tools: { name: string }[] }>('tools/list');
  t.same(
    tools.map(({ name }) => name),
    'workbook_list workbook_create workbook_describe range_read range_write ops_submit scenario_eval table_read table_write history diff branch merge match_tables account'.split(
      ' ',
    ),
  );
  for (const tool of tools) {
    t.match(tool, {
      title: String,
      description: String,
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: Boolean, openWorldHint: false },
    });
  }
  t.ok(JSON.stringify(tools).length < 80_000, 'the list is short enough for a model');
});

t.test('a workbook is made, written to and read', async (t) => {
  const client = await McpClient.start(t);
  const made = await client.call('workbook_create', {
    name: 'budget',
    sheets: [
      {
        name: 'Plan',
        rows: [
          ['Item', 'Cost'],
          ['Rent', 1200],
          ['Food', 300],
          ['Total', '=SUM(B2:B3)'],
        ],
      },
    ],
  });
  t.match(made, { id: /^wb_/, ref: /^main@/, sheets: [{ name: 'Plan', used: 'A1:B4' }] });
  const workbook = String(made['address']);
  const written = await client.call('range_write', {
    workbook,
    writes: [{ range: 'Plan!B2', values: [[1500]] }],
    return_ranges: ['Plan!B4'],
  });
  t.match(written, {
    applied: 1,
    branch_created: false,
    changes: { cells: [{ cell: 'Plan!B4', before: 1500, after: 1800 }], total: 1 },
    ranges: [{ rows: [[1800]] }],
    next: null,
  });
  const read = await client.call('range_read', {
    workbook,
    ranges: ['Plan!A:B'],
    lens: 'both',
    ref: String(written['ref']),
  });
  t.match(read, {
    ref: written['ref'],
    ranges: [{ range: 'A1:B4', types: ['text', 'mixed'], errors: [] }],
    next: null,
  });
});

t.test('tables are matched, now or in a later call, page by page', async (t) => {
  const service = await TestService.start(t, {}, {});
  const client = new McpClient(service, await service.register());
  const names = ['Acme Corporation', 'Globex Incorporated', 'Initech', 'Umbrella Holdings'];
  const typed = ['ACME corporation', 'Globex Incorprated', 'Initech', 'Zyxwv'];
  const lines = (list: readonly string[]): string =>
    ['id,name', ...list.map((name, at) => `${at},${name}`)].join('\n');
  const { id: workbook } = await client.call('workbook_create', {
    sheets: [
      { name: 'Typed', csv: lines(typed) },
      { name: 'Known', csv: lines(names) },
    ],
    tables: [
      { name: 'Orders', sheetRange: 'Typed!A1:B5', keyColumn: 'id' },
      { name: 'Customers', sheetRange: 'Known!A1:B5', keyColumn: 'id' },
    ],
  });
  const sides = {
    workbook,
    left: { tableId: 'Orders', column: 'name' },
    right: { tableId: 'Customers', column: 'name' },
  };
  const whole = await client.call('match_tables', sides);
  t.match(whole, { status: 'done', ref: /^main@/, counts: { unmatched: 1 }, error: null });
  const all = whole['pairs'] as { leftKey: number; rightKey: number; decision: string }[];
  t.match(all[0], { leftKey: 0, rightKey: 0, decision: 'accept', reason: 'exact' });

  const { match_id, ...begun } = await client.call('match_tables', { ...sides, wait_ms: 0 });
  t.match(begun, { status: String, total: Number });
  const pairs: unknown[] = [];
  let next: unknown = { workbook, match_id, limit: 2 };
  for (let count = 0; next !== null && count < 10; count++) {
    const page = await client.call('match_tables', next as Readonly<Record<string, unknown>>);
    t.equal(page['match_id'], match_id);
    pairs.push(...(page['pairs'] as unknown[]));
    next = page['next'];
  }
  t.same(pairs, all, 'the pages have the same pairs, each once');
  const accepted = await client.call('match_tables', { workbook, match_id, decision: 'accept' });
  t.same(
    accepted['pairs'],
    all.filter(({ decision }) => decision === 'accept'),
  );

  const reader = new McpClient(service, await service.register());
  t.match(await reader.refusal('match_tables', { workbook, match_id }), { code: 'not_found' });
  const { identity } = await reader.call('account', { action: 'whoami' });
  const { user_id } = identity as { user_id: string };
  const shared = { method: 'PUT', credential: client.credential, body: { role: 'viewer' } };
  await service.request(`/v1/workbooks/${String(workbook)}/collaborators/${user_id}`, shared);
  t.match(await reader.refusal('match_tables', sides), { code: 'forbidden', role: 'viewer' });
  t.same((await reader.call('match_tables', { workbook, match_id }))['pairs'], all);
});

t.test('the outcomes of rows are those that the operation has', async (t) => {
  const client = await McpClient.start(t);
  const { address: workbook } = await client.call('workbook_create', { name: 'shop' });
  const schema = { columns: [{ name: 'Item' }, { name: 'Count', type: 'number' }] };
  const created = await client.call('table_write', {
    workbook,
    create: { name: 'Stock', keyColumn: 'Item', schema },
    mode: 'import',
    csv: 'Item,Count\nPen,2\nInk,4',
  });
  t.match(created, {
    table: { name: 'Stock' },
    created: true,
    inserted: 2,
    updated: 0,
    rejected: [],
  });
  const upsert = {
    workbook,
    table: 'Stock',
    columns: ['Item', 'Count'],
    rows: [
      ['Pen', 2],
      ['Ink', 5],
      ['Cap', 1],
      ['Hat', 'many'],
    ],
    on_invalid: 'skip',
    idempotency_key: 'stock-1',
  };
  const first = await client.call('table_write', upsert);
  t.match(first, { inserted: 1, updated: 1, unchanged: 1, deleted: 0, rejected_count: 1 });
  t.match(first['rejected'], [{ row: 3, key: 'Hat', column: 'Count', code: 'bad_value' }]);
  const gone = await client.call('table_write', {
    workbook,
    table: 'Stock',
    mode: 'delete',
    keys: ['Pen'],
  });
  t.match(gone, { inserted: 0, updated: 0, unchanged: 0, deleted: 1, rejected: [] });
  const again = await client.call('table_write', upsert);
  t.same(again, { ...first, rejected: [] }, 'sent again it answers the same counts');
  const absent = { workbook, table: 'Stock', mode: 'delete', keys: ['Pen'], on_missing: 'ignore' };
  t.match(await client.call('table_write', absent), {
    rejected: [{ row: 0, key: 'Pen', code: 'key_not_found' }],
    rejected_count: 1,
  });
});

t.test('rows that a table refuses are an error that names them', async (t) => {
  const client = await McpClient.start(t);
  const columns = [
    { name: 'Item', type: 'text' },
    { name: 'Count', type: 'number' },
    { name: 'Twice', formula: '=[@Count]*2' },
  ];
  const create = { name: 'Stock', keyColumn: 'Item', schema: { columns } };
  const { id } = await client.call('workbook_create', { name: 'refusing' });
  const workbook = String(id);
  const made = await client.call('table_write', {
    workbook,
    create,
    csv: "Item,Count\n7,1\n'a,2\n=b,3",
  });
  t.match(made, { inserted: 3 });
  const whole = { workbook, table: 'Stock' };
  t.match(
    await client.call('table_read', { ...whole, columns: ['Item'] }),
    { rows: [['7'], ["'a"], ['=b']] },
    'fields of a column of texts stay what they are',
  );
  const cases: readonly (readonly [object, string, string, RegExp])[] = [
    [{ rows: [{ Item: 'c', Count: 'x' }] }, '/rows/0/Count', 'row_invalid', /on_invalid|onInvalid/],
    [{ rows: [{ Item: 'c', Cuont: 1 }] }, '/rows/0/Cuont', 'column_not_found', /workbook_describe/],
    [{ rows: [{ Item: 'c', Twice: 1 }] }, '/rows/0/Twice', 'row_invalid', /Correct/],
    [{ rows: [{ Item: 'c' }, { Item: 'c' }] }, '/rows/1/Item', 'row_invalid', /Correct/],
    [{ rows: [{ Item: null }] }, '/rows/0/Item', 'row_invalid', /Correct/],
    [{ csv: 'Item,Count\nc,1\nd,x' }, '/csv', 'row_invalid', /Correct/],
    [{ mode: 'import', rows: [{ Item: 1 }] }, '/rows/0/Item', 'row_invalid', /Correct/],
    [{ mode: 'delete', keys: ['a', 'z'] }, '/keys/0', 'key_not_found', /on_missing/],
  ];
  for (const [given, pointer, code, hint] of cases) {
    const refusal = await client.refusal('table_write', { ...whole, ...given });
    const expected = { code: 'table_refused', errors: [{ pointer, code }], hint };
    t.match(refusal, expected, JSON.stringify(given));
    t.match(refusal['message'], /[^.][.?]$/);
  }
  const line = await client.refusal('table_write', { ...whole, csv: 'Item,Count\nc,1\nd,x' });
  t.match(line['message'], /Row 2 after the header: Count/);
  for (const [given, pointer] of [
    [{ keys: ['a'], rows: [{ Item: 'a' }] }, '/keys'],
    [{ mode: 'delete', keys: ['a'], rows: [] }, '/rows'],
    [{ rows: [], csv: 'Item' }, '/csv'],
  ] as const) {
    const refusal = await client.refusal('table_write', { ...whole, ...given });
    t.match(refusal, { code: 'invalid_request', errors: [{ pointer }] }, JSON.stringify(given));
  }
  t.match(await client.refusal('table_write', { workbook, create }), {
    code: 'name_taken',
    errors: [{ pointer: /^\/create/ }],
  });
  const idle = await client.call('table_write', { ...whole, rows: [] });
  t.equal(idle['ref'], made['ref'], 'nothing of it was written, nor of a call without rows');
});

t.test('a formula that cannot be read is refused where the call has it', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', { name: 'formulas' });
  const bad = { range: 'A1', values: [[1], ['=SUM(']] };
  const good = { range: 'C1', values: [[1]] };
  for (const [writes, pointer] of [
    [[bad], '/writes/0/values/1/0'],
    [[good, { range: 'B1', formulas: [['SUM(']] }], '/writes/1/formulas/0/0'],
    [[{ range: 'B1', csv: '=SUM(' }], '/writes/0/csv'],
    [[{ range: 'Nope!B1', values: [[1]] }], '/writes/0'],
  ] as const) {
    const refusal = await client.refusal('range_write', { workbook, writes });
    t.match(refusal, { errors: [{ pointer }] }, JSON.stringify(writes));
    t.notMatch(refusal['hint'], /raw: true|GET /);
  }
  const set = [{ cell: 'A1', input: '=SUM(' }];
  const what = await client.refusal('scenario_eval', { workbook, set, read: ['A1'] });
  t.match(what, { errors: [{ pointer: /^\/set\/0/ }], hint: /apostrophe/ });
  t.notMatch(what['message'], /\.\.$/);
});

t.test('rows are asked for by day, and read as a CSV', async (t) => {
  const client = await McpClient.start(t);
  const { id } = await client.call('workbook_create', {
    name: 'days',
    sheets: [{ name: 'Notes', csv: 'a,=SUM(\n=1+1,b' }],
  });
  const workbook = String(id);
  const read = await client.call('range_read', { workbook, ranges: ['Notes!A1:B2'] });
  t.match(
    read,
    {
      ranges: [
        {
          rows: [
            ['a', '=SUM('],
            [2, 'b'],
          ],
        },
      ],
    },
    'what is no formula is text',
  );
  const columns = [{ name: 'Id' }, { name: 'Day', type: 'date' }, { name: 'At', type: 'datetime' }];
  await client.call('table_write', {
    workbook,
    create: { name: 'Log', keyColumn: 'Id', schema: { columns } },
    rows: [
      ['a', '2026-01-30', '2026-01-30T10:00:00'],
      ['b', '2026-01-31', '2026-01-31T14:30:00'],
      ['c', '2026-02-01', null],
    ],
  });
  const asked = { workbook, table: 'Log', columns: ['Id'] };
  for (const [condition, rows] of [
    [{ column: 'Day', value: '2026-01-31' }, [['b']]],
    [{ column: 'Day', op: 'ge', value: '2026-01-31' }, [['b'], ['c']]],
    [{ column: 'Day', op: 'in', values: ['2026-01-30', 46_054] }, [['a'], ['c']]],
    [{ column: 'At', op: 'gt', value: '2026-01-31T14:00:00' }, [['b']]],
    [{ column: 'At', op: 'lt', value: '2026-01-31' }, [['a']]],
  ] as const) {
    const found = await client.call('table_read', { ...asked, where: [condition] });
    t.same(found['rows'], rows, JSON.stringify(condition));
  }
  const where = [{ column: 'Day', op: 'lt', value: 'yesterday' }];
  t.match(await client.refusal('table_read', { ...asked, where }), {
    code: 'invalid_request',
    errors: [{ pointer: '/where/0/value', message: /2026-01-31/ }],
  });
  const { contents } = await client.result<{ contents: object[] }>('resources/read', {
    uri: `wb://${workbook}/main/tables/Log.csv`,
  });
  t.match(contents, [{ mimeType: 'text/csv', text: /^Id,Day,At\na,46052,46052\.41/ }]);
});

t.test('tables and formulas may be written as over HTTP', async (t) => {
  const client = await McpClient.start(t);
  const { id: workbook } = await client.call('workbook_create', {
    sheets: [
      { name: 'One', rows: [[2]] },
      { name: 'Two', rows: [[5]] },
    ],
  });
  const making = { name: 'Stock', keyColumn: 'sku', schema: { sku: 'text', price: 'number' } };
  const rows = [{ sku: 'a', price: 1.5 }];
  t.match(await client.call('table_write', { workbook, create: making, rows }), {
    created: true,
    inserted: 1,
  });
  t.match(await client.call('table_read', { workbook, table: 'Stock' }), {
    columns: ['sku', 'price'],
    rows: [['a', 1.5]],
  });
  const none = { workbook, create: { ...making, name: 'None', schema: {} } };
  t.match(await client.refusal('table_write', none), {
    code: 'invalid_request',
    errors: [{ pointer: '/create/schema' }],
  });
  const formulas = ['=A1*10', { formula: '=A1*10' }, { formula: '=A1*10', sheet: 'Two' }];
  t.match(await client.call('scenario_eval', { workbook, formulas }), {
    formulas: [{ rows: [[20]] }, { rows: [[20]] }, { rows: [[50]] }],
  });
  const nowhere = { workbook, formulas: [{ formula: '=A1', sheet: 'Three' }] };
  t.match(await client.refusal('scenario_eval', nowhere), {
    code: 'sheet_not_found',
    errors: [{ pointer: '/formulas/0/sheet' }],
  });
});
