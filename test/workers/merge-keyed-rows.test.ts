import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../support/case-count.ts';
import {
  besideHistories,
  checkKeyedMerge,
  keyedHistories,
  type KeyedHistories,
} from '../support/keyed-histories.ts';
import { all, kinds, op, play, tableRows } from '../support/merge-play.ts';
import { testSeed } from '../support/test-seed.ts';

// Laws of rows of keyed tables: the directions find the same conflicts and come to the same rows,
// no key is lost or doubled, and a merge that is computed twice is the same twice.
// Runs long: dozens of random histories.

for (const [name, histories] of [...keyedHistories, ...besideHistories]) {
  t.test(`${name} are merged by their keys`, async (t) => {
    let caseNumber = 0;
    const check = (played: KeyedHistories) => {
      caseNumber++;
      checkKeyedMerge(played);
    };
    fc.assert(fc.property(histories, check), { numRuns: caseCount(20), seed: testSeed });
    t.ok(caseNumber > 0);
  });
}

t.test('calculated cells of a row that both added are those of the merged column', async (t) => {
  const columns = [{ name: 'k' }, { name: 'v' }, { name: 'd', formula: '=[@v]*2' }];
  const table = 'Items';
  const upsert = (row: object) => op('rows.upsert', { table, rows: [row] });
  const base = op('table.create', { name: table, keyColumn: 'k', schema: { columns } });
  const column = { table, column: 'v' };
  const another = all(op('table.column.drop', column), op('table.column.add', column));
  const theirs = all(upsert({ k: 'x' }), another);
  const driver = play({ base, ours: upsert({ k: 'x', v: 1 }), theirs });
  const [outcome, mirrored] = [driver.merge(), driver.mirror({ otherwise: 'theirs' })];
  t.strictSame(kinds(outcome), ['col.edit_delete'], 'nothing is asked about the formula');
  t.strictSame(
    mirrored.conflicts.map(({ id }) => id),
    outcome.conflicts.map(({ id }) => id),
  );
  for (const { driver: merged } of [outcome, mirrored]) {
    const [row] = tableRows(merged, table);
    const calculated = merged.state.tables.named(table)?.columns.find(({ name }) => name === 'd');
    t.equal(row?.['d'], calculated?.formula);
  }
});

const upserts = (keys: readonly string[]) =>
  keys.map((k) => ({ kind: 'rows.upsert', payload: { table: 'Items', rows: [{ k }] } }));
const typed = (a1: string) => ({
  kind: 'cells.set',
  payload: { sheet: 'Items', cells: [{ a1, input: 0 }] },
});

const found: Readonly<Record<string, KeyedHistories>> = {
  'a row below the table that one side keeps stands behind rows of both': {
    base: [],
    ours: [typed('B3'), ...upserts(['a'])],
    theirs: [{ kind: 'rows.delete', payload: { sheet: 'Items', from: 3 } }, ...upserts(['a', 'c'])],
  },
  'a row that both added is in the table though the row before it was moved out': {
    base: upserts(['a']),
    ours: upserts(['f']),
    theirs: [
      { kind: 'rows.move', payload: { sheet: 'Items', from: 2, before: 4 } },
      { kind: 'rows.import', payload: { table: 'Items', rows: [{ k: 'f' }] } },
    ],
  },
  'a row without a key that one side alone has is beside new ones of the other': {
    isBeside: true,
    base: [],
    ours: [{ kind: 'rows.import', payload: { table: 'Items', rows: [{ k: 'e' }] } }],
    theirs: [{ kind: 'rows.import', payload: { table: 'Items', rows: [] } }, typed('B2')],
  },
  'a row without a key stays where it is, and the others stand by their keys': {
    isBeside: true,
    base: [{ kind: 'rows.import', payload: { table: 'Items', rows: [] } }, typed('B2')],
    ours: upserts(['a', 'b', 'f']),
    theirs: upserts(['a', 'd', 'c']),
  },
};

for (const [name, played] of Object.entries(found)) {
  t.test(name, async (t) => t.doesNotThrow(() => checkKeyedMerge(played)));
}
