import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

/** A formula that is a date or a time gives its format to a General cell, as in Excel. */

const typed = [
  '=DATE(2026,1,31)',
  '=time(14, 30, 0)',
  '= DATE(YEAR(DATE(2026,1,31)),12,LEN("(")) ',
  '=DATE(2026,1,31)+1',
  '=DATE(2026,1,31)-DATE(2026,1,1)',
  '=DAY(DATE(2026,1,31))',
  '=SUM(1,2)',
];
const shown = ['1/31/2026', '2:30 PM', '12/1/2026', '46054', '30', '31', '3'];

t.test('dates and times of formulas show as such', async (t) => {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', {
    sheets: [{ name: 'A', parse: true, rows: [typed] }],
  });
  t.equal(made.status, 201, made.text);
  const book = `/v1/workbooks/${(made.json as { id: string }).id}`;
  const write = async (kind: string, payload: object) => {
    const body = { writer: 'me', ops: [{ kind, payload: { sheet: 'A', ...payload } }] };
    const { status, text } = await door.request(`${book}/branches/main/ops`, body);
    t.equal(status, 200, text);
  };
  const cells = typed.map((input, at) => ({ a1: `${'ABCDEFG'[at]}2`, input }));
  await write('cells.set', { parse: true, cells });
  await write('range.set', { range: 'A3:G3', parse: true, inputs: [typed] });
  await write('range.fill', { range: 'A4:B4', parse: true, input: typed[0] });
  await write('format.set', { range: 'A5:B6', style: { numberFormat: '0.00' } });
  await write('cells.set', { parse: true, cells: [{ a1: 'A5', input: typed[0] }] });
  await write('range.fill', { range: 'B5:C5', parse: true, input: typed[0] });
  await write('range.set', { range: 'A6:B6', parse: true, inputs: [[typed[0], typed[1]]] });
  await write('cells.set', { cells: [{ a1: 'A7', input: typed[0] }] });
  await write('cells.set', { parse: true, cells: [{ a1: 'B7', input: '=NOW()' }] });
  await write('cells.set', { parse: true, cells: [{ a1: 'C7', input: '=today()' }] });
  await write('range.set', {
    range: 'A8:B9',
    parse: true,
    inputs: [
      ['Dec 5', '5-dec'],
      [2026, 2027],
    ],
  });
  await write('format.set', { range: 'B10', style: { numberFormat: '0' } });
  await write('range.fill', { range: 'A10:B10', parse: true, input: '=DATE(A9,2,1)' });
  await write('format.set', { range: 'A11', style: { numberFormat: '@' } });
  await write('range.fill', { range: 'A11:B11', parse: true, input: 'Feb 2026' });
  const file = await door.import('"=DATE(2026,1,31)","=SUM(1,2)"', 'text/csv');
  const texts = async (range: string) =>
    (await door.rows(book, range, 'formatted')) as readonly unknown[][];
  const check = async (when: string) => {
    for (const row of [1, 2, 3]) {
      t.same(await texts(`A${row}:G${row}`), [shown], `row ${row} ${when}`);
    }
    t.same(await texts('A4:B4'), [['1/31/2026', '1/31/2026']], `a fill ${when}`);
    t.same(await texts('A5:C5'), [['46053.00', '46053.00', '1/31/2026']], `own formats ${when}`);
    t.same(await texts('A6:B6'), [['46053.00', '0.60']], `of blocks as well ${when}`);
    t.same(await door.rows(file.at, 'A1:B1', 'formatted'), [['1/31/2026', '3']], 'a CSV');
    t.same(await texts('A8:B8'), [['5-Dec', '5-Dec']], `days without a year ${when}`);
    t.same(await texts('A10:B10'), [['2/1/2026', '46419']], `each cell of a fill ${when}`);
    t.same(await texts('A11:B11'), [['Feb 2026', 'Feb-26']], `texts stay ${when}`);
    const [[plain, now, today] = []] = await texts('A7:C7');
    t.equal(plain, '46053', `what no person typed keeps its look ${when}`);
    t.match(now, /^\d+\/\d+\/\d{4} \d+:\d\d$/u);
    t.match(today, /^\d+\/\d+\/\d{4}$/u);
  };
  await check('at once');
  await door.restart();
  await check('after a restart');
});

t.test(
  'a typed day counts from 1904 where the workbook does, and times are the same',
  async (t) => {
    const door = await FileDoor.open(t);
    const made = await door.request('/v1/workbooks', {});
    const book = `/v1/workbooks/${(made.json as { id: string }).id}`;
    const inputs = [
      ['2024-02-29', '29-Feb-24 18:00', '12:00', '1903-12-31', '1904-01-01', '50%', 60],
    ];
    const ops = [
      { kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } },
      { kind: 'range.set', payload: { range: 'A1:G1', inputs, parse: true } },
      { kind: 'range.fill', payload: { range: 'A2:B2', input: '1/2/2024', parse: true } },
    ];
    const answer = await door.request(`${book}/branches/main/ops`, { ops });
    t.equal(answer.status, 200, answer.text);
    for (const when of ['at once', 'after a restart']) {
      const rows = await door.rows(book, 'A1:G1');
      t.same(rows, [[43889, 43889.75, 0.5, '1903-12-31', 0, 0.5, 60]], when);
      const texts = [
        '2024-02-29',
        '29-Feb-24 18:00',
        '12:00',
        '1903-12-31',
        '1904-01-01',
        '50%',
        '60',
      ];
      t.same(await door.rows(book, 'A1:G1', 'formatted'), [texts], when);
      t.same(await door.rows(book, 'A2:B2', 'formatted'), [['1/2/2024', '1/2/2024']], when);
      if (when === 'at once') await door.restart();
    }
  },
);
