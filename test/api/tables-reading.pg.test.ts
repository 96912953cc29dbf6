import { tableFromIPC } from '@uwdata/flechette';
import { unpack } from 'msgpackr';
import t from 'tap';

import { MovingClock } from '../support/moving-clock.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { TableBook } from '../support/table-book.ts';
import { testSeed } from '../support/test-seed.ts';

const goods = [
  { sku: 'a', region: 'North', price: 4, count: 1 },
  { sku: 'b', region: 'South', price: 12, count: 2 },
  { sku: 'c', region: 'North', price: 30, count: null },
  { sku: 'd', region: null, price: 11, count: 4 },
  { sku: 'e', region: 'south', price: null, count: 5 },
];

interface Page {
  readonly total: number;
  readonly next: string | null;
  readonly rows: readonly Record<string, unknown>[];
}

async function book(t: Parameters<typeof TableBook.start>[0]): Promise<TableBook> {
  const made = await TableBook.start(t);
  await made.sales(goods);
  await made.ask('branches/main/tables/Sales', {
    method: 'PATCH',
    body: { changes: [{ change: 'column.add', column: 'Sum', formula: '=[@price]*[@count]' }] },
  });
  return made;
}

t.test('pages of rows, by offset and by key, with calculated columns computed', async (t) => {
  const sales = await book(t);
  // `/v1/workbooks/:id/tables/:tid/rows`
  const first = await sales.ask('tables/Sales/rows?ref=main&offset=1&limit=2');
  t.match(first, {
    status: 200,
    json: {
      ref: { branch: 'main', seq: 4 },
      table: { name: 'Sales' },
      key: 'sku',
      columns: ['sku', 'region', 'price', 'count', 'Sum'],
      total: 5,
      rows: [
        { sku: 'b', region: 'South', price: 12, count: 2, Sum: 24 },
        { sku: 'c', price: 30, count: null, Sum: 0 },
      ],
    },
  });
  t.equal(first.headers.get('etag'), '"main@4"');
  await sales.ask('branches/main/tables/Sales/rows', { body: { mode: 'delete', keys: ['d'] } });
  const { next } = first.json as Page;
  t.match(next, /ref=main%404/);
  const second = await sales.service.request(next ?? '', { credential: sales.credential });
  t.match(second.json, { ref: { seq: 4 }, next: null, rows: [{ sku: 'd' }, { sku: 'e' }] });
  const after = await sales.askAlias('tables/sales/rows?after=b&limit=1&as=lists&columns=Sum,sku');
  t.match(after.json, { ref: { seq: 5 }, columns: ['Sum', 'sku'], total: 4, rows: [[0, 'c']] });
  t.match((after.json as Page).next, /after=c/);
  t.match((await sales.ask('tables/Sales/rows?keys=e&keys=zz&keys=a')).json, {
    total: 2,
    rows: [{ sku: 'e' }, { sku: 'a', Sum: 4 }],
  });
  const others = Array.from({ length: 1500 }, (_, at) => `keys=${'k'.repeat(8)}${at}`).join('&');
  const long = await sales.ask(`tables/Sales/rows?limit=1&keys=e&keys=a&${others}`);
  t.match(long.json, { total: 2, rows: [{ sku: 'e' }], next: /offset=1/ });
  t.equal(long.headers.get('link'), null, 'an address that is too long for a header');
  t.match((await sales.ask('tables/Sales/rows?ref=main@3&limit=1')).json, {
    columns: ['sku', 'region', 'price', 'count'],
    rows: [{ sku: 'a' }],
  });
  t.match((await sales.ask('tables/Sales/rows?lens=formula&limit=1&columns=Sum')).json, {
    rows: [{ Sum: '=[@price]*[@count]' }],
  });
  t.match((await sales.ask('tables/Sales/rows?lens=input&limit=1')).json, {
    rows: [{ sku: 'a', Sum: '=[@price]*[@count]' }],
  });
  t.match(await sales.ask('tables/Sales/rows', { headers: { 'if-none-match': '"main@5"' } }), {
    status: 304,
  });
});

t.test('rows in an order, as a formula over the row chooses them, and in groups', async (t) => {
  const sales = await book(t);
  const skus = async (query: string) => {
    const { json, text, status } = await sales.ask(`tables/Sales/rows?${query}`);
    if (status !== 200) throw new Error(text);
    return (json as Page).rows.map(({ sku }) => sku).join('');
  };
  const where = (formula: string) => `where=${encodeURIComponent(formula)}`;
  t.equal(await skus('order=-price'), 'cbdae');
  t.equal(await skus('order=region,-price'), 'cabed');
  t.equal(await skus('order=region&order=price'), 'acbed');
  t.equal(await skus('order=-Sum&limit=2&offset=1'), 'ba');
  t.equal(await skus(where('AND([@price]>10,[@region]="south")')), 'b');
  t.equal(await skus(where('=[@Sum]>20')), 'bd');
  t.equal(await skus(where('=Sales[@Sum]>20')), 'bd');
  t.equal(await skus(`${where('ISNUMBER(SEARCH("or",[@region]))')}&order=-sku`), 'ca');
  t.equal(await skus(where('[@price]>AVERAGE([price])')), 'c');
  t.match((await sales.ask(`tables/Sales/rows?${where('1/[@count]>0.4')}`)).json, {
    total: 2,
    errors: 1,
  });
  t.match(
    (await sales.askAlias('tables/Sales/rows?group=region&count=&sum=price&max=price&distinct=sku'))
      .json,
    {
      total: 4,
      groups: [
        { region: 'North', count: 2, 'sum price': 34, 'max price': 30, 'distinct sku': 2 },
        { region: 'South', count: 1, 'sum price': 12 },
        { region: 'south', count: 1, 'sum price': 0, 'max price': null },
        { region: null, count: 1, 'sum price': 11 },
      ],
    },
  );
  t.match(
    (
      await sales.ask(
        `tables/Sales/rows?sum=Sum&average=price&min=price&count=count&${where('[@price]>4')}`,
      )
    ).json,
    {
      groups: [{ 'sum Sum': 68, 'average price': 53 / 3, 'min price': 11, 'count count': 2 }],
    },
  );
  const regions = async (query: string) => {
    const { json, text, status } = await sales.ask(`tables/Sales/rows?${query}`);
    if (status !== 200) throw new Error(text);
    return (json as { groups: { region: string | null }[] }).groups.map(({ region }) => region);
  };
  t.same(await regions('group=region&sum=price&order=-sum%20price'), [
    'North',
    'South',
    null,
    'south',
  ]);
  t.same(await regions('group=region&max=price&order=MAX%20price&limit=2'), [null, 'South']);
  t.same(await regions('group=region&count=&order=-count,-region&limit=2&offset=1'), [
    'South',
    'south',
  ]);
  t.match((await sales.ask('tables/Sales/rows?group=region,sku&count=&limit=1')).json, {
    total: 5,
    groups: [{ region: 'North', sku: 'a', count: 1 }],
  });
  await sales.ask('branches/main/tables/Sales/rows', { body: { rows: [{ sku: 'a', price: 99 }] } });
  t.equal(await skus('order=-price&limit=1'), 'a');
  t.equal(await skus('order=-price&limit=1&ref=main@4'), 'c');
  t.equal(await skus(where('[@price]>90')), 'a');
});

t.test('a question is answered the same by different values and row by row', async (t) => {
  const asked = await TableBook.start(t);
  const random = new SeededRandom(testSeed);
  const some = [4, 12, 30.5, -1, 0, 'tea', 'Tea', '', 'TRUE', null, true, false, '12', 'a"b'];
  const anyOf = (): unknown => some[random.between(0, some.length - 1)];
  const rows = Array.from({ length: 300 }, (_, id) => ({ id: `k${id}`, x: anyOf(), y: anyOf() }));
  const schema = { id: 'text', x: 'any', y: 'any', 'a]b': 'any' };
  await asked.ask('branches/main/tables', { body: { name: 'Odd', keyColumn: 'id', schema } });
  await asked.ask('branches/main/tables/Odd/rows', { body: { mode: 'import', rows } });
  const change = { change: 'column.add', column: 'inverse', formula: '=1/[@x]' };
  await asked.ask('branches/main/tables/Odd', { method: 'PATCH', body: { changes: [change] } });
  const conditions = [
    '[@x]>4',
    '[@y]="tea"',
    'EXACT([@y],"tea")',
    'NOT([@x]=30.5)',
    'ISNUMBER(SEARCH("ea",[@x]))',
    '[@inverse]>0.1',
    'ISERROR([@inverse])',
    'LEN([@y])',
    '[@x]',
    '1=1',
    '0',
    '"text"',
    '[@\'a\']b]=""',
    'ISBLANK([@x])',
    'OR([@y]="a""b",[@y]=12)',
    'IF([@x]>1,[@x],[@y])',
    'ROW([@x])>20',
    '[@x]>AVERAGE([x])',
  ];
  const any = (): string => conditions[random.between(0, conditions.length - 1)] ?? '0';
  const formulas = [...conditions];
  for (let count = 0; count < 30; count++) {
    const list = Array.from({ length: random.between(1, 3) }, any).join(', ');
    const joined = `${random.next() < 0.5 ? 'and' : 'OR'}(${list})`;
    formulas.push(joined, `AND(${any()},${joined})`);
  }
  for (const formula of formulas) {
    // Nothing takes a formula apart that stands within another one.
    const rowByRow = `IF(LEN([@id])+LEN([@y])>=0,${formula},${formula})`;
    const answers = [formula, rowByRow].map(async (where) => {
      const query = `columns=id&as=lists&limit=1000&where=${encodeURIComponent(where)}`;
      const { json, status, text } = await asked.ask(`tables/Odd/rows?${query}`);
      if (status !== 200) return text;
      const { total, errors, rows: found } = json as Page & { errors: number };
      return { total, errors, found };
    });
    const [taken, whole] = await Promise.all(answers);
    t.same(taken, whole, formula);
  }
});

t.test('a question says defined names, with what they are at its position', async (t) => {
  const sales = await book(t);
  const define = (name: string, formula: string) => ({
    kind: 'name.set',
    payload: { name, formula },
  });
  const cells = [
    { a1: 'B1', input: 10 },
    { a1: 'B2', input: '=B1+1' },
    { a1: 'C1', input: 'North' },
    { a1: 'C2', input: 'south' },
  ];
  const defined = await sales.ops(
    { kind: 'cells.set', payload: { sheet: 'Sheet1', cells } },
    define('limit', '=Sheet1!$B$2'),
    define('twice', '=2*limit'),
    define('half', '=0.5'),
    define('wanted', '=Sheet1!$C$1:$C$2'),
    define('above', '=LAMBDA(x,x>half*twice)'),
    define('here', '=Sheet1!A1'),
    define('today_', '=TODAY()'),
    define('all', '=SUM(Sales[price])'),
  );
  t.equal(defined.status, 200, defined.text);
  const ask = (formula: string, more = '') =>
    sales.ask(`tables/Sales/rows?${more}where=${encodeURIComponent(formula)}`);
  const skus = async (formula: string, more = '') => {
    const { json, text, status } = await ask(formula, more);
    if (status !== 200) throw new Error(text);
    return (json as Page).rows.map(({ sku }) => sku).join('');
  };
  t.equal(await skus('[@price]>limit'), 'bc');
  t.equal(await skus('=[@price]=LIMIT'), 'd');
  t.equal(await skus('AND(above([@price]),ISNUMBER(MATCH([@region],wanted,0)))'), 'bc');
  t.equal(await skus('[@price]>twice+[@count]*half'), 'c');
  const moved = { sheet: 'Sheet1', cells: [{ a1: 'B1', input: 1 }] };
  await sales.ops({ kind: 'cells.set', payload: moved });
  t.equal(await skus('[@price]>limit'), 'abcd');
  t.equal(await skus('[@price]>limit', 'ref=main@13&'), 'bc');
  const refused = async (formula: string, message: RegExp) => {
    const errors = [{ pointer: '?where', code: 'bad_formula', message }];
    t.match(await ask(formula), { status: 400, json: { errors } }, formula);
  };
  await refused('[@price]>here', /here reads other cells from each place/);
  await refused('[@price]>today_', /today_ asks TODAY/);
  await refused('[@price]>all', /all reads a table/);
  await refused('[@price]>Sheet1!limit', /name of one sheet: ask for limit, at character/);
  await refused('[@price]>nothing', /nothing is no column and no defined name.*, at character 10/);
  await refused('=[@price]>RAND()', /RAND may not be asked here.*, at character 11/);
  await refused('1+A1>2', /A1 is a place on a sheet.*, at character 3/);
});

t.test('rows as NDJSON, msgpack, columns, CSV and Arrow', async (t) => {
  const sales = await book(t);
  const get = (query: string, accept: string) =>
    sales.ask(`tables/Sales/rows?${query}`, { headers: { accept } });
  const lines = (await get('whole=true', 'application/x-ndjson')).text.trim().split('\n');
  t.match(
    lines.map((line) => JSON.parse(line) as object),
    [
      { total: 5, ref: { seq: 4 } },
      { sku: 'a', Sum: 4 },
      { sku: 'b' },
      { sku: 'c' },
      { sku: 'd' },
      { sku: 'e', price: null },
      { end: true, count: 5 },
    ],
  );
  t.match(unpack((await get('limit=1', 'application/msgpack')).bytes), { rows: [{ sku: 'a' }] });
  t.match(unpack((await get('limit=2&as=columns&columns=sku,Sum', 'application/msgpack')).bytes), {
    rows: { sku: ['a', 'b'], Sum: [4, 24] },
  });
  t.match((await get('whole=true&as=columns&columns=sku,Sum', 'application/json')).json, {
    total: 5,
    rows: { sku: ['a', 'b', 'c', 'd', 'e'], Sum: [4, 24] },
  });
  const csv = await get('columns=sku,region,Sum&limit=3', 'text/csv');
  t.equal(csv.text, 'sku,region,Sum\r\na,North,4\r\nb,South,24\r\nc,North,0\r\n');
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  for (const query of ['limit=5', 'whole=true']) {
    const arrow = await get(query, 'application/vnd.apache.arrow.stream');
    t.equal(arrow.headers.get('content-type'), 'application/vnd.apache.arrow.stream');
    t.match(tableFromIPC(arrow.bytes).toArray(), [
      { sku: 'a', region: 'North', price: 4, count: 1, Sum: 4 },
      { sku: 'b' },
      { sku: 'c', count: null },
      { sku: 'd', region: null },
      { sku: 'e' },
    ]);
  }
  t.match(await get('', 'application/pdf'), { status: 406, json: { code: 'not_acceptable' } });
  const again = await get('whole=true&columns=sku,price', 'text/csv');
  t.match(
    await sales.ask('branches/main/tables/Sales/rows', {
      bytes: again.bytes,
      headers: { 'content-type': 'text/csv' },
    }),
    {
      json: { unchanged: 5, status: 'unchanged' },
    },
  );
});

t.test('what cannot be asked is refused with code, pointer and hint', async (t) => {
  const sales = await book(t);
  const refuse = async (query: string, status: number, json: object) => {
    t.match(await sales.ask(`tables/Sales/rows?${query}`), { status, json }, query);
  };
  const where = (formula: string) => `where=${encodeURIComponent(formula)}`;
  const wrong = (pointer: string, code: string) => ({ errors: [{ pointer, code }], hint: /\w/ });
  await refuse('columns=pric', 422, {
    ...wrong('?columns', 'column_not_found'),
    hint: /mean price/,
  });
  await refuse('order=-nope', 422, wrong('?order', 'column_not_found'));
  await refuse('after=zz', 422, wrong('?after', 'key_not_found'));
  await refuse('after=a&order=price', 400, wrong('?after', 'not_together'));
  await refuse(where('[@price]>'), 400, wrong('?where', 'bad_formula'));
  await refuse(where('[@pric]>1'), 422, wrong('?where', 'column_not_found'));
  await refuse(where('A1>1'), 400, wrong('?where', 'bad_formula'));
  await refuse(where('Sheet1!A1>1'), 400, wrong('?where', 'bad_formula'));
  await refuse(where('[@price]>RAND()'), 400, wrong('?where', 'bad_formula'));
  await refuse(where('Other[@x]>1'), 400, wrong('?where', 'bad_formula'));
  await refuse(where('tax>1'), 400, wrong('?where', 'bad_formula'));
  const several = {
    errors: [{ code: 'bad_formula', message: /more than one value.*\[@price\]/iu }],
  };
  for (const array of ['[price]>1', 'ISNUMBER([price])', '[@price]>{1;2}']) {
    await refuse(where(array), 400, several);
  }
  const own = { hint: /AND\(\[@price\]>10,\[@sku\]="North"\)/u };
  await refuse(where('A1>1'), 400, { ...own, detail: /such as \[@sku\]/u });
  await refuse(where('{TRUE,FALSE}'), 400, { ...own, detail: /\[@sku\] is the value of the row/u });
  await refuse('sum=nope', 422, wrong('?sum', 'column_not_found'));
  await refuse('group=region&count=&order=price', 422, wrong('?order', 'column_not_found'));
  for (const other of ['columns=sku', 'as=lists', 'as=columns', 'lens=formatted']) {
    const [name = ''] = other.split('=');
    await refuse(`group=region&${other}`, 400, wrong(`?${name}`, 'not_together'));
  }
  await refuse('count=&keys=a', 400, wrong('?keys', 'not_together'));
  await refuse('limit=0', 400, { errors: [{ pointer: '?limit' }] });
  await refuse('ref=main@99', 404, { code: 'ref_not_found' });
  t.match(await sales.askAlias('tables/Nope/rows'), {
    status: 404,
    json: { code: 'table_not_found' },
  });
});

t.test('a question that takes too long is given up, and says so', async (t) => {
  const clock = new MovingClock();
  const sales = await TableBook.start(t, {}, { environment: clock.environment });
  const rows = Array.from({ length: 4_000 }, (_, at) => ({ sku: `k${at}`, price: at }));
  await sales.sales(rows);
  const slow = 'REDUCE(0,SEQUENCE(50000),LAMBDA(sum,one,sum+one))>[@price]';
  const asked = sales.ask(`tables/Sales/rows?where=${encodeURIComponent(slow)}`);
  const hurry = setInterval(() => clock.forward(21), 300);
  const answer = await asked;
  clearInterval(hurry);
  t.match(answer, {
    status: 400,
    json: { code: 'invalid_request', errors: [{ pointer: '?where', code: 'too_costly' }] },
  });
  t.match(answer.json, { hint: /\[@sku\] is its value, \[sku\] are all of the column/u });
  const quick = await sales.ask('tables/Sales/rows?where=[@price]>3997');
  t.match(quick, { status: 200, json: { total: 2 } }, 'the next question is another one');
});

t.test('a question that would take far too long is refused at once', async (t) => {
  const sales = await TableBook.start(t);
  const rows = Array.from({ length: 4_000 }, (_, at) => ({ sku: `k${at}`, price: at }));
  await sales.sales(rows);
  const slow = 'REDUCE(0,SEQUENCE(400000),LAMBDA(sum,one,sum+one))>[@price]';
  const started = performance.now();
  const answer = await sales.ask(`tables/Sales/rows?where=${encodeURIComponent(slow)}`);
  const seconds = (performance.now() - started) / 1_000;
  t.match(answer, {
    status: 400,
    json: { code: 'invalid_request', errors: [{ pointer: '?where', code: 'too_costly' }] },
  });
  t.ok(seconds < 15, `after ${seconds.toFixed(1)} s of the 20 that there are`);
  const long = 'REDUCE(0,SEQUENCE(500),LAMBDA(sum,one,sum+one))>[@price]';
  const kept = await sales.ask(`tables/Sales/rows?where=${encodeURIComponent(long)}`);
  t.match(kept, { status: 200, json: { total: 4_000 } }, 'what takes a while is answered');
});
