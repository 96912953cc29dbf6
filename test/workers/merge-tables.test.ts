import t from 'tap';

import type { Choice } from '../../server/state/merge/judge.ts';
import type { MergeOutcome } from '../support/merge-driver.ts';
import { all, clean, kinds, op, play, set, tableRows, type Edit } from '../support/merge-play.ts';

// Changes of both sides to keyed tables. The table Items is on a sheet of its own.

const integer = { type: 'integer' };

function items(...columns: object[]): Edit {
  const schema = { columns: [{ name: 'k', type: 'text' }, ...columns] };
  return op('table.create', { name: 'Items', keyColumn: 'k', schema });
}

function upsert(...rows: object[]): Edit {
  return op('rows.upsert', { table: 'Items', rows });
}

const drop = (column: string) => op('table.column.drop', { table: 'Items', column });
const alter = (column: string, more: object) =>
  op('table.column.alter', { table: 'Items', column, ...more });
const rename = (column: string, name: string) =>
  op('table.column.rename', { table: 'Items', column, name });
const add = (column: string, more: object = {}) =>
  op('table.column.add', { table: 'Items', column, ...more });

const abc = items({ name: 'a', ...integer }, { name: 'b', ...integer }, { name: 'c', ...integer });
const started = all(abc, upsert({ k: 'x', a: 1, b: 2, c: 3 }, { k: 'y', a: 4, b: 5, c: 6 }));

const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** Chooses for all that is contested. */
function chosen({ conflicts }: MergeOutcome, choice: Choice): { choices: Map<string, Choice> } {
  return { choices: new Map(conflicts.map(({ id }) => [id, choice])) };
}

t.test('scenario 26: a column added beside a row inserted without it', async (t) => {
  const theirs = upsert({ k: 'z', a: 7 });
  clean(t, { base: started, ours: add('d', integer), theirs }, (merged) =>
    t.strictSame(tableRows(merged, 'Items').at(-1), { k: 'z', a: 7, b: null, c: null, d: null }),
  );
  clean(t, { base: started, ours: add('d', { ...integer, default: 9 }), theirs }, (merged) =>
    t.strictSame(
      tableRows(merged, 'Items').map(({ d }) => d),
      [9, 9, 9],
    ),
  );
  clean(t, { base: started, ours: add('d', { formula: '=[@a]*2' }), theirs }, (merged) =>
    t.strictSame(tableRows(merged, 'Items').at(-1)?.['d'], '=[@a]*2'),
  );
});

t.test('scenario 27: a column dropped here and written to there', async (t) => {
  const driver = play({ base: started, ours: drop('c'), theirs: upsert({ k: 'x', c: 33 }) });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), ['col.edit_delete']);
  }
  t.strictSame(tableRows(driver.merge().driver, 'Items')[0], { k: 'x', a: 1, b: 2 });
  const kept = driver.merge({ otherwise: 'theirs' }).driver;
  t.strictSame(tableRows(kept, 'Items'), [
    { k: 'x', a: 1, b: 2, c: 33 },
    { k: 'y', a: 4, b: 5, c: 6 },
  ]);
  const same = upsert({ k: 'x', c: 3, a: 8 });
  clean(t, { base: started, ours: drop('c'), theirs: same }, (merged) =>
    t.strictSame(tableRows(merged, 'Items')[0], { k: 'x', a: 8, b: 2 }),
  );
});

t.test('scenario 28: one key inserted on both sides', async (t) => {
  const both = { base: abc, ours: upsert({ k: 'K', a: 1 }), theirs: upsert({ k: 'K', b: 2 }) };
  clean(t, both, (merged) =>
    t.strictSame(tableRows(merged, 'Items'), [{ k: 'K', a: 1, b: 2, c: null }]),
  );
  const ours = upsert({ k: 'J', a: 9 }, { k: 'K', a: 1, c: 5 });
  const driver = play({ base: abc, ours, theirs: upsert({ k: 'K', a: 2, b: 3 }) });
  const [outcome, mirrored] = [driver.merge(), driver.mirror()];
  t.strictSame(kinds(outcome), ['tablerow.insert_insert']);
  t.strictSame(kinds(mirrored), ['tablerow.insert_insert']);
  t.equal(mirrored.conflicts[0]?.id, outcome.conflicts[0]?.id, 'the same from both sides');
  t.strictSame(outcome.conflicts[0]?.contest.sides(), {
    base: undefined,
    ours: { k: 'K', a: 1, b: null, c: 5 },
    theirs: { k: 'K', a: 2, b: 3, c: null },
  });
  const row = (choice: Choice, key = 'K') => {
    const merged = driver.merge(chosen(outcome, choice)).driver;
    return tableRows(merged, 'Items').filter(({ k }) => k === key);
  };
  t.strictSame(row('ours'), [{ k: 'K', a: 1, b: null, c: 5 }]);
  t.strictSame(row('theirs'), [{ k: 'K', a: 2, b: 3, c: null }]);
  t.strictSame(row({ combine: 'ours' }), [{ k: 'K', a: 1, b: 3, c: 5 }]);
  t.strictSame(row({ combine: 'theirs' }), [{ k: 'K', a: 2, b: 3, c: 5 }]);
  t.strictSame(row({ rekey: 'theirs', newKey: 'K2' }), [{ k: 'K', a: 1, b: null, c: 5 }]);
  t.strictSame(row({ rekey: 'theirs', newKey: 'K2' }, 'K2'), [{ k: 'K2', a: 2, b: 3, c: null }]);
  t.strictSame(row({ rekey: 'ours', newKey: 'K2' }), [{ k: 'K', a: 2, b: 3, c: null }]);
  t.strictSame(row({ rekey: 'ours', newKey: 'K2' }, 'K2'), [{ k: 'K2', a: 1, b: null, c: 5 }]);
});

t.test('rows that both sides add under keys of their own are all there', async (t) => {
  const ours = upsert({ k: 'o1', a: 1 }, { k: 'both', a: 2 }, { k: 'o2', a: 3 });
  const theirs = upsert({ k: 'both', a: 2 }, { k: 't1', a: 4 }, { k: 't2', a: 5 });
  const notes = op('note.set', { sheet: 'Items', a1: 'B6', text: 'of t2' });
  const formula = set('E1', '=Items!B6');
  const driver = play({ base: started, ours, theirs: all(theirs, notes, formula) });
  const keys = (outcome: MergeOutcome) => tableRows(outcome.driver, 'Items').map(({ k }) => k);
  t.strictSame(kinds(driver.merge()), []);
  t.strictSame(keys(driver.merge()), ['x', 'y', 'o1', 'both', 'o2', 't1', 't2']);
  t.strictSame(keys(driver.mirror()), ['x', 'y', 'both', 't1', 't2', 'o1', 'o2']);
  const { driver: merged } = driver.merge();
  t.equal(merged.read('E1'), '=Items!B8', 'what names a cell of a row follows it');
  const sheet = merged.state.structure.named('Items');
  if (!sheet) throw new Error('no sheet');
  const found = merged.state.records.on('note', sheet);
  const places = found.flatMap((note) => merged.state.records.rangesOf(note, sheet));
  t.match(places, [{ row0: 7, column0: 1 }], 'and its note');
  const again = driver.mergeInto(merged.state);
  t.strictSame(again.parts, [], 'merged once more does nothing');
});

t.test('rows are told apart where something stands below the table', async (t) => {
  const base = all(
    started,
    op('cells.set', { sheet: 'Items', cells: [{ a1: 'A6', input: 'end' }] }),
  );
  const ours = upsert({ k: 'o1', a: 1 }, { k: 'o2', a: 2 });
  clean(t, { base, ours, theirs: upsert({ k: 't1', a: 3 }) }, (merged) => {
    const keys = tableRows(merged, 'Items').map(({ k }) => String(k));
    t.strictSame(keys.toSorted(byText), ['o1', 'o2', 't1', 'x', 'y']);
    const below = merged.rows('A6:A9', 1).flat();
    t.equal(below.filter((value) => value === 'end').length, 1, 'what stood below still does');
  });
});

t.test('rows that were put elsewhere are known again by later merges', async (t) => {
  const driver = play({
    base: started,
    ours: upsert({ k: 'o', a: 1 }),
    theirs: upsert({ k: 't', a: 2 }),
  });
  const { driver: merged } = driver.merge();
  const before = driver.theirs.state;
  // The source goes on with the row that has the place of another one in the target.
  const later = driver.theirs.state.fork();
  driver.theirs.take(later);
  driver.theirs.apply('rows.upsert', { table: 'Items', rows: [{ k: 't', b: 7 }] });
  const second = driver.mergeFrom(before, merged.state, later);
  t.strictSame(kinds(second), []);
  t.strictSame(
    tableRows(second.driver, 'Items').map(({ k, a, b }) => [k, a, b]),
    [
      ['x', 1, 2],
      ['y', 4, 5],
      ['o', 1, null],
      ['t', 2, 7],
    ],
  );
  const back = driver.mergeFrom(before, later, merged.state);
  t.strictSame(kinds(back), []);
  t.strictSame(
    tableRows(back.driver, 'Items')
      .map(({ k, b }) => [k, b])
      .slice(2),
    [
      ['o', null],
      ['t', 7],
    ],
  );
});

t.test('a row that is there is contested cell by cell', async (t) => {
  const driver = play({
    base: started,
    ours: upsert({ k: 'x', a: 12 }),
    theirs: upsert({ k: 'x', a: 11, b: 9 }),
  });
  const { conflicts, driver: merged } = driver.merge();
  t.match(
    conflicts.map(({ contest }) => contest),
    [{ kind: 'tablerow.cell', place: { key: 'x', field: 'a' } }],
  );
  t.strictSame(conflicts[0]?.contest.sides(), { base: 1, ours: 12, theirs: 11 });
  t.strictSame(tableRows(merged, 'Items')[0], { k: 'x', a: 12, b: 9, c: 3 });
  const gone = op('rows.delete', { table: 'Items', keys: ['x'] });
  const deleted = play({ base: started, ours: gone, theirs: upsert({ k: 'x', a: 11 }) });
  for (const outcome of [deleted.merge(), deleted.mirror()]) {
    t.match(
      outcome.conflicts.map(({ contest }) => contest),
      [{ kind: 'tablerow.edit_delete', place: { key: 'x' } }],
    );
  }
  const kept = deleted.merge({ otherwise: 'theirs' }).driver;
  t.strictSame(tableRows(kept, 'Items')[0], { k: 'x', a: 11, b: 2, c: 3 });
});

t.test('scenario 29: a column that gets two types', async (t) => {
  const driver = play({
    base: started,
    ours: all(alter('c', { type: 'number' }), alter('a', { default: 1 })),
    theirs: all(alter('c', { type: 'text' }), rename('b', 'bb')),
  });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.match(
      outcome.conflicts.map(({ contest }) => contest),
      [{ kind: 'table.schema', subtype: 'alter_alter', place: { field: 'c' } }],
    );
    const { state } = outcome.driver;
    const columns = state.tables.named('Items')?.columns;
    t.match(columns, [{ name: 'k' }, { name: 'a', default: 1 }, { name: 'bb' }, { name: 'c' }]);
  }
  const number = driver.merge().driver;
  t.match(number.state.tables.named('Items')?.columns[3], { type: 'number' });
  t.strictSame(tableRows(number, 'Items')[0], { k: 'x', a: 1, bb: 2, c: 3 });
  const text = driver.merge({ otherwise: 'theirs' }).driver;
  t.match(text.state.tables.named('Items')?.columns[3], { type: 'text' });
  t.strictSame(tableRows(text, 'Items')[0], { k: 'x', a: 1, bb: 2, c: '3' });
});

t.test('a wider type is taken, and values become what they are to be', async (t) => {
  const theirs = upsert({ k: 'z', c: 8 });
  clean(t, { base: started, ours: alter('c', { type: 'number' }), theirs }, (merged) =>
    t.equal(tableRows(merged, 'Items').at(-1)?.['c'], 8),
  );
  const wide = { base: started, ours: alter('c', { type: 'number' }) };
  clean(t, { ...wide, theirs: alter('c', { type: 'any' }) }, ({ state }) =>
    t.equal(state.tables.named('Items')?.columns[3]?.type, undefined),
  );
  clean(t, { base: started, ours: alter('c', { type: 'text' }), theirs }, (merged) =>
    t.strictSame(
      tableRows(merged, 'Items').map(({ c }) => c),
      ['3', '6', '8'],
    ),
  );
});

t.test('columns of both sides', async (t) => {
  const value = (column: string, input: number) => upsert({ k: 'x', [column]: input });
  const names = ({ driver: { state } }: MergeOutcome) =>
    state.tables.named('Items')?.columns.map(({ name }) => name);
  const two = play({
    base: started,
    ours: all(add('d', integer), value('d', 1)),
    theirs: all(add('e', integer), value('e', 2)),
  });
  for (const outcome of [two.merge(), two.mirror()]) {
    t.strictSame(kinds(outcome), []);
    t.match(tableRows(outcome.driver, 'Items')[0], { k: 'x', c: 3, d: 1, e: 2 });
  }
  const same = play({
    base: started,
    ours: all(add('d', integer), value('d', 1)),
    theirs: all(add('d', integer), upsert({ k: 'y', d: 2 })),
  });
  for (const outcome of [same.merge(), same.mirror()]) {
    t.strictSame(kinds(outcome), []);
    t.strictSame(names(outcome), ['k', 'a', 'b', 'c', 'd']);
    t.strictSame(
      tableRows(outcome.driver, 'Items').map(({ d }) => d),
      [1, 2],
    );
  }
  const types = play({
    base: started,
    ours: add('d', integer),
    theirs: add('d', { type: 'text' }),
  });
  t.match(
    types.merge().conflicts.map(({ contest }) => contest),
    [{ kind: 'table.schema', subtype: 'add_add' }],
  );
  const renamed = play({ base: started, ours: rename('c', 'c1'), theirs: rename('c', 'c2') });
  t.match(
    renamed.merge().conflicts.map(({ contest }) => contest),
    [{ kind: 'table.schema', subtype: 'rename' }],
  );
  t.strictSame(names(renamed.merge({ otherwise: 'theirs' })), ['k', 'a', 'b', 'c2']);
  t.equal(renamed.merge({ otherwise: 'theirs' }).driver.read('D1', 1), 'c2');
  const dropped = { base: started, ours: drop('c'), theirs: drop('c') };
  clean(t, dropped, ({ state }) => t.equal(state.tables.named('Items')?.columns.length, 3));
  const altered = play({ base: started, ours: drop('c'), theirs: alter('c', { type: 'text' }) });
  t.strictSame(kinds(altered.merge()), ['col.edit_delete']);
  t.strictSame(names(altered.merge({ otherwise: 'theirs' })), ['k', 'a', 'b', 'c']);
});

t.test('two keys for one table', async (t) => {
  const key = (keyColumn: string) => op('table.key.change', { table: 'Items', keyColumn });
  const driver = play({ base: started, ours: key('a'), theirs: key('b') });
  t.strictSame(kinds(driver.merge()), ['table.key']);
  clean(t, { base: started, ours: key('a'), theirs: key('a') }, ({ state }) => {
    const table = state.tables.named('Items');
    t.equal(table?.columns.find(({ id }) => id === table.key)?.name, 'a');
  });
});

t.test('a table dropped here and written to there', async (t) => {
  const gone = op('table.drop', { table: 'Items' });
  const driver = play({ base: started, ours: gone, theirs: upsert({ k: 'x', a: 5 }) });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), ['sheet.edit_delete']);
  }
  const kept = driver.merge({ otherwise: 'theirs' }).driver;
  t.strictSame(tableRows(kept, 'Items')[0], { k: 'x', a: 5, b: 2, c: 3 });
});

t.test('a table on a sheet of others dropped here and changed there', async (t) => {
  const base = op('table.create', {
    name: 'Items',
    keyColumn: 'k',
    schema: { columns: [{ name: 'k' }, { name: 'a' }] },
    sheetRange: 'One!E1:F4',
  });
  const rows = upsert({ k: 'x', a: 1 }, { k: 'y', a: 2 });
  const names = ({ state }: MergeOutcome['driver']) => state.tables.all.map(({ name }) => name);
  for (const [theirs, keepCells] of [
    [upsert({ k: 'x', a: 5 }), false],
    [upsert({ k: 'z' }), false],
    [rename('a', 'b'), false],
    [rename('a', 'b'), true],
  ] as const) {
    const ours = op('table.drop', { table: 'Items', keepCells });
    const driver = play({ base: all(base, rows), ours, theirs });
    const [held, left] = [driver.theirs.rows('E1:F5'), driver.ours.rows('E1:F5')];
    for (const [merge, kept, dropped] of [
      [driver.merge.bind(driver), 'theirs', 'ours'],
      [driver.mirror.bind(driver), 'ours', 'theirs'],
    ] as const) {
      t.strictSame(kinds(merge()), ['table.edit_drop']);
      t.strictSame(merge({ otherwise: kept }).driver.rows('E1:F5'), held);
      t.strictSame(names(merge({ otherwise: kept }).driver), ['Items']);
      t.strictSame(names(merge({ otherwise: dropped }).driver), []);
      const after = merge({ otherwise: dropped }).driver.rows('E1:F5');
      if (!keepCells) t.strictSame(after, left);
    }
  }
  const loose = op('table.drop', { table: 'Items', keepCells: true });
  clean(t, { base: all(base, rows), ours: loose, theirs: set('F2', 9) }, (merged) => {
    t.strictSame([names(merged), merged.read('F2')], [[], 9], 'its cells are cells as others');
  });
});

t.test('a table that each side shifted its own way goes by both shifts', async (t) => {
  const base = op('table.create', {
    name: 'Items',
    keyColumn: 'k',
    schema: { columns: [{ name: 'k' }, { name: 'a' }] },
    sheetRange: 'One!F1:G4',
  });
  const ours = op('range.insert', { sheet: 'One', range: 'E1:E4', shift: 'right' });
  const left = (range: string) => op('range.delete', { sheet: 'One', range, shift: 'left' });
  for (const [range, header] of [
    ['E1:E4', 'F1:G1'],
    ['D1:E4', 'E1:F1'],
  ] as const) {
    clean(t, { base, ours, theirs: left(range) }, (merged) => {
      t.strictSame(merged.rows(header), [['k', 'a']], 'its names are above its columns');
    });
  }
});

t.test('rows are put where the other side deleted the line of one', async (t) => {
  const base = op('table.create', {
    name: 'Items',
    keyColumn: 'k',
    schema: { columns: [{ name: 'k' }, { name: 'a' }] },
    sheetRange: 'One!E1:F4',
  });
  const row = (k: number, a: number) => ({ k, a });
  const remove = (...keys: number[]) => op('rows.delete', { table: 'Items', keys });
  const ours = all(
    upsert(row(0, 9), row(1, 9)),
    remove(0, 1),
    upsert(row(3, 0), row(1, 0), row(4, 9), row(0, 0)),
  );
  const theirs = all(upsert(row(0, 9), row(1, 9), row(4, 9), row(3, 0)), remove(4));
  const driver = play({ base, ours, theirs });
  for (const [outcome, a] of [
    [driver.merge(), 0],
    [driver.mirror(), 9],
  ] as const) {
    t.strictSame(kinds(outcome), ['tablerow.insert_insert', 'tablerow.insert_insert']);
    const rows = tableRows(outcome.driver, 'Items').toSorted(
      (x, y) => Number(x['k']) - Number(y['k']),
    );
    t.strictSame(rows, [row(0, a), row(1, a), row(3, 0), row(4, 9)]);
  }
});

t.test('of two columns that have one name the older one keeps it, in formulas too', async (t) => {
  const theirs = all(drop('c'), add('C', { formula: '=[@a]+1' }), add('d', { formula: '=[@C]*2' }));
  const driver = play({ base: started, ours: upsert({ k: 'x', c: 33 }), theirs });
  for (const outcome of [driver.merge(), driver.mirror({ otherwise: 'theirs' })]) {
    t.strictSame(kinds(outcome), ['col.edit_delete']);
    const row = { k: 'x', a: 1, b: 2, c: 33, C2: '=[@a]+1', d: '=[@C2]*2' };
    t.strictSame(tableRows(outcome.driver, 'Items')[0], row);
  }
});
