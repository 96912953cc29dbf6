import t from 'tap';

import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import { MatchedWorkbook } from '../support/matched-workbook.ts';
import { TestService } from '../support/test-service.ts';

const service = await TestService.start(t, {}, {});
const credential = await service.register();
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const ours = [
  ['Supplier', 'Town'],
  ['Northwind Traders', 'Lund'],
  ['Contoso Ltd', 'Bern'],
  ['Fabrikam Components', 'Graz'],
  ['Adventure Works', 'Gent'],
];
const theirs = [
  ['Code', 'Company'],
  ['N-1', 'Northwind Traders'],
  ['C-2', 'Contoso Limited'],
  ['F-3', 'Fabrikam'],
  ['A-4', 'Adventure Workshops'],
  ['W-5', 'Wide World Importers'],
];

function fileOf(name: string, rows: readonly string[][]): Uint8Array {
  const cells: SourceCell[] = rows.flatMap((inputs, row) =>
    inputs.map((input, column) => ({ row, column, input })),
  );
  const chunks: Uint8Array[] = [];
  writeXlsx(
    { date1904: false, names: [], tables: [], sheets: [{ name, cells: () => cells }] },
    (chunk) => chunks.push(chunk),
  );
  return Buffer.concat(chunks);
}

async function importList(name: string, rows: readonly string[][]): Promise<string[][]> {
  const made = await service.request('/v1/workbooks', {
    credential,
    bytes: fileOf(name, rows),
    headers: { 'content-type': xlsx },
  });
  const { id } = made.json as { id: string };
  const slice = await service.request(`/v1/workbooks/${id}/slice?range=A1:B${rows.length}`, {
    credential,
  });
  return (slice.json as { rows: string[][] }).rows;
}

t.test('two lists of suppliers become one, and an undo takes the merge back', async (t) => {
  const [left = [], ...leftRows] = await importList('Ours', ours);
  const [right = [], ...rightRows] = await importList('Theirs', theirs);
  const book = await MatchedWorkbook.on(service, credential);
  await book.table('Ours', left, leftRows);
  await book.table('Theirs', right, rightRows);
  const path = await book.match({
    left: { tableId: 'Ours', column: 'Supplier' },
    right: { tableId: 'Theirs', column: 'Company' },
    opts: { verifyProvider: 'none', lo: 0.3 },
  });
  const ended = await book.ended(path);
  t.match(ended.rows[0], { leftKey: 'Northwind Traders', decision: 'accept', reason: 'exact' });
  const band = await book.page(`${path}?decision=review`);
  t.ok(band.total >= 3, 'a person is asked about the rest');

  const wanted = new Map([
    ['Contoso Ltd', 'C-2'],
    ['Fabrikam Components', 'F-3'],
  ]);
  const decisions = band.rows.map(({ leftKey, rightKey }) => ({
    leftKey,
    rightKey,
    decision: wanted.get(String(leftKey)) === rightKey ? 'accept' : 'reject',
  }));
  const decided = await book.send('PATCH', `${path}/rows`, { decisions });
  t.match(decided, { status: 200, json: { counts: { accept: 3, review: 0 } } });
  const manual = await book.page(`${path}?decision=accept`);
  t.match(manual.rows[1], { leftKey: 'Contoso Ltd', verified: true, reason: 'manual' });

  await book.send('POST', '/branches', { name: 'joined' });
  const applied = await book.send('POST', `${path}/apply`, {
    branch: 'joined',
    as: 'table',
    name: 'Suppliers',
  });
  t.match(applied, { status: 200, json: { name: 'Suppliers', rows: 3, branch: 'joined' } });
  const state = await book.send('GET', '/branches/joined/state');
  const { tables } = state.json as { tables: { name: string; sheet: string; keyColumn: string }[] };
  const made = tables.find(({ name }) => name === 'Suppliers');
  t.match(made, { keyColumn: 'leftKey' });
  const rowsOf = async (ref: string) =>
    (await book.send('GET', `/slice?ref=${ref}&range=${made?.sheet ?? ''}!A1:C4`)).json;
  t.match(await rowsOf('joined'), {
    rows: [
      ['leftKey', 'leftValue', 'rightKey'],
      ['Northwind Traders', 'Northwind Traders', 'N-1'],
      ['Contoso Ltd', 'Contoso Ltd', 'C-2'],
      ['Fabrikam Components', 'Fabrikam Components', 'F-3'],
    ],
  });

  const proposed = await book.send('POST', '/merges', { source: 'joined', target: 'main' });
  t.equal(proposed.status, 201);
  const { id: mergeId } = proposed.json as { id: string };
  const diff = await book.send('GET', `/merges/${mergeId}/diff`);
  t.match(diff.text, /Suppliers/);
  const merged = await book.send('POST', `/merges/${mergeId}/approve`, {});
  t.match(merged, { status: 200, json: { state: 'merged' } });
  t.match(await rowsOf('main'), { rows: [{}, { 2: 'N-1' }] });

  const { group } = applied.json as { group: string };
  const undone = await book.submit('joined', { kind: 'undo', payload: { of: group } });
  t.match(undone, { status: 200, json: { results: [{ status: 'applied' }] } });
  const tablesOf = async (branch: string): Promise<string[]> => {
    const after = await book.send('GET', `/branches/${branch}/state`);
    return (after.json as { tables: { name: string }[] }).tables.map(({ name }) => name);
  };
  t.notOk((await tablesOf('joined')).includes('Suppliers'));
  t.ok((await tablesOf('main')).includes('Suppliers'));
  const { head } = (await book.send('GET', '/branches/main/state')).json as { head: number };
  const back = await book.submit('main', { kind: 'undo', payload: { of: head } });
  t.match(back, { status: 200, json: { results: [{ status: 'applied' }] } });
  t.same(await tablesOf('main'), ['Ours', 'Theirs'], 'the lists are there as they were');
});

t.test('a column of the left table has the keys, where its rows are still there', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'People',
    ['id', 'name'],
    [
      [1, 'Ada'],
      [2, 'Alan'],
      [3, 'Grace'],
      ['3', 'Ada'],
    ],
  );
  await book.table(
    'Rooms',
    ['room', 'owner'],
    [
      ['r1', 'ADA'],
      ['r2', 'Alan'],
      [7, 'grace'],
    ],
  );
  const path = await book.match({
    left: { tableId: 'People', column: 'name' },
    right: { tableId: 'Rooms', column: 'owner' },
  });
  await book.ended(path);
  await book.submit('main', { kind: 'rows.delete', payload: { table: 'People', keys: [2] } });
  for (const expected of [3, 3]) {
    const applied = await book.send('POST', `${path}/apply`, { branch: 'main', as: 'column' });
    t.match(applied, { status: 200, json: { name: 'Rooms_key', rows: expected } });
  }
  const sheet = (
    (await book.send('GET', '/branches/main/state')).json as {
      tables: { name: string; sheet: string }[];
    }
  ).tables.find(({ name }) => name === 'People')?.sheet;
  const slice = await book.send('GET', `/slice?range=${sheet ?? ''}!A1:C4`);
  t.match(slice.json, {
    rows: [
      ['id', 'name', 'Rooms_key'],
      [1, 'Ada', 'r1'],
      [3, 'Grace', 7],
      ['3', 'Ada', 'r1'],
    ],
  });
});

t.test('a left row has one pair at most, whoever accepts it', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'Own',
    ['id', 'name'],
    [
      [1, 'Nord Wind Trading'],
      [2, 'Contoso'],
    ],
  );
  await book.table(
    'Other',
    ['code', 'company'],
    [
      ['a', 'Nord Wind Traders'],
      ['b', 'Nord Wind Trade'],
    ],
  );
  const path = await book.match({
    left: { tableId: 'Own', column: 'name' },
    right: { tableId: 'Other', column: 'company' },
    opts: { verifyProvider: 'none', lo: 0.1, hi: 1 },
  });
  const { rows } = await book.ended(path);
  const keys = rows.filter(({ leftKey }) => leftKey === 1);
  t.equal(keys.length, 2, 'a person is asked about both');
  const accept = keys.map(({ leftKey, rightKey }) => ({ leftKey, rightKey, decision: 'accept' }));
  const refused = {
    status: 409,
    json: { code: 'pair_taken', detail: /1 = "[ab]", 1 = "[ab]"/, hint: /"decision":"reject"/ },
  };
  t.match(await book.send('PATCH', `${path}/rows`, { decisions: accept }), refused);
  t.same((await book.ended(path)).rows, rows, 'nothing was decided');
  t.match(await book.send('PATCH', `${path}/rows`, { decisions: accept.slice(0, 1) }), {
    status: 200,
  });
  const second = await book.send('PATCH', `${path}/rows`, { decisions: accept.slice(1) });
  t.match(second, { ...refused, json: { errors: [{ pointer: '/decisions/0' }] } });
  const changed = accept.map((one, at) => (at === 0 ? { ...one, decision: 'reject' } : one));
  t.match(await book.send('PATCH', `${path}/rows`, { decisions: changed }), { status: 200 });
  t.match(await book.send('POST', `${path}/apply`, { branch: 'main', name: 'Pairs' }), {
    status: 200,
    json: { rows: 1 },
  });
});

t.test('what cannot be applied says why', async (t) => {
  const book = await MatchedWorkbook.on(service, credential);
  await book.table(
    'One',
    ['id', 'x'],
    [
      [1, 'a'],
      [2, 'b'],
    ],
  );
  const side = { tableId: 'One', column: 'x' };
  const path = await book.match({
    left: side,
    right: side,
    opts: { assignment: 'many-to-many' },
  });
  await book.ended(path);
  t.match(await book.send('POST', `${path}/apply`, { branch: 'main', as: 'column' }), {
    status: 422,
    json: { code: 'key_needed', hint: /table/ },
  });
  for (const branch of ['main@1', 'commit:v1', 'merge:mrg_0', '']) {
    t.match(await book.send('POST', `${path}/apply`, { branch }), {
      status: 400,
      json: { errors: [{ pointer: '/branch' }] },
    });
  }
  t.match(await book.send('POST', `${path}/apply`, { branch: 'nowhere' }), {
    status: 404,
    json: { code: 'branch_not_found' },
  });
  t.match(await book.send('POST', `${path}/apply`, { branch: 'main', name: 'One' }), {
    status: 409,
    json: { code: 'submission_rejected' },
  });
  t.match(await book.send('POST', `${path}/apply`, { branch: 'main', as: 'view' }), {
    status: 400,
    json: { code: 'invalid_request' },
  });
});
