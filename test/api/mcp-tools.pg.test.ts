import t from 'tap';

import { McpClient } from '../support/mcp-client.ts';

t.test('tools are listed in their order, with schemas for what goes in and out', async (t) => {
  const client = await McpClient.start(t);
  const { tools } = await client.result<{ tools: { name: string }[] }>('tools/list');
  t.same(
    tools.map(({ name }) => name),
    'workbook_list workbook_create workbook_describe range_read range_write ops_submit scenario_eval table_read table_write history diff branch merge account'.split(
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
