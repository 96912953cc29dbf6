import t from 'tap';

import { TableBook } from '../support/table-book.ts';

// The routes that TableBook asks for, below either address of a workbook:
// `/v1/workbooks/:id/tables`, `/v1/workbooks/:id/tables/:tid`,
// `/v1/workbooks/:id/branches/:branch/tables`, `/v1/workbooks/:id/branches/:branch/tables/:tid`

t.test('a table is made, listed, changed and dropped, by id and by name', async (t) => {
  const book = await TableBook.start(t);
  const created = await book.ask('branches/main/tables', {
    body: {
      name: 'Sales',
      keyColumn: 'sku',
      schema: {
        columns: [
          { name: 'sku', type: 'text' },
          { name: 'price', type: 'number' },
        ],
      },
    },
  });
  t.match(created, {
    status: 201,
    json: {
      branch: 'main',
      seq: 2,
      ref: 'main@2',
      table: { id: /^t1\.2\.0$/, name: 'Sales', sheet: 'Sales', keyColumn: 'sku', rowCount: 0 },
    },
  });
  t.equal(created.headers.get('etag'), '"main@2"');
  t.match(created.headers.get('location'), /\/tables\/t1\.2\.0$/);

  const other = await book.askAlias('branches/main/tables', {
    body: {
      name: 'Costs',
      keyColumn: 'item',
      schema: { item: 'text', sum: { type: 'number', nullable: false } },
    },
  });
  t.match(other, {
    status: 201,
    json: {
      table: {
        name: 'Costs',
        schema: { columns: [{ name: 'item' }, { name: 'sum', nullable: false }] },
      },
    },
  });

  const listed = await book.ask('tables?ref=main');
  t.match(listed, {
    status: 200,
    json: { ref: { branch: 'main', seq: 3 }, tables: [{ name: 'Sales' }, { name: 'Costs' }] },
  });
  t.match((await book.askAlias('tables?ref=main@2')).json, {
    ref: { seq: 2 },
    tables: [{ name: 'Sales' }],
  });
  t.match((await book.ask('tables/sales')).json, { ref: { seq: 3 }, table: { id: 't1.2.0' } });
  t.match((await book.askAlias('tables/t1.2.0?ref=main@2')).json, { table: { name: 'Sales' } });

  const altered = await book.ask('branches/main/tables/Sales', {
    method: 'PATCH',
    body: {
      changes: [
        { change: 'column.add', column: 'note', type: 'text', default: 'new' },
        { change: 'column.rename', column: 'price', name: 'Unit price' },
        { change: 'column.move', column: 'note', before: 'sku' },
      ],
      name: 'Orders',
    },
  });
  t.match(altered, {
    status: 200,
    json: {
      firstSeq: 4,
      seq: 7,
      table: {
        id: 't1.2.0',
        name: 'Orders',
        schema: { columns: [{ name: 'note' }, { name: 'sku' }, { name: 'Unit price' }] },
      },
    },
  });
  const wrong = await book.askAlias('branches/main/tables/Orders', {
    method: 'PATCH',
    body: {
      changes: [
        { change: 'column.drop', column: 'note' },
        { change: 'column.drop', column: 'pric' },
      ],
    },
  });
  t.match(wrong, {
    status: 422,
    json: {
      code: 'table_refused',
      errors: [{ pointer: /^\/changes\/1/, code: 'column_not_found' }],
    },
  });
  t.match((await book.ask('tables/Orders')).json, {
    table: { schema: { columns: { length: 3 } } },
  });
});

t.test('who drops a table hears who names it, and what is #REF! by it', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  await book.ask('branches/main/tables', { body: { name: 'Costs', schema: { item: 'text' } } });
  await book.ops({
    kind: 'cells.set',
    payload: {
      sheet: 'Sheet1',
      cells: [
        { a1: 'A1', input: '=SUM(Sales[price])' },
        { a1: 'A2', input: '=A1+1' },
      ],
    },
  });
  const used = await book.ask('branches/main/tables/Sales?ifUnused=true', { method: 'DELETE' });
  t.match(used, {
    status: 409,
    json: { code: 'table_in_use', users: [{ kind: 'formula', where: 'Sheet1!A1' }] },
  });
  t.match(await book.ask('branches/main/tables/Costs?ifUnused=true', { method: 'DELETE' }), {
    status: 200,
    json: {
      table: { name: 'Costs' },
      sheetDropped: true,
      cellsKept: false,
      users: [],
      errors: [],
      errorTotal: 0,
    },
  });
  const dropped = await book.askAlias('branches/main/tables/Sales', { method: 'DELETE' });
  t.match(dropped, {
    status: 200,
    json: {
      table: { id: 't1.2.0', name: 'Sales' },
      users: [{ where: 'Sheet1!A1' }],
      errors: [
        { sheet: 'Sheet1', a1: 'A1', error: '#REF!' },
        { a1: 'A2', error: '#REF!' },
      ],
      errorTotal: 2,
    },
  });
  t.match((await book.ask('tables')).json, { tables: [] });
});

t.test('what cannot be is refused with code, pointer and hint', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const make = (body: object) => book.ask('branches/main/tables', { body });
  t.match(await make({ name: 'Sales', schema: { a: 'text' } }), {
    status: 409,
    json: { code: 'name_taken', errors: [{ pointer: '/name' }] },
  });
  t.match(await make({ name: 'T1', schema: { a: 'text' } }), {
    status: 422,
    json: { errors: [{ pointer: '/name', code: 'bad_name' }] },
  });
  t.match(await make({ name: 'B', keyColumn: 'x', schema: { a: 'text' } }), {
    status: 422,
    json: { code: 'table_refused', errors: [{ code: 'bad_table' }], hint: /\w/ },
  });
  t.match(await make({ name: 'B', schema: { a: 'txt' } }), { status: 400 });
  const wide = Array.from({ length: 1025 }, (_, at): [string, string] => [`c${at}`, 'text']);
  for (const schema of [{}, { columns: [] }, Object.fromEntries(wide)]) {
    const answer = await make({ name: 'B', schema });
    t.match(answer, { status: 400, json: { code: 'invalid_request', hint: /\w/ } });
    t.match(answer.json, { errors: [{ pointer: /^\/schema/ }] });
  }
  t.match(await make({ name: 'B', keycolumn: 'a', schema: { a: 'text' } }), {
    status: 400,
    json: { code: 'unknown_member', errors: [{ message: /keyColumn/ }] },
  });
  t.match(await book.ask('tables/Sale'), {
    status: 404,
    json: { code: 'table_not_found', hint: /Did you mean Sales/ },
  });
  t.match(await book.askAlias('tables/Sales?ref=main@0'), {
    status: 404,
    json: { code: 'table_not_found' },
  });
  t.match(await book.ask('tables?ref=nobranch'), { status: 404, json: { code: 'ref_not_found' } });
  t.match(await book.ask('branches/nope/tables/Sales', { method: 'DELETE' }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  t.match(await book.ask('branches/main/tables/Nope', { method: 'DELETE' }), {
    status: 404,
    json: { code: 'table_not_found' },
  });
  t.match(await book.ask('branches/main/tables/Sales', { method: 'PATCH', body: {} }), {
    status: 400,
    json: { code: 'invalid_request' },
  });
  const alter = (body: object) => {
    return book.ask('branches/main/tables/Sales', { method: 'PATCH', body });
  };
  t.match(await alter({ keyColumn: 'amt' }), { json: { errors: [{ pointer: '/keyColumn' }] } });
  t.match(await alter({ name: 'T1' }), { json: { errors: [{ pointer: '/name' }] } });
  t.match(await alter({ changes: [{ change: 'column.drop', column: 'amt' }] }), {
    json: { errors: [{ pointer: '/changes/0' }] },
  });
  const stranger = await book.service.register();
  t.match(await book.ask('tables', { credential: stranger }), { status: 404 });
  const { id: viewer } = { id: await book.service.registerClaimed() };
  t.match(await book.ask('tables', { credential: viewer }), { status: 404 });
  await book.service.request(`/v1/workbooks/${book.id}`, {
    method: 'DELETE',
    credential: book.credential,
  });
  t.match(await make({ name: 'B', schema: { a: 'text' } }), {
    status: 409,
    json: { code: 'workbook_archived' },
  });
});

t.test('a repeat under one key makes one table', async (t) => {
  const book = await TableBook.start(t);
  const body = { name: 'Sales', schema: { a: 'text' } };
  const headers = { 'idempotency-key': 'k-1' };
  const first = await book.ask('branches/main/tables', { body, headers });
  const second = await book.ask('branches/main/tables', { body, headers });
  t.equal(second.headers.get('idempotency-replayed'), 'true');
  t.same(second.json, first.json);
  const again = { body: { ...body, id: 'op-1', name: 'Two' } };
  const made = await book.ask('branches/main/tables', again);
  t.match(await book.ask('branches/main/tables', again), {
    status: 201,
    json: made.json as object,
  });
  t.match((await book.ask('tables')).json, { tables: { length: 2 } });
});

t.test('a table that an open merge changes is not dropped as unused', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  await book.ask('branches/main/tables', { body: { name: 'Costs', schema: { item: 'text' } } });
  const forked = await book.ask('branches', { body: { name: 'side', from: 'main' } });
  t.equal(forked.status, 201, forked.text);
  const state = (await book.ask('tables/Sales')).json as { table: { sheet: string } };
  const { sheet } = state.table;
  const price = (input: number) => ({
    ops: [{ kind: 'cells.set', payload: { sheet, cells: [{ a1: 'C2', input }] } }],
  });
  // Cells count like rows, and what came to be as it was before does not.
  t.equal((await book.ask('branches/side/ops', { body: price(2) })).status, 200);
  const made = await book.ask('merges', { body: { source: 'side', target: 'main' } });
  t.equal(made.status, 201, made.text);
  const { id } = made.json as { id: string };
  for (const branch of ['main', 'side']) {
    const path = `branches/${branch}/tables/Sales?ifUnused=true`;
    t.match(await book.ask(path, { method: 'DELETE' }), {
      status: 409,
      json: { code: 'table_in_use', users: [{ kind: 'merge', where: id }] },
    });
  }
  const other = await book.ask('branches/main/tables/Costs?ifUnused=true', { method: 'DELETE' });
  t.equal(other.status, 200, 'a table that the merge leaves alone goes');
  t.equal((await book.ask('branches/side/ops', { body: price(1) })).status, 200);
  const renamed = { method: 'PATCH', body: { name: 'Sold' } } as const;
  t.equal((await book.ask('branches/side/tables/Sales', renamed)).status, 200);
  const named = await book.ask('branches/main/tables/Sales?ifUnused=true', { method: 'DELETE' });
  t.match(named.json, { users: [{ kind: 'merge', where: id }] }, 'its schema counts too');
  const back = { method: 'PATCH', body: { name: 'Sales' } } as const;
  t.equal((await book.ask('branches/side/tables/Sold', back)).status, 200);
  const gone = await book.ask('branches/main/tables/Sales?ifUnused=true', { method: 'DELETE' });
  t.equal(gone.status, 200, 'the open merge brings nothing of it any more');
  const aborted = await book.ask(`merges/${id}/abort`, { method: 'POST' });
  t.equal(aborted.status, 200, aborted.text);
});
