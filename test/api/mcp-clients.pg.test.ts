import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import t from 'tap';
import type { Test } from 'tap';

import { TestService } from '../support/test-service.ts';

/** The official client checks what every tool answers against the schema that the tool announces. */

type Json = Readonly<Record<string, unknown>>;

const generations = {
  '2025-11-25': {},
  '2026-07-28': { versionNegotiation: { mode: 'auto' } },
} as const;

async function connect(
  t: Pick<Test, 'teardown'>,
  version: keyof typeof generations,
): Promise<{ client: Client; service: TestService }> {
  const service = await TestService.start(t, {}, {});
  const credential = await service.register();
  const requestInit = { headers: { authorization: `Bearer ${credential}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
    requestInit,
  });
  const client = new Client({ name: 'test', version: '1' }, generations[version]);
  await client.connect(transport);
  t.teardown(() => client.close());
  return { client, service };
}

const items = { tableId: 'Sales', column: 'Item' };
const sides = { left: items, right: items };

/** Calls tools, and keeps which of them were called. */
function caller(client: Client) {
  const called = new Set<string>();
  const call = async (name: string, given: Json): Promise<Json> => {
    called.add(name);
    const answer = await client.callTool({ name, arguments: given });
    const { isError, content, structuredContent } = answer;
    if (isError === true || !structuredContent)
      throw new Error(`${name}: ${JSON.stringify(content)}`);
    return structuredContent as Json;
  };
  return { call, called };
}

for (const version of Object.keys(generations) as (keyof typeof generations)[]) {
  t.test(`every tool answers what it announces, by ${version}`, async (t) => {
    const { client } = await connect(t, version);
    t.match(client.getServerVersion(), { name: 'quire', version: String });
    const { tools } = await client.listTools();
    const { call, called } = caller(client);
    const made = await call('workbook_create', {
      name: 'sales',
      sheets: [
        { name: 'Plan', csv: 'Item,Price,Count\nPen,2,10\nInk,5,4\n' },
        {
          name: 'Sum',
          rows: [
            ['Total', '=SUM(Plan!B2:B3)'],
            ['Bad', '=1/0'],
          ],
        },
      ],
      tables: [{ name: 'Sales', sheetRange: 'Plan!A1:C3', keyColumn: 'Item' }],
    });
    const workbook = made['address'];
    t.match(made, { tables: [{ name: 'Sales' }] });
    t.match(await call('workbook_list', { query: 'SALES' }), {
      total: 1,
      items: [{ name: 'sales' }],
    });
    t.match(await call('workbook_describe', { workbook }), {
      sheets: [{ name: 'Plan', header: ['Item', 'Price', 'Count'], sample: [['Pen', 2, 10]] }, {}],
      tables: [{ name: 'Sales', key: 'Item' }],
      branches: [{ name: 'main' }],
      error_cells: 1,
    });
    t.match(await call('range_read', { workbook, ranges: ['Sum!A1:B2'], format: 'markdown' }), {
      ranges: [{ markdown: /Total \| 7/, errors: [{ cell: 'B2', error: '#DIV/0!' }] }],
    });
    t.match(
      await call('range_write', {
        workbook,
        branch: 'draft',
        create_branch_from: 'main',
        writes: [{ range: 'Plan!B2', values: [[3]] }],
      }),
      { branch_created: true, changes: { cells: [{ cell: 'Sum!B1', after: 8 }] } },
    );
    t.match(
      await call('ops_submit', {
        workbook,
        branch: 'draft',
        ops: [{ kind: 'sheet.add', payload: { name: 'Notes' } }],
      }),
      { status: 'applied', made: [{ index: 0, sheet: String }], rejected: [] },
    );
    t.match(
      await call('scenario_eval', {
        workbook,
        set: [{ cell: 'Plan!B2', input: 100 }],
        read: ['Sum!B1'],
        formulas: ['=Sum!B1*2'],
      }),
      { ranges: [{ before: [[7]], after: [[105]] }], formulas: [{ rows: [[210]] }] },
    );
    t.match(
      await call('table_write', {
        workbook,
        table: 'Sales',
        csv: 'Item,Price,Count\nPen,2,12\nCap,1,1',
      }),
      { inserted: 1, updated: 1, deleted: 0, created: false },
    );
    t.match(
      await call('table_read', {
        workbook,
        table: 'Sales',
        where: [{ column: 'Count', op: 'ge', value: 4 }],
        order: [{ column: 'Price', desc: true }],
        columns: ['Item', 'Count'],
      }),
      {
        rows: [
          ['Ink', 4],
          ['Pen', 12],
        ],
        total: 2,
        next: null,
      },
    );
    t.match(
      await call('table_read', { workbook, table: 'Sales', changes_from: String(made['ref']) }),
      {
        changes: [
          { key: 'Pen', change: 'modified' },
          { key: 'Cap', change: 'added' },
        ],
      },
    );
    t.match(await call('history', { workbook, limit: 2 }), { ops: [{ kind: 'rows.upsert' }, {}] });
    t.match(await call('history', { workbook, cell: 'Plan!C2' }), {
      blame: [{ cell: 'C2', kind: 'rows.upsert', proof: String }],
    });
    t.match(await call('diff', { workbook, from: String(made['ref']), ranges: ['Plan!A1:C9'] }), {
      text: /^--- main/,
      hunks: Array,
    });
    t.match(await call('branch', { workbook, action: 'list' }), {
      branches: [{ name: 'main' }, { name: 'draft', ahead: 2 }],
    });
    const opened = await call('merge', { workbook, action: 'open', source: 'draft', diff: true });
    const { merge_id } = opened['merge'] as { merge_id: string };
    t.match(await call('merge', { workbook, action: 'complete', merge_id }), {
      merge: { state: 'merged', result: { ref: /^main@/ } },
    });
    t.match(await call('merge', { workbook, action: 'show' }), { merges: [{ merge_id }] });
    t.match(await call('branch', { workbook, action: 'archive', name: 'draft' }), {
      branches: [{ name: 'main' }],
    });
    t.equal((await call('match_tables', { ...sides, workbook }))['status'], 'done');
    t.match(await call('account', { action: 'whoami' }), { identity: { user_id: /^agt_/ } });
    t.match(await call('account', { action: 'usage' }), { usage: { plan: 'anonymous' } });
    t.same([...called].toSorted(), tools.map(({ name }) => name).toSorted());
  });
}

t.test('results beyond the budget are cut, and say how to go on', async (t) => {
  const { client } = await connect(t, '2026-07-28');
  const rows = Array.from({ length: 1_500 }, (_, row) => [row, row * 2, `row ${row}`]);
  const call = async (name: string, given: Json): Promise<Json> =>
    (await client.callTool({ name, arguments: given })).structuredContent as Json;
  const { id: workbook } = await call('workbook_create', { sheets: [{ name: 'Long', rows }] });
  let given: Json | null = { workbook, ranges: ['A:C'], format: 'cells' };
  const seen: unknown[] = [];
  for (let pages = 0; given !== null; pages++) {
    if (pages > 20) throw new Error('it never ends');
    const page: Json = await call('range_read', given);
    for (const { cells } of page['ranges'] as { cells: unknown[] }[]) seen.push(...cells);
    given = page['next'] as Json | null;
  }
  t.equal(seen.length, 4_500);
  t.same(seen.at(-1), { cell: 'C1500', value: 'row 1499' });
});
