import t from 'tap';

import { FileDoor } from '../support/file-door.ts';
import { workbookFile } from '../support/workbook-file.ts';

// Each cell of a legacy array is calculated and held: one over a whole sheet would stop its workbook.

t.test('a legacy array of a whole sheet is refused, and one of two columns is none', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import('7', 'text/csv');
  const enter = (array: string) => {
    const cells = [{ a1: 'B1', input: '=A1', array }];
    const ops = [{ kind: 'cells.set', payload: { cells } }];
    return door.request(`${at}/branches/main/ops`, { ops, writer: 'w' });
  };
  t.match(await enter('B1:XFD1048576'), {
    status: 400,
    json: {
      code: 'invalid_request',
      detail: /fills at most 2097152 cells/u,
      errors: [{ pointer: '/ops/0/payload/cells/0/array' }],
    },
  });
  t.equal((await enter('B1:C1048576')).status, 200);
  t.same(await door.rows(at, 'C1048576'), [[7]]);
  t.match(await enter('nowhere'), { status: 409, json: { code: 'nothing_applied' } });
});

t.test('of such a file the values are kept', async (t) => {
  const door = await FileDoor.open(t);
  const row =
    '<row r="1"><c r="A1"><f t="array" ref="A1:XFD1048576">1</f><v>1</v></c><c r="B1"><v>1</v></c></row>';
  const { at, dropped } = await door.import(workbookFile(row));
  t.match(dropped, [{ what: 'array formulas', count: 1, why: /values are kept/u }]);
  t.same(await door.rows(at, 'A1:C1'), [[1, 1, null]]);
});
