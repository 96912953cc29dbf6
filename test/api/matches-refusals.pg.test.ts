import t from 'tap';

import { MatchedWorkbook } from '../support/matched-workbook.ts';
import { TestService } from '../support/test-service.ts';

const service = await TestService.start(t, {}, {});
const credential = await service.register();
const book = await MatchedWorkbook.on(service, credential);
await book.table(
  'Orders',
  ['id', 'customer'],
  [
    ['o1', 'Acme'],
    ['o2', 'Globex'],
  ],
);
await book.table(
  'Customers',
  ['key', 'name'],
  [
    ['c1', 'Acme Inc'],
    ['c2', 'Globex Inc'],
  ],
);
const columns = {
  left: { tableId: 'Orders', column: 'customer' },
  right: { tableId: 'Customers', column: 'name' },
};

const refusals: readonly (readonly [string, object, number, string, string])[] = [
  [
    'an unknown table',
    { ...columns, left: { tableId: 'Gone', column: 'x' } },
    404,
    'table_not_found',
    '/left/tableId',
  ],
  [
    'an unknown column',
    { ...columns, right: { tableId: 'Customers', column: 'x' } },
    404,
    'column_not_found',
    '/right/column',
  ],
  [
    'an unknown provider',
    { ...columns, opts: { provider: 'http://10.0.0.1/' } },
    422,
    'provider_not_configured',
    '/opts/provider',
  ],
  [
    'a provider that every object has',
    { ...columns, opts: { provider: 'constructor' } },
    422,
    'provider_not_configured',
    '/opts/provider',
  ],
  [
    'an unknown verifier',
    { ...columns, opts: { verifyProvider: 'oai' } },
    422,
    'provider_not_configured',
    '/opts/verifyProvider',
  ],
  ['an unknown option', { ...columns, opts: { high: 1 } }, 400, 'invalid_option', '/opts/high'],
  [
    'an option of the wrong type',
    { ...columns, opts: { topK: '5' } },
    400,
    'invalid_option',
    '/opts/topK',
  ],
  ['an option out of bounds', { ...columns, opts: { hi: 1.5 } }, 400, 'invalid_option', '/opts/hi'],
  ['hi below lo', { ...columns, opts: { hi: 0.3, lo: 0.6 } }, 400, 'hi_below_lo', '/opts/hi'],
  [
    'a dim that is no multiple of 16',
    { ...columns, opts: { dim: 500 } },
    400,
    'dim_unsupported',
    '/opts/dim',
  ],
  [
    'a dim that is too small',
    { ...columns, opts: { dim: 48 } },
    400,
    'dim_unsupported',
    '/opts/dim',
  ],
  ['an unknown branch', { ...columns, branch: 'nowhere' }, 404, 'ref_not_found', ''],
  ['a position after the head', { ...columns, branch: 'main@9999' }, 404, 'ref_not_found', ''],
  [
    'an unknown alias table',
    { ...columns, opts: { aliases: { tableId: 'Words', from: 'a', to: 'b' } } },
    404,
    'table_not_found',
    '/opts/aliases/tableId',
  ],
  [
    'an unknown alias column',
    { ...columns, opts: { aliases: { tableId: 'Customers', from: 'name', to: 'b' } } },
    404,
    'column_not_found',
    '/opts/aliases/to',
  ],
  ['an unknown member', { ...columns, option: {} }, 400, 'unknown_member', '/option'],
  ['no right side', { left: columns.left }, 400, 'invalid_request', '/right'],
];

t.test('what cannot be matched is refused with its place and what to do', async (t) => {
  for (const way of [book, await book.byName()]) {
    for (const [what, body, status, code, pointer] of refusals) {
      const answer = await way.send('POST', '/matches', body);
      t.match(answer, { status, json: { code, detail: String } }, what);
      const { errors = [] } = answer.json as { errors?: { pointer: string }[] };
      if (pointer !== '')
        t.ok(
          errors.some((error) => error.pointer === pointer),
          what,
        );
    }
  }
});

t.test('matches that are not there, and pages that cannot be', async (t) => {
  for (const way of [book, await book.byName()]) {
    const missing = { status: 404, json: { code: 'match_not_found', hint: String } };
    t.match(await way.send('GET', '/matches/mat_0'), missing);
    t.match(await way.send('DELETE', '/matches/mat_0'), missing);
    const decisions = [{ leftKey: 1, rightKey: 2, decision: 'accept' }];
    t.match(await way.send('PATCH', '/matches/mat_0/rows', { decisions }), missing);
    t.match(await way.send('POST', '/matches/mat_0/apply', { branch: 'main' }), missing);
    const path = await way.match(columns);
    await way.ended(path);
    for (const query of ['limit=0', 'limit=1001', 'offset=-1', 'decision=maybe']) {
      t.match(await way.send('GET', `${path}?${query}`), { status: 400 }, query);
    }
    const beyond = await way.page(`${path}?offset=1000`);
    t.match(beyond, { rows: [], offset: 1000 });
  }
});

t.test('every route wants a credential', async (t) => {
  const id = 'wb_00000000000000000000000000';
  const calls = [
    ['POST', `/v1/workbooks/${id}/matches`],
    ['GET', `/v1/workbooks/${id}/matches`],
    ['GET', `/v1/workbooks/${id}/matches/mat_0`],
    ['DELETE', `/v1/workbooks/${id}/matches/mat_0`],
    ['PATCH', `/v1/workbooks/${id}/matches/mat_0/rows`],
    ['POST', `/v1/workbooks/${id}/matches/mat_0/apply`],
  ] as const;
  for (const [method, path] of calls) {
    t.match(await service.request(path, { method }), { status: 401 }, `${method} ${path}`);
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: columns };
    const answer = await service.request(path, { method, credential, ...body });
    t.ok([400, 404].includes(answer.status), `${method} ${path}`);
  }
});

t.test('another account sees no match', async (t) => {
  const path = await book.match(columns);
  const stranger = new MatchedWorkbook(service, await service.register(), book.at);
  t.equal((await stranger.send('GET', path)).status, 404);
  t.equal((await stranger.send('GET', '/matches')).status, 404);
  t.equal((await stranger.send('POST', '/matches', columns)).status, 404);
  t.equal((await stranger.send('DELETE', path)).status, 404);
});

t.test('decisions about rows that are not there change nothing', async (t) => {
  const path = await book.match(columns);
  const { rows } = await book.ended(path);
  const [first] = rows;
  const { leftKey, rightKey } = first ?? {};
  const answer = await book.send('PATCH', `${path}/rows`, {
    decisions: [
      { leftKey, rightKey, decision: 'reject' },
      { leftKey: 'o9', rightKey: 'c1', decision: 'accept' },
    ],
  });
  t.match(answer, {
    status: 404,
    json: { code: 'pair_not_found', errors: [{ pointer: '/decisions/1' }] },
  });
  t.same((await book.ended(path)).rows, rows);
  const invalid = await book.send('PATCH', `${path}/rows`, {
    decisions: [{ leftKey, rightKey, decision: 'perhaps' }],
  });
  t.match(invalid, { status: 400, json: { code: 'invalid_request' } });
});

t.test('blank and enormous texts', async (t) => {
  const long = 'word '.repeat(6000);
  const texts = ['', ' ', '…', long, `${long}end`, 'a'.repeat(30_000)];
  await book.table(
    'Texts',
    ['id', 'text'],
    texts.map((text, index) => [index, text]),
  );
  const side = { tableId: 'Texts', column: 'text' };
  const orders = { tableId: 'Orders', column: 'customer' };
  const ended = await book.ended(await book.match({ left: side, right: orders }));
  t.match(ended.rows.slice(0, 4), [
    { leftValue: null, reason: 'empty' },
    { leftValue: ' ', reason: 'empty' },
    { leftValue: '…', reason: 'empty' },
    { leftKey: 3 },
  ]);
  t.ok(ended.rows.every(({ leftValue }) => (leftValue ?? '').length <= 1024));
  const self = await book.ended(await book.match({ left: side, right: side }));
  t.equal(self.status, 'done');
});

t.test('an archived workbook takes no match, and one that is purged has none', async (t) => {
  const own = await MatchedWorkbook.on(service, await service.registerClaimed());
  await own.table('One', ['id', 'x'], [[1, 'a']]);
  const side = { tableId: 'One', column: 'x' };
  const path = await own.match({ left: side, right: side });
  const archived = await own.send('DELETE', '');
  const { confirm } = archived.json as { confirm: string };
  t.match(await own.send('POST', '/matches', { left: side, right: side }), {
    status: 409,
    json: { code: 'workbook_archived' },
  });
  t.match(await own.ended(path), { status: 'done' });
  t.equal((await own.send('DELETE', `?purge=true&confirm=${confirm}`)).status, 200);
  t.ok([404, 410].includes((await own.send('GET', path)).status));
});

t.test('a column of more rows than are matched is refused at once', async (t) => {
  const own = await MatchedWorkbook.on(service, credential);
  await own.submit(
    'main',
    { kind: 'cells.set', payload: { cells: [{ a1: 'A1', input: 'name' }] } },
    { kind: 'table.create', payload: { name: 'Long', sheetRange: 'A1:A250002' } },
  );
  const side = { tableId: 'Long', column: 'name' };
  t.match(await own.send('POST', '/matches', { left: side, right: side }), {
    status: 413,
    json: { code: 'match_too_large', max: 250_000, errors: [{ pointer: '/left' }] },
  });
});
