import { tableFromIPC } from '@uwdata/flechette';
import t from 'tap';

import { MatchedWorkbook } from '../support/matched-workbook.ts';
import { TestService } from '../support/test-service.ts';

const service = await TestService.start(t, {}, {});
const credential = await service.register();

const reference = [
  ['c1', 'Acme Corporation'],
  ['c2', 'Globex Incorporated'],
  ['c3', 'Initech'],
  ['c4', 'Umbrella Holdings 2007'],
  ['c5', 'Umbrella Holdings 2008'],
] as const;

const orders = [
  ['o1', 'ACME corporation'],
  ['o2', 'Globex Incorprated'],
  ['o3', ''],
  ['o4', 'Zyxwv'],
  ['o5', 'Umbrella Holdings 2009'],
] as const;

async function withTables(): Promise<MatchedWorkbook> {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table('Orders', ['id', 'customer'], orders);
  await book.table('Customers', ['key', 'name'], reference);
  return book;
}

const columns = {
  left: { tableId: 'Orders', column: 'customer' },
  right: { tableId: 'Customers', column: 'name' },
};

t.test('columns are matched, and each row says why', async (t) => {
  const book = await withTables();
  for (const way of [book, await book.byName()]) {
    const made = await way.send('POST', '/matches', columns);
    t.match(made, { status: 202, json: { matchId: /^mat_[0-9A-Z]{26}$/, poll: String } });
    const { matchId, poll } = made.json as { matchId: string; poll: string };
    t.equal(made.headers.get('location'), poll);
    t.equal(made.headers.get('retry-after'), '1');
    const ended = await way.ended(`/matches/${matchId}`);
    t.match(ended, {
      status: 'done',
      progress: 1,
      algo: 'local/1',
      ref: { branch: 'main' },
      left: { rows: 5, distinct: 4, empty: 1, column: 'customer' },
      right: { rows: 5, distinct: 5, empty: 0 },
      opts: { hi: 0.95, lo: 0.35, provider: 'local', dim: null, assignment: 'many-to-one' },
      error: null,
    });
    const first = ended.rows.filter(({ rank }) => rank === 1);
    t.match(first, [
      { leftKey: 'o1', rightKey: 'c1', decision: 'accept', reason: 'exact', score: 1 },
      { leftKey: 'o2', rightKey: 'c2', decision: 'accept', verified: true },
      { leftKey: 'o3', leftValue: null, rightKey: null, decision: 'reject', reason: 'empty' },
      { leftKey: 'o4', rightKey: null, decision: 'reject', reason: 'no-candidate' },
      { leftKey: 'o5', decision: 'reject', reason: /^refused:/ },
    ]);
    t.equal(ended.counts['accept'], 2);
    t.equal(ended.counts['unmatched'], 2);
    const accepted = await way.page(`/matches/${matchId}?decision=accept&limit=1&offset=1`);
    t.match(accepted, { total: 2, offset: 1, limit: 1, rows: [{ leftKey: 'o2' }] });
    const list = await way.send('GET', '/matches?limit=1');
    t.match(list, { status: 200, json: { limit: 1, matches: [{ matchId, status: 'done' }] } });
  }
});

t.test('numbers that contradict keep rows apart, and those of one side alone do not', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  const pairs = [
    ['iPhone 12 64GB', 'iPhone 13 64GB', 'reject'],
    ['Windows Server 2016 Standard', 'Windows Server 2019 Standard', 'reject'],
    ['Flat 4, 10 High Street', 'Flat 4, 12 High Street', 'reject'],
    ['Bath Road 7', 'Bath Road No 7', 'accept'],
    ['Botanical Gardens of Perth 2', 'Botanical Gardens of Perth', 'accept'],
  ] as const;
  await book.table(
    'Asked',
    ['id', 'n'],
    pairs.map(([left], at) => [`l${at}`, left]),
  );
  await book.table(
    'Known',
    ['id', 'n'],
    pairs.map(([, right], at) => [`r${at}`, right]),
  );
  const made = await book.send('POST', '/matches', {
    left: { tableId: 'Asked', column: 'n' },
    right: { tableId: 'Known', column: 'n' },
  });
  const { rows } = await book.ended(`/matches/${(made.json as { matchId: string }).matchId}`);
  const first = rows.filter(({ rank }) => rank === 1);
  t.same(
    first.map(({ decision }) => decision),
    pairs.map(([, , wanted]) => wanted),
  );
  t.match(first[0], { rightKey: 'r0', verified: true, reason: 'refused:number-conflict' });
});

t.test('rows come as CSV, Arrow, NDJSON and msgpack too', async (t) => {
  const book = await withTables();
  const path = await book.match(columns);
  await book.ended(path);
  const csv = await book.send('GET', path, undefined, { accept: 'text/csv' });
  t.equal(csv.headers.get('content-type')?.split(';')[0], 'text/csv');
  const lines = csv.text.trim().split('\r\n');
  t.match(lines[0], /^leftKey,leftValue,rightKey/);
  t.match(lines[1], /^o1,ACME corporation,c1,Acme Corporation,1,accept,false,,exact,1$/);
  const ndjson = await book.send('GET', path, undefined, { accept: 'application/x-ndjson' });
  const items = ndjson.text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  t.match(items[0], { status: 'done' });
  t.match(items[1], { leftKey: 'o1', decision: 'accept' });
  const arrow = await book.send('GET', path, undefined, {
    accept: 'application/vnd.apache.arrow.stream',
  });
  const table = tableFromIPC(arrow.bytes);
  t.equal(table.numRows, lines.length - 1);
  t.match(table.get(0), { leftKey: 'o1', rightKey: 'c1', score: 1, verified: false });
  t.match(table.get(2), { leftKey: 'o3', leftValue: null, rightKey: null, reason: 'empty' });
  const msgpack = await book.send('GET', path, undefined, { accept: 'application/msgpack' });
  t.equal(msgpack.status, 200);
  t.match(msgpack.headers.get('content-type'), /msgpack/);
});

t.test('the same inputs are matched once, and the same options make the same rows', async (t) => {
  const book = await withTables();
  const first = await book.ended(await book.match(columns));
  const again = await book.ended(await book.match(columns));
  t.equal(first.reused, false);
  t.equal(again.reused, true);
  t.same(again.rows, first.rows);
  t.same(again.counts, first.counts);
  const aliased = await book.ended(await book.match({ ...columns, opts: { topK: 1 } }));
  t.equal(aliased.reused, false);
});

t.test('a position stays what it was when the branch goes on', async (t) => {
  const book = await withTables();
  const path = await book.match(columns);
  await book.submit('main', { kind: 'table.drop', payload: { table: 'Customers' } });
  const ended = await book.ended(path);
  t.match(ended, { status: 'done', rows: [{ leftKey: 'o1', rightKey: 'c1' }] });
  const gone = await book.send('POST', '/matches', columns);
  t.match(gone, { status: 404, json: { code: 'table_not_found' } });
});

t.test('one to one gives each row of the reference to one row', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'A',
    ['id', 'name'],
    [
      ['a1', 'Blue Harbour'],
      ['a2', 'blue harbor'],
    ],
  );
  await book.table(
    'B',
    ['id', 'name'],
    [
      ['b1', 'Blue Harbour'],
      ['b2', 'Red Castle'],
    ],
  );
  const sides = {
    left: { tableId: 'A', column: 'name' },
    right: { tableId: 'B', column: 'name' },
  };
  const single = await book.ended(
    await book.match({ ...sides, opts: { assignment: 'one-to-one' } }),
  );
  t.match(single.rows, [
    { leftKey: 'a1', rightKey: 'b1', decision: 'accept' },
    { leftKey: 'a2', rightKey: 'b1', decision: 'reject', reason: 'taken' },
  ]);
  const shared = await book.ended(await book.match(sides));
  t.match(shared.rows, [
    { leftKey: 'a1', decision: 'accept' },
    { leftKey: 'a2', decision: 'accept' },
  ]);
});

t.test('a column with itself has its duplicates, each pair once', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  const names = ['Anna Karenina', 'War and Peace', 'anna karenina', 'Anna Karenin', 'War & Peace'];
  await book.table(
    'Books',
    ['id', 'title'],
    names.map((name, index) => [index + 1, name]),
  );
  const side = { tableId: 'Books', column: 'title' };
  const { rows } = await book.ended(await book.match({ left: side, right: side }));
  t.ok(
    rows.every(({ leftKey, rightKey }) => rightKey === null || Number(rightKey) < Number(leftKey)),
  );
  const accepted = rows.filter(({ decision }) => decision === 'accept');
  t.same(
    accepted.map(({ leftKey, rightKey }) => [leftKey, rightKey]),
    [
      [3, 1],
      [4, 1],
      [5, 2],
    ],
  );
});

t.test('aliases say what means the same, and are given as the reason', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'Lands',
    ['id', 'country'],
    [
      ['l1', 'USA'],
      ['l2', 'Burma'],
      ['l3', 'France'],
    ],
  );
  await book.table(
    'Countries',
    ['id', 'country'],
    [
      ['r1', 'United States'],
      ['r2', 'Myanmar'],
      ['r3', 'France'],
    ],
  );
  await book.table(
    'Words',
    ['from', 'to'],
    [
      ['usa', 'United States'],
      ['Burma', 'Myanmar'],
    ],
  );
  const { rows } = await book.ended(
    await book.match({
      left: { tableId: 'Lands', column: 'country' },
      right: { tableId: 'Countries', column: 'country' },
      opts: { aliases: { tableId: 'Words', from: 'from', to: 'to' } },
    }),
  );
  t.match(rows, [
    { leftKey: 'l1', rightKey: 'r1', decision: 'accept', reason: 'verified:alias' },
    { leftKey: 'l2', rightKey: 'r2', decision: 'accept', reason: 'verified:alias' },
    { leftKey: 'l3', rightKey: 'r3', decision: 'accept', reason: 'exact' },
  ]);
});

t.test('numbers, dates and formulas are matched by what they show', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  const schema = { columns: [{ name: 'id' }, { name: 'day', type: 'date' }, { name: 'sum' }] };
  await book.submit(
    'main',
    { kind: 'table.create', payload: { name: 'Days', keyColumn: 'id', schema } },
    {
      kind: 'rows.import',
      payload: {
        table: 'Days',
        rows: [
          [1, '2026-01-31', '=40+2'],
          [2, '2026-02-01', 7],
        ],
      },
    },
  );
  await book.table(
    'Texts',
    ['id', 'text'],
    [
      ['x', '2026-02-01'],
      ['y', '42'],
      ['z', 7],
    ],
  );
  const right = { tableId: 'Texts', column: 'text' };
  const days = await book.ended(
    await book.match({ left: { tableId: 'Days', column: 'day' }, right }),
  );
  t.match(
    days.rows.find(({ leftKey }) => leftKey === 2),
    { rightKey: 'x', reason: 'exact' },
  );
  const sums = await book.ended(
    await book.match({ left: { tableId: 'Days', column: 'sum' }, right }),
  );
  t.match(sums.rows, [
    { leftKey: 1, leftValue: '42', rightKey: 'y', reason: 'exact' },
    { leftKey: 2, leftValue: '7', rightKey: 'z', reason: 'exact' },
  ]);
});
