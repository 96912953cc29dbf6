import t from 'tap';

import { MatchedWorkbook } from '../support/matched-workbook.ts';
import { TestService } from '../support/test-service.ts';

const service = await TestService.start(t, {}, {});
const credential = await service.register();
const book = await MatchedWorkbook.on(service, credential);
await book.table(
  'Ours',
  ['id', 'name', 'town', 'year', 'country'],
  [
    ['a', 'Central Hotel', 'Lund', 1999, 'SE'],
    ['b', 'Central Hotel', 'Bern', 2004, 'CH'],
    ['c', 'Hotel Sonne', 'Graz', null, 'AT'],
    ['d', 'Hotel Sonne', 'Graz', null, null],
    ['e', null, null, null, 'AT'],
  ],
);
await book.table(
  'Theirs',
  ['code', 'title', 'city', 'opened', 'land'],
  [
    [1, 'Central Hotel', 'Bern', 2004, 'ch'],
    [2, 'Central Hotell', 'Lund', 1999, 'SE'],
    [3, 'Hotel Sonne', 'Graz', 1980, 'DE'],
    [4, 'Gasthof Sonne', 'Gratz', 1980, 'AT'],
  ],
);
const left = { tableId: 'Ours', columns: ['name', 'town', 'year'] };
const right = { tableId: 'Theirs', columns: ['title', 'city', 'opened'] };

async function firsts(body: object): Promise<unknown[][]> {
  const { rows } = await book.ended(await book.match(body));
  return rows.filter(({ rank }) => rank === 1).map((row) => [row.leftKey, row.rightKey]);
}

t.test('several columns count together, as one does alone', async (t) => {
  const ended = await book.ended(await book.match({ left, right }));
  t.match(ended, {
    status: 'done',
    left: { columns: [{ column: 'name', weight: 1 }, {}, {}], rows: 5, distinct: 3, empty: 1 },
    rows: [
      { leftKey: 'a', rightKey: 2, leftValue: 'Central Hotel, Lund, 1999', decision: 'accept' },
      { leftKey: 'b', rightKey: 1, rightValue: 'Central Hotel, Bern, 2004', reason: 'exact' },
    ],
  });
  t.match(ended.rows.at(-1), { leftKey: 'e', leftValue: null, reason: 'empty' });
  const one = { left: { tableId: 'Ours', column: 'name' } };
  const list = { left: { tableId: 'Ours', columns: ['name'] } };
  const of = { tableId: 'Theirs', column: 'title' };
  const plain = await book.ended(await book.match({ ...one, right: of }));
  const listed = await book.ended(
    await book.match({ ...list, right: { tableId: 'Theirs', columns: ['title'] } }),
  );
  t.same(listed.rows, plain.rows);
});

t.test('the score is the mean of the columns by their weights', async (t) => {
  const score = async (weight: number): Promise<number> => {
    const weighted = (names: readonly string[]) => [
      { column: names[0], weight },
      { column: names[1] },
    ];
    const path = await book.match({
      left: { tableId: 'Ours', columns: weighted(['name', 'town']) },
      right: { tableId: 'Theirs', columns: weighted(['title', 'city']) },
      opts: { verifyProvider: 'none', lo: 0 },
    });
    const { rows } = await book.ended(path);
    const pair = rows.find(({ leftKey, rightKey }) => leftKey === 'a' && rightKey === 1);
    return pair?.score ?? -1;
  };
  const [light, even, heavy] = [await score(0.01), await score(1), await score(100)];
  t.ok(light < 0.1, 'another town alone is another place');
  t.ok(Math.abs(even - 0.5) < 0.1, `${even}`);
  t.ok(heavy > 0.95, 'the same name alone is the same');
});

t.test('rows whose blocking columns differ, or are blank, are not compared', async (t) => {
  const blocked = {
    left: { tableId: 'Ours', column: 'name', blocking: ['country'] },
    right: { tableId: 'Theirs', column: 'title', blocking: ['land'] },
  };
  t.same(await firsts(blocked), [
    ['a', 2],
    ['b', 1],
    ['c', 4],
    ['d', null],
    ['e', null],
  ]);
  for (const opts of [{ dim: 256 }, { assignment: 'many-to-many' }]) {
    t.same((await firsts({ ...blocked, opts })).slice(0, 4), [
      ['a', 2],
      ['b', 1],
      ['c', 4],
      ['d', null],
    ]);
  }
});

t.test('duplicates by several columns, within their blocks', async (t) => {
  await book.table(
    'Self',
    ['id', 'name', 'town', 'land'],
    [
      [1, 'Blue Harbour', 'Lund', 'SE'],
      [2, 'blue harbour', 'lund', 'SE'],
      [3, 'Blue Harbour', 'Lund', 'DK'],
      [4, 'Blue Harbour', 'Lund', null],
      [5, 'Blue Harbour', 'Lund', null],
    ],
  );
  const side = { tableId: 'Self', columns: ['name', 'town'], blocking: ['land'] };
  t.same(await firsts({ left: side, right: side }), [
    [1, null],
    [2, 1],
    [3, null],
    [4, null],
    [5, null],
  ]);
});

t.test('columns are written to the left table by its key, as from one', async (t) => {
  const path = await book.match({ left, right });
  await book.ended(path);
  const applied = await book.send('POST', `${path}/apply`, { branch: 'main', as: 'column' });
  t.match(applied, { status: 200, json: { name: 'Theirs_key' } });
});

t.test('sides that do not fit each other are refused with their place', async (t) => {
  const cases: readonly (readonly [object, number, string])[] = [
    [{ left, right: { tableId: 'Theirs', column: 'title' } }, 400, '/right/columns'],
    [{ left: { tableId: 'Ours' }, right }, 400, '/left/column'],
    [{ left: { ...left, column: 'name' }, right }, 400, '/left/columns'],
    [{ left: { ...left, columns: [] }, right }, 400, '/left/columns'],
    [{ left: { ...left, blocking: ['country'] }, right }, 400, '/right/blocking'],
    [
      {
        left: { ...left, columns: [{ column: 'name', weight: 2 }, 'town', 'year'] },
        right: { ...right, columns: [{ column: 'title', weight: 3 }, 'city', 'opened'] },
      },
      400,
      '/right/columns/0/weight',
    ],
    [
      { left: { ...left, columns: [{ column: 'name', weight: 0 }] }, right },
      400,
      '/left/columns/0',
    ],
    [{ left: { ...left, columns: ['name', 'gone', 'year'] }, right }, 404, '/left/columns/1'],
    [
      { left: { ...left, blocking: ['gone'] }, right: { ...right, blocking: ['land'] } },
      404,
      '/left/blocking/0',
    ],
  ];
  for (const [body, status, pointer] of cases) {
    const answer = await book.send('POST', '/matches', body);
    t.equal(answer.status, status, pointer);
    const { errors = [] } = answer.json as { errors?: { pointer: string }[] };
    t.ok(
      errors.some((error) => error.pointer.startsWith(pointer)),
      `${pointer}: ${answer.text}`,
    );
  }
});
