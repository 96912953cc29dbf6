import t from 'tap';

import { playHistories, type Histories } from '../support/merge-histories.ts';
import { mirrorDifference } from '../support/merge-mirror.ts';
import { viewsOf } from '../support/record-driver.ts';
import { hold, outcomeLaws } from '../support/merge-outcome-laws.ts';

// Histories in which the laws of merges failed once.

const on = (kind: string, payload: object) => ({ kind, payload });
const sorted = { sheet: 'One', range: '5:8', keys: [{ col: 'D', desc: true }] };

const mirrored: Readonly<Record<string, Histories>> = {
  'a line that both sides put behind the same one goes with that one': {
    base: [on('range.set', { sheet: 'One', range: 'D5:D8', inputs: [[2], [4], [1], [3]] })],
    ours: [on('rows.move', { sheet: 'One', from: 8, count: 1, before: 7 })],
    theirs: [on('range.sort', sorted)],
  },
  'a sheet that is kept of a deletion stands before a new one': {
    base: [on('table.drop', { table: 'Sales', keepCells: true })],
    ours: [on('cols.move', { sheet: 'Two', from: 'B', before: 'A' })],
    theirs: [
      on('sheet.add', { name: 'Plan' }),
      on('sheet.delete', { sheet: 'Two' }),
      on('sheet.delete', { sheet: 'One' }),
    ],
  },
  'a deleted row of a table that the other side put on a line with calculated cells': {
    base: [on('rows.upsert', { table: 'Sales', rows: [{ k: 0, v: 0 }] })],
    ours: [on('rows.delete', { table: 'Sales', keys: [0] })],
    theirs: [on('range.copy', { sheet: 'Two', source: 'B3:A8', to: 'A2:A2' })],
  },
  'a deleted row of a table that the other side copied a line up as a whole': {
    base: [on('rows.upsert', { table: 'Sales', rows: [{ k: 0, v: 0 }] })],
    ours: [on('rows.delete', { table: 'Sales', keys: [0] })],
    theirs: [on('range.copy', { sheet: 'Two', source: 'A3:E8', to: 'A2:A2' })],
  },
  'a deleted row of a table that the other side copied up beside its columns': {
    base: [on('rows.upsert', { table: 'Sales', rows: [{ k: 0, v: 0 }] })],
    ours: [on('rows.delete', { table: 'Sales', keys: [0] })],
    theirs: [on('range.copy', { sheet: 'Two', source: 'B3:E8', to: 'A2:A2' })],
  },
  'a column that a table begins with stays in it when the column before it is moved': {
    base: [on('cols.insert', { sheet: 'Two', before: 'A', count: 1 })],
    ours: [on('table.column.add', { table: 'Sales', column: 'x2', before: 'k' })],
    theirs: [
      on('rows.import', { table: 'Sales', rows: [{ k: 0, v: 0 }] }),
      on('cols.move', { sheet: 'Two', from: 'B', before: 'A' }),
    ],
  },
  'a column of a table that stands where the other one put a column of the table': {
    base: [],
    ours: [
      on('cols.insert', { sheet: 'Two', before: 'A', count: 1 }),
      on('table.column.add', { table: 'Sales', column: 'x2', before: 'k' }),
    ],
    theirs: [on('cols.move', { sheet: 'Two', from: 'B', before: 'A' })],
  },
};

const ruled = { sheet: 'Two', ranges: ['C4:C5'] };
const emptied: Histories = {
  base: [
    on('rows.import', { table: 'Sales', rows: [{ k: 1 }, { k: 2 }] }),
    on('validation.set', { ...ruled, id: 'dv', rule: { type: 'custom', formula1: '=C4>0' } }),
    on('cf.set', { ...ruled, id: 'cf', rule: { type: 'uniqueValues' } }),
    on('protect.set', { ...ruled, id: 'p', who: ['*'] }),
  ],
  ours: [on('rows.delete', { table: 'Sales', keys: [1] })],
  theirs: [on('rows.delete', { table: 'Sales', keys: [2] })],
};

t.test('rules of a table stay on its blank row where each side deleted other rows', async (t) => {
  const driver = playHistories(emptied);
  for (const outcome of [driver.merge(), driver.mirror()]) {
    const views = viewsOf(outcome.driver.state).map(
      ({ type, ranges }) => `${type} ${String(ranges)}`,
    );
    t.strictSame(views.toSorted(), ['cf C4', 'protection C4', 'validation C4']);
  }
  t.equal(mirrorDifference(driver), undefined);
});

for (const [name, played] of Object.entries(mirrored)) {
  t.test(name, async (t) => {
    for (const [law, check] of Object.entries(outcomeLaws)) {
      t.doesNotThrow(() => hold(check, played), law);
    }
    t.equal(mirrorDifference(playHistories(played)), undefined);
  });
}

t.test('the first row of a table without a header stays in it under its key', async (t) => {
  const rows = [
    { k: 0, v: 'x' },
    { k: 1, v: 0 },
  ];
  const played = {
    base: [on('rows.delete', { sheet: 'Two', from: 2, count: 2 })],
    ours: [on('rows.upsert', { table: 'Sales', rows: [{ k: 0, v: 1 }] })],
    theirs: [on('rows.import', { table: 'Sales', rows })],
  };
  for (const [law, check] of Object.entries(outcomeLaws)) {
    t.doesNotThrow(() => hold(check, played), law);
  }
});

t.test('a link in the way of another one is shown as it was entered', async (t) => {
  const link = (payload: object) => on('hyperlink.set', { sheet: 'Two', ...payload });
  const driver = playHistories({
    base: [on('rows.move', { sheet: 'One', from: 2, count: 1, before: 1 })],
    ours: [link({ a1: 'B2', location: 'One!B2:C3' })],
    theirs: [link({ range: 'A1:B2', url: 'https://a.example/' })],
  });
  const [sides] = driver.merge().conflicts.map(({ contest }) => contest.sides());
  t.match(sides, { ours: [{ location: '=One!$B$2:$C$3' }] });
});
