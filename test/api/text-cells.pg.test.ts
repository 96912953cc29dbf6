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
  const check = async (when: string) => {
    for (const row of [1, 3, 4]) {
      t.same(await door.rows(book, `A${row}:G${row}`), [kept], `row ${row} ${when}`);
    }
    t.same(await door.rows(book, 'A5:B5'), [[7, 0.12]], `other cells read numbers ${when}`);
  };
  await check('at once');
  await door.restart();
  await check('after a restart');
});
