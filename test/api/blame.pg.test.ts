import { pathToFileURL } from 'node:url';
import t from 'tap';

import { openPostgres } from '../../server/storage/postgres.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

interface Page {
  readonly ref: { branch: string; seq: number };
  readonly complete: boolean;
  readonly next: string | null;
  readonly cells: { cell: string; branch: string | null; seq: number; format: object | null }[];
}

async function write(book: Book, branch: string, ...ops: object[]): Promise<number> {
  const path = `/branches/${encodeURIComponent(branch)}/ops`;
  const answer = await book.ask(path, { body: { ops, writer: 'w' } });
  if (answer.status !== 200) throw new Error(answer.text);
  return (answer.json as { head: number }).head;
}

const set = (a1: string, input: unknown) => ({
  kind: 'cells.set',
  payload: { sheet: 'Sheet1', cells: [{ a1, input }] },
});

async function blame(book: Book, query: string): Promise<Page> {
  const answer = await book.ask(`/blame?${query}`);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.json as Page;
}

function places(page: Page): Record<string, string> {
  const found = page.cells.map(({ cell, branch, seq }) => [cell, `${branch}@${seq}`]);
  return Object.fromEntries(found) as Record<string, string>;
}

t.test('who wrote a cell is told wherever it has gone since', async (t) => {
  const url = await createMigratedDatabase();
  const objects = pathToFileURL(`${await makeTemporaryFolder(t)}/objects`).href;
  const settings = { DATABASE_URL: url, OBJECT_STORE_URL: objects };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const sql = openPostgres({ url, applicationName: 'test', connectionCount: 1 });
  t.teardown(() => sql.end({ timeout: 1 }));
  const book = await Book.create(service);
  const first = await write(book, 'main', { ...set('A1', 1), id: 'the-first' });
  await write(book, 'main', set('B2', '=A1'), set('C3', 'x'));
  const look = { sheet: 'Sheet1', range: 'A1', style: { bold: true } };
  const bold = await write(book, 'main', { kind: 'format.set', payload: look });
  await write(book, 'main', { kind: 'rows.insert', payload: { sheet: 'Sheet1', before: 1 } });
  const lines = { sheet: 'Sheet1', from: 3, before: 1 };
  const head = await write(book, 'main', { kind: 'rows.move', payload: lines });
  const page = await book.ask('/blame?range=Sheet1!A1:Z99');
  t.match(page, {
    status: 200,
    json: {
      ref: { branch: 'main', seq: head },
      sheet: 'Sheet1',
      complete: true,
      next: null,
      cells: [
        { cell: 'B1', branch: 'main', seq: first + 1, kind: 'cells.set', opId: null, format: null },
        {
          cell: 'A3',
          branch: 'main',
          seq: first,
          writer: 'w',
          actor: /^agt_|^usr_/,
          opId: 'the-first',
          at: /^\d{4}-.*Z$/,
          format: { branch: 'main', seq: bold, kind: 'format.set' },
        },
        { cell: 'C4', branch: 'main', seq: first + 2 },
      ],
    },
  });
  const etag = page.headers.get('etag') ?? '';
  const again = await book.ask('/blame?range=A1:Z99', { headers: { 'if-none-match': etag } });
  t.equal(again.status, 304);

  await book.ask('/branches', { body: { name: 'q3', from: `main@${first + 2}` } });
  await write(book, 'q3', set('B2', 2));
  await book.ask('/branches', { body: { name: 'q3/deep', from: 'q3' } });
  await write(book, 'q3/deep', set('D4', 4));
  const deep = { A1: `main@${first}`, B2: 'q3@1', C3: `main@${first + 2}`, D4: 'q3/deep@1' };
  t.same(places(await blame(book, 'ref=q3/deep&range=A:Z')), deep);
  t.same(places(await blame(book, `ref=main@${first}&range=1:9`)), { A1: `main@${first}` });
  await book.ask('/branches/q3', { method: 'DELETE' });
  t.match(places(await blame(book, 'ref=q3/deep&range=B2')), { B2: 'null@1' });

  await book.ask('/branches/main/flush', { body: {} });
  await sql`delete from segment where workbook_id = ${book.id} and branch_no = 1`;
  const cold = await blame(book, 'ref=q3/deep&range=A1:D4');
  t.same(places(cold), { ...deep, B2: 'null@1' }, 'from object storage alone');
  const { namespace, name, credential } = book;
  const other = `/v1/${namespace}/${name}/blame?ref=q3%2Fdeep&range=A1:D4`;
  t.same((await service.request(other, { credential })).json, cold);
});

t.test('bad requests say what to do', async (t) => {
  const service = await TestService.start(t);
  const book = await Book.create(service);
  await book.set('Sheet1!A1', 1);
  const wrong: [query: string, status: number, code: string][] = [
    ['', 400, 'invalid_request'],
    ['range=A1:', 400, 'invalid_range'],
    ['range=None!A1', 404, 'sheet_not_found'],
    ['range=A1&ref=none', 404, 'ref_not_found'],
    ['range=A1&ref=main@99', 404, 'ref_not_found'],
    ['range=A1&ref=commit:none', 404, 'ref_not_found'],
    ['range=A1&cursor=abc', 400, 'invalid_request'],
    ['range=A1&lens=value', 400, 'unknown_member'],
  ];
  for (const [query, status, code] of wrong) {
    t.match(await book.ask(`/blame?${query}`), { status, json: { code } }, query);
  }
  t.match(await blame(book, 'range=B7:C9'), { cells: [], complete: true });
  const credential = await service.register();
  const path = `/v1/workbooks/${book.id}/blame?range=A1`;
  t.match(await service.request(path, { credential }), { status: 404 });
});

t.test('where initial rows, files, tables and copies of sheets come from is told', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new Formulas() });
  const credential = await service.register();
  const made = await service.request('/v1/workbooks', {
    credential,
    body: {
      sheets: [
        {
          name: 'Sheet1',
          rows: [
            ['a', null],
            [1, 2],
          ],
        },
      ],
    },
  });
  const { id } = made.json as { id: string };
  const ask = (rest: string, body?: object) =>
    service.request(`/v1/workbooks/${id}${rest}`, { credential, ...(body && { body }) });
  const started = (await ask('/blame?range=A:B')).json as Page;
  t.match(started.cells, [{ cell: 'A1' }, { cell: 'A2' }, { cell: 'B2' }]);
  const table = { name: 'Sales', sheetRange: 'Sheet1!A1:B2' };
  const copy = { name: 'Copy', copyOf: 'Sheet1' };
  const ops = [
    { kind: 'table.create', payload: table },
    { kind: 'sheet.add', payload: copy },
  ];
  t.match((await ask('/branches/main/ops', { ops, writer: 'w' })).json, { status: 'applied' });
  t.match((await ask('/blame?range=Sheet1!A1:B2')).json, {
    cells: [
      { cell: 'A1', seq: started.cells[0]?.seq },
      { cell: 'B1', kind: 'table.create' },
      { cell: 'A2', seq: started.cells[1]?.seq },
      {},
    ],
  });
  t.match((await ask('/blame?range=Copy!A1:B2')).json, {
    cells: [{ kind: 'sheet.add' }, { kind: 'sheet.add' }, {}, {}],
  });
});

t.test('the writers of long operations of one submission are told apart', async (t) => {
  const service = await TestService.start(t, {}, { formulas: new Formulas() });
  const book = await Book.create(service);
  // Several steps of reading back go to one segment of the journal.
  const long = (column: string) => {
    const cells = Array.from({ length: 2_000 }, (_, row) => ({
      a1: `${column}${row + 1}`,
      input: `the text of ${column}${row + 1}`,
    }));
    return { kind: 'cells.set', payload: { sheet: 'Sheet1', cells } };
  };
  const head = await write(
    book,
    'main',
    long('A'),
    set('E1', 1),
    long('B'),
    long('C'),
    set('F1', 2),
  );
  const expected = {
    A1: `main@${head - 4}`,
    B1: `main@${head - 2}`,
    C1: `main@${head - 1}`,
    E1: `main@${head - 3}`,
    F1: `main@${head}`,
  };
  t.same(places(await blame(book, 'range=A1:F1')), expected);
  const { A1, B1, E1 } = expected;
  t.same(places(await blame(book, `range=A1:F1&ref=main@${head - 2}`)), { A1, B1, E1 });
});
