import t from 'tap';

import { TableBook } from '../support/table-book.ts';

const rowsPath = 'branches/main/tables/Sales/rows';

t.test('changes are counted, waited for and followed', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([
    { sku: 'a', price: 1 },
    { sku: 'b', price: 2 },
  ]);
  await book.ask(rowsPath, { body: { rows: [{ sku: 'a', price: 3 }, { sku: 'c' }] } });
  await book.ask(rowsPath, { body: { mode: 'delete', keys: ['b'] } });
  // `/v1/workbooks/:id/tables/:tid/changes`
  t.match(await book.ask('tables/Sales/changes?from=main@3&stat=true'), {
    status: 200,
    json: { from: { seq: 3 }, to: { seq: 5 }, total: 3, added: 1, modified: 1, removed: 1 },
  });
  t.match((await book.askAlias('tables/Sales/changes?from=main@3&to=main@5')).json, {
    changes: [
      {
        key: 'a',
        change: 'modified',
        before: { price: 1 },
        after: { price: 3 },
        columns: ['price'],
      },
      { key: 'c', change: 'added', before: null },
      { key: 'b', change: 'removed', after: null },
    ],
  });
  const none = await book.ask('tables/Sales/changes?from=main@5&wait=0.2');
  t.match(none.json, { to: { seq: 5 }, total: 0, changes: [] });
  const waiting = book.ask('tables/Sales/changes?from=main@5&wait=10');
  await book.ask(rowsPath, { body: { rows: [{ sku: 'd' }] } });
  t.match((await waiting).json, { to: { seq: 6 }, changes: [{ key: 'd', change: 'added' }] });
  t.match(await book.ask('tables/Sales/changes?from=main@5&wait=99'), { status: 400 });
});

interface Event {
  readonly id: string | undefined;
  readonly data: { readonly changes: readonly { readonly key: string }[] } | undefined;
}

/** Reads events of a stream until there are as many with data as wanted. */
async function readEvents(book: TableBook, from: object, count: number): Promise<Event[]> {
  const abort = new AbortController();
  const answer = await fetch(
    `${book.service.url}/v1/workbooks/${book.id}/tables/Sales/changes?from=main@3`,
    {
      signal: abort.signal,
      headers: { authorization: `Bearer ${book.credential}`, accept: 'text/event-stream', ...from },
    },
  );
  const events: Event[] = [];
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    text += decoder.decode(piece as Uint8Array, { stream: true });
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const lines of whole) {
      const data = /^data: (.*)$/mu.exec(lines)?.[1];
      if (data === undefined) continue;
      events.push({ id: /^id: (.*)$/mu.exec(lines)?.[1], data: JSON.parse(data) as Event['data'] });
    }
    if (events.length >= count) break;
  }
  abort.abort();
  return events;
}

t.test('a stream of events tells each change once, and goes on where it ended', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  await book.ask(rowsPath, { body: { rows: [{ sku: 'b' }] } });
  const reading = readEvents(book, {}, 3);
  for (const sku of ['c', 'd']) {
    await new Promise((resume) => setTimeout(resume, 300));
    await book.ask(rowsPath, { body: { rows: [{ sku }] } });
  }
  const events = await reading;
  t.same(
    events.map(({ id, data }) => [id, data?.changes.map(({ key }) => key).join()]),
    [
      ['main@4', 'b'],
      ['main@5', 'c'],
      ['main@6', 'd'],
    ],
  );
  const [rest] = await readEvents(book, { 'last-event-id': 'main@5' }, 1);
  t.match(rest, { id: 'main@6', data: { changes: [{ key: 'd' }] } });
  const missing = await book.ask('tables/Nope/changes?from=main@3', {
    headers: { accept: 'text/event-stream' },
  });
  t.equal(missing.status, 404);
});

interface RowsPage {
  readonly rows: readonly { readonly sku: string | null }[];
  readonly total: number;
  readonly next: string | null;
}

/** The keys of all rows, page by page from a first one. */
async function walked(book: TableBook, first: string): Promise<(string | null)[]> {
  const keys: (string | null)[] = [];
  for (let path: string | null = first; path !== null;) {
    const { status, json, text } = await book.ask(path);
    if (status !== 200 || keys.length > 20) throw new Error(`${keys.length} rows, then ${text}`);
    const { rows, next }: RowsPage = json as RowsPage;
    keys.push(...rows.map(({ sku }) => sku));
    path = next?.slice(next.indexOf('tables/')) ?? null;
  }
  return keys;
}

t.test('a row without a key is a row at every door', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }]);
  const sheet = 'Sales';
  await book.ops({ kind: 'rows.insert', payload: { sheet, before: 3 } });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 4 } });
  t.match((await book.ask('tables/Sales/rows?offset=1&limit=1')).json, {
    total: 4,
    rows: [{ sku: null }],
  });
  const changed = await book.ask('tables/Sales/changes?from=main@3&to=main@4');
  t.match(changed.json, {
    total: 1,
    changes: [{ key: null, change: 'added', before: null, after: {}, columns: [] }],
  });
  t.match((await book.ask('tables/Sales/changes?from=main@3&to=main@4&stat=true')).json, {
    added: 1,
    modified: 0,
    removed: 0,
  });
  t.match((await book.ask('tables/Sales/changes?from=main@4&to=main@3')).json, {
    changes: [{ key: null, change: 'removed' }],
  });
  t.match((await book.ask('tables/Sales/rows?keys=a&keys=b')).json, { total: 2 });
  const diff = await book.ask('diff?from=main@3&to=main@4');
  t.match(diff.text, '"rows":{"added":1,"modified":0,"removed":0', diff.text);
  await book.ops({ kind: 'rows.delete', payload: { sheet, from: 2, count: 4 } });
  const emptied = await book.ask('tables/Sales/changes?from=main@3&to=main@5');
  t.match(emptied.json, { total: 3, changes: [{ key: 'a' }, { key: 'b' }, { key: 'c' }] });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 0 } });
});

t.test('pages by key go on behind rows that no key of their own finds', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a' }, { sku: 'b' }, { sku: 'c' }, { sku: 'd' }, { sku: 'e' }]);
  const cells = [
    { a1: 'A4', input: null },
    { a1: 'A5', input: 'b' },
  ];
  await book.ops({ kind: 'cells.set', payload: { sheet: 'Sales', cells } });
  for (const limit of [1, 2, 3]) {
    t.strictSame(await walked(book, `tables/Sales/rows?after=a&limit=${limit}`), [
      'b',
      null,
      'b',
      'e',
    ]);
    t.strictSame(await walked(book, `tables/Sales/rows?limit=${limit}`), [
      'a',
      'b',
      null,
      'b',
      'e',
    ]);
  }
});
