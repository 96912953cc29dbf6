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
    rejected: 0,
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
  t.match(first, { inserted: 1, updated: 1, unchanged: 1, deleted: 0, rejected: 1 });
  const gone = await client.call('table_write', {
    workbook,
    table: 'Stock',
    mode: 'delete',
    keys: ['Pen'],
  });
  t.match(gone, { inserted: 0, updated: 0, unchanged: 0, deleted: 1, rejected: 0 });
  t.same(await client.call('table_write', upsert), first, 'sent again it answers the same');
});
