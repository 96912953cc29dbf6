import t, { type Test } from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';

interface Page {
  readonly ref: { readonly seq: number };
  readonly next: string | null;
  readonly cells: readonly { sheet: string; cell: string; value: unknown }[];
}

const rows = [
  ['Tea', 2, '=B1*2'],
  ['Green tea', '=1/0', true],
  ["'=tea", null, '="t"&"ea"'],
];

async function begin(t: Test) {
  const sheets = [
    { name: 'Plan', rows },
    { name: 'Überblick', rows: [[null, 'TEA']] },
  ];
  const book = await KeptWorkbook.create(t, { sheets });
  const page = async (query: string): Promise<Page> => {
    const { status, json, text } = await book.request(`find?${query}`);
    if (status !== 200) throw new Error(text);
    return json as Page;
  };
  const found = async (query: string): Promise<string[]> => {
    const { cells } = await page(query);
    return cells.map(({ sheet, cell, value }) => `${sheet}!${cell} ${JSON.stringify(value)}`);
  };
  return { book, page, found };
}

t.test('cells are found by what they show and what they hold', async (t) => {
  const { book, found } = await begin(t);
  const byValue = [
    'Plan!A1 "Tea"',
    'Plan!A2 "Green tea"',
    'Plan!A3 "=tea"',
    'Plan!C3 "tea"',
    'Überblick!B1 "TEA"',
  ];
  const cases: [string, string[]][] = [
    ['q=tea', byValue],
    ['q=tea&sheet=%C3%BCberblick', ['Überblick!B1 "TEA"']],
    ['q=tea&case=true&match=whole', ['Plan!C3 "tea"']],
    ['q=tea&match=starts&lens=input', ['Plan!A1 "Tea"', 'Überblick!B1 "TEA"']],
    [
      'q=ea&lens=input&case=true',
      byValue.slice(0, 2).concat('Plan!A3 "\'=tea"', 'Plan!C3 "=\\"t\\"&\\"ea\\""'),
    ],
    ['q=b1&lens=formula', ['Plan!C1 "=B1*2"']],
    ['q=4', ['Plan!C1 4']],
    ['q=2&lens=input&match=whole', ['Plan!B1 2']],
    ['q=true', ['Plan!C2 true']],
    ['q=div', ['Plan!B2 {"error":"#DIV/0!"}']],
    ['q=nothing', []],
  ];
  for (const [query, expected] of cases) t.same(await found(query), expected, query);
  await book.restart();
  for (const [query, expected] of cases) t.same(await found(query), expected, `${query}, cold`);
});

t.test('an older position, a moved row and an archived workbook', async (t) => {
  const { book, found } = await begin(t);
  await book.submit({ kind: 'rows.insert', payload: { sheet: 'Plan', before: 1, count: 2 } });
  const { head } = await book.set({ B5: '=SEQUENCE(2)&"tea"', A1: 'x' }, 'Plan');
  await book.set({ A3: 'Milk' }, 'Plan');
  t.same(await found('q=tea&sheet=Plan'), [
    'Plan!A4 "Green tea"',
    'Plan!A5 "=tea"',
    'Plan!B5 "1tea"',
    'Plan!C5 "tea"',
    'Plan!B6 "2tea"',
  ]);
  t.same(await found('q=tea&lens=input&sheet=Plan'), [
    'Plan!A4 "Green tea"',
    'Plan!A5 "\'=tea"',
    'Plan!B5 "=SEQUENCE(2)&\\"tea\\""',
  ]);
  t.same(await found(`q=tea&match=whole&sheet=Plan&ref=main@${head}`), [
    'Plan!A3 "Tea"',
    'Plan!C5 "tea"',
  ]);
  t.same(await found(`q=Tea&match=whole&lens=input&sheet=Plan&ref=main@${head}`), [
    'Plan!A3 "Tea"',
  ]);
  const { credential, id, service } = book;
  await service.request(`/v1/workbooks/${id}`, { credential, method: 'DELETE' });
  t.same(await found('q=milk'), ['Plan!A3 "Milk"'], 'archived');
});

t.test('pages are of one position and end', async (t) => {
  const { book, page } = await begin(t);
  const many = Array.from({ length: 300 }, (_, row) => [`tea ${row}`, `=A${row + 1}`]);
  await book.submit({
    kind: 'range.set',
    payload: { sheet: 'Plan', range: 'A1:B300', inputs: many },
  });
  for (const lens of ['value', 'input'] as const) {
    const first = await page(`q=tea&sheet=Plan&lens=${lens}&limit=70`);
    await book.set({ A2: 'coffee' }, 'Plan');
    const cells = [...first.cells];
    let pageCount = 1;
    for (let { next } = first; next !== null; pageCount++) {
      const { json } = await book.service.request(next, { credential: book.credential });
      const following = json as Page;
      t.equal(following.ref.seq, first.ref.seq);
      cells.push(...following.cells);
      next = following.next;
    }
    const expected = lens === 'value' ? 601 : 300;
    t.equal(new Set(cells.map(({ cell }) => cell)).size, cells.length, 'none twice');
    t.equal(cells.length, expected);
    t.equal(pageCount, Math.ceil(expected / 70));
    await book.set({ A2: 'tea 1' }, 'Plan');
  }
});

t.test('a sparse sheet and long texts take more pages, not more time', async (t) => {
  const { book, page } = await begin(t);
  const long = 'x'.repeat(30_000);
  const column = Array.from({ length: 250 }, () => [long]);
  await book.submit({
    kind: 'range.set',
    payload: { sheet: 'Plan', range: 'E1:E250', inputs: column },
  });
  await book.set({ Z3000: 'needle' }, 'Plan');
  for (const lens of ['value', 'input']) {
    let { cells, next } = await page(`q=needle&lens=${lens}`);
    t.same(cells, []);
    t.not(next, null, 'the page ends before its work is too much');
    for (let count = 0; next !== null && count < 20; count++) {
      ({ cells, next } = (await book.service.request(next, { credential: book.credential }))
        .json as Page);
      if (cells.length > 0) break;
    }
    t.same(cells, [{ sheet: 'Plan', cell: 'Z3000', value: 'needle' }], lens);
  }
});

t.test('above the ceiling values are computed first; inputs are found at once', async (t) => {
  const { book, found } = await begin(t);
  await book.request('eval-ceiling', { cells: 2, grid: null });
  t.same(await found('q=b1&lens=formula'), ['Plan!C1 "=B1*2"']);
  const first = await book.request('find?q=4');
  t.match(first, { status: 202, json: { status: 'computing', retry_after: 1 } });
  const { credential, id, service } = book;
  let answer = first;
  for (let round = 0; answer.status === 202 && round < 20; round++) {
    const headers = { prefer: 'wait=5' };
    answer = await service.request(`/v1/workbooks/${id}/find?q=4`, { credential, headers });
  }
  t.match(answer.json, { cells: [{ sheet: 'Plan', cell: 'C1', value: 4 }], next: null });
});

t.test('what is no search is refused', async (t) => {
  const { book } = await begin(t);
  const cases: [string, number, object][] = [
    ['', 400, { errors: [{ pointer: '?q' }] }],
    ['q=', 400, { errors: [{ pointer: '?q' }] }],
    [`q=${'a'.repeat(1_001)}`, 400, { errors: [{ pointer: '?q' }] }],
    ['q=a&limit=1001', 400, { errors: [{ pointer: '?limit' }] }],
    ['q=a&lens=formatted', 400, { errors: [{ pointer: '?lens' }] }],
    ['q=a&sheet=Nowhere', 404, { code: 'sheet_not_found', hint: /Plan/u }],
    ['q=a&sheet=Nowhere&lens=input', 404, { code: 'sheet_not_found' }],
    ['q=a&ref=nowhere', 404, { code: 'ref_not_found' }],
    ['q=a&cursor=abc', 400, { errors: [{ pointer: '?cursor', code: 'invalid_cursor' }] }],
    ['q=a&cursor=0.1.2', 400, { errors: [{ code: 'invalid_cursor' }] }],
    ['q=a&cursor=7&lens=input', 400, { errors: [{ code: 'invalid_cursor' }] }],
    ['q=a&like=b', 400, { errors: [{ pointer: '?like' }] }],
  ];
  for (const [query, status, json] of cases) {
    t.match(await book.request(`find?${query}`), { status, json }, query.slice(0, 40));
  }
  t.match(await book.request('find?q=a&cursor=99.1.2&lens=input'), {
    json: { cells: [], next: null },
  });
});
