import t from 'tap';

import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

interface Cell {
  readonly sheet: string;
  readonly a1: { readonly from: string | null; readonly to: string | null };
  readonly change: string;
  readonly before: { readonly input: unknown; readonly value?: unknown } | null;
  readonly after: { readonly input: unknown; readonly value?: unknown } | null;
  readonly cause: string;
  readonly by?: string;
  readonly at?: string;
}

interface Page {
  readonly from: { readonly branch: string; readonly seq: number };
  readonly to: { readonly branch: string; readonly seq: number };
  readonly relation: string;
  readonly base: { readonly branch: string | null; readonly seq: number } | null;
  readonly summary: Record<string, number>;
  readonly total: number;
  readonly structure: Record<string, unknown>[];
  readonly cells: Cell[];
  readonly collapsed: Record<string, unknown>[];
  readonly values?: {
    a1: string;
    before: unknown;
    after: unknown;
    cause: string;
    via?: string[];
  }[];
  readonly formats: Record<string, unknown>[];
  readonly names: Record<string, unknown>[];
  readonly tables: Record<string, unknown>[];
  readonly records: Record<string, unknown>[];
  readonly next: string | null;
}

async function begin(t: Parameters<typeof TestService.start>[0]) {
  const service = await TestService.start(t, {}, {});
  const book = await Book.create(service, { name: 'plan' });
  const write = async (branch: string, ops: object[], writer = 'ann') => {
    const answer = await book.ask(`/branches/${branch}/ops`, { body: { ops, writer } });
    if (answer.status !== 200) throw new Error(answer.text);
    const { results } = answer.json as { results: { status: string; error?: object }[] };
    const refused = results.find(({ status }) => status === 'rejected');
    if (refused) throw new Error(JSON.stringify(refused));
  };
  const diff = async (query: string) => {
    const answer = await book.ask(`/diff?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.json as Page;
  };
  return { service, book, write, diff };
}

const set = (...cells: [a1: string, input: unknown][]) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: cells.map(([a1, input]) => ({ a1, input })) },
});

t.test('two branches are compared by identity, with writers and operations', async (t) => {
  const { book, write, diff } = await begin(t);
  const inputs = [
    ['Item', 'Price', 'Double'],
    ['Tea', 2, '=B2*2'],
    ['Milk', 3, '=B3*2'],
    ['Rice', 4, '=B4*2'],
  ];
  await write('main', [
    { kind: 'range.set', payload: { sheet: 'Sheet1', range: 'A1:C4', inputs } },
  ]);
  await book.ask('/branches', { body: { name: 'q3', from: 'main' } });
  await write('q3', [{ kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 2, count: 2 } }]);
  await write('q3', [set(['B5', 9], ['D1', 'new'])], 'bob');
  await write('q3', [
    { kind: 'range.fill', payload: { sheet: 'Sheet1', range: 'E1:F900', input: '=$A1&"x"' } },
    { kind: 'format.set', payload: { sheet: 'Sheet1', range: 'A1:C1', style: { bold: true } } },
    { kind: 'name.set', payload: { name: 'tax', ref: 'Sheet1!B5' } },
    { kind: 'note.set', payload: { sheet: 'Sheet1', a1: 'A1', text: 'why' } },
    { kind: 'sheet.rename', payload: { sheet: 'Sheet1', name: 'Plan' } },
  ]);
  const page = await diff('from=main&to=q3');
  t.match(page, {
    from: { branch: 'main', seq: 2 },
    to: { branch: 'q3', seq: 7 },
    relation: 'ahead',
    base: { branch: 'main', seq: 2 },
    next: null,
  });
  t.match(page.structure, [
    { op: 'sheet.rename', from: 'Sheet1', to: 'Plan' },
    { op: 'rows.insert', sheet: 'Plan', at: '2:3', ids: ['2.1.0..1'] },
  ]);
  t.match(page.cells, [
    { a1: { from: 'D1', to: 'D1' }, change: 'added', before: null, after: { input: 'new' } },
    {
      sheet: 'Plan',
      a1: { from: 'B3', to: 'B5' },
      row: '0.0.2',
      col: '0.0.1',
      change: 'modified',
      before: { input: 3 },
      after: { input: 9 },
      cause: 'edited',
      writer: 'bob',
      at: 'q3@2',
    },
  ]);
  t.equal(page.cells.length, 2, 'formulas that moved along are no change');
  t.match(page.collapsed, [
    {
      range: 'E1:F900',
      change: 'added',
      formula: '=RC1&"x"',
      count: 1800,
      writer: 'ann',
      at: 'q3@3',
    },
  ]);
  t.match(page.formats, [{ range: 'A1:C1', before: { bold: null }, after: { bold: true } }]);
  t.match(page.names, [{ name: 'tax', scope: null, change: 'added', before: null }]);
  t.match(page.records, [{ type: 'note', change: 'added', after: { ranges: ['A1'] } }]);
  t.match(page.summary, { cells: 1802, cellsAdded: 1801, rowsInserted: 2, sheets: 1, names: 1 });

  const back = await diff('from=q3&to=main');
  t.equal(back.relation, 'behind');
  t.match(back.structure, [
    { op: 'sheet.rename', to: 'Sheet1' },
    { op: 'rows.delete', at: '2:3' },
  ]);
  t.same(
    back.cells.map(({ a1, change }) => [a1.from, a1.to, change]),
    [
      ['D1', 'D1', 'removed'],
      ['B5', 'B3', 'modified'],
    ],
  );
  t.equal(back.cells[0]?.by, undefined, 'the way to q3 is not that of main');

  await write('main', [set(['A9', 1])], 'cem');
  t.equal((await diff('from=main&to=q3')).relation, 'diverged');
  const own = await diff('from=main@2&to=main');
  t.match(own, { relation: 'ahead', base: { seq: 2 }, cells: [{ writer: 'cem', at: 'main@3' }] });
  t.match(await diff('from=q3&to=q3@7'), { relation: 'same', total: 0 });
  t.match(await diff('from=q3@0&to=main@2'), { relation: 'same', total: 0 });
});

t.test('a diff is narrowed and read page by page, whatever is written meanwhile', async (t) => {
  const { book, write, diff } = await begin(t);
  await write('main', [{ kind: 'sheet.add', payload: { name: 'Two' } }]);
  const inputs = Array.from({ length: 40 }, (_, row) => [row, row * 7 + 0.5]);
  await write('main', [
    { kind: 'range.set', payload: { sheet: 'Sheet1', range: 'A1', inputs } },
    { kind: 'cells.set', payload: { sheet: 'Two', cells: [{ a1: 'A1', input: 1 }] } },
  ]);
  const first = await book.ask('/diff?from=main@1&to=main&limit=30&kinds=cells,structure');
  const seen: unknown[] = [];
  let page = first.json as Page;
  t.match(first.headers.get('link'), 'rel="next"');
  await write('main', [set(['C1', 'later'])]);
  for (;;) {
    seen.push(...page.cells.map(({ sheet, a1 }) => `${sheet}!${a1.to}`));
    if (page.next === null) break;
    page = (await book.service.request(page.next, { credential: book.credential })).json as Page;
  }
  const all = Array.from({ length: 40 }, (_, row) => [`Sheet1!A${row + 1}`, `Sheet1!B${row + 1}`]);
  t.same(seen, [...all.flat(), 'Two!A1']);
  t.same(
    (await diff('from=main@1&to=main@4&sheet=Two')).cells.map(({ sheet }) => sheet),
    ['Two'],
  );
  t.equal((await diff('from=main@1&to=main@4&kinds=structure')).cells.length, 0);
  const again = await book.ask('/diff?from=main@1&to=main@4', {
    headers: { 'if-none-match': first.headers.get('etag') ?? '' },
  });
  t.equal(again.status, 304);
});

t.test('why a value differs does not depend on what is listed', async (t) => {
  const { write, diff } = await begin(t);
  await write('main', [set(['A1', 1], ['B1', '=A1*2'])]);
  await write('main', [set(['A1', 2])]);
  const causes = [
    { a1: 'A1', cause: 'edited' },
    { a1: 'B1', cause: 'recalculated', via: ['Sheet1!A1'] },
  ];
  for (const kinds of ['', '&kinds=cells', '&kinds=formats', '&kinds=formats,names']) {
    const page = await diff(`from=main@2&to=main&values=true${kinds}`);
    t.match(page, { values: causes, summary: { values: 2 } }, kinds);
    t.equal(page.cells.length, /^$|cells/u.test(kinds) ? 1 : 0);
  }
});

t.test('values of both sides, and why they differ', async (t) => {
  const { write, diff } = await begin(t);
  await write('main', [
    set(['A1', 1], ['A2', 2], ['A3', 3], ['B1', '=SUM(A1:A3)'], ['C1', '=B1*2'], ['D1', '=ROW()']),
  ]);
  await write('main', [set(['A2', 5], ['E1', '=1/0'])]);
  await write('main', [{ kind: 'rows.move', payload: { sheet: 'Sheet1', from: 1, before: 4 } }]);
  const page = await diff('from=main@2&to=main&values=true');
  t.same(
    page.cells.map(({ a1, before, after }) => [a1.to, before?.value, after?.value]),
    [
      ['A1', 2, 5],
      ['E3', undefined, { error: '#DIV/0!' }],
    ],
  );
  t.same(page.values, [
    { sheet: 'Sheet1', a1: 'A1', before: 2, after: 5, cause: 'edited' },
    { sheet: 'Sheet1', a1: 'B3', before: 6, after: 9, cause: 'recalculated', via: ['Sheet1!A1'] },
    { sheet: 'Sheet1', a1: 'C3', before: 12, after: 18, cause: 'recalculated', via: ['Sheet1!B3'] },
    { sheet: 'Sheet1', a1: 'D3', before: 1, after: 3, cause: 'moved', via: [] },
    { sheet: 'Sheet1', a1: 'E3', before: null, after: { error: '#DIV/0!' }, cause: 'edited' },
  ]);
  t.equal(page.summary['values'], 5);
});

t.test('other forms: lines, text, and the table of daff', async (t) => {
  const { book, write } = await begin(t);
  await write('main', [set(['A1', 'id'], ['B1', 'name'], ['A2', 1], ['B2', 'a'], ['A3', 2])]);
  await write('main', [
    { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 3 } },
    set(['A3', 9], ['B2', 'x->y'], ['C1', '=1+1']),
    { kind: 'rows.delete', payload: { sheet: 'Sheet1', from: 4 } },
  ]);
  const query = '/diff?from=main@2&to=main@5';
  const lines = await book.ask(query, { headers: { accept: 'application/x-ndjson' } });
  t.match(lines.headers.get('content-type'), 'application/x-ndjson');
  const parsed = lines.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  t.match(parsed[0], { relation: 'ahead', summary: { rowsInserted: 1, rowsDeleted: 1 } });
  t.match(parsed.at(-1), { end: true, count: parsed.length - 2 });
  t.equal((await book.ask(`${query}&format=ndjson`)).text, lines.text);

  const patch = await book.ask(`${query}&format=patch`);
  t.equal(patch.status, 200);
  t.match(patch.text, '--- main@2\n+++ main@5\n');
  t.match(patch.text, '@@ Sheet1!B2 @@\n-a\n+x->y\n');
  t.match(patch.text, '@@ rows.insert Sheet1!3:3 @@\n');

  const csv = await book.ask(`${query}&format=csv`);
  t.match(csv.text, 'cells,Sheet1,modified,B2,B2,a,x->y');
  t.match(csv.text, `cells,Sheet1,added,C1,C1,,'=1+1`, 'as an export guards it');

  const daff = (await book.ask(`${query}&format=daff`)).json as { tables: unknown };
  const rows = [
    ['@@', 'A', 'B', 'C'],
    ['->', 'id', 'name', '->=1+1'],
    ['-->', '1', 'a-->x->y', ''],
    ['---', '2', '', ''],
    ['+++', '9', '', ''],
  ];
  t.same(daff.tables, [{ sheet: 'Sheet1', rows }]);
  const table = await book.ask(`${query}&format=daff`, { headers: { accept: 'text/csv' } });
  t.equal(table.text, rows.map((row) => `${row.join(',')}\r\n`).join(''));
});

t.test('tables are compared by key, with all their rows at an address of their own', async (t) => {
  const { book, write, diff } = await begin(t);
  const schema = { columns: [{ name: 'sku' }, { name: 'price' }] };
  await write('main', [
    { kind: 'table.create', payload: { name: 'Items', keyColumn: 'sku', schema } },
    {
      kind: 'rows.import',
      payload: {
        table: 'Items',
        rows: Array.from({ length: 9 }, (_, at) => ({ sku: `S${at}`, price: at })),
      },
    },
  ]);
  await write('main', [
    {
      kind: 'rows.upsert',
      payload: {
        table: 'Items',
        rows: [
          { sku: 'S3', price: 10 },
          { sku: 'T', price: 1 },
        ],
      },
    },
    { kind: 'rows.delete', payload: { table: 'Items', keys: ['S5'] } },
    { kind: 'table.column.add', payload: { table: 'Items', column: 'note' } },
  ]);
  const { tables } = await diff('from=main@3&to=main');
  t.match(tables, [
    {
      name: 'Items',
      change: 'modified',
      schema: [{ op: 'table.column.add', column: 'note' }],
      rows: { added: 1, modified: 1, removed: 1 },
    },
  ]);
  const { changes: path } = tables[0] as { changes: string };
  const answer = await book.service.request(path, { credential: book.credential });
  t.match(answer.json, {
    key: 'sku',
    change: 'modified',
    total: 3,
    changes: [
      {
        key: 'S3',
        change: 'modified',
        before: { price: 3 },
        after: { price: 10 },
        columns: ['price'],
      },
      { key: 'T', change: 'added', before: null, after: { sku: 'T', price: 1 } },
      { key: 'S5', change: 'removed', before: { sku: 'S5', price: 5 }, after: null },
    ],
    next: null,
  });
  const { credential, id } = book;
  const address = `/v1/workbooks/${id}/tables/Items/changes?from=main@3&to=main&limit=2`;
  const paged = await book.service.request(address, { credential });
  const { next } = paged.json as { next: string };
  const rest = await book.service.request(next, { credential: book.credential });
  t.match(rest.json, { total: 3, changes: [{ key: 'S5' }], next: null });
  t.equal((await book.ask('/tables/None/changes?from=main@3&to=main')).status, 404);
});

t.test('the policy has a history that is compared too, and commits are positions', async (t) => {
  const { book, write, diff } = await begin(t);
  const { json } = await book.ask('/settings');
  const { policy } = json as { policy: Record<string, object> };
  const other = { ...policy, branch: { ...policy['branch'], maxBranches: 7 } };
  const put = await book.ask('/settings', { method: 'PUT', body: { policy: other } });
  t.equal(put.status, 200, put.text);
  const changed = await book.ask('/diff?from=$settings@0&to=$settings');
  const { policy: members } = changed.json as { policy: { path: string; after: unknown }[] };
  t.match(
    members.find(({ path }) => path === 'branch.maxBranches'),
    { before: null, after: 7 },
  );
  await write('main', [set(['A1', 1])]);
  await book.ask('/branches/main/commit', { body: { message: 'one', tag: 'v1' } });
  await write('main', [set(['A1', 2])]);
  const page = await diff('from=commit:v1');
  t.match(page, { from: { branch: 'main' }, relation: 'ahead', cells: [{ before: { input: 1 } }] });
});

t.test('what cannot be compared is refused as everywhere', async (t) => {
  const { service, book, write } = await begin(t);
  await write('main', [set(['A1', 1])]);
  const refusals = [
    ['from=main&to=none', 404, 'ref_not_found'],
    ['from=main@9', 404, 'ref_not_found'],
    ['from=a@b&to=main', 400, 'invalid_reference'],
    ['from=commit:v1&to=main', 404, 'ref_not_found'],
    ['to=main', 400, 'invalid_request'],
    ['from=main&kinds=cells,rows', 400, 'invalid_request'],
    ['from=main&format=xml', 400, 'invalid_request'],
    ['from=main&sheet=None', 404, 'sheet_not_found'],
    ['from=main&value=true', 400, 'unknown_member'],
    ['from=main&limit=0', 400, 'invalid_request'],
  ] as const;
  for (const [query, status, code] of refusals) {
    const answer = await book.ask(`/diff?${query}`);
    t.match({ status: answer.status, ...(answer.json as object) }, { status, code }, query);
  }
  const other = await service.register();
  const hidden = await service.request(`/v1/workbooks/${book.id}/diff?from=main`, {
    credential: other,
  });
  t.equal(hidden.status, 404, 'nobody else sees it');
  const named = await service.request(`/v1/${book.namespace}/${book.name}/diff?from=main@0`, {
    credential: book.credential,
  });
  t.match(named.json, { relation: 'ahead', cells: [{ a1: { to: 'A1' } }] }, 'by its name');
});

t.test('a formula with the same text is no change, whatever was renamed', async (t) => {
  const { write, diff } = await begin(t);
  const scope = 'Sheet1';
  const entered = set(['B1', '=SUM(vat,A3:A9)']);
  await write('main', [
    { kind: 'name.set', payload: { name: 'tax', ref: 'Sheet1!A1', scope } },
    entered,
  ]);
  await write('main', [
    { kind: 'name.rename', payload: { from: 'tax', to: 'vat', scope } },
    { kind: 'rows.insert', payload: { sheet: scope, before: 20 } },
    set(['B1', null]),
    entered,
  ]);
  for (const ends of ['from=main@3&to=main', 'from=main&to=main@3']) {
    const { cells, names } = await diff(ends);
    t.strictSame(cells, [], ends);
    t.equal(names.length, 1, 'only the name has changed');
  }
});
