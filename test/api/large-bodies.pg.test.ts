import { Packr } from 'msgpackr';
import t from 'tap';

import { TestService, type TestAnswer } from '../support/test-service.ts';

// Bodies that are read in the pool come to the same as those that are read on the serving thread.

const packr = new Packr({ useRecords: false });
const service = await TestService.start(t);
const credential = await service.register();
const { json: book } = await service.request('/v1/workbooks', { credential, body: {} });
const { id } = book as { id: string };

t.test('refused alike, whether it is read here or in the pool', async (t) => {
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const small = await service.request(path, { credential, body: { ops: [{}, { kind: 'x' }] } });
  const many = Array.from({ length: 100_000 }, () => ({}));
  const large = await service.request(path, {
    credential,
    body: { ops: [{}, { kind: 'x' }, ...many] },
  });
  t.equal(large.status, 400);
  const places = ({ json: body }: TestAnswer) => (body as { errors: { pointer: string }[] }).errors;
  t.equal(places(large).length, 20);
  t.same(places(large).slice(0, 2), places(small).slice(0, 2));
});

t.test('a large submission is taken as it is', async (t) => {
  const path = `/v1/workbooks/${id}/branches/main/ops`;
  const inputs = Array.from({ length: 300 }, (_, row) =>
    Array.from({ length: 200 }, (_, column) => (column === 0 ? `ä"\\${row}` : row * column)),
  );
  const cells = Array.from({ length: 9_000 }, (_, row) => ({ a1: `ZZ${row + 1}`, input: row / 7 }));
  const ops = [
    { kind: 'range.set', payload: { range: 'A1', inputs } },
    { kind: 'cells.set', payload: { cells } },
    ...cells.slice(0, 4_000).map((cell) => ({ kind: 'cells.set', payload: { cells: [cell] } })),
  ];
  for (const type of ['application/json', 'application/msgpack']) {
    const body = { ops, writer: type };
    const bytes = type.endsWith('json') ? Buffer.from(JSON.stringify(body)) : packr.pack(body);
    t.ok(bytes.length > 300_000);
    const sent = { credential, bytes, headers: { 'content-type': type } };
    const { status, json: answer } = await service.request(path, sent);
    t.match({ status, answer }, { status: 200, answer: { results: { length: ops.length } } });
  }
  const slice = await service.request(`/v1/workbooks/${id}/slice?range=A300:GR300&lens=input`, {
    credential,
  });
  t.ok(slice.text.includes(JSON.stringify('ä"\\299')));
  t.match(slice.text, /59501/);
});

t.test('a large workbook comes from JSON as a small one does', async (t) => {
  const rows = Array.from({ length: 2_000 }, (_, row) => [
    row,
    null,
    `text ${row}`,
    `=A${row + 1}*2`,
  ]);
  const body = {
    name: 'large',
    sheets: [{ name: 'One', rows: [...rows, [1, 2, 3, 4, 5, 6]] }, { name: 'Two' }],
  };
  const filler = {
    ...body,
    sheets: [...body.sheets, { name: 'Three', rows: [['x'.repeat(30_000)]] }],
  };
  for (const [type, sent] of [
    ['application/json', Buffer.from(JSON.stringify(filler).padEnd(400_000))],
    [
      'application/msgpack',
      packr.pack({ ...filler, name: 'packed', sheets: [...filler.sheets, ...bulk()] }),
    ],
  ] as const) {
    t.ok(sent.length > 262_144);
    const made = await service.request('/v1/workbooks', {
      credential,
      bytes: sent,
      headers: { 'content-type': type },
    });
    t.equal(made.status, 201, made.text);
    const { id: newId, sheets } = made.json as {
      id: string;
      sheets: { name: string; used: string }[];
    };
    t.match(sheets[0], { name: 'One', used: 'A1:F2001' });
    const read = await service.request(
      `/v1/workbooks/${newId}/slice?range=One!A2000:F2001&lens=input`,
      { credential },
    );
    t.match(read.text, /text 1999/);
    t.match(read.text, /=A2000\*2/);
  }
  const again = await service.request('/v1/workbooks', {
    credential,
    bytes: Buffer.from(JSON.stringify(filler).padEnd(400_000)),
    headers: { 'content-type': 'application/json' },
  });
  t.match(again, { status: 409, json: { code: 'name_taken' } });
  const wrong = { sheets: [{ name: 'S', rows: [...rows.map(() => ['x'.repeat(200)]), [{}]] }] };
  const refused = await service.request('/v1/workbooks', { credential, body: wrong });
  t.match(refused, { status: 400, json: { errors: [{ pointer: '/sheets/0/rows/2000/0' }] } });
});

function bulk(): unknown[] {
  return Array.from({ length: 10 }, (_, index) => ({
    name: `B${index}`,
    rows: [['y'.repeat(32_000)]],
  }));
}
