import t from 'tap';

import { checkSame, hashOf, playHistories } from '../support/merge-histories.ts';
import { all, clean, kinds, op, play, set } from '../support/merge-play.ts';

// Names that one side changed: formulas of both sides go on naming the same thing, from both
// directions.

const base = all(
  op('name.set', { name: 'tax', formula: '=One!$B$2' }),
  op('table.create', {
    name: 'Sales',
    keyColumn: 'k',
    schema: { columns: [{ name: 'k' }, { name: 'v' }] },
    sheetRange: 'One!E1:F4',
  }),
  set('H1', '=tax'),
  set('H2', '=SUM(Sales[v])'),
);

t.test('a formula that was edited follows what the other side renamed', async (t) => {
  const edited = all(
    set('H1', '=tax*2'),
    set('H2', '=SUM(Sales[v])+1'),
    set('H3', '=tax&Sales[k]'),
  );
  const renames = [
    ['name.rename', { from: 'tax', to: 'vat' }, '=vat*2', '=SUM(Sales[v])+1', '=vat&Sales[k]'],
    ['table.rename', { table: 'Sales', name: 'Sold' }, '=tax*2', '=SUM(Sold[v])+1', '=tax&Sold[k]'],
    [
      'table.column.rename',
      { table: 'Sales', column: 'v', name: 'w' },
      '=tax*2',
      '=SUM(Sales[w])+1',
      '=tax&Sales[k]',
    ],
  ] as const;
  for (const [kind, payload, ...formulas] of renames) {
    clean(t, { base, ours: edited, theirs: op(kind, payload) }, (merged) => {
      t.strictSame(
        [0, 1, 2].map((row) => merged.read(`H${row + 1}`)),
        formulas,
        kind,
      );
    });
  }
});

t.test('two names for one thing are one conflict, and formulas say the one chosen', async (t) => {
  const renames = [
    [
      'name.value',
      (name: string) => op('name.rename', { from: 'tax', to: name }),
      'H1',
      (name: string) => `=${name}`,
    ],
    [
      'table.schema',
      (name: string) => op('table.rename', { table: 'Sales', name }),
      'H2',
      (name: string) => `=SUM(${name}[v])`,
    ],
    [
      'table.schema',
      (name: string) => op('table.column.rename', { table: 'Sales', column: 'v', name }),
      'H2',
      (name: string) => `=SUM(Sales[${name}])`,
    ],
  ] as const;
  for (const [kind, rename, cell, formula] of renames) {
    const driver = play({ base, ours: rename('mine'), theirs: rename('yours') });
    for (const [merge, mine, yours] of [
      [driver.merge.bind(driver), 'mine', 'yours'],
      [driver.mirror.bind(driver), 'yours', 'mine'],
    ] as const) {
      t.strictSame(kinds(merge()), [kind]);
      t.equal(merge().driver.read(cell), formula(mine));
      t.equal(merge({ otherwise: 'theirs' }).driver.read(cell), formula(yours));
    }
    const same = play({ base, ours: rename('same'), theirs: rename('same') });
    t.strictSame(kinds(same.merge()), []);
    t.strictSame(same.merge().parts, []);
  }
});

t.test('a column takes the name that another gives up', async (t) => {
  const shifted = all(
    op('table.column.rename', { table: 'Sales', column: 'v', name: 'w' }),
    op('table.column.rename', { table: 'Sales', column: 'k', name: 'v' }),
  );
  const named = all(set('H3', '=Sales[k]&Sales[v]'));
  clean(t, { base, ours: shifted, theirs: named }, (merged) => {
    t.equal(merged.read('H3'), '=Sales[v]&Sales[w]');
  });
});

t.test('a name of a sheet takes the place of the one renamed', async () => {
  const operation = (kind: string, payload: object) => ({ kind, payload });
  const theirs = [
    operation('name.set', { name: 'tax', formula: '=One!$A$1', scope: 'One' }),
    operation('name.rename', { from: 'tax', to: 'vat' }),
  ];
  const driver = playHistories({ base: [], ours: [], theirs });
  checkSame(driver.merge().driver.state, driver.theirs.state, 'a fast-forward is the source');
});

t.test('a cell that rows of the other side come to is contested as one of the table', async (t) => {
  const ours = set('F6', 'x');
  const theirs = op('rows.upsert', { table: 'Sales', rows: [{ k: 0 }, { k: 1, v: 'y' }] });
  const driver = play({ base: all(base, set('F5', null)), ours, theirs });
  for (const { conflicts } of [driver.merge(), driver.mirror()]) {
    t.strictSame(
      conflicts.map(({ contest: { kind, text, place } }) => [kind, text, place.key, place.field]),
      [['tablerow.cell', 'One!F6', 1, 'v']],
    );
  }
});

t.test('a table gets the name that another thing had', async (t) => {
  const theirs = all(
    op('name.delete', { name: 'tax' }),
    op('table.rename', { table: 'Sales', name: 'Tax' }),
  );
  clean(t, { base, ours: set('H3', '=MAX(Sales[v])'), theirs }, (merged) => {
    t.equal(merged.read('H2'), '=SUM(Tax[v])');
    t.equal(merged.read('H3'), '=MAX(Tax[v])', 'what the other side wrote goes on naming it');
  });
});

t.test(
  'a name that one side had mean another cell means that one, also when both are gone',
  async (t) => {
    const theirs = all(
      op('sheet.add', { name: 'Two' }),
      op('name.set', { name: 'tax', formula: '=One!$A$1' }),
      op('sheet.delete', { sheet: 'One' }),
    );
    const driver = play({
      base: op('name.set', { name: 'tax', ref: 'One!B2' }),
      ours: all(),
      theirs,
    });
    const { driver: merged, conflicts } = driver.merge();
    t.same(conflicts, []);
    t.equal(hashOf(merged.state), hashOf(driver.theirs.state));
  },
);

t.test('a new name that a sheet has for something else leaves the former one', async (t) => {
  // On that sheet a formula that says the new name would mean another cell.
  const theirs = all(
    set('H3', '=tax+1'),
    op('name.set', { name: 'vat', formula: '=One!$A$1', scope: 'One' }),
  );
  const ours = op('name.rename', { from: 'tax', to: 'vat' });
  clean(t, { base, ours, theirs }, (merged) => {
    const names = merged.state.nameSummaries().map(({ name, formula }) => `${name} ${formula}`);
    t.strictSame(names.toSorted(), ['tax =One!$B$2', 'vat =One!$A$1']);
    t.equal(merged.read('H1'), '=tax');
    t.equal(merged.read('H3'), '=tax+1');
  });
});

t.test('a name that is called otherwise and means another cell is merged once', async (t) => {
  const rename = op('name.rename', { from: 'tax', to: 'vat' });
  const driver = play({
    base,
    ours: op('name.set', { name: 'tax', formula: '=One!$A$1' }),
    theirs: rename,
  });
  const { driver: merged, conflicts } = driver.merge({ otherwise: 'theirs' });
  t.same(conflicts, []);
  const again = driver.mergeInto(merged.state, { otherwise: 'theirs' });
  t.same(kinds(again), [], 'the same merge once more asks nothing');
  checkSame(again.driver.state, merged.state, 'merging again did something');
  t.equal(again.driver.read('H1'), '=vat');
  const [vat] = again.driver.state.nameSummaries();
  t.equal(vat?.formula, '=One!$A$1');
});
