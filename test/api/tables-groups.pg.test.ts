import { tableFromIPC } from '@uwdata/flechette';
import { unpack } from 'msgpackr';
import t from 'tap';

import { TableBook } from '../support/table-book.ts';

const goods = [
  { sku: 'a', region: 'North', price: 4, count: 1 },
  { sku: 'b', region: 'South', price: 12, count: 2 },
  { sku: 'c', region: 'North', price: 30, count: null },
  { sku: 'd', region: null, price: 11, count: 4 },
  { sku: 'e', region: 'south', price: null, count: 5 },
];

t.test('groups are answered in every format that rows are', async (t) => {
  const sales = await TableBook.start(t);
  await sales.sales(goods);
  const asked = 'group=region&count=&sum=price&min=price';
  const get = (accept: string, query = asked) =>
    sales.ask(`tables/Sales/rows?${query}`, { headers: { accept } });
  const { json } = await get('application/json');
  const { groups } = json as { groups: Record<string, unknown>[] };
  t.same(groups[0], { region: 'North', count: 2, 'sum price': 34, 'min price': 4 });
  const csv = await get('text/csv');
  t.equal(
    csv.text,
    'region,count,sum price,min price\r\nNorth,2,34,4\r\nSouth,1,12,12\r\nsouth,1,0,\r\n,1,11,11\r\n',
  );
  t.match(csv.headers.get('content-type'), /^text\/csv/);
  const arrow = await get('application/vnd.apache.arrow.stream');
  t.equal(arrow.headers.get('content-type'), 'application/vnd.apache.arrow.stream');
  t.same(
    tableFromIPC(arrow.bytes)
      .toArray()
      .map((row) => ({ ...(row as object) })),
    groups,
  );
  t.same(unpack((await get('application/msgpack')).bytes), json);
  const lines = (await get('application/x-ndjson')).text.trim().split('\n');
  const read = lines.map((line) => JSON.parse(line) as object);
  t.match(read[0], { total: 4, columns: ['region'] });
  t.same(read.slice(1, -1), groups);
  t.match(read.at(-1), { end: true, count: 4 });
  const none = `${asked}&where=${encodeURIComponent('[@price]>1E9')}`;
  t.equal((await get('text/csv', none)).text, 'region,count,sum price,min price\r\n');
  const empty = await get('application/vnd.apache.arrow.stream', none);
  t.equal(tableFromIPC(empty.bytes).numRows, 0);
  t.same(tableFromIPC(empty.bytes).schema.fields.map(({ name }) => name).length, 4);
  const page = await get('text/csv', `${asked}&offset=1&limit=1`);
  t.equal(page.text, 'region,count,sum price,min price\r\nSouth,1,12,12\r\n');
  const whole = await get('application/json', `${asked}&offset=1&limit=1&whole=true`);
  t.match(whole.json, { offset: 0, limit: 4, groups });
  t.match(await get('application/pdf'), { status: 406, json: { code: 'not_acceptable' } });
  t.match(await get('application/vnd.apache.arrow.file'), { status: 406 });
});
