import { readFile } from 'node:fs/promises';

import t from 'tap';

import { NodeStore } from '../support/node-store.ts';
import { all, clean, kinds, op, play, set } from '../support/merge-play.ts';

// Tricky merges, each tried in both directions where it is symmetric. Sheet One has numbers in
// A1:C20: row times ten plus column. There are forty of them; those that are about tables, about what
// only the merge brings about, and about policies, histories and reviews are in merge-tables.test.ts and
// in test/api/merge*.pg.test.ts. The last test here finds each by its title.

t.test('scenario 1: a row inserted above an edit', async (t) => {
  const ours = op('rows.insert', { sheet: 'One', before: 3, count: 1 });
  clean(t, { ours, theirs: set('C5', 9) }, (merged) => {
    t.equal(merged.read('C6'), 9);
    t.equal(merged.read('C7'), 63);
  });
});

t.test('scenario 2: a sheet renamed beside a formula that names it', async (t) => {
  const base = op('sheet.add', { name: 'Two' });
  const ours = op('sheet.rename', { sheet: 'One', name: 'Plan' });
  clean(t, { base, ours, theirs: set('A1', '=One!A1', 'Two') }, (merged) => {
    t.equal(merged.read('A1', 1), '=Plan!A1');
  });
});

t.test('scenario 3: a row deleted here and edited there', async (t) => {
  const driver = play({
    ours: op('rows.delete', { sheet: 'One', from: 5, count: 1 }),
    theirs: set('B5', 1),
  });
  for (const outcome of [driver.merge(), driver.mirror()]) {
    t.strictSame(kinds(outcome), ['row.edit_delete']);
  }
  const [conflict] = driver.merge().conflicts;
  t.equal(driver.merge().driver.read('B5'), 62, 'deleted unless somebody says keep');
  const kept = driver.merge({ choices: new Map([[conflict?.id ?? '', 'theirs']]) }).driver;
  t.strictSame(kept.rows('A4:C6'), [
    [41, 42, 43],
    [51, 1, 53],
    [61, 62, 63],
  ]);
  const mirrored = driver.mirror({ choices: new Map([[conflict?.id ?? '', 'theirs']]) }).driver;
  t.equal(mirrored.read('B5'), 62);
  t.equal(driver.mirror().driver.read('B5'), 1);
});

t.test('scenario 4: a row deleted here and only made bold there', async (t) => {
  const ours = op('rows.delete', { sheet: 'One', from: 5, count: 1 });
  const theirs = op('format.set', { sheet: 'One', range: 'B5', style: { bold: true } });
  clean(t, { ours, theirs }, (merged) => t.equal(merged.read('B5'), 62));
});

t.test('scenario 5: rows inserted in one place on both sides', async (t) => {
  const insert = (count: number) => op('rows.insert', { sheet: 'One', before: 4, count });
  const ours = all(insert(2), set('A4', 'x'), set('A5', 'x'));
  const theirs = all(insert(2), set('A4', 'y'), set('A5', 'y'));
  const driver = play({ ours, theirs });
  t.strictSame(driver.merge().driver.rows('A3:A8').flat(), [31, 'x', 'x', 'y', 'y', 41]);
  t.strictSame(driver.mirror().driver.rows('A3:A8').flat(), [31, 'y', 'y', 'x', 'x', 41]);
  t.strictSame(kinds(driver.merge()), []);
});

t.test('scenario 6: a range spans what both sides inserted', async (t) => {
  const ours = op('rows.insert', { sheet: 'One', before: 4, count: 3 });
  const theirs = all(
    op('rows.insert', { sheet: 'One', before: 4, count: 2 }),
    set('E1', '=SUM(A1:A12)'),
  );
  clean(t, { ours, theirs }, (merged) => t.equal(merged.read('E1'), '=SUM(A1:A15)'));
});

t.test('scenario 7: the same fill on both sides', async (t) => {
  const fill = op('range.fill', { sheet: 'One', range: 'D2:D20', input: '=B2*C2' });
  clean(t, { ours: fill, theirs: fill }, (merged) => t.equal(merged.read('D20'), '=B20*C20'));
});

t.test('scenario 8: a fill beside a row inserted and filled', async (t) => {
  const ours = op('range.fill', { sheet: 'One', range: 'D2:D19', input: '=B2*C2' });
  const theirs = all(
    op('rows.insert', { sheet: 'One', before: 10, count: 1 }),
    op('range.fill', { sheet: 'One', range: 'D2:D20', input: '=B2*C2' }),
  );
  clean(t, { ours, theirs }, (merged) => {
    t.equal(merged.read('D10'), '=B10*C10');
    t.equal(merged.read('D11'), '=B11*C11');
    t.equal(merged.read('D20'), '=B20*C20');
  });
});

t.test('scenario 9: a column deleted that a formula names', async (t) => {
  const ours = op('cols.delete', { sheet: 'One', from: 'B', count: 1 });
  clean(t, { ours, theirs: set('E1', '=B1+1') }, (merged) =>
    t.equal(merged.read('D1'), '=#REF!+1'),
  );
});

t.test('scenarios 10 to 13: what is the same, and what is not', async (t) => {
  clean(t, { ours: set('A1', 5), theirs: set('A1', 5) }, (merged) => t.equal(merged.read('A1'), 5));
  const types = play({ ours: set('A1', 5), theirs: set('A1', "'5") });
  t.strictSame(kinds(types.merge()), ['cell.value']);
  clean(t, { ours: set('A1', 0.1 + 0.2), theirs: set('A1', 0.30000000000000004) }, (merged) =>
    t.equal(merged.read('A1'), 0.1 + 0.2),
  );
  const clear = op('range.clear', { sheet: 'One', range: 'A1', what: ['values'] });
  clean(t, { ours: clear, theirs: set('A1', '') }, (merged) => t.equal(merged.read('A1'), null));
});

t.test('a cell that both sides edit is asked about, and any answer is taken', async (t) => {
  const driver = play({ ours: set('A1', '=B1'), theirs: set('A1', 7) });
  const outcome = driver.merge();
  const [conflict] = outcome.conflicts;
  t.strictSame(conflict?.contest.sides(), { base: 11, ours: '=B1', theirs: 7 });
  t.equal(outcome.driver.read('A1'), '=B1');
  const id = conflict?.id ?? '';
  const chosen = (choice: 'theirs' | 'base' | { input: string }) =>
    driver.merge({ choices: new Map([[id, choice]]) }).driver.read('A1');
  t.equal(chosen('theirs'), 7);
  t.equal(chosen('base'), 11);
  t.equal(chosen({ input: '=B1*2' }), '=B1*2');
  t.equal(driver.merge({ otherwise: 'theirs' }).driver.read('A1'), 7);
  t.equal(driver.mirror().conflicts[0]?.id, id, 'the same from both sides');
});

t.test('scenario 15: an edit travels with a row that is moved', async (t) => {
  const ours = op('rows.move', { sheet: 'One', from: 2, count: 2, before: 11 });
  clean(t, { ours, theirs: set('B2', 7) }, (merged) => {
    t.strictSame(merged.rows('A9:C10'), [
      [21, 7, 23],
      [31, 32, 33],
    ]);
  });
});

t.test('scenario 16: a row moved to two places', async (t) => {
  const to = (before: number) => op('rows.move', { sheet: 'One', from: 2, count: 1, before });
  const driver = play({ ours: to(11), theirs: to(19) });
  const outcome = driver.merge();
  t.strictSame(kinds(outcome), ['row.order']);
  t.equal(outcome.driver.read('A10'), 21, 'ours by default');
  const theirs = driver.merge({ otherwise: 'theirs' }).driver;
  t.equal(theirs.read('A18'), 21);
  t.equal(
    theirs
      .rows('A1:A20')
      .flat()
      .filter((value) => value === 21).length,
    1,
    'one copy',
  );
});

t.test('scenario 17: an edit follows a row that is sorted', async (t) => {
  const ours = op('range.sort', { sheet: 'One', range: '1:20', keys: [{ col: 'A', desc: true }] });
  clean(t, { ours, theirs: set('B2', 7) }, (merged) => t.equal(merged.read('B19'), 7));
});

t.test('scenario 18: sorted in two ways', async (t) => {
  const base = op('range.set', {
    sheet: 'One',
    range: 'D1:D20',
    inputs: Array.from({ length: 20 }, (_, row) => [(row * 7) % 20]),
  });
  const by = (col: string, desc: boolean) =>
    op('range.sort', { sheet: 'One', range: '1:20', keys: [{ col, desc }] });
  const driver = play({ base, ours: by('A', true), theirs: by('D', false) });
  t.strictSame(kinds(driver.merge()), ['sort.order']);
  t.equal(driver.merge().driver.read('A1'), 201);
  const theirs = driver.merge({ otherwise: 'theirs' }).driver;
  t.strictSame(
    theirs.rows('D1:D20').flat(),
    Array.from({ length: 20 }, (_, row) => row),
  );
});

t.test('scenario 19: an edit of a cell that is cut and pasted', async (t) => {
  const ours = op('range.move', { sheet: 'One', source: 'C1:C5', to: 'F1' });
  const theirs = all(set('C3', 9), set('H1', '=C3+$C$4'));
  clean(t, { ours, theirs }, (merged) => {
    t.strictSame(merged.rows('F1:F5').flat(), [13, 23, 9, 43, 53], 'lands where it went');
    t.strictSame(merged.rows('C1:C5').flat(), [null, null, null, null, null]);
    t.equal(merged.read('H1'), '=F3+$F$4', 'and so do references');
  });
  const both = play({ ours: all(ours, set('F3', 8)), theirs });
  for (const outcome of [both.merge(), both.mirror()]) {
    t.match(
      outcome.conflicts.map(({ contest }) => contest),
      [{ kind: 'cell.value', text: 'One!F3' }],
    );
  }
  const there = play({ ours, theirs: set('F3', 7) });
  t.strictSame(kinds(there.merge()), ['cell.value'], 'what it would cover is asked about');
  clean(t, { ours, theirs: set('H1', '=F3') }, (merged) =>
    t.equal(merged.read('H1'), '=F3', 'what it would cover is named all the same'),
  );
  const elsewhere = op('range.move', { sheet: 'One', source: 'C3:C6', to: 'H1' });
  const twice = play({ ours, theirs: elsewhere }).merge().driver;
  t.strictSame(twice.rows('F1:F2').flat(), [13, 23]);
  const back = op('range.move', { sheet: 'One', source: 'F1:F5', to: 'C1' });
  clean(t, { ours: all(ours, back), theirs: set('C3', 9) }, (merged) =>
    t.equal(merged.read('C3'), 9, 'what was moved back is where it was'),
  );
});

t.test('scenario 20: a sheet deleted here and edited there', async (t) => {
  const base = all(op('sheet.add', { name: 'Two' }), set('A1', 1, 'Two'), set('A2', 2, 'Two'));
  const ours = op('sheet.delete', { sheet: 'Two' });
  const driver = play({ base, ours, theirs: set('A1', 3, 'Two') });
  t.strictSame(kinds(driver.merge()), ['sheet.edit_delete']);
  t.strictSame(kinds(driver.mirror()), ['sheet.edit_delete']);
  const kept = driver.merge({ otherwise: 'theirs' }).driver;
  t.strictSame(kept.rows('A1:A2', 1).flat(), [3, 2]);
  t.equal(driver.mirror().driver.read('A1', 1), 3);
  t.equal(driver.mirror({ otherwise: 'theirs' }).driver.state.structure.sheets.length, 1);
});

t.test('scenario 21: a sheet deleted that a new formula names', async (t) => {
  const base = op('sheet.add', { name: 'Two' });
  const ours = op('sheet.delete', { sheet: 'Two' });
  clean(t, { base, ours, theirs: set('E1', '=Two!A1') }, (merged) =>
    t.equal(merged.read('E1'), '=#REF!'),
  );
});

t.test('scenario 22: a name redefined beside a row inserted above what it names', async (t) => {
  const base = op('name.set', { name: 'tax', formula: '=One!$A$1' });
  const ours = op('rows.insert', { sheet: 'One', before: 1, count: 1 });
  const theirs = op('name.set', { name: 'tax', formula: '=One!$B$1' });
  clean(t, { base, ours, theirs }, ({ state }) =>
    t.equal(state.nameSummaries()[0]?.formula, '=One!$B$2'),
  );
});

t.test('scenario 23: one name for two things', async (t) => {
  const name = (formula: string) => op('name.set', { name: 'X', formula });
  const driver = play({ ours: name('=One!$A$1'), theirs: name('=One!$B$1') });
  t.strictSame(kinds(driver.merge()), ['name.collision']);
  const theirs = driver.merge({ otherwise: 'theirs' }).driver.state.nameSummaries();
  t.equal(theirs[0]?.formula, '=One!$B$1');
});

t.test('scenario 24: two sheets get one name', async (t) => {
  const base = op('sheet.add', { name: 'Two' });
  const ours = op('sheet.rename', { sheet: 'One', name: 'C' });
  const theirs = op('sheet.rename', { sheet: 'Two', name: 'C' });
  const driver = play({ base, ours, theirs });
  t.strictSame(kinds(driver.merge()), ['sheet.rename']);
  t.strictSame(
    driver.merge().driver.state.structure.sheets.map(({ name }) => name),
    ['C', 'Two'],
  );
});

t.test('scenario 37: a row and an edit among very many write next to nothing', async (t) => {
  const fill = { sheet: 'One', range: 'E1:E500000', input: 7 };
  const driver = play({
    base: op('range.fill', fill),
    ours: op('rows.insert', { sheet: 'One', before: 2, count: 1 }),
    theirs: set('E400000', 8),
  });
  for (const [side, outcome] of [
    [driver.ours, driver.merge()],
    [driver.theirs, driver.mirror()],
  ] as const) {
    const store = new NodeStore();
    store.save(side.state);
    store.written.clear();
    store.save(outcome.driver.state);
    t.ok((store.written.get('block') ?? 0) <= 2);
    t.ok((store.written.get('order') ?? 0) <= 1);
    t.equal(outcome.driver.read('E400001'), 8);
  }
});

t.test('scenario 38: the same row deleted, and one inserted after it', async (t) => {
  const ours = op('rows.delete', { sheet: 'One', from: 5, count: 1 });
  const theirs = all(
    op('rows.insert', { sheet: 'One', after: 5, count: 1 }),
    set('A6', 'new'),
    op('rows.delete', { sheet: 'One', from: 5, count: 1 }),
  );
  clean(t, { ours, theirs }, (merged) =>
    t.strictSame(merged.rows('A4:A6').flat(), [41, 'new', 61]),
  );
});

t.test('scenario 39: a rule grows beside rows that are deleted', async (t) => {
  const rule = (ranges: string[]) =>
    op('cf.set', {
      id: 'cf_1',
      sheet: 'One',
      ranges,
      rule: { type: 'expression', formula1: '=A1>1' },
      style: { bold: true },
    });
  const base = rule(['A1:A10']);
  const ours = rule(['A1:A20']);
  const theirs = op('rows.delete', { sheet: 'One', from: 5, count: 2 });
  clean(t, { base, ours, theirs }, ({ state }) => {
    const [sheet] = state.structure.sheets;
    if (!sheet) throw new Error('no sheet');
    const ranges = state.records
      .on('cf', sheet)
      .flatMap((record) => state.records.rangesOf(record, sheet));
    t.strictSame(ranges, [{ row0: 0, row1: 17, column0: 0, column1: 0 }]);
  });
});

const scenarioFiles = [
  'merge-tables.test.js',
  'merge-scenarios.test.js',
  ...['merge-findings', 'merge-scenarios', 'merge-units', 'merges'].map(
    (name) => `../api/${name}.pg.test.js`,
  ),
];

t.test('each of the forty scenarios is somewhere', async (t) => {
  const found = new Set<number>();
  for (const file of scenarioFiles) {
    const text = await readFile(new URL(file, import.meta.url), 'utf8');
    for (const [, first, last = first] of text.matchAll(/'scenarios? (\d+)(?: to (\d+))?:/gu)) {
      for (let number = Number(first); number <= Number(last); number++) found.add(number);
    }
  }
  const missing = Array.from({ length: 40 }, (_, at) => at + 1).filter((one) => !found.has(one));
  t.same(missing, []);
});
