import { unpack } from 'msgpackr';
import t, { type Test } from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { TestService, type TestAnswer } from '../support/test-service.ts';

const ndjson = 'application/x-ndjson';

interface Row {
  name: string;
  rows: unknown[][];
}

/** A workbook with the real formula language, and short ways to read and write it. */
async function startWorkbook(t: Pick<Test, 'teardown'>, sheets: Row[], settings = {}) {
  const service = await TestService.start(t, settings, {});
  const credential = await service.register();
  const created = await service.request('/v1/workbooks', { credential, body: { sheets } });
  if (created.status !== 201) throw new Error(created.text);
  const { id, head } = created.json as { id: string; head: number };
  const at = `/v1/workbooks/${id}`;
  const read = (path: string, headers: Record<string, string> = {}): Promise<TestAnswer> =>
    service.request(`${at}/${path}`, { credential, headers });
  const submit = (...ops: object[]): Promise<TestAnswer> =>
    service.request(`${at}/branches/main/ops`, { credential, body: { ops, writer: 'me' } });
  const post = (path: string, body: unknown): Promise<TestAnswer> =>
    service.request(`${at}/${path}`, { credential, body });
  return { service, credential, id, head, read, submit, post };
}

function set(a1: string, input: unknown, more: object = {}): object {
  return { kind: 'cells.set', payload: { sheet: 'Plan', cells: [{ a1, input, ...more }] } };
}

const plan: Row[] = [
  {
    name: 'Plan',
    rows: [
      ['Item', 'Price', 'Twice'],
      ['Tea', 2.5, '=B2*2'],
      ['Milk', 1.25, '=B3*2'],
      ['Sum', '=SUM(B2:B3)', '=1/0'],
    ],
  },
  { name: 'Other side', rows: [['=Plan!B4+1', true]] },
];

t.test('slice: values, formulas and inputs of a range, at the head and before', async (t) => {
  const { head, read, submit } = await startWorkbook(t, plan);
  const values = await read('slice?range=A1:C4');
  t.equal(values.status, 200);
  t.equal(values.headers.get('etag'), `"main@${head}"`);
  t.same(values.json, {
    ref: { branch: 'main', seq: head },
    lens: 'value',
    sheet: 'Plan',
    range: 'A1:C4',
    rows: [
      ['Item', 'Price', 'Twice'],
      ['Tea', 2.5, 5],
      ['Milk', 1.25, 2.5],
      ['Sum', 3.75, { error: '#DIV/0!' }],
    ],
  });
  const formulas = await read('slice?range=Plan!B3:C5&lens=formula');
  t.match(formulas.json, { lens: 'formula', range: 'B3:C5' });
  t.same((formulas.json as { rows: unknown }).rows, [
    [null, '=B3*2'],
    ['=SUM(B2:B3)', '=1/0'],
    [null, null],
  ]);
  await submit(set('B2', 10), set('A5', "'=no"), set('D1', '=SEQUENCE(2)'));
  const inputs = await read('slice?range=A5&range=D1:D2&range=B2&lens=input');
  t.match(inputs.json, {
    ref: { branch: 'main', seq: head + 3 },
    slices: [
      { range: 'A5', rows: [["'=no"]] },
      { range: 'D1:D2', rows: [['=SEQUENCE(2)'], [null]] },
      { rows: [[10]] },
    ],
  });
  t.match((await read("slice?range='Other%20side'!A1:B1")).json, { rows: [[12.25, true]] });
  const older = await read(`slice?ref=main@${head}&range=B4`);
  t.match(older.json, { ref: { seq: head }, rows: [[3.75]] });
  t.equal(older.headers.get('cache-control'), 'private, max-age=31536000, immutable');
  t.equal((await read('slice?range=B4', { 'if-none-match': `"main@${head + 3}"` })).status, 304);
});

t.test('slice: whole columns end with the content, spilled cells included', async (t) => {
  const { read, submit } = await startWorkbook(t, plan);
  await submit(set('F1', '=SEQUENCE(7)'));
  const columns = await read('slice?range=F:G');
  t.match(columns.json, { range: 'F1:G7' });
  t.same((columns.json as { rows: unknown[][] }).rows[6], [7, null]);
  t.match((await read('slice?range=2:2')).json, { range: 'A2:F2' });
});

t.test('slice: legacy and array formulas say how they were entered', async (t) => {
  const { read, submit } = await startWorkbook(t, plan);
  await submit(
    set('E1', '=B2:B3*2', { array: 'E1:E3' }),
    set('F2', '=B2:B3', { legacy: true }),
    set('G1', '=B2:B3'),
  );
  const values = await read('slice?range=E1:G3');
  t.same((values.json as { rows: unknown }).rows, [
    [5, null, 2.5],
    [2.5, 2.5, 1.25],
    [{ error: '#N/A' }, null, null],
  ]);
  const inputs = await read('slice?range=E1:G3&lens=input');
  t.same((inputs.json as { flags: unknown }).flags, [
    { cell: 'E1', array: 'E1:E3' },
    { cell: 'F2', legacy: true },
  ]);
});

t.test('values: pages of non-blank cells in order, pinned by the next link', async (t) => {
  const { service, credential, head, read, submit } = await startWorkbook(t, plan);
  const whole = await read('values');
  t.match(whole.json, { ref: { branch: 'main', seq: head }, total: 14, offset: 0, limit: 10_000 });
  const { values } = whole.json as { values: object[] };
  t.equal(values.length, 14);
  t.same(values[0], { sheet: 'Plan', cell: 'A1', value: 'Item' });
  t.same(values[11], { sheet: 'Plan', cell: 'C4', value: { error: '#DIV/0!' } });
  t.same(values[12], { sheet: 'Other side', cell: 'A1', value: 4.75 });

  const first = await read('values?limit=9');
  await submit(set('B2', 100));
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await service.request(link ?? '', { credential });
  t.match(second.json, { ref: { seq: head }, total: 14, offset: 9 });
  t.equal(second.headers.get('link'), null);
  const pages = [first, second].flatMap((page) => (page.json as { values: object[] }).values);
  t.same(pages, values, 'the pages together are the whole');
  t.match((await read('values?offset=13')).json, { values: [{ cell: 'B1', value: true }] });
  t.match((await read('values?offset=99')).json, { values: [] });
});

t.test('values: NDJSON and msgpack on the same address', async (t) => {
  const { read, head } = await startWorkbook(t, plan);
  const lines = (await read('values', { accept: ndjson })).text.trim().split('\n');
  t.equal(lines.length, 16);
  t.match(JSON.parse(lines[0] ?? ''), { ref: { seq: head }, total: 14 });
  t.same(JSON.parse(lines[15] ?? ''), { end: true, count: 14 });
  const packed = await read('values', { accept: 'application/vnd.msgpack' });
  t.match(unpack(packed.bytes), { total: 14, values: [{ cell: 'A1', value: 'Item' }] });
});

t.test('values above the ceiling: 202 until they are computed', async (t) => {
  const { read, post, submit } = await startWorkbook(t, plan);
  const moved = await post('eval-ceiling', { cells: 3, grid: null });
  t.same([moved.status, moved.json], [200, { cells: 3, grid: null }]);
  const first = await read('values');
  t.equal(first.status, 202);
  t.same(first.json, { status: 'computing', retry_after: 1 });
  t.equal(first.headers.get('retry-after'), '1');
  t.equal(first.headers.get('cache-control'), 'no-store');
  let answer = first;
  for (let round = 0; answer.status === 202 && round < 50; round++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer = await read('values');
  }
  t.equal(answer.status, 200);
  t.match(answer.json, { total: 14 });
  await submit(set('B2', 7));
  const waited = await read('values', { prefer: 'wait=10' });
  t.equal(waited.status, 200, 'a client that waits gets the values');
  t.equal(waited.headers.get('preference-applied'), 'wait=10');
  await post('eval-ceiling', { cells: null, grid: 5 });
  t.equal((await read('values')).status, 202, 'the other part of the ceiling counts too');
  await post('eval-ceiling', { cells: null, grid: null });
  t.equal((await read('values')).status, 200, 'and without any everything is answered at once');
  t.match((await read('slice?range=B4')).json, { rows: [[8.25]] }, 'a slice is never put off');
});

t.test('eval-stats: size, work and the distance to the ceiling', async (t) => {
  const { read, post, submit, head } = await startWorkbook(t, plan);
  await post('eval-ceiling', { cells: 20, grid: 100 });
  const stats = await read('eval-stats');
  t.match(stats.json, {
    ref: { branch: 'main', seq: head },
    cells: 14,
    formulas: 5,
    grid: 14,
    pending: 0,
    circular: { count: 0, cells: [] },
    lastRecalculation: { dirtyCells: 5, phases: { apply: Number, evaluate: Number } },
    memory: { bytes: Number, usedBytes: Number },
    cache: { hits: Number, builds: 1, bytes: Number },
    ceiling: { cells: 20, grid: 100 },
    headroom: { cells: 6, grid: 86 },
  });
  await submit(set('F1', '=F2'), set('F2', '=F1'));
  t.match((await read('eval-stats')).json, { circular: { cells: ['Plan!F1', 'Plan!F2'] } });
});

t.test('export: json, ndjson, csv and xlsx', async (t) => {
  const { read, submit, head } = await startWorkbook(t, plan);
  const numberFormat = { sheet: 'Plan', range: 'B2:B4', pattern: '0.00' };
  await submit(
    { kind: 'numfmt.set', payload: numberFormat },
    { kind: 'name.set', payload: { name: 'Rate', formula: '=Plan!$B$2' } },
    set('A6', '=SEQUENCE(1,2)'),
    set('A7', '=danger'),
  );
  const json = await read('branches/main/export');
  t.equal(json.headers.get('content-type'), 'application/json');
  t.match(json.json, {
    ref: { branch: 'main', seq: head + 4 },
    sheets: [{ name: 'Plan', cells: [{ cell: 'A1', input: 'Item' }] }, { name: 'Other side' }],
    names: [{ name: 'Rate', formula: '=Plan!$B$2' }],
  });
  const { sheets } = json.json as { sheets: { cells: { cell: string }[] }[] };
  const cells = new Map(sheets[0]?.cells.map((cell) => [cell.cell, cell]));
  t.same(cells.get('B4'), {
    cell: 'B4',
    input: '=SUM(B2:B3)',
    value: 3.75,
    numberFormat: '0.00',
  });
  const lines = (await read('branches/main/export?format=ndjson')).text.trim().split('\n');
  t.match(JSON.parse(lines.at(-1) ?? ''), { end: true, count: lines.length - 2 });
  const csv = await read('branches/main/export?format=csv&sheet=Other%20side');
  t.equal(csv.text, '4.75,TRUE\r\n');
  const older = await read(`branches/main@${head}/export?format=csv`);
  t.equal(older.text, 'Item,Price,Twice\r\nTea,2.5,5\r\nMilk,1.25,2.5\r\nSum,3.75,#DIV/0!\r\n');
  const xlsx = await read('branches/main/export?format=xlsx');
  t.match(
    xlsx.headers.get('content-disposition'),
    /^attachment; filename="wb_\w+-main-\d+\.xlsx"$/,
  );
  const again = readXlsx(xlsx.bytes, { keepValues: true });
  t.same(
    again.sheets.map(({ name }) => name),
    ['Plan', 'Other side'],
  );
  const found = [...(again.sheets[0]?.content.cells() ?? [])];
  t.match(
    found.find(({ row, column }) => row === 3 && column === 1),
    { input: { formula: '=SUM(B2:B3)' }, value: 3.75, numberFormat: '0.00' },
  );
});

t.test('what cannot be read is refused with a reason', async (t) => {
  const { service, credential, id, read, post } = await startWorkbook(t, plan);
  const refusals: [path: string, status: number, code: string][] = [
    ['slice', 400, 'invalid_request'],
    ['slice?range=nonsense!!', 400, 'invalid_range'],
    ['slice?range=A0', 400, 'invalid_range'],
    ['slice?range=A1&lens=colour', 400, 'invalid_request'],
    ['slice?range=A1&colour=red', 400, 'unknown_member'],
    ['slice?range=Nowhere!A1', 404, 'sheet_not_found'],
    ['slice?range=A1:XFD1048576', 200, ''],
    ['slice?range=A1:J30000', 400, 'range_too_large'],
    ['slice?range=A1&ref=main@999', 404, 'ref_not_found'],
    ['slice?range=A1&ref=@', 400, 'invalid_reference'],
    ['slice?range=A1&ref=other', 404, 'ref_not_found'],
    ['values?limit=0', 400, 'invalid_request'],
    ['values?limit=100001', 400, 'invalid_request'],
    ['values?offset=-1', 400, 'invalid_request'],
    ['values?offset=0x10', 400, 'invalid_request'],
    ['values?limit=1e3', 400, 'invalid_request'],
    ['values?offset=', 400, 'invalid_request'],
    ['branches/main/export?format=pdf', 400, 'invalid_request'],
    ['branches/other/export', 404, 'branch_not_found'],
    ['branches/main/export?format=csv&sheet=Nowhere', 404, 'sheet_not_found'],
  ];
  for (const [path, status, code] of refusals) {
    const answer = await read(path);
    t.equal(answer.status, status, path);
    if (code !== '') t.match(answer.json, { code }, path);
  }
  t.equal((await post('eval-ceiling', { cells: -1 })).status, 400);
  t.equal((await post('eval-ceiling', { cells: 1, gird: 2 })).status, 400);
  const stranger = await service.register();
  for (const path of [
    `/v1/workbooks/${id}/slice?range=A1`,
    `/v1/workbooks/${id}/values`,
    `/v1/workbooks/${id}/eval-stats`,
    `/v1/workbooks/${id}/branches/main/export`,
  ]) {
    const answer = await service.request(path, { credential: stranger });
    t.equal(answer.status, 404, `${path} of somebody else`);
    t.equal((await service.request(path)).status, 401, path);
  }
  const body = { cells: 1, grid: 1 };
  const moved = { credential: stranger, body };
  t.equal((await service.request(`/v1/workbooks/${id}/eval-ceiling`, moved)).status, 404);
  t.equal((await service.request(`/v1/workbooks/${id}/values`, { credential })).status, 200);
});

t.test('the ceiling cannot be moved where hooks are off', async (t) => {
  const { post } = await startWorkbook(t, plan, { DEV_HOOKS: 'off' });
  t.equal((await post('eval-ceiling', { cells: 1, grid: null })).status, 404);
});

t.test('an empty workbook reads as empty', async (t) => {
  const { read } = await startWorkbook(t, [{ name: 'Plan', rows: [] }]);
  t.match((await read('values')).json, { total: 0, values: [] });
  t.same(((await read('slice?range=A:C')).json as { rows: unknown }).rows, [[null, null, null]]);
  t.equal((await read('branches/main/export?format=csv')).text, '');
});

t.test('If-Match: a read of another state than the one it names is refused', async (t) => {
  const { head, read, submit } = await startWorkbook(t, plan);
  const named = (tag: string) => read('slice?range=A1', { 'if-match': tag });
  t.equal((await named(`"main@${head}"`)).status, 200);
  t.equal((await named(`"main@0", "main@${head}"`)).status, 200);
  t.equal((await named('*')).status, 200);
  t.equal((await named(`W/"main@${head}"`)).status, 412, 'weak tags are those of nothing');
  await submit(set('A1', 'Thing'));
  const moved = await named(`"main@${head}"`);
  t.match(moved, {
    status: 412,
    json: {
      code: 'head_moved',
      hint: 'GET it without If-Match, or name a position, such as ref=main@42.',
    },
  });
  const old = `slice?range=A1&ref=main@${head}`;
  t.match(await read(old, { 'if-match': `"main@${head}"` }), { status: 200, text: 'Item' });
  const both = { 'if-match': '"main@0"', 'if-none-match': `"main@${head + 1}"` };
  t.equal((await read('slice?range=A1', both)).status, 412, 'before If-None-Match is looked at');
  t.equal((await read('branches/main/export', { 'if-match': '"main@0"' })).status, 412);
  t.equal((await read('eval-stats', { 'if-match': '"any"' })).status, 412, 'no tag is no match');
});
