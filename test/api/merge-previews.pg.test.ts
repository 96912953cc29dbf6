import t from 'tap';

import type { Book } from '../support/book.ts';
import { McpClient } from '../support/mcp-client.ts';
import {
  approve,
  conflictsOf,
  fork,
  makeBook,
  propose,
  run,
  values,
  write,
} from '../support/merged-book.ts';

/** An open merge is a position: what it comes to is read before it is applied. */

const sheet = 'Sheet1';

/** Both branches write A1; the source has a row, a format, a note and a total beside it. */
async function contested() {
  const book = await makeBook();
  await write(book, 'main', ['C3', '=SUM(A1:A3)']);
  await fork(book, 'q3');
  await run(book, 'q3', 'rows.insert', { sheet, before: 3, count: 1 });
  await write(book, 'q3', ['A1', 0.5], ['A3', 5]);
  await run(book, 'q3', 'format.set', { sheet, range: 'A1', style: { numberFormat: '0%' } });
  await run(book, 'q3', 'note.set', { sheet, a1: 'B4', text: 'counted twice' });
  await write(book, 'main', ['A1', 12], ['B1', 13]);
  const merge = await propose(book, { source: 'q3' });
  return { book, id: merge.id, ref: `merge:${merge.id}` };
}

function resolve(book: Book, id: string, choice: string) {
  return book.ask(`/merges/${id}/resolve`, { body: { bulk: [{ where: {}, choice }] } });
}

t.test('an open merge is read with what was chosen so far', async (t) => {
  const { book, id, ref } = await contested();
  t.same(await values(book, 'A1:C4', ref), [
    [12, 13, null],
    [21, 22, null],
    [5, null, null],
    [31, 32, 12 + 21 + 5 + 31],
  ]);
  const read = `/slice?ref=${ref}&range=A1:C4`;
  const before = await book.ask(read);
  const etag = before.headers.get('etag');
  t.match(before.json, { ref: { branch: ref } });
  t.equal((await book.ask(read, { headers: { 'if-none-match': etag ?? '' } })).status, 304);
  await resolve(book, id, 'theirs');
  const after = await book.ask(read, { headers: { 'if-none-match': etag ?? '' } });
  t.equal(after.status, 200, 'a choice makes another position of it');
  t.same((after.json as { rows: unknown[][] }).rows[3], [31, 32, 0.5 + 21 + 5 + 31]);
  t.match((await book.ask(`/slice?ref=${ref}&range=A1&lens=formatted`)).json, { rows: [['50%']] });
  t.match((await book.ask(`/slice?ref=${ref}&range=C4&lens=input`)).json, {
    rows: [['=SUM(A1:A4)']],
  });
  t.same(await values(book, 'A1:A3'), [[12], [21], [31]], 'the target is as it was');
});

t.test('an open merge is read on when its target was changed and changed back', async (t) => {
  const { book, ref } = await contested();
  const paths = [`/values?ref=${ref}`, `/find?q=3&ref=${ref}`, `/slice?range=A1:C4&ref=${ref}`];
  const read = async () => Promise.all(paths.map((path) => book.ask(path)));
  const before = await read();
  for (const value of [99, 13]) await write(book, 'main', ['B1', value]);
  const after = await read();
  for (const [at, { status, json, text }] of after.entries()) {
    t.equal(status, 200, text);
    const { ref: now } = json as { ref: { seq: number } };
    const { ref: then } = (before[at]?.json ?? {}) as { ref?: { seq: number } };
    t.equal(now.seq, (then?.seq ?? 0) + 2, `${paths[at]} says where it is`);
  }
});

t.test('all that is read of a position is read of an open merge', async (t) => {
  const { book, ref } = await contested();
  t.match((await book.ask(`/formats?ref=${ref}&range=A1:B2`)).json, { styles: [{}] });
  t.match((await book.ask(`/records?ref=${ref}&types=note`)).json, {
    records: [{ value: { text: 'counted twice' } }],
  });
  t.match((await book.ask(`/branches/main/state?ref=${ref}`)).json, {
    branch: ref,
    sheets: [{ name: sheet }],
  });
  t.match((await book.ask(`/branches/${ref}/state`)).json, { branch: ref });
  t.match((await book.ask(`/values?ref=${ref}&limit=3`)).json, { total: 8 });
  const ended = await book.ask(`/values?ref=${ref}`, { method: 'DELETE' });
  t.match(ended, { status: 200, json: { ref: { branch: ref }, cancelled: false } });
  t.match((await book.ask(`/edge?ref=${ref}&cell=A1&direction=down`)).json, { cell: 'A4' });
  t.match((await book.ask(`/find?ref=${ref}&q=31`)).json, { cells: [{ cell: 'A4' }] });
  t.match((await book.ask(`/branches/${ref}/export?format=csv`)).text, /\r\n5(?:,|\r)/u);
  const asked = { ref, set: [{ cell: 'A3', input: 6 }], ranges: ['C4'] };
  t.match((await book.ask('/scenario', { body: asked })).json, {
    slices: [{ before: [[69]], after: [[70]] }],
  });
});

t.test('MCP reads an open merge, and goes on with it', async (t) => {
  const { book, ref } = await contested();
  const client = new McpClient(book.service, book.credential);
  const given = { workbook: book.id, ref, ranges: [`${sheet}!A1:C4`], max_cells: 6 };
  const first = await client.call('range_read', given);
  t.match(first, { ref, next: { ref } });
  const next = first['next'] as Readonly<Record<string, unknown>>;
  t.match(await client.call('range_read', next), {
    ranges: [
      {
        rows: [
          [5, null, null],
          [31, 32, 69],
        ],
      },
    ],
  });
});

t.test(
  'an open merge is no place to branch from, and ends as a position of its target',
  async (t) => {
    const { book, id, ref } = await contested();
    const forked = await book.ask('/branches', { body: { name: 'early', from: ref } });
    t.match(
      { status: forked.status, ...(forked.json as object) },
      { status: 404, hint: /only be read/u },
    );
    await resolve(book, id, 'ours');
    const before = await values(book, 'A1:C4', ref);
    const { digest } = (await book.ask(`/merges/${id}`)).json as { digest: string };
    t.equal((await approve(book, id, { digest })).status, 200);
    await write(book, 'main', ['A1', 99]);
    t.same(await values(book, 'A1:C4', ref), before);
    t.match((await book.ask(`/slice?ref=${ref}&range=A1`)).json, { ref: { branch: 'main' } });
    const other = await contested();
    await other.book.ask(`/merges/${other.id}/abort`, { body: {} });
    t.match((await other.book.ask(`/slice?ref=${other.ref}&range=A1`)).json, {
      status: 404,
      code: 'ref_not_found',
    });
  },
);

t.test('a merge too large to calculate whole says what can be read of it', async (t) => {
  const { book, ref } = await contested();
  t.equal((await book.ask('/eval-ceiling', { body: { cells: 3 } })).status, 200);
  t.match((await book.ask(`/values?ref=${ref}`)).json, { status: 400, code: 'range_too_large' });
  t.same(await values(book, 'C4', ref), [[69]]);
});

t.test('conflicts and diffs tell what cells show', async (t) => {
  const { book, id } = await contested();
  const [conflict] = await conflictsOf(book, id);
  t.match(conflict, { ours: { value: 12 }, theirs: { value: 0.5, text: '50%' } });
  await resolve(book, id, 'theirs');
  const { json } = await book.ask(`/merges/${id}/diff?values=true`);
  t.match(json, {
    cells: [{ a1: { to: 'A1' }, before: { value: 12 }, after: { value: 0.5, text: '50%' } }],
    values: [{ a1: 'A1', before: 12, after: 0.5, afterText: '50%' }],
  });
});

/** An open merge whose source changed a row of a table and added another one. */
async function withTable() {
  const book = await makeBook();
  const schema = { Id: 'number', Tea: 'text', Price: 'number' };
  const stock = { name: 'Stock', keyColumn: 'Id', schema };
  t.equal((await book.ask('/branches/main/tables', { body: stock })).status, 201);
  const send = async (branch: string, rows: readonly object[]) => {
    const body = { mode: 'upsert', rows };
    const { status, text } = await book.ask(`/branches/${branch}/tables/Stock/rows`, { body });
    t.equal(status, 200, text);
  };
  await send('main', [
    { Id: 1, Tea: 'Assam', Price: 4 },
    { Id: 2, Tea: 'Keemun', Price: 6 },
  ]);
  await fork(book, 'q3');
  await send('q3', [
    { Id: 2, Price: 7 },
    { Id: 3, Tea: 'Sencha', Price: 9 },
  ]);
  await send('main', [{ Id: 1, Price: 5 }]);
  const merge = await propose(book, { source: 'q3' });
  return { book, id: merge.id, ref: `merge:${merge.id}` };
}

t.test('tables of an open merge are read by pages, questions and changes', async (t) => {
  const { book, ref } = await withTable();
  t.match((await book.ask(`/tables?ref=${ref}`)).json, { tables: [{ name: 'Stock' }] });
  t.match((await book.ask(`/tables/Stock?ref=${ref}`)).json, {
    table: { name: 'Stock', rowCount: 3 },
  });
  const first = (await book.ask(`/tables/Stock/rows?ref=${ref}&limit=2`)).json as { next: string };
  const rows = [
    { Id: 1, Tea: 'Assam', Price: 5 },
    { Id: 2, Tea: 'Keemun', Price: 7 },
  ];
  t.match(first, { ref: { branch: ref }, total: 3, rows });
  const rest = first.next.replace(/^.*\/tables/u, '/tables');
  t.match((await book.ask(rest)).json, { rows: [{ Id: 3, Tea: 'Sencha', Price: 9 }], next: null });
  const where = encodeURIComponent('[@Price]>6');
  t.match((await book.ask(`/tables/Stock/rows?ref=${ref}&where=${where}&order=-Price`)).json, {
    rows: [{ Id: 3 }, { Id: 2 }],
  });
  t.match((await book.ask(`/tables/Stock/rows?ref=${ref}&group=Tea&sum=Price`)).json, {
    groups: [{ Tea: 'Assam' }, { Tea: 'Keemun' }, { Tea: 'Sencha' }],
  });
  t.match((await book.ask(`/tables/Stock/changes?from=main&to=${ref}`)).json, {
    changes: [
      { key: 2, before: { Price: 6 }, after: { Price: 7 } },
      { key: 3, after: { Tea: 'Sencha' } },
    ],
  });
});

t.test('an open merge is an end of a diff, which goes on page by page', async (t) => {
  const { book, id, ref } = await contested();
  const own = (await book.ask(`/merges/${id}/diff?values=true`)).json as object;
  const asked = `/diff?from=main&to=${ref}&values=true`;
  const whole = (await book.ask(asked)).json as { cells: unknown[]; next: unknown };
  t.match(whole, { relation: 'ahead', base: { branch: 'main' }, to: { branch: ref } });
  t.strictSame(own, { ...whole, next: null }, 'as the diff of the merge has it');
  const page = (await book.ask(`${asked}&limit=1`)).json as { next: string };
  const more = await book.ask(page.next.replace(/^.*\/diff/u, '/diff'));
  t.equal(more.status, 200, more.text);
  t.match((await book.ask(`/diff?from=${ref}&to=main`)).json, { relation: 'behind' });
  t.match((await book.ask(`/diff?from=q3&to=${ref}`)).json, { relation: 'diverged' });
  const blame = await book.ask(`/blame?ref=${ref}&range=A1`);
  t.match(blame.json, { status: 404, code: 'ref_not_found', hint: /only be read/u });
});

t.test('MCP describes an open merge, compares it, and reads its tables', async (t) => {
  const { book, ref } = await withTable();
  const client = new McpClient(book.service, book.credential);
  const given = { workbook: book.id, ref };
  t.match(await client.call('workbook_describe', given), {
    ref,
    tables: [{ name: 'Stock' }],
  });
  const first = await client.call('table_read', { ...given, table: 'Stock', limit: 2 });
  t.match(first, { ref, total: 3, rows: [[1], [2]], next: { ref } });
  const next = first['next'] as Readonly<Record<string, unknown>>;
  t.match(await client.call('table_read', next), { rows: [[3, 'Sencha', 9]], next: null });
  const changed = { ...given, table: 'Stock', changes_from: 'main' };
  t.match(await client.call('table_read', changed), { ref, total: 2 });
  const compared = { workbook: book.id, from: 'main', to: ref };
  t.match(await client.call('diff', compared), { to: ref, relation: 'ahead' });
});

t.test('who asks for blame of an open merge is told its branches', async (t) => {
  const { book, id, ref } = await contested();
  const refused = await book.ask(`/blame?ref=${ref}&range=A1`);
  t.match(refused, { status: 404, json: { code: 'ref_not_found' } });
  const { hint = '' } = refused.json as { hint?: string };
  const ways = [...hint.matchAll(/GET \/v1\/workbooks\/[^/]+(\/\S+?)[. ]/gu)].map(
    ([, way = '']) => way,
  );
  t.strictSame(ways, [`/slice?ref=${ref}&range=A1:C10`, `/merges/${id}`]);
  for (const way of ways) t.equal((await book.ask(way)).status, 200, way);
  const { source } = (await book.ask(`/merges/${id}`)).json as { source: { branch: string } };
  t.match((await book.ask(`/blame?ref=${source.branch}&range=A1`)).json, {
    cells: [{ writer: 'w' }],
  });
});

t.test('a merge without words is called after its branches', async (t) => {
  const { book } = await contested();
  const words = { title: '  ', description: ' \n' };
  const named = await propose(book, { source: 'q3', ...words });
  t.match(named, { title: 'q3 into main', description: '' });
  t.match(await propose(book, { source: 'q3', title: ' Q3 ', description: ' all ' }), {
    title: 'Q3',
    description: 'all',
  });
  const client = new McpClient(book.service, book.credential);
  const given = { workbook: book.id, action: 'open', source: 'q3', ...words };
  t.match(await client.call('merge', given), { merge: { title: 'q3 into main' } });
});
