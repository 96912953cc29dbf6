import { once } from 'node:events';
import t, { type Test } from 'tap';

import { openPostgres, type Sql } from '../../server/storage/postgres.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TableBook } from '../support/table-book.ts';

const rowsPath = 'branches/main/tables/Sales/rows';

interface World {
  readonly book: TableBook;
  readonly sql: Sql;
}

async function start(t: Test): Promise<World> {
  const url = await createMigratedDatabase();
  const sql = openPostgres({ url, applicationName: 'quire-test', connectionCount: 2 });
  t.teardown(() => sql.end());
  const book = await TableBook.start(t, { DATABASE_URL: url });
  await book.sales(Array.from({ length: 3_000 }, (_, at) => ({ sku: `k${at}`, price: 1 })));
  return { book, sql };
}

/** Does `work` while the commit of a write waits for the database, and then lets it end. */
async function duringCommit(
  { book, sql }: World,
  body: object,
  work: () => Promise<void>,
): Promise<void> {
  // Somebody is there; a state is kept for readers beside small writes only where there are any.
  await prices({ book, sql }, 'limit=1');
  const taken = new AbortController();
  const over = new AbortController();
  const holding = sql.begin(async (on) => {
    await on`select 1 from branch where workbook_id = ${book.id} for update`;
    taken.abort();
    await once(over.signal, 'abort');
  });
  await once(taken.signal, 'abort');
  const writing = book.ask(rowsPath, { body });
  try {
    while ((await waiting(sql)) === 0);
    await work();
  } finally {
    over.abort();
    await holding;
  }
  const { status, text } = await writing;
  if (status !== 200) throw new Error(text);
}

/** Statements that wait for others. */
async function waiting(sql: Sql): Promise<number> {
  const rows = await sql`
    select 1 from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'
  `;
  return rows.length;
}

async function prices({ book }: World, query: string): Promise<(number | null)[]> {
  const { status, json, text } = await book.ask(`tables/Sales/rows?columns=price&${query}`);
  if (status !== 200) throw new Error(text);
  return (json as { rows: { price: number | null }[] }).rows.map(({ price }) => price);
}

t.test('a page is answered while a write waits for its commit, and is not of it', async (t) => {
  const world = await start(t);
  const { book } = world;
  const upsert = {
    mode: 'upsert',
    rows: [
      { sku: 'k7', price: 2 },
      { sku: 'new', price: 3 },
    ],
  };
  await duringCommit(world, upsert, async () => {
    t.same(await prices(world, 'keys=k7&keys=new'), [1]);
    t.same(await prices(world, 'after=k6&limit=1'), [1]);
    t.same(await prices(world, 'order=-price&limit=1'), [1]);
    t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 3_000 } });
    t.match((await book.ask('tables')).json, { ref: { seq: 3 } });
  });
  t.same(await prices(world, 'keys=k7&keys=new'), [2, 3]);
  const deletion = { mode: 'delete', keys: ['k7', 'new'] };
  await duringCommit(world, deletion, async () => {
    t.same(await prices(world, 'keys=k7&keys=new'), [2, 3]);
    t.same(await prices(world, 'after=k7&limit=1'), [1]);
  });
  t.same(await prices(world, 'keys=k7&keys=new&keys=k8'), [1]);
});

t.test('a write that fails leaves what readers saw before', async (t) => {
  const world = await start(t);
  const { book } = world;
  const refused = await book.ask(rowsPath, {
    body: { mode: 'upsert', atomic: true, rows: [{ sku: 'x' }, { sku: 'y', price: 'dear' }] },
  });
  t.equal(refused.status, 422, refused.text);
  const deletion = { mode: 'delete', keys: ['k1'] };
  await duringCommit(world, deletion, async () => {
    t.same(await prices(world, 'keys=k1&keys=x'), [1]);
  });
  t.same(await prices(world, 'keys=k1&keys=x'), []);
});
