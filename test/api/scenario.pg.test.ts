import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';

import { KeptWorkbook } from '../support/kept-workbook.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { ServiceDoor } from '../support/service-door.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const rows = [
  ['Tea', 2, '=B1*2'],
  ['Milk', 3, '=B2*2'],
  [null, '=SUM(B1:B2)', '=SUM(C1:C2)'],
];

async function begin(t: Test) {
  const sheets = [
    { name: 'Plan', rows },
    { name: 'Other', rows: [[7]] },
  ];
  const book = await KeptWorkbook.create(t, { sheets });
  const scenario = (body: object) => book.request('scenario', body);
  const head = async (): Promise<{ head: number }> => {
    const { json } = await book.request('branches/main/state');
    return json as { head: number };
  };
  return { book, scenario, head };
}

t.test('a scenario says what inputs and formulas come to, and writes nothing', async (t) => {
  const { book, scenario, head } = await begin(t);
  const before = await head();
  const asked = {
    set: [
      { cell: 'B1', input: 5 },
      { cell: 'Plan!A3', input: '=B1' },
    ],
    formulas: [
      { formula: '=SUM(B1:B2)' },
      { formula: '=A1*2', sheet: 'Other' },
      { formula: '=Other!A1+Plan!B1' },
      { formula: '=SEQUENCE(2,3)*B1' },
      { formula: '=FILTER(B1:B2,B1:B2>9,"none")' },
      { formula: '=1/0' },
      { formula: '="a"&A1' },
      { formula: '=SUM(B:B)' },
    ],
    ranges: ['B1:C3'],
  };
  const expected = {
    ref: { branch: 'main' },
    formulas: [
      { rows: [[8]] },
      { rows: [[14]] },
      { rows: [[12]] },
      {
        rows: [
          [5, 10, 15],
          [20, 25, 30],
        ],
      },
      { rows: [['none']] },
      { rows: [[{ error: '#DIV/0!' }]] },
      { rows: [['aTea']] },
      { rows: [[16]] },
    ],
    slices: [
      {
        sheet: 'Plan',
        range: 'B1:C3',
        before: [
          [2, 4],
          [3, 6],
          [5, 10],
        ],
        after: [
          [5, 10],
          [3, 6],
          [8, 16],
        ],
      },
    ],
    changes: {
      cells: [
        { sheet: 'Plan', a1: 'B1', before: 2, after: 5 },
        { sheet: 'Plan', a1: 'C1', before: 4, after: 10 },
        { sheet: 'Plan', a1: 'A3', before: null, after: 5 },
        { sheet: 'Plan', a1: 'B3', before: 5, after: 8 },
        { sheet: 'Plan', a1: 'C3', before: 10, after: 16 },
      ],
      total: 5,
      truncated: false,
    },
  };
  const { status, json } = await scenario(asked);
  t.match({ status, json }, { status: 200, json: expected });
  t.match((await scenario({ ...asked, changes: 1 })).json, {
    changes: { cells: { length: 1 }, total: 5, truncated: true },
  });
  t.same(await head(), before, 'nothing is written');
  t.same(await book.slice('A3:C3'), [[null, 5, 10]], 'and nobody else sees it');
  await book.set({ B1: 100, A9: '=SEQUENCE(3)' }, 'Plan');
  t.match(
    (await scenario({ ...asked, ref: `main@${before.head}` })).json,
    expected,
    'at an older position',
  );
  await book.restart();
  t.match(
    (await scenario({ ...asked, ref: `main@${before.head}` })).json,
    expected,
    'in a model made anew',
  );
  const formulas = [{ formula: '=SUM(A9#)' }, { formula: '=COUNT(B1:B2)' }];
  t.match((await scenario({ formulas })).json, {
    formulas: [{ rows: [[6]] }, { rows: [[2]] }],
    changes: { total: 0 },
  });
  await book.request('eval-ceiling', { cells: 2, grid: null });
  t.match(
    (await scenario({ formulas })).json,
    { formulas: [{ rows: [[6]] }, {}] },
    'above the ceiling',
  );
  const { credential, id, service } = book;
  await service.request(`/v1/workbooks/${id}`, { credential, method: 'DELETE' });
  t.match((await scenario({ formulas })).json, { formulas: [{ rows: [[6]] }, {}] }, 'archived');
});

t.test('formulas stand in no cell, so they read whatever the sheet holds', async (t) => {
  const { book, scenario } = await begin(t);
  await book.set({ XFD1: 1, A1048576: 2, J600000: 3, PPP600000: 4 }, 'Other');
  const other = { sheet: 'Other' };
  const formulas = [
    { formula: '=SUM(A:J)', ...other },
    { formula: '=SUM(1:1)', ...other },
    { formula: '=SUM(A:XFD)', ...other },
    { formula: '=SUM(1:1048576)+XFD1048576', ...other },
    { formula: '=ROW()&"|"&COLUMN()&"|"&INDIRECT("A1")', ...other },
  ];
  const rows = [12, 8, 17, 17, '1048576|16384|7'].map((value) => ({ rows: [[value]] }));
  t.match((await scenario({ formulas })).json, { formulas: rows });
  await book.set({ XFD1048576: 1 }, 'Other');
  t.match((await scenario({ formulas: [{ formula: '=SUM(A:XFD)', ...other }] })).json, {
    formulas: [{ rows: [[18]] }],
  });
});

t.test('formulas come to whatever cells would show', async (t) => {
  const { book, scenario } = await begin(t);
  await book.set({ E1: '=E2', E2: '=E1', F1: '=RAND()', F2: '=NOW()' }, 'Plan');
  const expected: [string, unknown[][]][] = [
    ['="of its own"', [['of its own']]],
    [
      '={"a","b";1,TRUE}',
      [
        ['a', 'b'],
        [1, true],
      ],
    ],
    ['=LAMBDA(x,x)', [[{ error: '#CALC!' }]]],
    ['=Z99', [[0]]],
    ['=D1:E1', [[0, { error: '#CIRC!' }]]],
    ['=nothing_of_this_name', [[{ error: '#NAME?' }]]],
    ['=Nowhere!A1', [[{ error: '#REF!' }]]],
    ['=(A1:A2,B1)', [[{ error: '#VALUE!' }]]],
    ['=SUM(MAP(SEQUENCE(1000000),LAMBDA(x,SUM(SEQUENCE(200))+x)))', [[{ error: '#NUM!' }]]],
    ['=F1=F1', [[true]]],
    ['=F2=NOW()', [[true]]],
  ];
  const formulas = expected.map(([formula]) => ({ formula }));
  const { json } = await scenario({ formulas });
  t.strictSame(
    (json as { formulas: object[] }).formulas,
    expected.map(([formula, rows]) => ({ formula, rows })),
  );
});

t.test('what is no scenario is refused, with its place', async (t) => {
  const { scenario, head } = await begin(t);
  const before = await head();
  const cases: [object, number, object][] = [
    [{ set: [{ cell: 'B1:B2', input: 1 }] }, 400, { errors: [{ pointer: '/set/0/cell' }] }],
    [{ set: [{ cell: 'B1' }] }, 400, { errors: [{ pointer: '/set/0/input' }] }],
    [
      { set: [{ cell: 'Nowhere!B1', input: 1 }] },
      404,
      { code: 'sheet_not_found', errors: [{ pointer: '/set/0/cell' }] },
    ],
    [
      { set: [{ cell: 'B1', input: '=SUM(' }] },
      400,
      { code: 'invalid_request', errors: [{ pointer: '/set/0/input', code: 'bad_formula' }] },
    ],
    [{ formulas: [{ formula: 'A1' }] }, 400, { errors: [{ pointer: '/formulas/0/formula' }] }],
    [
      { formulas: [{ formula: '=1' }, { formula: '=SUM(' }] },
      400,
      {
        code: 'invalid_request',
        errors: [{ pointer: '/formulas/1/formula', code: 'bad_formula' }],
      },
    ],
    [
      { formulas: [{ formula: '=1', sheet: 'Nowhere' }] },
      404,
      { code: 'sheet_not_found', errors: [{ pointer: '/formulas/0/sheet' }] },
    ],
    [{ formulas: [{ formula: '=SEQUENCE(101,100)' }] }, 400, { code: 'range_too_large' }],
    [{ formulas: [{ formula: '=A:A' }] }, 400, { code: 'range_too_large' }],
    [
      { formulas: Array.from({ length: 21 }, () => ({ formula: '=1' })) },
      400,
      { errors: [{ pointer: '/formulas' }] },
    ],
    [
      { ranges: ['nonsense!!'] },
      400,
      { code: 'invalid_range', errors: [{ pointer: '/ranges/0' }] },
    ],
    [{ ref: 'main@99' }, 404, { code: 'ref_not_found' }],
    [{ sets: [] }, 400, { errors: [{ pointer: '/sets' }] }],
  ];
  for (const [body, status, json] of cases) {
    t.match(await scenario(body), { status, json }, JSON.stringify(body).slice(0, 80));
  }
  t.match(await scenario({}), { status: 200, json: { changes: { total: 0 } } }, 'nothing asked');
  t.same(await head(), before);
});

t.test('the work ends when the client goes', async (t) => {
  const running = await ServiceProcess.start(t, await makeTemporaryFolder(t), {
    DATABASE_URL: await createMigratedDatabase(),
    LOG_LEVEL: 'error',
  });
  const service = new ServiceDoor(running.url);
  const credential = await service.register();
  const { json } = await service.request('/v1/workbooks', { credential, body: {} });
  const { id } = json as { id: string };
  const heavy = '=SUM(MAP(SEQUENCE(1000000),LAMBDA(x,SUM(SEQUENCE(200))+x)))';
  const body = JSON.stringify({ formulas: Array.from({ length: 20 }, () => ({ formula: heavy })) });
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST /v1/workbooks/${id}/scenario HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${credential}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const ended = async (): Promise<boolean> => {
    const { text } = await service.request('/metrics');
    return /^quire_http_request_seconds_count\{[^}]*scenario[^}]*\} 1$/mu.test(text);
  };
  // Each formula takes all the steps that it may, so uncancelled all take twenty times as long.
  for (let round = 0; round < 20; round++) {
    t.notOk(await ended());
    await sleep(25);
  }
  socket.destroy();
  let isOver = false;
  for (let round = 0; round < 200 && !isOver; round++) {
    await sleep(25);
    isOver = await ended();
  }
  t.ok(isOver);
  t.same(running.logLines.filter(isFault), [], 'that it was given up is no fault');
});

function isFault(line: string): boolean {
  return line.includes('"level":50');
}
