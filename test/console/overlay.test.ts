import t from 'tap';

import {
  selectionOf,
  shiftedSelection,
  type FollowedShift,
} from '../../client/console/grid/selection.ts';
import { NewsList, usedWith } from '../../client/console/sheet/news.ts';
import {
  cellsOf,
  placeOf,
  shiftedLayer,
  textAbove,
  toldOf,
  typedOf,
  type Op,
} from '../../client/console/store/overlay.ts';
import { splitOp } from '../../client/console/store/split-op.ts';

/** A typed text is shown until the service has calculated it, and a large one is sent in pieces. */

const cells: Op = {
  kind: 'cells.set',
  payload: { sheet: 's1', cells: [{ a1: 'B2', input: '5' }, { a1: 'C3' }] },
};
const block: Op = {
  kind: 'range.set',
  payload: {
    sheet: 's1',
    range: 'A1:B2',
    inputs: [
      ['1', null],
      ['=A1', true],
    ],
  },
};

t.test('operations show what they write by themselves', (t) => {
  t.same([...cellsOf(cells)], [['1:1', '5']]);
  t.same(
    [...cellsOf(block)],
    [
      ['0:0', '1'],
      ['1:0', '=A1'],
      ['1:1', 'TRUE'],
    ],
  );
  const clear = { kind: 'range.clear', payload: { range: 'A1:A2', what: ['values'] } };
  t.same(
    [...cellsOf(clear)],
    [
      ['0:0', ''],
      ['1:0', ''],
    ],
  );
  t.equal(cellsOf({ kind: 'range.clear', payload: { range: 'A1', what: ['notes'] } }).size, 0);
  t.equal(cellsOf({ kind: 'range.clear', payload: { range: 'A:Z' } }).size, 0, 'too many to list');
  t.equal(cellsOf({ kind: 'rows.insert', payload: { before: 1 } }).size, 0);
  t.equal(toldOf(cells), 'B2 = 5 and 1 more cells');
  t.equal(toldOf(block), 'paste into A1:B2');
  t.equal(typedOf(block), '1\t\n=A1\tTRUE');
  t.same(placeOf(block), { row: 0, column: 0 });
  t.same(usedWith({ row0: 1, row1: 1, column0: 1, column1: 1 }, [block]), {
    row0: 0,
    row1: 1,
    column0: 0,
    column1: 1,
  });
  t.end();
});

t.test('the latest layer counts, until a block is as new as its operation', (t) => {
  const layer = (id: string, text: string, seq?: number) => ({
    id,
    sheet: 's1',
    cells: new Map([['1:1', text]]),
    seq,
  });
  const layers = [layer('a', 'old', 5), layer('b', 'new')];
  const at = { row: 1, column: 1 };
  t.equal(textAbove(layers, at, 9), 'new');
  t.equal(textAbove(layers.slice(0, 1), at, 4), 'old');
  t.equal(textAbove(layers.slice(0, 1), at, 5), undefined);
  t.equal(textAbove(layers, { row: 2, column: 1 }, 0), undefined);
  const moved = shiftedLayer(layer('a', 'x'), [
    { kind: 'insert', axis: 'row', at: 0, count: 3 },
    { kind: 'delete', axis: 'column', at: 0, count: 1 },
  ]);
  t.same([...moved.cells], [['4:0', 'x']]);
  t.equal(shiftedLayer(moved, [{ kind: 'delete', axis: 'row', at: 4, count: 1 }]).cells.size, 0);
  t.end();
});

t.test('a large paste goes in pieces that together are the whole', (t) => {
  const inputs = Array.from({ length: 500 }, (_, row) =>
    Array.from({ length: 30 }, (_, column) => `${row}/${column} ${'x'.repeat(40)}`),
  );
  const whole: Op = { kind: 'range.set', payload: { sheet: 's1', range: 'C3:AF502', inputs } };
  const pieces = splitOp(whole);
  t.ok(pieces.length > 1);
  t.ok(pieces.every(({ payload }) => JSON.stringify(payload).length < 310_000));
  const together = new Map(pieces.flatMap((piece) => [...cellsOf(piece)]));
  t.same(together, cellsOf(whole));
  const row = [Array.from({ length: 20 }, () => 'y'.repeat(32_767))];
  const wide = splitOp({ kind: 'range.set', payload: { range: 'A1:T1', inputs: row } });
  t.ok(wide.length > 1, 'a row that is too large goes in pieces as well');
  t.same(splitOp(cells), [cells]);
  t.end();
});

t.test('addresses are those of the lines that are shown', (t) => {
  const news = new NewsList();
  t.equal(news.addressSeq(4, 4), 4);
  news.add([
    { seq: 5, ...cells },
    { seq: 6, kind: 'rows.insert', payload: { sheet: 's1', before: 1 } },
  ]);
  t.ok(news.areCells(4, 5));
  t.notOk(news.areCells(4, 6));
  t.notOk(news.areCells(3, 5), 'an operation is missing');
  t.equal(news.addressSeq(4, 6), 5, 'the row is not shown yet');
  t.same(news.shifts(['s1'], 4, 6), [
    { kind: 'insert', axis: 'row', at: 0, count: 1, isOwn: false },
  ]);
  t.same(news.shifts(['s2'], 4, 6), []);
  news.shown(6);
  t.equal(news.addressSeq(6, 6), 6);
  t.end();
});

t.test('a selection goes along with lines of others, and stays on those put in here', (t) => {
  const insert = (at: number, isOwn: boolean): FollowedShift => {
    return { kind: 'insert', axis: 'row', at, count: 2, isOwn };
  };
  const rowsOf = (shifts: readonly FollowedShift[]) => {
    const { selection } = shiftedSelection(selectionOf(4, 0), shifts);
    return selection.active.row;
  };
  t.equal(rowsOf([insert(4, false)]), 6);
  t.equal(rowsOf([insert(4, true)]), 4);
  t.equal(rowsOf([insert(1, true)]), 6, 'lines of its own above push it along');
  t.equal(rowsOf([insert(1, false), insert(6, true)]), 6, 'where it is by then');
  t.equal(rowsOf([insert(4, true), insert(0, false)]), 6);
  t.end();
});
