import type { Test } from 'tap';

type Json = Readonly<Record<string, unknown>>;
type Check = Pick<Test, 'match' | 'equal'>;

/** Calls a tool, and resolves with its structured content; rejects for what it refuses. */
export type CallTool = (name: string, given: Json) => Promise<Json>;

interface Made {
  readonly workbook: unknown;
  /** Position that its creation led to. */
  readonly ref: string;
}

const toolCount = 15;
const items = { tableId: 'Sales', column: 'Item' };
const sides = { left: items, right: items };

/** Calls every tool of the MCP server in one story, with any client. */
export async function callEveryTool(t: Check, client: CallTool): Promise<void> {
  const called = new Set<string>();
  const call: CallTool = (name, given) => {
    called.add(name);
    return client(name, given);
  };
  const made = await makeAndWrite(t, call);
  await useTables(t, call, made);
  await mergeAndMatch(t, call, made);
  t.equal(called.size, toolCount, [...called].join());
}

async function makeAndWrite(t: Check, call: CallTool): Promise<Made> {
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
  return { workbook, ref: String(made['ref']) };
}

async function useTables(t: Check, call: CallTool, { workbook, ref }: Made): Promise<void> {
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
  t.match(await call('table_read', { workbook, table: 'Sales', changes_from: ref }), {
    changes: [
      { key: 'Pen', change: 'modified' },
      { key: 'Cap', change: 'added' },
    ],
  });
}

async function mergeAndMatch(t: Check, call: CallTool, { workbook, ref }: Made): Promise<void> {
  t.match(await call('history', { workbook, limit: 2 }), { ops: [{ kind: 'rows.upsert' }, {}] });
  t.match(await call('history', { workbook, cell: 'Plan!C2' }), {
    blame: [{ cell: 'C2', kind: 'rows.upsert', proof: String }],
  });
  t.match(await call('diff', { workbook, from: ref, ranges: ['Plan!A1:C9'] }), {
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
}
