import t from 'tap';

import { TestService } from '../support/test-service.ts';
import { workbookFile, workbookXml } from '../support/workbook-file.ts';

interface Created {
  id: string;
  name: string;
  namespace: string;
  head: number;
  sheets: { name: string; used: string | null }[];
  dropped: object[];
}

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

t.test('a workbook is created, listed and found under both addresses', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const rows = [
    ['Rent', 1200],
    ['Food', null, "'=x"],
    ['Total', '=SUM(B1:B2)'],
  ];
  const body = { name: 'Budget 26', sheets: [{ name: 'Plan', rows }, { name: 'Empty' }] };
  const created = await service.request('/v1/workbooks', { credential, body });
  t.equal(created.status, 201);
  const { id, namespace } = created.json as Created;
  t.equal(created.headers.get('location'), `/v1/workbooks/${id}`);
  t.match(created.json, {
    id: /^wb_[0-9A-HJKMNP-TV-Z]{26}$/,
    name: 'Budget 26',
    branch: 'main',
    head: 3,
    sheets: [
      { id: 's1.1.0', name: 'Plan', index: 0, used: 'A1:C3' },
      { id: 's1.2.0', name: 'Empty', index: 1, used: null },
    ],
    dropped: [],
  });
  const list = await service.request('/v1/workbooks', { credential });
  t.match(list.json, {
    total: 1,
    offset: 0,
    limit: 50,
    workbooks: [{ id, name: 'Budget 26', namespace, archived: false, updatedAt: /Z$/ }],
  });
  const one = await service.request(`/v1/workbooks/${id}`, { credential });
  t.match(one.json, { id, name: 'Budget 26', namespace, branch: 'main', head: 3 });
  const second = `/v1/${namespace}/budget%2026`;
  t.match((await service.request(second, { credential })).json, { id });
  const state = await service.request(`${second}/branches/main/state`, { credential });
  t.match(state.json, { branch: 'main', head: 3 });
  const ops = await service.request(`${second}/branches/main/ops`, { credential });
  t.match(ops.json, { ops: [{ kind: 'sheet.add' }, { kind: 'sheet.add' }, { kind: 'range.set' }] });
});

t.test('a workbook needs nothing but a request', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const bare = await service.request('/v1/workbooks', { credential, method: 'POST' });
  t.equal(bare.status, 201);
  t.match(bare.json, { name: /^untitled-/, head: 1, sheets: [{ name: 'Sheet1' }] });
  await service.request('/v1/workbooks', { credential, body: {} });
  const page = await service.request('/v1/workbooks?offset=1&limit=1', { credential });
  t.match(page.json, {
    total: 2,
    offset: 1,
    limit: 1,
    workbooks: [{ name: (bare.json as Created).name }],
  });
  const archived = await service.request('/v1/workbooks?include=archived&source=pg', {
    credential,
  });
  t.match(archived.json, { total: 2 });
  const headers = { accept: 'application/x-ndjson' };
  const lines = await service.request('/v1/workbooks', { credential, headers });
  t.equal(lines.text.trim().split('\n').length, 4);
  const key = { 'idempotency-key': 'once' };
  const first = await service.request('/v1/workbooks', { credential, body: {}, headers: key });
  const again = await service.request('/v1/workbooks', { credential, body: {}, headers: key });
  t.same(again.json, first.json);
  t.equal(again.headers.get('idempotency-replayed'), 'true');
});

t.test('what is wrong with a new workbook is said, and nothing is left of it', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const create = (body: unknown) => service.request('/v1/workbooks', { credential, body });
  t.match(await create({ name: 'twin' }), { status: 201 });
  t.match(await create({ name: 'TWIN' }), { status: 409, json: { code: 'name_taken' } });
  t.match(await create({ name: 'a/b' }), {
    status: 400,
    json: { errors: [{ pointer: '/name', code: 'bad_name' }] },
  });
  t.match(await create({ namespace: 'somebody' }), { status: 403, json: { code: 'forbidden' } });
  t.match(await create({ sheet: [] }), {
    status: 400,
    json: { code: 'unknown_member', errors: [{ message: /did you mean "sheets"/ }] },
  });
  const broken = { name: 'broken', sheets: [{ name: 'S', rows: [['=SUM(']] }] };
  t.match(await create(broken), {
    status: 409,
    json: { code: 'submission_rejected', detail: /S!A1: .*=SUM\(/ },
  });
  const twins = { sheets: [{ name: 'S' }, { name: 's' }] };
  t.match(await create(twins), { status: 409, json: { errors: [{ code: 'name_taken' }] } });
  t.match((await service.request('/v1/workbooks', { credential })).json, { total: 1 });
  t.match(await create({ name: 'broken' }), { status: 201 }, 'its name is free');
  t.match(await service.request('/v1/workbooks?limit=501', { credential }), { status: 400 });
});

t.test('files are imported by their type', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const send = (query: string, type: string, bytes: Uint8Array) =>
    service.request(`/v1/workbooks${query}`, {
      credential,
      bytes,
      headers: { 'content-type': type },
    });
  const csv = await send('?name=people&sheet=People', 'text/csv', Buffer.from('a,b\n1,=A2*2\n'));
  t.match(csv, {
    status: 201,
    json: { name: 'people', sheets: [{ name: 'People', used: 'A1:B2' }] },
  });
  const file = workbookFile(
    '<row r="1"><c r="A1"><v>5</v></c><c r="B1"><f>A1*2</f><v>10</v></c></row>',
  );
  const workbook = await send('?name=book', xlsx, file);
  t.match(workbook, {
    status: 201,
    json: { name: 'book', sheets: [{ used: 'A1:B1' }], dropped: [] },
  });
  t.match(await send('', xlsx, Buffer.from('not a zip')), {
    status: 400,
    json: { code: 'invalid_file' },
  });
  const tabs = '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="a" sheetId="2" r:id="rId1"/>';
  t.match(await send('', xlsx, workbookFile('', { 'xl/workbook.xml': workbookXml(tabs) })), {
    status: 201,
    json: {
      sheets: [{ name: 'A' }, { name: 'a (2)' }],
      dropped: [{ what: 'sheet name', where: 'a (2)' }],
    },
  });
  for (const type of [xlsx, 'text/csv']) {
    t.match(await send('', type, new Uint8Array()), {
      status: 400,
      json: { code: 'invalid_file', hint: /--data-binary/u },
    });
  }
  t.match(await send('', 'text/csv', Buffer.from([0, 1, 2, 0])), { status: 400 });
  t.match(await send('', 'application/pdf', Buffer.from('%PDF')), { status: 415 });
  t.match((await service.request('/v1/workbooks', { credential })).json, { total: 3 });
});

t.test('a workbook is not there for others', async (t) => {
  const service = await TestService.start(t);
  const credential = await service.register();
  const created = await service.request('/v1/workbooks', { credential, body: { name: 'mine' } });
  const { id, namespace } = created.json as Created;
  const stranger = { credential: await service.register() };
  t.match(await service.request(`/v1/workbooks/${id}`, stranger), { status: 404 });
  t.match(await service.request(`/v1/${namespace}/mine`, stranger), { status: 404 });
  t.match(await service.request(`/v1/${namespace}/other`, { credential }), { status: 404 });
  t.match((await service.request('/v1/workbooks', stranger)).json, { total: 0 });
  t.match(await service.request(`/v1/workbooks/${id}`), { status: 401 });
});
