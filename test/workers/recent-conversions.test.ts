import t from 'tap';

import { Formulas } from '../../workers/formulas.ts';
import { RecentConversions } from '../../workers/recent-conversions.ts';

/** A conversion that is remembered is the one that would be made, whatever was asked before. */

/** So many rows below, a cell has the same place among those that are remembered. */
const rowsApart = 256;

t.test('the same text is converted once for a cell, and anew for any other', async (t) => {
  const asked: string[] = [];
  const conversions = new RecentConversions((text, row, column) => {
    asked.push(`${text} ${row} ${column}`);
    return text === 'nothing' ? undefined : `${text}@${row},${column}`;
  });
  const cells = [
    [0, 0],
    [rowsApart, 0],
    [0, 16],
    [1, 0],
  ] as const;
  for (const [row, column] of cells) {
    for (const text of ['a', 'b', 'a']) {
      t.equal(conversions.of(text, row, column), `${text}@${row},${column}`);
      t.equal(conversions.of(text, row, column), `${text}@${row},${column}`);
    }
  }
  t.equal(asked.length, cells.length * 3);
  t.equal(conversions.of('nothing', 0, 0), undefined);
  t.equal(conversions.of('nothing', 0, 0), undefined);
  t.equal(
    asked.filter((text) => text.startsWith('nothing')).length,
    1,
    'no formula, known as well',
  );
});

t.test('a long text is converted each time', async (t) => {
  let count = 0;
  const conversions = new RecentConversions(() => `${++count}`);
  const long = 'x'.repeat(257);
  t.equal(conversions.of(long, 0, 0), '1');
  t.equal(conversions.of(long, 0, 0), '2');
});

t.test('formulas read alike however often and in whatever order they are asked for', async (t) => {
  const used = new Formulas();
  const texts = ['A1*2+C1', 'SUM(A$1:A5)', 'no formula (', '#REF!+B7', 'Other!D9'];
  for (let round = 0; round < 3; round++) {
    for (const row of [4, 4 + rowsApart, 4]) {
      for (const text of texts) {
        const fresh = new Formulas();
        const stored = used.toR1C1(text, row, 3);
        t.equal(stored, fresh.toR1C1(text, row, 3), `${text} at row ${row}`);
        t.equal(used.fromR1C1(stored, row, 3), fresh.fromR1C1(stored, row, 3));
        t.equal(used.fromR1C1(stored, row + 1, 3), fresh.fromR1C1(stored, row + 1, 3));
      }
    }
  }
});
