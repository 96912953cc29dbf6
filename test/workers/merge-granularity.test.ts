import t from 'tap';

import { all, op, play, set, type Scenario } from '../support/merge-play.ts';
import type { MergeOutcome } from '../support/merge-driver.ts';

// Both sides write to one row, block, table or sheet, and not to the same cell.

const texts = ({ conflicts }: MergeOutcome) => conflicts.map(({ contest }) => contest.text).sort();

const table = op('table.create', {
  name: 'Items',
  keyColumn: 'k',
  schema: { columns: [{ name: 'k' }, { name: 'a' }, { name: 'b' }] },
  sheetRange: 'One!E1:G4',
});
const base = all(table, op('rows.upsert', { table: 'Items', rows: [{ k: 'x' }, { k: 'y' }] }));
const ours = all(set('A1', 1), set('A5', 1), set('F2', 1), set('C9', 1));
const theirs = all(set('C1', 2), set('B6', 2), set('G3', 2), set('C9', 1));
const scenario: Scenario = { base, ours, theirs };

t.test('what both sides wrote to is contested as large as it is asked for', async (t) => {
  const driver = play(scenario);
  for (const [conflictGranularity, contested] of [
    ['cell', []],
    ['row', ['One!A1', 'One!C1']],
    ['block', ['One!A5', 'One!B6', 'One!F2', 'One!G3']],
    ['table', ['One!F2', 'One!G3']],
    ['sheet', ['One!A1', 'One!A5', 'One!B6', 'One!C1', 'One!F2', 'One!G3']],
  ] as const) {
    const policy = { conflictGranularity };
    for (const outcome of [driver.merge({ policy }), driver.mirror({ policy })]) {
      t.strictSame(texts(outcome), contested, conflictGranularity);
    }
  }
});

t.test('one side is taken for all of a row', async (t) => {
  const driver = play(scenario);
  const row = (outcome: MergeOutcome) => outcome.driver.rows('A1:C1')[0];
  const options = { policy: { conflictGranularity: 'row' } } as const;
  t.strictSame(row(driver.merge(options)), [1, 12, 13]);
  t.strictSame(row(driver.merge({ ...options, otherwise: 'theirs' })), [11, 12, 2]);
  t.strictSame(row(driver.mirror(options)), [11, 12, 2]);
  t.strictSame(row(driver.mirror({ ...options, otherwise: 'theirs' })), [1, 12, 13]);
  t.strictSame(row(driver.merge()), [1, 12, 2], 'and both where nobody minds');
});

t.test('a row deleted here and formatted there is told, or asked about', async (t) => {
  const gone = op('rows.delete', { sheet: 'One', from: 5, count: 1 });
  const bold = op('format.set', { sheet: 'One', range: 'B5', style: { bold: true } });
  const sized = op('rows.size', { sheet: 'One', from: 5, count: 1, px: 40 });
  for (const look of [bold, sized]) {
    const driver = play({ ours: gone, theirs: look });
    for (const [deleteVsFormat, kinds] of [
      ['ignore', []],
      ['warn', ['row.edit_delete']],
      ['conflict', ['row.edit_delete']],
    ] as const) {
      const policy = { deleteVsFormat };
      for (const [merge, deleter, other] of [
        [driver.merge.bind(driver), 'ours', 'theirs'],
        [driver.mirror.bind(driver), 'theirs', 'ours'],
      ] as const) {
        const { conflicts, driver: merged } = merge({ policy, otherwise: deleter });
        t.strictSame(
          conflicts.map(({ contest }) => contest.kind),
          kinds,
          deleteVsFormat,
        );
        t.strictSame(
          conflicts.map(({ contest }) => contest.usual),
          deleteVsFormat === 'warn' ? [deleter] : kinds.map(() => undefined),
        );
        t.strictSame(merged.rows('A5:B5'), [[61, 62]]);
        const row = merge({ policy, otherwise: other }).driver.rows('A5:B5');
        t.strictSame(row, deleteVsFormat === 'conflict' ? [[51, 52]] : [[61, 62]]);
      }
    }
  }
  const both = play({ ours: gone, theirs: all(bold, set('A5', 1)) });
  const [edited] = both.merge({ policy: { deleteVsFormat: 'warn' } }).conflicts;
  t.match(edited?.contest.sides(), { ours: 'removed', theirs: 'modified' });
  t.equal(edited?.contest.usual, undefined, 'an edit is no format');
});

t.test('a formula that is not chosen does not come back', async (t) => {
  const driver = play({ base: set('A2', '=D1'), ours: set('A2', '=D2'), theirs: set('A1', 1) });
  const policy = { conflictGranularity: 'sheet' } as const;
  for (const [outcome, formula] of [
    [driver.merge({ policy, otherwise: 'theirs' }), '=D1'],
    [driver.merge({ policy, otherwise: 'ours' }), '=D2'],
    [driver.mirror({ policy, otherwise: 'ours' }), '=D1'],
    [driver.mirror({ policy, otherwise: 'theirs' }), '=D2'],
  ] as const) {
    t.equal(outcome.driver.read('A2'), formula);
  }
  const [conflict] = driver
    .merge({ policy })
    .conflicts.filter(({ contest }) => contest.text.endsWith('A2'));
  const choices = new Map([[conflict?.id ?? '', { input: '=D3' }]]);
  t.equal(driver.merge({ policy, choices }).driver.read('A2'), '=D3', 'nor instead of another');
});
