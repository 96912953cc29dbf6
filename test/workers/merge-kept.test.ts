import t from 'tap';

import type { CellPlace } from '../../server/state/cells/cell-coding.ts';
import type { MergeDriver } from '../support/merge-driver.ts';
import { checkSame } from '../support/merge-histories.ts';
import { all, kinds, op, play, set } from '../support/merge-play.ts';

// Deletions on one side of lines and sheets that formulas of the other side name: the merge keeps
// them where somebody chose so, the same from both directions.

/** Where a cell of the first sheet of theirs stands. */
function theirPlace({ theirs }: MergeDriver, row: number, column: number): CellPlace {
  const [sheet] = theirs.state.structure.sheets;
  if (!sheet) throw new Error('no sheet');
  return { sheetId: sheet.id, row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
}

t.test('scenario 9: the column is kept for the formula, with all that named it', async (t) => {
  const base = all(set('D2', '=SUM(B1:B3)'), op('name.set', { name: 'tax', formula: '=One!$B$2' }));
  const ours = all(set('B9', 'gone'), op('cols.delete', { sheet: 'One', from: 'B', count: 1 }));
  const theirs = all(
    op('rows.delete', { sheet: 'One', from: 20, count: 1 }),
    set('E1', '=SUM(B1:B4)'),
  );
  const driver = play({ base, ours: all(ours, set('C5', 'own')), theirs });
  const keep = theirPlace(driver, 0, 4);
  for (const { driver: merged, conflicts } of [driver.merge({ keep }), driver.mirror({ keep })]) {
    t.same(conflicts, []);
    t.strictSame(merged.rows('A4:E5'), [
      [41, 42, 43, null, null],
      [51, 52, 53, 'own', null],
    ]);
    t.equal(merged.read('E1'), '=SUM(B1:B4)');
    t.equal(merged.read('D2'), '=SUM(B1:B3)');
    t.equal(merged.read('B9'), 92);
    t.equal(merged.state.nameSummaries()[0]?.formula, '=One!$B$2');
    t.equal(merged.read('A20'), null, 'all else is deleted as it was');
  }
  t.doesNotThrow(() =>
    checkSame(driver.merge({ keep }).driver.state, driver.mirror({ keep }).driver.state, 'both'),
  );
  const elsewhere = theirPlace(driver, 0, 5);
  t.equal(
    driver.merge({ keep: elsewhere }).driver.read('D1'),
    '=SUM(#REF!)',
    'no formula, nothing kept',
  );
});

t.test('rows that a formula names are kept, and are not asked about', async (t) => {
  const ours = op('rows.delete', { sheet: 'One', from: 3, count: 4 });
  const driver = play({ ours, theirs: all(set('B4', 'new'), set('E9', '=A4+A5+A8')) });
  const keep = theirPlace(driver, 8, 4);
  t.strictSame(kinds(driver.merge()), ['row.edit_delete']);
  for (const outcome of [driver.merge({ keep }), driver.mirror({ keep })]) {
    t.strictSame(kinds(outcome), []);
    const { driver: merged } = outcome;
    t.strictSame(merged.rows('A2:B5'), [
      [21, 22],
      [41, 'new'],
      [51, 52],
      [71, 72],
    ]);
    t.equal(merged.read('E7'), '=A3+A4+A6');
  }
  t.doesNotThrow(() =>
    checkSame(driver.merge({ keep }).driver.state, driver.mirror({ keep }).driver.state, 'both'),
  );
});

t.test('scenario 21: the sheet is kept for the formula, even the only one there was', async (t) => {
  const base = all(op('sheet.add', { name: 'Two' }), set('A1', 7, 'Two'), set('D1', '=Two!A1'));
  const one = play({
    base,
    ours: op('sheet.delete', { sheet: 'Two' }),
    theirs: set('E1', '=Two!A1'),
  });
  const keep = theirPlace(one, 0, 4);
  for (const outcome of [one.merge({ keep }), one.mirror({ keep })]) {
    t.strictSame(kinds(outcome), []);
    t.equal(outcome.driver.read('A1', 1), 7);
    t.strictSame(outcome.driver.rows('D1:E1'), [['=Two!A1', '=Two!A1']]);
  }
  const ours = all(op('sheet.add', { name: 'New' }), op('sheet.delete', { sheet: 'One' }));
  const theirs = all(op('sheet.add', { name: 'More', index: 0 }), set('A1', '=One!A1', 'More'));
  const only = play({ ours, theirs });
  for (const merge of ['merge', 'mirror'] as const) {
    const { driver: merged, conflicts } = only[merge]({ keep: theirPlace(only, 0, 0) });
    t.same(conflicts, []);
    const names = merged.state.structure.sheets.map(({ name }) => name);
    t.strictSame(names.toSorted(), ['More', 'New', 'One']);
    t.equal(merged.read('A1', names.indexOf('More')), '=One!A1');
    t.equal(merged.read('B3', names.indexOf('One')), 32);
  }
});

t.test('a formula names where cells were, when they went with where they were moved', async (t) => {
  const moved = op('range.move', { sheet: 'One', source: 'A1:C4', to: 'E1' });
  const ours = all(moved, op('cols.delete', { sheet: 'One', from: 'F', count: 2 }));
  const driver = play({
    ours: all(ours, op('rows.delete', { sheet: 'One', from: 9 })),
    theirs: set('J1', '=B2+A9'),
  });
  const keep = theirPlace(driver, 0, 9);
  for (const { driver: merged } of [driver.merge({ keep }), driver.mirror({ keep })]) {
    t.equal(merged.read('H1'), '=B2+A9');
    t.equal(merged.read('E1'), 11, 'what was moved elsewhere is there');
  }
});

t.test('a conversation goes with the rows, whether one of them is kept or not', async (t) => {
  const base = op('comment.add', { sheet: 'One', range: 'A1:A3', text: 'why?' });
  const ours = op('rows.delete', { sheet: 'One', from: 1, count: 3 });
  const driver = play({ base, ours, theirs: set('G7', '=B2+F5') });
  const keep = theirPlace(driver, 6, 6);
  for (const outcome of [driver.merge({ keep }), driver.mirror({ keep })]) {
    t.strictSame(kinds(outcome), [], 'nobody wrote to the rows that go');
    const { state } = outcome.driver;
    const [sheet] = state.structure.sheets;
    const [thread] = sheet ? state.records.on('thread', sheet) : [];
    t.equal(outcome.driver.read('G5'), '=B1+F3');
    t.match(thread, { value: { displaced: true } });
    t.match(sheet && thread && state.records.rangesOf(thread, sheet), [{ row0: 1, row1: 1 }]);
  }
});
