import t from 'tap';

import { all, clean, kinds, op, play, set } from '../support/merge-play.ts';

// Cells that one side inserted or deleted: those behind them are the same cells in a new place, and
// what the other side did stays with them. Sheet One has numbers in A1:C20: row times ten plus column.

const insert = (range: string, shift = 'down') =>
  op('range.insert', { sheet: 'One', range, shift });
const remove = (range: string, shift = 'up') => op('range.delete', { sheet: 'One', range, shift });
const cut = (source: string, to: string) => op('range.move', { sheet: 'One', source, to });

t.test(
  'an edit goes with the cell that was shifted down, and formulas name it there',
  async (t) => {
    const theirs = all(set('A5', 99), set('E1', '=A5*2'));
    clean(t, { ours: insert('A3'), theirs }, (merged) => {
      t.strictSame(merged.rows('A2:B7'), [
        [21, 22],
        [null, 32],
        [31, 42],
        [41, 52],
        [99, 62],
        [61, 72],
      ]);
      t.equal(merged.read('E1'), '=A6*2');
    });
  },
);

t.test('an edit goes with the cell that moved up over deleted ones', async (t) => {
  clean(t, { ours: remove('A3:A4'), theirs: set('A6', 99) }, (merged) => {
    t.strictSame(merged.rows('A2:A6'), [[21], [51], [99], [71], [81]]);
  });
});

t.test('an edit goes with the cell that was shifted to the right or back', async (t) => {
  clean(t, { ours: insert('A3', 'right'), theirs: set('B3', 99) }, (merged) => {
    t.strictSame(merged.rows('A3:D3'), [[null, 31, 99, 33]]);
  });
  clean(t, { ours: remove('A3', 'left'), theirs: set('B3', 99) }, (merged) => {
    t.strictSame(merged.rows('A3:C3'), [[99, 33, null]]);
  });
});

t.test('what the other side wrote to deleted cells is asked about', async (t) => {
  const driver = play({ ours: remove('A3'), theirs: all(set('A3', 99), set('A5', 98)) });
  const { conflicts } = driver.merge();
  const [id = ''] = conflicts.map((conflict) => conflict.id);
  for (const [choice, flipped, column] of [
    ['ours', 'theirs', [21, 41, 98, 61]],
    ['theirs', 'ours', [21, 99, 41, 98]],
    ['base', 'base', [21, 31, 41, 98]],
    [{ input: 97 }, { input: 97 }, [21, 97, 41, 98]],
  ] as const) {
    for (const outcome of [
      driver.merge({ choices: new Map([[id, choice]]) }),
      driver.mirror({ choices: new Map([[id, flipped]]) }),
    ]) {
      t.strictSame(kinds(outcome), ['cell.value']);
      t.strictSame(outcome.driver.rows('A2:A5').flat(), column);
    }
  }
});

t.test('a deletion is made where it is chosen for each cell, and else it is taken back', (t) => {
  const driver = play({ ours: remove('A3:A5'), theirs: all(set('A3', 99), set('A5', 98)) });
  const column = (otherwise: 'ours' | 'theirs') =>
    driver.merge({ otherwise }).driver.rows('A2:A6').flat();
  t.strictSame(column('ours'), [21, 61, 71, 81, 91]);
  t.strictSame(column('theirs'), [21, 99, 41, 98, 61]);
  const [first] = driver.merge().conflicts;
  const choices = new Map([[first?.id ?? '', 'theirs' as const]]);
  const mixed = driver.merge({ choices, otherwise: 'ours' });
  t.strictSame(mixed.driver.rows('A2:A6').flat(), [21, 99, 41, 51, 61]);
  t.end();
});

t.test('a shift of rows between which one side inserted others is made in each of them', (t) => {
  const theirs = all(
    op('rows.insert', { sheet: 'One', before: 3, count: 1 }),
    remove('A3:B4', 'left'),
  );
  clean(t, { ours: all(set('C3', 99)), theirs }, (merged) => {
    t.strictSame(merged.rows('A2:C5'), [
      [21, 22, 23],
      [null, null, null],
      [99, null, null],
      [41, 42, 43],
    ]);
  });
  t.end();
});

t.test('both sides shift cells of one column, each elsewhere', async (t) => {
  const column = (...rows: (number | null)[]) => rows.map((row) => [row && row * 10 + 1]);
  clean(t, { ours: insert('A3'), theirs: insert('A6:A7') }, (merged) => {
    t.strictSame(merged.rows('A2:A10'), column(2, null, 3, 4, 5, null, null, 6, 7));
  });
  clean(t, { ours: remove('A3'), theirs: insert('A6') }, (merged) => {
    t.strictSame(merged.rows('A2:A7'), column(2, 4, 5, null, 6, 7));
  });
  clean(t, { ours: remove('A3'), theirs: remove('A6:A7') }, (merged) => {
    t.strictSame(merged.rows('A2:A6'), column(2, 4, 5, 8, 9));
  });
  const ours = all(insert('A3'), insert('A10'), set('A3', 1));
  clean(t, { ours, theirs: all(insert('A6'), set('A6', 2)) }, (merged) => {
    t.strictSame(merged.rows('A2:A13').flat(), [21, 1, 31, 41, 51, 2, 61, 71, 81, null, 91, 101]);
  });
});

t.test('one side inserts cells among those that the other one deletes', async (t) => {
  clean(t, { ours: remove('C1:C3'), theirs: insert('B2:C4') }, (merged) => {
    t.strictSame(merged.rows('B1:C6'), [
      [12, null],
      [null, null],
      [null, null],
      [null, 43],
      [22, 53],
      [32, 63],
    ]);
  });
  const ours = all(remove('C1:C3'), insert('C2:C4'), set('C2', 'ours'));
  clean(t, { ours, theirs: all(insert('B2:C4'), set('C2', 'theirs')) }, (merged) => {
    const column = ['theirs', null, null, 43, 'ours', null, null, 53, 63];
    t.strictSame(merged.rows('C1:C9').flat(), column);
  });
});

t.test('both sides delete some of the same cells', async (t) => {
  const ours = all(remove('A3:B6'), set('A3', 99));
  clean(t, { ours, theirs: all(remove('B5:C8'), set('B9', 98)) }, (merged) => {
    t.strictSame(merged.rows('A2:C6'), [
      [21, 22, 23],
      [99, 92, 33],
      [81, 102, 43],
      [91, 112, 93],
      [101, 122, 103],
    ]);
    t.equal(merged.read('B7'), 98);
  });
});

t.test('both insert cells in one place, each its own number of them', async (t) => {
  const driver = play({
    ours: all(insert('A3'), set('A3', 'ours')),
    theirs: all(insert('A3:A4'), set('A3', 'theirs')),
  });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(outcome.driver.rows('A2:A7').flat(), [21, 'ours', 'theirs', null, 31, 41]);
  }
});

t.test('both insert or delete the same cells: that is done once', async (t) => {
  const added = insert('A3');
  for (const edit of [added, remove('A3')]) {
    const driver = play({ ours: all(edit, set('A9', 1)), theirs: all(edit, set('A8', 2)) });
    for (const outcome of [driver.merge(), driver.mirror()]) {
      t.strictSame(kinds(outcome), []);
      t.strictSame(outcome.driver.rows('A8:A10').flat(), [2, 1, edit === added ? 91 : 111]);
    }
  }
});

t.test('a block is cut from where the other side shifted it to', async (t) => {
  clean(t, { ours: insert('A3'), theirs: cut('A5:A6', 'F1') }, (merged) => {
    t.strictSame(merged.rows('F1:F2'), [[51], [61]]);
    t.strictSame(merged.rows('A3:A9'), [[null], [31], [41], [null], [null], [71], [81]]);
  });
  clean(t, { ours: cut('A2:B5', 'F1'), theirs: insert('A3:B3') }, (merged) => {
    t.strictSame(merged.rows('F1:G4'), [
      [21, 22],
      [31, 32],
      [41, 42],
      [51, 52],
    ]);
    t.strictSame(merged.rows('A6:B8'), [
      [null, null],
      [61, 62],
      [71, 72],
    ]);
  });
});

t.test('a shift that was taken back is not followed', async (t) => {
  const ours = all(insert('A3'), remove('A3'));
  clean(t, { ours, theirs: set('A5', 99) }, (merged) => {
    t.strictSame(merged.rows('A3:A6'), [[31], [41], [99], [61]]);
  });
});

t.test('lines that one side inserts among cells that the other one shifts', async (t) => {
  const theirs = all(op('rows.insert', { sheet: 'One', before: 10, count: 1 }), set('B15', 99));
  clean(t, { ours: insert('A3'), theirs }, (merged) => {
    const filled = merged.rows('A1:A25').flat();
    t.strictSame(
      filled.filter((input) => input !== null),
      Array.from({ length: 20 }, (_, at) => (at + 1) * 10 + 1),
    );
    t.equal(merged.read('B15'), 99);
  });
});
