import t from 'tap';

import { TableBook } from '../support/table-book.ts';

const rowsPath = 'branches/main/tables/Sales/rows';
const many = 12_000;

function manyLines(): Buffer {
  const lines = Array.from({ length: many }, (_, at) =>
    JSON.stringify({ sku: `k${at}`, price: 1 }),
  );
  return Buffer.from(lines.join('\n'));
}

t.test('an import of several operations leaves no row that it does not list', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }, { sku: 'k5' }]);
  const send = (query: string) =>
    book.ask(`${rowsPath}?mode=import${query}`, {
      bytes: manyLines(),
      headers: { 'content-type': 'application/x-ndjson' },
    });
  // A row without a key, between the two.
  await book.ops({ kind: 'rows.insert', payload: { sheet: 'Sales', before: 3 } });
  const before = (await book.ask('tables/Sales')).json as { ref: { seq: number } };
  t.match(before, { table: { rowCount: 3 } });
  const refused = {
    status: 422,
    json: { hint: /Rows of the sheet without a key: 3\./u, errors: [{ code: 'key_blank' }] },
  };
  for (const query of ['', '&atomic=true', '&id=run']) t.match(await send(query), refused);
  t.match((await book.ask('tables/Sales')).json, { ref: before.ref, table: { rowCount: 3 } });
  t.match(await book.ask(rowsPath, { body: { mode: 'import', rows: [{ sku: 'a' }] } }), {
    status: 200,
    json: { status: 'applied' },
  });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 1 } }, 'in one operation');
  t.match(await send('&id=run'), { status: 200, json: { status: 'applied' } });
  await book.ops({ kind: 'rows.insert', payload: { sheet: 'Sales', before: 3 } });
  const repeat = { status: 200, json: { status: 'duplicate' } };
  t.match(await send('&id=run'), repeat, 'a repeat is answered, whatever came meanwhile');
});

t.test('an import of several operations leaves no second row of a key that it lists', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'k5' }, { sku: 'b' }]);
  const typed = (input: string) =>
    book.ops({ kind: 'cells.set', payload: { sheet: 'Sales', cells: [{ a1: 'A3', input }] } });
  const send = () =>
    book.ask(`${rowsPath}?mode=import`, {
      bytes: manyLines(),
      headers: { 'content-type': 'application/x-ndjson' },
    });
  await typed('k5');
  t.match(await send(), {
    status: 422,
    json: {
      hint: /Rows of the sheet with the key of an earlier one: 3\./u,
      errors: [{ code: 'key_repeated' }],
    },
  });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 2 } }, 'nothing is written');
  await typed('k6');
  t.match(await send(), { status: 200, json: { status: 'applied' } });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: many } });
});
