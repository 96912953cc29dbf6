import t from 'tap';

import { FileDoor } from '../support/file-door.ts';

/** Cells with the format of texts keep what is typed into them, as Excel's do. */

const typed = ['007', '12%', '2026-01-31', 'TRUE', "'9", '=1+1', 'tea'];
const kept = ['007', '12%', '2026-01-31', 'TRUE', '9', 2, 'tea'];

t.test('a number that is typed into a cell of texts is a text', async (t) => {
  const door = await FileDoor.open(t);
  const made = await door.request('/v1/workbooks', { sheets: [{ name: 'A', rows: [] }] });
  const book = `/v1/workbooks/${(made.json as { id: string }).id}`;
  const write = async (kind: string, payload: object) => {
    const body = { writer: 'me', ops: [{ kind, payload: { sheet: 'A', ...payload } }] };
    const { status, text } = await door.request(`${book}/branches/main/ops`, body);
    t.equal(status, 200, text);
  };
  const style = { numberFormat: '@' };
  await write('format.set', { range: 'A1:G1', style });
  await write('format.set', { range: '3:3', style });
  const block = { parse: true, inputs: [typed] };
  await write('range.set', { range: 'A1:G1', ...block });
  const cells = typed.map((input, at) => ({ a1: `${'ABCDEFG'[at]}3`, input }));
  await write('cells.set', { parse: true, cells });
  await write('range.set', { range: 'A4:G4', fmts: [typed.map(() => '@')], ...block });
  await write('range.set', { range: 'A5:B5', parse: true, inputs: [['007', '12%']] });
  // One input for many cells is read for each of them.
  await write('format.set', { range: 'A7:B8,D8', style });
  await write('range.fill', { range: 'A7:B8', parse: true, input: '007' });
  await write('range.fill', { range: 'A9:B9', parse: true, input: '12%' });
  await write('range.fill', { range: 'A10:B10', parse: true, fmt: '@', input: '007' });
  await write('range.fill', { range: 'D7:E8,G7:G8', parse: true, input: '12%' });
  await write('range.fill', { range: 'A11:B11', parse: true, fmt: '0', input: '007' });
  await write('format.set', { range: 'A13:B15', style });
  await write('range.fill', { range: 'A13:B13', parse: true, fmt: '0.0', input: '007' });
  await write('range.fill', { range: 'A14:B14', parse: true, input: '=1+1' });
  await write('range.fill', { range: 'A15:B15', parse: true, raw: true, input: '=1+1' });
  const filled = {
    'A7:B8': [
      ['007', '007'],
      ['007', '007'],
    ],
    'A9:B9': [[0.12, 0.12]],
    'A10:B10': [['007', '007']],
    'D7:G8': [
      [0.12, 0.12, null, 0.12],
      ['12%', 0.12, null, 0.12],
    ],
    'A11:B11': [[7, 7]],
    'A13:B13': [[7, 7]],
    'A14:B14': [[2, 2]],
    'A15:B15': [['=1+1', '=1+1']],
  };
  const check = async (when: string) => {
    for (const [range, rows] of Object.entries(filled)) {
      t.same(await door.rows(book, range), rows, `${range} ${when}`);
    }
    for (const row of [1, 3, 4]) {
      t.same(await door.rows(book, `A${row}:G${row}`), [kept], `row ${row} ${when}`);
    }
    t.same(await door.rows(book, 'A5:B5'), [[7, 0.12]], `other cells read numbers ${when}`);
  };
  await check('at once');
  await door.restart();
  await check('after a restart');
});
