import * as fc from 'fast-check';
import t from 'tap';

import { cellName } from '../../server/model/address.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/** Relative defined names go on at the other edge of the sheet: their text is that of A1. */

const rows = 1_048_576;
const columns = 16_384;

function withNames(names: Readonly<Record<string, string>>): OneSheet {
  const mutations = Object.entries(names).map(([name, formula]) => {
    return { kind: 'nameSet', name, formula, scope: undefined } as const;
  });
  return new OneSheet(mutations);
}

t.test('the cell to the left and the cell above', async (t) => {
  const sheet = withNames({
    prev: '=One!XFD1',
    above: '=One!A1048576',
    left: '=SUM(One!XFC1:XFD1)',
  });
  sheet.enterBlock(1, 0, [[5, { formula: '=prev+1' }, { formula: '=left' }]]);
  sheet.enter(2, 0, { formula: '=above*10' });
  t.same(sheet.values({ row0: 1, row1: 2, column0: 0, column1: 2 }), [
    [5, 6, 11],
    [50, null, null],
  ]);
  sheet.enter(1, 0, 7);
  t.same(sheet.values({ row0: 1, row1: 2, column0: 0, column1: 2 }), [
    [7, 8, 15],
    [70, null, null],
  ]);
});

t.test('from the first cell to the last ones', async (t) => {
  const sheet = withNames({ corner: '=One!XFD1048576', here: '=One!$A$3' });
  sheet.enter(0, 0, { formula: '=corner&here' });
  sheet.enter(rows - 1, columns - 1, 'far');
  sheet.enter(2, 0, 'fixed');
  t.same(sheet.column(0, 0, 0), ['farfixed']);
  sheet.enter(rows - 1, columns - 1, 'away');
  t.same(sheet.column(0, 0, 0), ['awayfixed']);
});

t.test('every cell that a name leads to is followed when it changes', async (t) => {
  const near = (limit: number) => fc.constantFrom(0, 1, 2, limit - 2, limit - 1);
  const place = fc.record({ row: near(rows), column: near(columns) });
  const property = fc.property(place, place, (target, home) => {
    const sheet = withNames({ there: `=One!${cellName(target.row, target.column)}` });
    const row = (home.row + target.row) % rows;
    const column = (home.column + target.column) % columns;
    if (row === home.row && column === home.column) return;
    sheet.enter(home.row, home.column, { formula: '=there*2' });
    for (const value of [3, 4]) {
      sheet.enter(row, column, value);
      const [found] = sheet.column(home.column, home.row, home.row);
      if (found !== value * 2)
        throw new Error(`${cellName(row, column)} gave ${JSON.stringify(found)}`);
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: caseCount(150) }));
});

t.test('a filled column of formulas that cross the edge', async (t) => {
  const sheet = withNames({ next: '=One!A2' });
  sheet.kernel.apply([
    {
      kind: 'fill',
      sheet: 1,
      row: rows - 5,
      column: 1,
      rowCount: 5,
      columnCount: 1,
      input: { formula: '=OFFSET(next,0,-1)+next' },
    },
    { kind: 'cell', sheet: 1, row: 0, column: 1, input: 9 },
    { kind: 'cell', sheet: 1, row: 0, column: 0, input: 1 },
  ]);
  t.same(sheet.column(1, rows - 5, rows - 1), [10, 10, 10, 10, 10]);
  sheet.enter(0, 1, 19);
  t.same(sheet.column(1, rows - 5, rows - 1), [20, 20, 20, 20, 20]);
});
