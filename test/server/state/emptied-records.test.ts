import t from 'tap';

import { rangeName } from '../../../server/model/range.ts';
import { shown } from '../../../server/state/records/record-formulas.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { drive } from '../../support/state-driver.ts';
import { UndoDriver } from '../../support/undo-driver.ts';

// An empty table keeps a blank row, which goes when the first rows come: what lies on it stays.

/** The places of all records on the first sheet, by type. */
function places({ state }: UndoDriver): Record<string, string> {
  const [sheet] = state.structure.sheets;
  if (!sheet) throw new Error('there is no sheet');
  const placed = [...state.records.all()].map((record) => {
    return [record.type, state.records.rangesOf(record, sheet).map(rangeName).join()] as const;
  });
  return Object.fromEntries(placed);
}

function tableOf(rows: readonly (readonly unknown[])[]): UndoDriver {
  const driver = new UndoDriver(new Formulas());
  driver.apply('sheet.add', { name: 'One' });
  const end = rows.length + 2;
  driver.apply('range.set', { sheet: 'One', range: 'B2', inputs: [['key', 'x'], ...rows] });
  driver.apply('table.create', { name: 'T', keyColumn: 'key', sheetRange: `One!B2:C${end}` });
  const ranges = { sheet: 'One', ranges: [`C3:C${end}`] };
  const rule = { type: 'custom', formula1: '=AND(C3>1,$C$3<9)' };
  driver.apply('validation.set', { ...ranges, id: 'dv1', rule, onInvalid: 'reject' });
  driver.apply('cf.set', { ...ranges, id: 'cf1', rule: { type: 'uniqueValues' } });
  driver.apply('protect.set', { ...ranges, id: 'p1', who: ['*'] });
  return driver;
}

const onFirst = { validation: 'C3', cf: 'C3', protection: 'C3' };
const rules = Object.keys(onFirst);

function same(driver: UndoDriver): void {
  const { state, mutations } = driver.replayed();
  const admitted = driver.admitted.map((operation) => operation.mutations);
  if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
  const hash = drive(driver.state.stateHash());
  if (drive(state.stateHash()) !== hash) throw new Error('the journal says otherwise');
}

for (const kind of ['rows.upsert', 'rows.import']) {
  for (const rows of [
    [['a', 5]],
    [
      ['a', 5],
      ['b', 6],
      ['c', 7],
    ],
  ]) {
    t.test(`${kind} into a table that lost ${rows.length} rows keeps rules`, async (t) => {
      const driver = tableOf(rows);
      driver.apply('rows.delete', { table: 'T', keys: rows.map(([key]) => key) });
      t.match(places(driver), onFirst, 'on the blank row');
      driver.apply(kind, {
        table: 'T',
        rows: [
          { key: 'n', x: 3 },
          { key: 'm', x: 4 },
        ],
      });
      t.match(places(driver), onFirst, 'on the first one');
      t.same(driver.rows('B3:C4'), [
        ['n', 3],
        ['m', 4],
      ]);
      same(driver);
      driver.undo();
      t.match(places(driver), onFirst, 'on the blank row again');
    });
  }
}

t.test('what lies on the blank row goes on with the first, its formulas too', async (t) => {
  const driver = tableOf([[null, null]]);
  driver.apply('note.set', { sheet: 'One', a1: 'C3', text: 'since May' });
  driver.apply('rows.upsert', { table: 'T', rows: [{ key: 'n', x: 3 }] });
  t.match(places(driver), { ...onFirst, note: 'C3' });
  const [validation] = [...driver.state.records.all()].filter(({ type }) => type === 'validation');
  const { structure } = driver.state;
  const { rule } = validation ? shown(validation, structure, new Formulas()) : {};
  t.match(rule, { formula1: '=AND(C3>1,$C$3<9)' });
  same(driver);
});

t.test('a note on a row that is deleted goes with it, and rules of some rows do', async (t) => {
  const driver = tableOf([
    ['a', 5],
    ['b', 6],
  ]);
  driver.apply('note.set', { sheet: 'One', a1: 'C3', text: 'of a' });
  driver.apply('rows.delete', { table: 'T', keys: ['a', 'b'] });
  t.equal(places(driver)['note'], undefined);
  t.same(
    rules.filter((type) => places(driver)[type] !== 'C3'),
    [],
  );
});
