import t from 'tap';
import type { Mutation } from '../../../server/model/mutation.ts';
import { SheetList } from '../../../server/values/sheet-list.ts';

function listOf(...mutations: Mutation[]): SheetList {
  const list = new SheetList();
  for (const mutation of mutations) list.apply(mutation);
  return list;
}

const add = (sheet: number, name: string, index: number): Mutation => {
  return { kind: 'sheetAdd', sheet, name, index };
};

t.test('sheets are kept in tab order', async (t) => {
  const list = listOf(
    add(1, 'A', 0),
    add(2, 'B', 0),
    add(3, 'C', 1),
    { kind: 'sheetMove', sheet: 2, index: 2 },
    { kind: 'sheetRename', sheet: 3, name: 'Straße' },
    { kind: 'sheetDelete', sheet: 1 },
  );
  t.same(
    list.all.map(({ name }) => name),
    ['Straße', 'B'],
  );
  t.equal(list.named('STRASSE'), undefined);
  t.equal(list.named('straße')?.key, 3);
  t.equal(list.withKey(2)?.name, 'B');
});

t.test('the reach of the content follows every edit', async (t) => {
  const list = listOf(add(1, 'A', 0));
  const reach = (mutation: Mutation): number[] => {
    list.apply(mutation);
    const [sheet] = list.all;
    return [sheet?.rowCount ?? 0, sheet?.columnCount ?? 0];
  };
  const cell = (row: number, column: number, input: number | null): Mutation => {
    return { kind: 'cell', sheet: 1, row, column, input };
  };
  t.same(reach(cell(9, 2, 1)), [10, 3]);
  t.same(reach(cell(99, 99, null)), [10, 3], 'a blank reaches nowhere');
  t.same(reach({ kind: 'block', sheet: 1, row: 5, column: 5, inputs: [[1], [1, 2]] }), [10, 7]);
  const lines = { sheet: 1, axis: 'row' } as const;
  t.same(reach({ kind: 'insert', ...lines, from: 3, count: 5 }), [15, 7]);
  t.same(reach({ kind: 'insert', ...lines, from: 15, count: 5 }), [15, 7], 'below it');
  t.same(reach({ kind: 'delete', ...lines, from: 13, count: 10 }), [13, 7]);
  t.same(reach({ kind: 'delete', ...lines, from: 50, count: 10 }), [13, 7], 'below it');
  t.same(reach({ kind: 'move', ...lines, from: 0, count: 2, before: 30 }), [30, 7]);
  t.equal(list.grid, 210);
});
