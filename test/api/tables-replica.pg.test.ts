import t from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { TableBook } from '../support/table-book.ts';
import { testSeed } from '../support/test-seed.ts';

const rowsPath = 'branches/main/tables/Sales/rows';
const edits = 60;

type Row = Record<string, unknown>;

interface Changes {
  readonly to: { readonly seq: number };
  readonly changes: readonly {
    readonly key: string;
    readonly change: 'added' | 'modified' | 'removed';
    readonly after: Row | null;
  }[];
}

function randomWrite(random: SeededRandom): object {
  const sku = (): string => `k${random.between(0, 40)}`;
  const kind = random.between(0, 9);
  if (kind === 0) {
    const skus = new Set(Array.from({ length: 12 }, sku));
    return { mode: 'import', rows: [...skus].map((own) => ({ sku: own, price: 1 })) };
  }
  if (kind < 4) {
    return { mode: 'delete', keys: [...new Set([sku(), sku()])], onMissing: 'ignore' };
  }
  const skus = new Set(Array.from({ length: 4 }, sku));
  const rows = [...skus].map((own) => {
    const price = random.between(0, 5) === 0 ? null : random.between(0, 100);
    return random.between(0, 1) === 0 ? { sku: own, price } : { sku: own, region: `r${price}` };
  });
  return { mode: 'upsert', rows };
}

/** Without members that are blank: a change does not tell of those. */
function filled(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

t.test('whoever applies the changes to a copy has the table', async (t) => {
  const random = new SeededRandom(testSeed);
  const book = await TableBook.start(t);
  await book.sales();
  const replica = new Map<string, Row>();
  let seq = 2;
  for (let edit = 0; edit < edits; edit++) {
    const written = await book.ask(rowsPath, { body: randomWrite(random) });
    t.equal(written.status, 200, written.text.slice(0, 200));
    if (random.between(0, 2) > 0) continue;
    const { json } = await book.ask(`tables/Sales/changes?from=main@${seq}&limit=1000`);
    const { to, changes } = json as Changes;
    ({ seq } = to);
    for (const { key, change, after } of changes) {
      if (change === 'removed') replica.delete(key);
      else replica.set(key, filled({ sku: key, ...replica.get(key), ...after }));
    }
    const page = await book.ask(`tables/Sales/rows?ref=main@${seq}&limit=1000`);
    const rows = (page.json as { rows: Row[] }).rows.map(filled);
    const byKey = (a: Row, b: Row) => (String(a['sku']) < String(b['sku']) ? -1 : 1);
    t.same([...replica.values()].toSorted(byKey), rows.toSorted(byKey), `at ${seq}`);
  }
});

t.test('tables that the routes made and filled go out in files', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 2, count: 3 }]);
  await book.ask('branches/main/tables/Sales', {
    method: 'PATCH',
    body: {
      name: 'Orders',
      changes: [{ change: 'column.add', column: 'Sum', formula: '=[@price]*[@count]' }],
    },
  });
  const more = { rows: [{ sku: 'b', price: 5, count: 2 }] };
  await book.ask('branches/main/tables/Orders/rows', { body: more });
  const file = await book.ask('branches/main/export?format=xlsx');
  t.match(readXlsx(file.bytes).tables, [
    {
      name: 'Orders',
      sheet: 'Sales',
      range: 'A1:E3',
      columns: ['sku', 'region', 'price', 'count', 'Sum'],
    },
  ]);
  const again = await book.service.request('/v1/workbooks', {
    credential: book.credential,
    bytes: file.bytes,
    headers: { 'content-type': file.headers.get('content-type') ?? '' },
  });
  const { id } = again.json as { id: string };
  const rows = await book.service.request(
    `/v1/workbooks/${id}/tables/Orders/rows?columns=sku,Sum`,
    {
      credential: book.credential,
    },
  );
  t.match(rows.json, {
    rows: [
      { sku: 'a', Sum: 6 },
      { sku: 'b', Sum: 10 },
    ],
  });
});
