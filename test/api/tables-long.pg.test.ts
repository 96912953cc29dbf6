import { gzipSync } from 'node:zlib';
import { pack } from 'msgpackr';
import t from 'tap';

import { TableBook } from '../support/table-book.ts';

/** Runs long: bodies of many operations, cut and repeated. */

const rowsPath = 'branches/main/tables/Sales/rows';
/** A megabyte, so that no format has all of it in one window. */
const many = 18_000;

interface Row {
  readonly sku: string;
  readonly region: string;
  readonly price: number;
}

function rowsOf(price: number, count = many): Row[] {
  return Array.from({ length: count }, (_, at) => {
    // Digits that no packer makes small.
    const digits = Math.imul(at + 1, 0x9e3779b1).toString(36) + Math.sin(at).toString(36);
    return { sku: `k${at}`, region: `Région "${digits}", ,\n${at}`, price };
  });
}

function asLines(rows: readonly object[]): Buffer {
  return Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
}

function asCsv(rows: readonly Row[]): Buffer {
  const lines = rows.map(({ sku, region, price }) => {
    return `${sku},"${region.replaceAll('"', '""')}",${price}`;
  });
  return Buffer.from(['sku,region,price', ...lines].join('\r\n'));
}

interface Sent {
  readonly bytes: Buffer;
  readonly type: string;
  readonly query?: string;
  readonly wait?: number;
  readonly gzip?: boolean;
}

function send(book: TableBook, { bytes, type, query = '', wait = 10, gzip = false }: Sent) {
  return book.ask(`${rowsPath}?${query}`, {
    bytes: gzip ? gzipSync(bytes) : bytes,
    headers: {
      'content-type': type,
      prefer: `wait=${wait}`,
      ...(gzip && { 'content-encoding': 'gzip' }),
    },
  });
}

const ndjson = 'application/x-ndjson';
const msgpack = 'application/vnd.msgpack';

interface Write {
  readonly id: string;
  readonly poll: string;
  readonly status: string;
  readonly rows: number;
  readonly error: object | null;
}

async function ended(book: TableBook, poll: string): Promise<Write> {
  for (let before = 0; ;) {
    const { json, status, text } = await book.service.request(poll, {
      credential: book.credential,
      headers: { prefer: 'wait=5' },
    });
    if (status !== 200) throw new Error(text);
    const write = json as Write;
    if (write.rows < before) throw new Error(`${write.rows} rows after ${before}`);
    before = write.rows;
    if (write.status !== 'queued' && write.status !== 'running') return write;
  }
}

t.test('long bodies of every format, packed or not, are read window by window', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const bodies: ((rows: Row[]) => Omit<Sent, 'gzip'>)[] = [
    (rows) => ({ bytes: asLines(rows), type: ndjson }),
    (rows) => ({ bytes: asCsv(rows), type: 'text/csv' }),
    // The options stand behind the rows.
    (rows) => ({
      bytes: Buffer.from(JSON.stringify({ rows, mode: 'import' })),
      type: 'application/json',
    }),
    (rows) => ({
      bytes: Buffer.from(` [${rows.map((row) => JSON.stringify(row)).join(' ,\n')} ] `),
      type: 'application/json',
    }),
    (rows) => ({ bytes: pack({ rows, writer: 'me' }), type: msgpack }),
    (rows) => ({ bytes: pack(rows), type: msgpack }),
  ];
  let price = 0;
  for (const bodyOf of bodies) {
    for (const gzip of [false, true]) {
      price++;
      const answer = await send(book, { ...bodyOf(rowsOf(price)), gzip });
      const { type } = bodyOf([]);
      t.equal(answer.status, 200, answer.text);
      const counts = price === 1 ? { inserted: many } : { updated: many };
      t.match(answer.json, { status: 'applied', operations: 4, rejectedMore: 0, ...counts }, type);
      t.equal(answer.headers.get('preference-applied'), 'wait=10');
      const groups = await book.ask('tables/Sales/rows?group=price&count=&distinct=region');
      t.match(groups.json, { groups: [{ price, count: many, 'distinct region': many }] }, type);
    }
  }
  const last = await book.ask(`tables/Sales/rows?keys=k${many - 1}`);
  t.match(last.json, { rows: rowsOf(price).slice(-1) });
  const keys = rowsOf(0).map(({ sku }) => sku);
  const padded = Buffer.from(
    JSON.stringify({ keys, onMissing: 'ignore', mode: 'delete' }, null, 8),
  );
  const deleted = await send(book, { bytes: padded, type: 'application/json' });
  t.match(deleted.json, { deleted: many }, deleted.text);
});

t.test('who does not wait is told where to ask, and may end it', async (t) => {
  const book = await TableBook.start(t);
  await book.sales();
  const slow = await send(book, { bytes: asLines(rowsOf(1, 60_000)), type: ndjson, wait: 0 });
  t.match(slow, {
    status: 202,
    json: { status: /queued|running/, result: null, error: null, poll: /row-writes\/rwr_/ },
  });
  t.equal(slow.headers.get('location'), (slow.json as Write).poll);
  t.ok(slow.headers.get('retry-after'));
  const later = await send(book, { bytes: asLines(rowsOf(2)), type: ndjson, wait: 0 });
  const { poll, id } = later.json as Write;
  // `/v1/workbooks/:id/row-writes/:wid`
  const cancelled = await book.askAlias(`row-writes/${id}`, { method: 'DELETE' });
  t.match(cancelled, { status: 200, json: { status: 'cancelled', result: null } });
  t.match(await ended(book, poll), { status: 'cancelled', finishedAt: String });
  const whole = await ended(book, (slow.json as Write).poll);
  t.match(whole, { status: 'done', rows: 60_000, result: { inserted: 60_000, operations: 12 } });
  t.match((await book.ask(`row-writes/${whole.id}`, { method: 'DELETE' })).json, whole);
  t.match((await book.ask('tables/Sales/rows?group=price&count=')).json, {
    groups: [{ price: 1, count: 60_000 }],
  });
  const lookup = await book.ask('row-writes/rwr_none');
  t.match(lookup, { status: 404, json: { code: 'row_write_not_found' } });
  const stranger = await book.service.registerClaimed();
  const seen = await book.ask(`row-writes/${id}`, { credential: stranger });
  t.equal(seen.status, 404, 'nobody else knows of it');
  // The same request under the same id finds all of it written.
  const rows = asLines(rowsOf(3));
  const first = await send(book, { bytes: rows, type: ndjson, query: 'id=twice' });
  t.match(first.json, { status: 'applied', updated: many });
  const second = await send(book, { bytes: rows, type: ndjson, query: 'id=twice' });
  t.match(second.json, {
    status: 'duplicate',
    updated: many,
    lastSeq: (first.json as { lastSeq: number }).lastSeq,
  });
});

t.test('a long body that is damaged is refused as a short one is', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'k0', price: 0 }]);
  const lines = asLines(rowsOf(1));
  const json = Buffer.from(JSON.stringify({ rows: rowsOf(1) }));
  const refused = async (sent: Sent, status: number, expected: object) => {
    const answer = await send(book, { ...sent, query: 'atomic=true' });
    t.match(answer, { status, json: expected }, `${sent.type} ${answer.text.slice(0, 300)}`);
  };
  const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length - 9);
  const invalid = { code: 'invalid_json' };
  await refused({ bytes: cut(lines), type: ndjson }, 400, invalid);
  await refused({ bytes: cut(json), type: 'application/json' }, 400, invalid);
  await refused({ bytes: cut(pack({ rows: rowsOf(1) })), type: msgpack }, 400, {
    code: 'invalid_msgpack',
  });
  const packed = gzipSync(lines);
  const half = { bytes: packed.subarray(0, packed.length - 9), type: ndjson };
  const answer = await book.ask(`${rowsPath}?atomic=true`, {
    bytes: Buffer.concat([half.bytes]),
    headers: { 'content-type': ndjson, 'content-encoding': 'gzip', prefer: 'wait=10' },
  });
  t.match(answer, { status: 400, json: { code: 'invalid_request' } });
  const unclosed = Buffer.concat([asCsv(rowsOf(1)), Buffer.from('\r\nx,"')]);
  await refused({ bytes: unclosed, type: 'text/csv' }, 400, { code: 'invalid_file' });
  const gap = Buffer.from(json.toString().replace('},{', '},,{'));
  await refused({ bytes: gap, type: 'application/json' }, 400, invalid);
  const more = Buffer.concat([json, Buffer.from('x')]);
  await refused({ bytes: more, type: 'application/json' }, 400, invalid);
  const twice = Buffer.from(`{"rows":[],${json.subarray(1).toString()}`);
  await refused({ bytes: twice, type: 'application/json' }, 400, { code: 'duplicate_member' });
  const unknown = Buffer.from(JSON.stringify({ rows: rowsOf(1), mod: 'import' }));
  await refused({ bytes: unknown, type: 'application/json' }, 400, {
    code: 'unknown_member',
    errors: [{ message: /mode/ }],
  });
  const typo = asLines(rowsOf(1).map(({ sku }) => ({ sku, pric: 1 })));
  await refused({ bytes: typo, type: ndjson }, 422, {
    errors: [{ code: 'column_not_found', message: /did you mean price/i }],
  });
  const wrong = asLines([...rowsOf(1), { sku: 'z', price: 'x' }]);
  await refused({ bytes: wrong, type: ndjson }, 422, {
    errors: [{ pointer: `/rows/${many}/price` }],
  });
  t.match((await book.ask('tables/Sales')).json, { ref: { seq: 3 }, table: { rowCount: 1 } });
  const lost = await send(book, {
    bytes: Buffer.concat([asLines(rowsOf(1)), Buffer.from('\n{')]),
    type: ndjson,
  });
  t.match(lost, {
    status: 400,
    json: { code: 'invalid_json', detail: RegExp(`line ${many + 1}`) },
  });
  const nowhere = await book.ask('branches/main/tables/Nope/rows', {
    bytes: lines,
    headers: { 'content-type': ndjson, prefer: 'wait=10' },
  });
  t.match(nowhere, { status: 404, json: { code: 'table_not_found' } });
});

t.test('who asks later is told of a failure all that who waits is told', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'k0', price: 0 }]);
  const times = Math.ceil((64 << 20) / asLines(rowsOf(1)).length) + 1;
  const line = asLines(rowsOf(1)).toString();
  const bodies: Sent[] = [
    // Packed, so that it is too much for one commit only once it is read.
    { bytes: Buffer.from(`${line}\n`.repeat(times)), type: ndjson, gzip: true },
    { bytes: asLines([...rowsOf(1), { sku: 'z', price: 'x' }]), type: ndjson },
    { bytes: Buffer.from(JSON.stringify({ rows: rowsOf(1), mod: 'x' })), type: 'application/json' },
  ];
  for (const body of bodies) {
    const sent = { ...body, query: 'atomic=true' };
    const direct = await send(book, sent);
    const { requestId: _, ...told } = direct.json as { requestId: string; detail: string };
    const { poll } = (await send(book, { ...sent, wait: 0 })).json as Write;
    const { status, error } = await ended(book, poll);
    t.equal(status, 'failed');
    t.match(error, { ...told, requestId: String, message: told.detail, errors: Array });
    t.notMatch(JSON.stringify(error), /\{\w+\}|\/…/u, 'hints name what was asked for');
  }
});

t.test('a key that stands twice is refused with its part, or left out', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'gone', price: 0 }]);
  const total = async () => {
    return ((await book.ask('tables/Sales/rows?limit=1')).json as { total: number }).total;
  };
  const twice = (price: number) => [
    ...rowsOf(price).slice(0, 6_000),
    { sku: 'k7', price: -1 },
    ...rowsOf(price).slice(6_000),
    { sku: 'k5', region: 7 },
  ];
  const sendTwice = async (price: number, query: string) =>
    send(book, { bytes: asLines(twice(price)), type: ndjson, query: `mode=import&${query}` });
  const refused = await sendTwice(1, 'id=a');
  t.match(refused, { status: 200, json: { status: 'partial', deleted: 0 } }, refused.text);
  const { refused: parts } = refused.json as { refused: { rows: [number, number] }[] };
  const [[from, to] = [0, 0], [last, end] = [0, 0]] = parts.map(({ rows }) => rows);
  t.ok(from <= 6_000 && to >= 6_000 && last <= many + 1 && end === many + 1);
  t.match(parts[0], { code: 'key_repeated', pointer: '/rows/6000/sku' });
  t.equal(await total(), 1 + many + 2 - (to - from + 1) - (end - last + 1), 'the rest is written');
  const atomic = await sendTwice(2, 'atomic=true');
  t.match(atomic, { status: 422, json: { errors: [{ pointer: '/rows/6000/sku' }] } });
  const rejected = [
    { row: 6_000, key: 'k7', column: 'sku', code: 'key_repeated' },
    { row: many + 1, key: 'k5', column: 'sku', code: 'key_repeated' },
  ];
  for (const [price, query] of [
    [3, 'onInvalid=skip&id=b'],
    [4, 'onInvalid=skip&id=c&atomic=true'],
  ] as const) {
    for (const status of ['applied', 'duplicate']) {
      const skipped = await sendTwice(price, query);
      t.match(skipped, { status: 200, json: { status, rejected, rejectedMore: 0 } }, query);
    }
    t.equal(await total(), many, query);
    const first = await book.ask('tables/Sales/rows?keys=k7&keys=k6000');
    t.match(first.json, { rows: [{ price }, { price }] }, 'the first of them counts');
  }
  const wrong = rowsOf(5).map((row, at) => (at === 9_000 ? { ...row, price: 'x' } : row));
  const bytes = asLines([...wrong.slice(0, 8_000), { sku: 'k1' }, ...wrong.slice(8_000)]);
  const both = await send(book, { bytes, type: ndjson, query: 'mode=import&onInvalid=skip' });
  t.match(both.json, { rejected: [{ row: 8_000 }, { row: 9_001, code: 'bad_value' }] });
});

t.test(
  'an upsert has one rule for keys that stand twice, however many operations it is',
  async (t) => {
    const book = await TableBook.start(t);
    await book.sales([{ sku: 'k0', price: 0 }]);
    const twice = asLines([...rowsOf(1), { sku: 'k7', price: -1 }]);
    const upsert = (query: string) =>
      send(book, { bytes: twice, type: ndjson, query: `mode=upsert&${query}` });
    const few = await book.ask(rowsPath, {
      body: { rows: [{ sku: 'a' }, { sku: 'a', price: -1 }] },
    });
    t.match(few, { status: 422, json: { errors: [{ pointer: '/rows/1/sku' }] } });
    t.match(await upsert('atomic=true'), {
      status: 422,
      json: { errors: [{ pointer: `/rows/${many}/sku`, code: 'key_repeated' }] },
    });
    const partial = await upsert('');
    t.match(partial, { status: 200, json: { status: 'partial', deleted: 0 } }, partial.text);
    t.match(partial.json, { refused: [{ code: 'key_repeated', pointer: `/rows/${many}/sku` }] });
    const skipped = await upsert('onInvalid=skip');
    t.match(skipped.json, { status: 'applied', rejected: [{ row: many, key: 'k7' }] });
    const { rows } = (await book.ask('tables/Sales/rows?keys=k7')).json as { rows: object[] };
    t.match(rows, [{ price: 1 }], 'the first of them counts');
  },
);

t.test('what is too much for one commit goes by a branch of its own', async (t) => {
  const book = await TableBook.start(t);
  await book.sales([{ sku: 'k0', price: 0 }]);
  const rows = asLines(rowsOf(1));
  const times = Math.ceil((64 << 20) / rows.length) + 1;
  const bytes = Buffer.concat(
    Array.from({ length: times }, () => [rows, Buffer.from('\n')]).flat(),
  );
  // It is known without reading a row, so nobody waits for it.
  const answer = await send(book, { bytes, type: ndjson, query: 'atomic=true', wait: 0 });
  t.match(answer, { status: 413, json: { code: 'payload_too_large', limitBytes: 64 << 20 } });
  const { hint } = answer.json as { hint: string };
  t.match(hint, /POST \/v1\/workbooks\/wb_\w+\/branches .*POST \/v1\/workbooks\/wb_\w+\/merges/u);
  t.equal((await book.ask('branches', { body: { name: 'load' } })).status, 201);
  const path = rowsPath.replace('main', 'load');
  const loaded = await book.ask(path, {
    bytes: rows,
    headers: { 'content-type': ndjson, prefer: 'wait=10' },
  });
  t.match(loaded, { status: 200, json: { status: 'applied' } });
  const merged = await book.ask('merges', { body: { source: 'load', apply: 'auto' } });
  t.match(merged, { status: 201, json: { state: 'merged' } });
});
