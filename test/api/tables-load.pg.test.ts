import t from 'tap';

import { TableBook } from '../support/table-book.ts';

const rowsPath = 'branches/main/tables/Sales/rows';

interface Read {
  readonly ref: { readonly seq: number };
  readonly rows: readonly {
    readonly price: number | null;
    readonly count: number;
    readonly Sum: number;
  }[];
}

t.test('values of a page are of the position of its rows, whoever writes meanwhile', async (t) => {
  const book = await TableBook.start(t);
  const rows = Array.from({ length: 300 }, (_, at) => ({ sku: `k${at}`, price: 1, count: 1 }));
  await book.sales(rows);
  await book.ask('branches/main/tables/Sales', {
    method: 'PATCH',
    body: { changes: [{ change: 'column.add', column: 'Sum', formula: '=[@price]*[@count]' }] },
  });
  const reads = { count: 0 };
  const done = new AbortController();
  const writing = (async () => {
    // It goes on until there were reads enough, however slow they are.
    for (let round = 2; round < 22 || reads.count <= 5; round++) {
      const written = rows.map(({ sku }) => ({ sku, price: round, count: round }));
      const keys = [`x${round - 1}`];
      await book.ask(rowsPath, { body: { rows: [...written, { sku: `x${round}` }] } });
      await book.ask(rowsPath, { body: { mode: 'delete', keys, onMissing: 'ignore' } });
    }
    done.abort();
  })();
  const queries = ['offset=100&limit=150', 'order=-Sum&limit=300', 'keys=k5&keys=k250'];
  while (!done.signal.aborted) {
    const answer = await book.ask(`tables/Sales/rows?${queries[reads.count % queries.length]}`);
    t.equal(answer.status, 200);
    const { rows: read } = answer.json as Read;
    const own = read.filter(({ price }) => price !== null);
    t.ok(
      own.every(({ price, count, Sum }) => Sum === (price ?? 0) * count && price === own[0]?.price),
    );
    reads.count++;
  }
  await writing;
  t.ok(reads.count > 5, 'there were reads between the writes');
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 301 } });
});

t.test('who may only look may not write', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  const credential = await book.service.registerClaimed();
  const me = await book.service.request('/agent/auth/me', { credential });
  const { user_id: user } = (me.json as { data: { user_id: string } }).data;
  const shared = await book.ask(`collaborators/${user}`, {
    method: 'PUT',
    body: { role: 'viewer' },
  });
  t.equal(shared.status < 300, true, shared.text);
  const ask = (path: string, request: object = {}) => book.ask(path, { credential, ...request });
  t.match(await ask('tables/Sales/rows'), { status: 200, json: { rows: [{ sku: 'a' }] } });
  const forbidden = { status: 403, json: { code: 'forbidden' } };
  t.match(await ask(rowsPath, { body: { rows: [{ sku: 'b' }] } }), forbidden);
  t.match(await ask('branches/main/tables/Sales', { method: 'DELETE' }), forbidden);
  t.match(
    await ask('branches/main/tables/Sales', { method: 'PATCH', body: { name: 'X' } }),
    forbidden,
  );
  t.match(
    await ask('branches/main/tables', { body: { name: 'X', schema: { a: 'text' } } }),
    forbidden,
  );
});

t.test('tables live on branches, and rows are read at any reference', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  await book.ask('branches', { body: { name: 'draft' } });
  await book.ask('branches/draft/tables/Sales/rows', { body: { rows: [{ sku: 'b', price: 2 }] } });
  await book.ask('branches/main/commit', { body: { tag: 'v1' } });
  const skus = async (ref: string) => {
    const { json } = await book.ask(`tables/Sales/rows?ref=${encodeURIComponent(ref)}`);
    return (json as { rows: { sku: string }[] }).rows.map(({ sku }) => sku).join('');
  };
  await book.ask(rowsPath, { body: { rows: [{ sku: 'c' }] } });
  t.equal(await skus('draft'), 'ab');
  t.equal(await skus('main'), 'ac');
  t.equal(await skus('commit:v1'), 'a');
  const merge = await book.ask('merges', { body: { source: 'draft', apply: 'auto' } });
  t.equal(merge.status, 201, merge.text);
  const { id } = merge.json as { id: string };
  const approved = await book.ask(`merges/${id}/approve`, { body: {} });
  t.ok(approved.status < 300 || approved.status === 409, approved.text);
  t.same((await skus('main')).split('').toSorted().join(''), 'abc');
});
