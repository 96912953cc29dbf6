import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import t from 'tap';

import { TableBook } from '../support/table-book.ts';

const rowsPath = 'branches/main/tables/Sales/rows';

t.test('rows are upserted, imported and deleted, and the answer counts them', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  // `/v1/workbooks/:id/branches/:branch/tables/:tid/rows`
  const first = await book.ask(rowsPath, {
    body: {
      mode: 'upsert',
      rows: [
        { sku: 'a', region: 'North', price: 1, count: 2 },
        { sku: 'b', region: 'South', price: 2 },
      ],
    },
  });
  t.match(first, {
    status: 200,
    json: {
      branch: 'main',
      ref: 'main@3',
      status: 'applied',
      firstSeq: 3,
      lastSeq: 3,
      operations: 1,
      inserted: 2,
      updated: 0,
      unchanged: 0,
      deleted: 0,
      rejected: [],
      rejectedMore: 0,
      refused: [],
    },
  });
  const second = await book.askAlias(rowsPath, {
    body: {
      mode: 'upsert',
      columns: ['sku', 'price'],
      rows: [
        ['a', 1],
        ['b', 3],
        ['c', 4],
      ],
    },
  });
  t.match(second.json, { inserted: 1, updated: 1, unchanged: 1, deleted: 0, lastSeq: 4 });
  const third = await book.ask(rowsPath, {
    body: { mode: 'import', rows: [{ sku: 'b', price: 3 }, { sku: 'd' }] },
  });
  t.match(third.json, { inserted: 1, updated: 1, unchanged: 0, deleted: 2 });
  const fourth = await book.askAlias(rowsPath, { body: { mode: 'delete', keys: ['b'] } });
  t.match(fourth.json, { inserted: 0, deleted: 1 });
  t.match(
    await book.ask(rowsPath, { body: { mode: 'delete', keys: ['d', 'x'], onMissing: 'ignore' } }),
    {
      json: { deleted: 1, rejected: [{ row: 1, key: 'x', column: null, code: 'key_not_found' }] },
    },
  );
  const same = await book.ask(rowsPath, { body: { mode: 'upsert', rows: [] } });
  t.match(same.json, { status: 'unchanged', firstSeq: null, inserted: 0 });
  const cells = [
    { a1: 'E1', input: '=Sales!A2&"!"' },
    { a1: 'E2', input: '=ROWS(Sales!A1:A2)' },
  ];
  await book.ops(
    { kind: 'sheet.add', payload: { name: 'Plan' } },
    { kind: 'cells.set', payload: { sheet: 'Plan', cells } },
  );
  await book.ask(rowsPath, { body: { mode: 'upsert', rows: [{ sku: 'x' }, { sku: 'y' }] } });
  const slice = await book.ask('slice?range=Plan!E1:E2');
  t.match(slice.json, { rows: [['x!'], [2]] }, 'the first row is what was the blank one');
  t.match((await book.ask('verify', { method: 'POST' })).json, { ok: true });
});

t.test('what does not fit is refused whole, or left out where that is asked for', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'a', price: 1 }]);
  const write = (body: object) => book.ask(rowsPath, { body });
  const refused = async (rows: object[], expected: object) => {
    t.match(await write({ mode: 'upsert', rows }), {
      status: 422,
      json: { code: 'table_refused', hint: /\w/, errors: [expected] },
    });
  };
  await refused([{ sku: 'b', pric: 1 }], {
    pointer: '/rows/0/pric',
    code: 'column_not_found',
    message: /did you mean price/i,
  });
  await refused([{ sku: 'b' }, { sku: 'c', price: 'x' }], {
    pointer: '/rows/1/price',
    code: 'row_invalid',
  });
  await refused([{ price: 1 }], { pointer: '/rows/0', code: 'row_invalid', message: /key/ });
  await refused([{ sku: 'b' }, { sku: 'b' }], { pointer: '/rows/1/sku', message: /earlier/ });
  await refused([{ sku: 'b', price: 1, PRICE: 2 }], {
    pointer: '/rows/0/PRICE',
    message: /two values/,
  });
  await refused([{ sku: 'b' }, { sku: 'c', region: 'x'.repeat(32_768) }], {
    pointer: '/rows/1/region',
    code: 'row_invalid',
  });
  await refused([['b', 'x', 1, 2, 5]], { pointer: '/rows/0', message: /5 values for 4/ });
  t.match(await write({ mode: 'delete', keys: ['zz'] }), {
    status: 422,
    json: { errors: [{ pointer: '/keys/0', code: 'key_not_found' }] },
  });
  t.match(await write({ mode: 'import' }), { status: 400, json: { code: 'invalid_request' } });
  t.match(await write({ mode: 'delete', rows: [] }), {
    status: 400,
    json: { errors: [{ pointer: '/keys' }] },
  });
  t.match(await write({ mode: 'upsert', rows: [{ sku: { a: 1 } }] }), {
    status: 400,
    json: { errors: [{ pointer: '/rows/0/sku' }] },
  });
  t.match(await book.ask('branches/main/tables/Sale/rows', { body: { rows: [{ sku: 'a' }] } }), {
    status: 404,
    json: { code: 'table_not_found' },
  });
  t.match(
    await book.ask(rowsPath, {
      bytes: Buffer.from('a'),
      headers: { 'content-type': 'text/plain' },
    }),
    {
      status: 415,
    },
  );
  t.match((await book.ask('tables/Sales')).json, { ref: { seq: 3 }, table: { rowCount: 1 } });
  const skipped = await write({
    mode: 'upsert',
    onInvalid: 'skip',
    rows: [{ sku: 'b', price: 'x' }, { sku: 'c' }, { price: 1 }, { sku: 'c' }],
  });
  t.match(skipped, {
    status: 200,
    json: {
      inserted: 1,
      rejected: [
        { row: 0, key: 'b', column: 'price', code: 'bad_value', message: /number/ },
        { row: 2, key: null, column: 'sku', code: 'key_blank' },
        { row: 3, key: 'c', column: 'sku', code: 'key_repeated' },
      ],
    },
  });
});

t.test('rows come as NDJSON, CSV and msgpack, packed or not', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const send = (bytes: Uint8Array, type: string, more: { query?: string; gzip?: boolean } = {}) =>
    book.ask(`${rowsPath}?${more.query ?? ''}`, {
      bytes: more.gzip === true ? gzipSync(bytes) : bytes,
      headers: { 'content-type': type, ...(more.gzip === true && { 'content-encoding': 'gzip' }) },
    });
  const ndjson = 'application/x-ndjson';
  const lines = Buffer.from('{"sku":"a","price":1}\n\n{"sku":"b","region":"=1+1x"}\n["c","x",3]\n');
  t.match(await send(lines, ndjson, { query: 'raw=true' }), {
    status: 200,
    json: { inserted: 3, operations: 1 },
  });
  t.match(await send(lines, ndjson, { query: 'raw=true', gzip: true }), { json: { unchanged: 3 } });
  const csv = Buffer.from('sku,region,price,count\r\n007,"No, rth",1.5,2\r\nx,=1+1,,\r\n');
  t.match(await send(csv, 'text/csv; charset=utf-8'), { status: 200, json: { inserted: 2 } });
  t.match(await send(Buffer.from('sku,price\na,zwei\n'), 'text/csv'), {
    status: 422,
    json: { errors: [{ pointer: '/rows/0/price' }] },
  });
  t.match(await send(Buffer.from('sku,nope\na,1\n'), 'text/csv'), {
    status: 422,
    json: { errors: [{ code: 'column_not_found', pointer: '/rows/0/nope' }] },
  });
  for (const mode of ['upsert', 'import']) {
    const twice = Buffer.from('sku,price,Price\na,1,2\n');
    t.match(await send(twice, 'text/csv', { query: `mode=${mode}` }), {
      status: 422,
      json: { errors: [{ pointer: '/rows/0/Price', message: /two values/ }] },
    });
  }
  t.match(await send(Buffer.from('"a'), 'text/csv'), {
    status: 400,
    json: { code: 'invalid_file' },
  });
  const packed = pack({ mode: 'upsert', rows: [{ sku: 'm', price: 2 }] });
  t.match(await send(packed, 'application/vnd.msgpack', { gzip: true }), { json: { inserted: 1 } });
  t.match(await send(Buffer.from('"a"\n"b"\n'), ndjson, { query: 'mode=delete' }), {
    json: { deleted: 2 },
  });
  await send(Buffer.from('sku\n008\n'), 'text/csv');
  const keyed = Buffer.from('region,SKU\nx,008\n,nope\n');
  t.match(await send(keyed, 'text/csv', { query: 'mode=delete&onMissing=ignore' }), {
    json: { deleted: 1 },
  });
  t.match(await send(Buffer.from('007\n1\n'), 'text/csv', { query: 'mode=delete' }), {
    status: 400,
    json: { code: 'invalid_file', detail: /no column sku/, hint: /first line/ },
  });
  t.match(await send(Buffer.from('{"sku":"q"}\n{"sku":'), ndjson), {
    status: 400,
    json: { code: 'invalid_json' },
  });
  t.match(await send(lines.subarray(0, 9), ndjson, { query: 'nope=1' }), { status: 400 });
  const alike = Array.from({ length: 5_000 }, (_, at) => `{"sku":"n${at}","region":"here"}`);
  const gone = Array.from({ length: 5_000 }, (_, at) => `"n${at}"`);
  for (const [text, query] of [
    [alike.join('\n'), 'mode=upsert'],
    [gone.join('\n'), 'mode=delete'],
  ] as const) {
    const answer = await send(Buffer.from(text), ndjson, { query, gzip: true });
    t.equal(answer.status, 200, answer.text);
  }
  t.match(await send(Buffer.alloc(8 << 20, '\n'), ndjson, { gzip: true }), {
    status: 413,
    json: { code: 'payload_too_large', detail: /100 times/, hint: /Content-Encoding/ },
  });
  const state = await book.ask('slice?range=Sales!A1:D6');
  t.same((state.json as { rows: unknown[][] }).rows.slice(1), [
    ['c', 'x', 3, null],
    ['007', 'No, rth', 1.5, 2],
    ['x', '=1+1', null, null],
    ['m', null, 2, null],
    [null, null, null, null],
  ]);
});

const many = 12_000;

function manyLines(from: number, count: number, price = 1): Buffer {
  const lines: string[] = [];
  for (let at = from; at < from + count; at++) lines.push(JSON.stringify({ sku: `k${at}`, price }));
  return Buffer.from(lines.join('\n'));
}

t.test('what is more than an operation takes becomes a run of them', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([
    { sku: 'old', price: 1 },
    { sku: 'k5', price: 7 },
  ]);
  const send = (bytes: Uint8Array, query: string) =>
    book.ask(`${rowsPath}?${query}`, {
      bytes,
      headers: { 'content-type': 'application/x-ndjson' },
    });
  const imported = await send(manyLines(0, many), 'mode=import');
  t.match(imported, {
    status: 200,
    json: { status: 'applied', operations: 4, inserted: many - 1, updated: 1, deleted: 1 },
  });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: many } });

  const broken = Buffer.concat([
    manyLines(0, 7_000, 2),
    Buffer.from('\n{"sku":"z","price":"x"}\n'),
    manyLines(7_000, 5_000, 2),
  ]);
  const partial = await send(broken, 'mode=upsert');
  t.match(partial, {
    status: 200,
    json: {
      status: 'partial',
      updated: 5_000 + (many - 9_999),
      refused: [{ rows: [5_000, 9_999], code: 'row_invalid', pointer: '/rows/7000/price' }],
    },
  });
  const before = (await book.ask('tables/Sales')).json as { ref: { seq: number } };
  const refused = await send(broken, 'mode=upsert&atomic=true');
  t.match(refused, { status: 422, json: { errors: [{ pointer: '/rows/7000/price' }] } });
  t.match((await book.ask('tables/Sales')).json, { ref: before.ref });
  const whole = await send(manyLines(100, many, 3), 'mode=import&atomic=true&id=run-1');
  t.match(whole, { json: { status: 'applied', inserted: 100, updated: many - 100, deleted: 100 } });
  const repeated = await send(manyLines(100, many, 3), 'mode=import&atomic=true&id=run-1');
  t.match(repeated, { status: 200, json: { inserted: 100, updated: many - 100, deleted: 100 } });
  const twice = Buffer.concat([manyLines(0, many), Buffer.from('\n'), manyLines(0, 1)]);
  t.match(await send(twice, 'mode=import&atomic=true'), {
    status: 422,
    json: { errors: [{ pointer: `/rows/${many}/sku`, code: 'key_repeated' }] },
  });
});

t.test('rows that hold all of it already are not written, and leave no operation', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([
    { sku: 'a', price: 1 },
    { sku: 'b', price: 2 },
  ]);
  const head = async () => (await book.ask('tables/Sales')).json as { ref: { seq: number } };
  const before = await head();
  const same = { rows: [{ sku: 'b', price: 2 }, { sku: 'a' }] };
  const nothing = {
    status: 200,
    json: { status: 'unchanged', ref: 'main@3', firstSeq: null, operations: 0, unchanged: 2 },
  };
  t.match(await book.ask(rowsPath, { body: { mode: 'upsert', ...same } }), nothing);
  t.match(
    await book.ask(rowsPath, {
      body: {
        mode: 'import',
        rows: [
          ['a', null, 1],
          ['b', null, 2],
        ],
      },
    }),
    nothing,
  );
  const ignoring = { mode: 'delete', keys: ['x'], onMissing: 'ignore' };
  t.match(await book.ask(rowsPath, { body: ignoring }), { json: { deleted: 0, firstSeq: null } });
  const skipped = { mode: 'upsert', onInvalid: 'skip', rows: [{ sku: 'c', price: 'x' }] };
  t.match(await book.ask(rowsPath, { body: skipped }), {
    json: { firstSeq: null, rejected: [{ row: 0, key: 'c' }] },
  });
  t.same((await head()).ref, before.ref);
  // A repeat by its id has to be known again, whatever others write meanwhile.
  const named = { ...same, id: 'once' };
  t.match((await book.ask(rowsPath, { body: named })).json, { status: 'unchanged', lastSeq: 4 });
  await book.ask(rowsPath, { body: { rows: [{ sku: 'b', price: 9 }] } });
  t.match((await book.ask(rowsPath, { body: named })).json, { status: 'duplicate', lastSeq: 4 });
  t.match((await book.ask('tables/Sales/rows?keys=b')).json, { rows: [{ price: 9 }] });
});

t.test('a repeat is answered as the first was, and nothing is written twice', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const body = { mode: 'upsert', id: 'op-1', rows: [{ sku: 'a' }, { sku: 'b' }] };
  t.match((await book.ask(rowsPath, { body })).json, {
    status: 'applied',
    inserted: 2,
    lastSeq: 3,
  });
  t.match((await book.ask(rowsPath, { body })).json, {
    status: 'duplicate',
    inserted: 2,
    lastSeq: 3,
  });
  const headers = { 'idempotency-key': 'key-1' };
  const keyed = { body: { rows: [{ sku: 'c' }] }, headers };
  const first = await book.ask(rowsPath, keyed);
  const again = await book.ask(rowsPath, keyed);
  t.equal(again.headers.get('idempotency-replayed'), 'true');
  t.same(again.json, first.json);
  t.match(await book.ask(rowsPath, { body: { rows: [{ sku: 'd' }] }, headers }), { status: 422 });
  t.match(
    await book.ask(rowsPath, {
      body: { rows: [{ sku: 'd' }] },
      headers: { 'if-match': '"main@2"' },
    }),
    {
      status: 412,
      json: { code: 'head_moved' },
    },
  );
});

t.test('large bodies of JSON and msgpack are read as small ones are', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const rows: object[] = Array.from({ length: many }, (_, at) => ({
    sku: `k${at}`,
    region: 'here',
  }));
  const inserted = await book.ask(rowsPath, { body: { rows, mode: 'upsert', writer: 'me' } });
  t.match(inserted.json, { inserted: many, operations: 3, status: 'applied' });
  const packed = {
    bytes: pack({ mode: 'import', rows }),
    headers: { 'content-type': 'application/vnd.msgpack' },
  };
  t.match((await book.ask(rowsPath, packed)).json, {
    unchanged: many,
    deleted: 0,
    status: 'unchanged',
  });
  const wrong = rows.with(11_000, { sku: { a: 1 } });
  t.match(await book.ask(rowsPath, { body: { rows: wrong } }), {
    status: 400,
    json: { code: 'invalid_request', errors: [{ pointer: '/rows/11000/sku' }] },
  });
  t.match(await book.ask(rowsPath, { body: { rows, mod: 'upsert' } }), {
    status: 400,
    json: { code: 'unknown_member', errors: [{ message: /mode/ }] },
  });
  const keys = rows.map((_, at) => `k${at}`);
  const padded = { mode: 'delete', keys: [...keys, 'x'.repeat(300_000)], onMissing: 'ignore' };
  t.equal(
    (await book.ask(rowsPath, { body: padded })).status,
    400,
    'a key is no longer than a text',
  );
  t.match((await book.ask(rowsPath, { body: { mode: 'delete', keys } })).json, { deleted: many });
  t.match((await book.ask('tables/Sales')).json, { table: { rowCount: 0 } });
});
