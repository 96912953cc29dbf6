import * as fc from 'fast-check';
import t from 'tap';

import type { Input } from '../../server/model/cell-value.ts';
import { caseCount } from '../support/case-count.ts';
import { OneSheet } from '../support/one-sheet.ts';

/** Pages of values begin in the middle of rows, and a sheet ends at its last value. */

const pageCells = 7;
/** Rows of several chunks, and columns of which most are blank. */
const rows = [0, 1, 15, 16, 17, 255, 256, 1_023, 1_024, 3_000];
const columns = [0, 1, 2, 40, 41, 700];

const input = fc.constantFrom<Input>(1, 'x', true, null, { formula: '=1/0' }, { formula: '=Z9' });
const entered = fc.array(
  fc.record({ row: fc.constantFrom(...rows), column: fc.constantFrom(...columns), input }),
  { minLength: 1, maxLength: 60 },
);

interface Place {
  readonly row: number;
  readonly column: number;
}

function pages(book: OneSheet): Place[] {
  const found: Place[] = [];
  for (let count = pageCells; count > 0;) {
    count = book.kernel.readValues(found.length, pageCells, ({ row, column }) => {
      found.push({ row, column });
    });
  }
  return found;
}

t.test('pages follow each other, and the extent holds them all', async (t) => {
  fc.assert(
    fc.property(entered, (cells) => {
      const book = new OneSheet();
      const filled = new Map<number, Place>();
      for (const { row, column, input: one } of cells) {
        book.enter(row, column, one);
        if (one === null) filled.delete(row * 1_000 + column);
        else filled.set(row * 1_000 + column, { row, column });
      }
      book.calculate();
      const expected = [...filled].toSorted(([left], [right]) => left - right);
      const places = expected.map(([, place]) => place);
      t.same(pages(book), places);
      t.same(book.kernel.readExtent(1), {
        rowCount: Math.max(0, ...places.map(({ row }) => row + 1)),
        columnCount: Math.max(0, ...places.map(({ column }) => column + 1)),
      });
    }),
    { numRuns: caseCount(60) },
  );
});

t.test('a blank that an array puts at its end is not part of the extent', async (t) => {
  const book = new OneSheet();
  book.enter(0, 0, { formula: '=IF(SEQUENCE(3,1)<3,SEQUENCE(3,1),INDEX(Z1:Z9,4))' });
  book.enter(0, 3, 5);
  book.calculate();
  t.same(book.kernel.readExtent(1).columnCount, 4);
  t.same(book.kernel.readExtent(99), { rowCount: 0, columnCount: 0 });
});
