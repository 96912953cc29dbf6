import t from 'tap';
import { FileDoor } from '../support/file-door.ts';

t.test('the rows of a new workbook are read as the request says', async (t) => {
  const door = await FileDoor.open(t);
  const rows = [['=1+1', '50%', '2026-01-31', "'x"]];
  const make = async (body: object) => {
    const { status, json, text } = await door.request('/v1/workbooks', body);
    t.equal(status, 201, text);
    return `/v1/workbooks/${(json as { id: string }).id}`;
  };
  const raw = await make({ raw: true, sheets: [{ name: 'A', rows }] });
  t.same(await door.rows(raw, 'A1:D1'), rows);
  const parsed = await make({ parse: true, sheets: [{ name: 'A', rows }] });
  t.same(await door.rows(parsed, 'A1:D1'), [[2, 0.5, 46053, 'x']]);
  t.same(await door.rows(parsed, 'A1:D1', 'formatted'), [['2', '50%', '2026-01-31', 'x']]);
  const sheets = [
    { name: 'A', rows, raw: false, parse: true },
    { name: 'B', rows },
  ];
  const mixed = await make({ raw: true, sheets });
  await door.restart();
  t.same(await door.rows(mixed, 'A!A1:D1'), [[2, 0.5, 46053, 'x']], 'a sheet for itself');
  t.same(await door.rows(mixed, 'B!A1:D1'), rows);
});

t.test('what is wrong with an initial cell is said of the cell', async (t) => {
  const door = await FileDoor.open(t);
  const blanks = Array.from({ length: 3_000 }, (_, row) => [row, '=A1', 1, 2, 3, 4]);
  const good = { name: 'Good', rows: [[1]] };
  const bad = { name: 'It’s bad', rows: [...blanks, [1, '=SUM(', 2]] };
  const refused = async (body: object) => {
    const { status, json } = await door.request('/v1/workbooks', body);
    t.equal(status, 409);
    return json;
  };
  t.match(await refused({ sheets: [good, bad] }), {
    detail: /^It’s bad!B3001: .*[^.]\.$/,
    hint: /apostrophe/,
    errors: [{ pointer: '/sheets/1/rows/3000/1', code: 'bad_formula' }],
  });
  const long = { name: 'Long', rows: [[], [null, 'x'.repeat(32_768)]] };
  t.match(await refused({ sheets: [long] }), {
    errors: [{ pointer: '/sheets/0/rows/1/1', code: 'text_too_long' }],
  });
  t.match(await refused({ sheets: [good, good] }), {
    errors: [{ pointer: '/sheets/1/name', code: 'name_taken' }],
  });
  const fixed = await door.request('/v1/workbooks', { raw: true, sheets: [good, bad] });
  t.equal(fixed.status, 201, 'as the hint says');
});

t.test('a rejected operation points at the cell as well', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import('1', 'text/csv');
  const reject = async (kind: string, payload: object) => {
    const ops = [{ kind, payload: { sheet: 'Sheet1', ...payload } }];
    const { json } = await door.request(`${at}/branches/main/ops`, { ops });
    return JSON.stringify(json);
  };
  const inputs = [
    [1, 2],
    [3, '=SUM('],
  ];
  t.match(await reject('range.set', { range: 'B2:C3', inputs }), /"pointer":"[^"]*\/inputs\/1\/1"/);
  t.match(await reject('range.set', { range: 'B2', inputs }), /"pointer":"[^"]*\/inputs\/1\/1"/);
  const cells = [
    { a1: 'A1', input: 1 },
    { a1: 'A2', input: '=SUM(' },
  ];
  t.match(await reject('cells.set', { cells }), /"pointer":"[^"]*\/cells\/1"/);
});
