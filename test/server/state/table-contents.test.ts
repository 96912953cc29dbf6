import * as fc from 'fast-check';
import t from 'tap';

import { cellName } from '../../../server/model/address.ts';
import type { Operation } from '../../../server/model/operation.ts';
import { replay } from '../../../server/state/admission.ts';
import { Formulas } from '../../../workers/formulas.ts';
import { caseCount } from '../../support/case-count.ts';
import { drive } from '../../support/state-driver.ts';
import { UndoDriver } from '../../support/undo-driver.ts';

// Contents of a table move among its cells where others stand below and beside it. A formula on
// another sheet names each of them, and goes on naming it as long as it is there.

type Step =
  | { readonly kind: 'move'; readonly column: number; readonly before: number }
  | { readonly kind: 'drop'; readonly column: number }
  | { readonly kind: 'delete'; readonly rows: readonly number[] };

const place = fc.nat(4);
const just = <Kind extends string>(kind: Kind) => fc.constant(kind);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: just('move'), column: place, before: place }) },
  { weight: 1, arbitrary: fc.record({ kind: just('drop'), column: place }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: just('delete'),
      rows: fc.uniqueArray(place, { minLength: 1, maxLength: 2 }),
    }),
  },
);

const [rowCount, columnCount] = [5, 4];
const valueAt = (row: number, column: number): string =>
  column === 0 ? `key${row}` : `v${row}.${column}`;

function filled(): UndoDriver {
  const driver = new UndoDriver(new Formulas());
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  const rows = Array.from({ length: rowCount }, (_, row) =>
    Array.from({ length: columnCount }, (__, column) => valueAt(row, column)),
  );
  const inputs = [['key', 'x', 'y', 'z'], ...rows];
  driver.apply('range.set', { sheet: 'One', range: 'B2', inputs });
  driver.apply('table.create', { name: 'T', keyColumn: 'key', sheetRange: 'One!B2:E7' });
  const beside = ['C1', 'D9', 'G3', 'G7'].map((a1) => ({ a1, input: 'other' }));
  driver.apply('cells.set', { sheet: 'One', cells: beside });
  const readers = rows.flatMap((row, down) =>
    row.map((_, across) => ({
      a1: cellName(down, across),
      input: `=One!${cellName(down + 2, across + 1)}`,
    })),
  );
  driver.apply('cells.set', { sheet: 'Two', cells: readers });
  return driver;
}

function run(driver: UndoDriver, one: Step): boolean {
  const columns = driver.state.tables.named('T')?.columns.map(({ name }) => name) ?? [];
  const { head } = driver.state;
  if (one.kind === 'delete') {
    const keys = one.rows.map((row) => `key${row}`);
    driver.submit('rows.delete', { table: 'T', keys, onMissing: 'ignore' });
  } else {
    const column = columns[one.column % columns.length];
    const before = one.kind === 'move' ? { before: columns[one.before % columns.length] } : {};
    driver.submit(`table.column.${one.kind}`, { table: 'T', column, ...before });
  }
  return driver.state.head > head;
}

function check(driver: UndoDriver): void {
  const held = driver.rows('B3:E7').flat();
  for (let row = 0; row < rowCount; row++) {
    for (let column = 0; column < columnCount; column++) {
      const formula = String(driver.read(cellName(row, column), 1));
      const [, a1] = /^=One!([A-Z]+\d+)$/u.exec(formula) ?? [];
      const value = valueAt(row, column);
      if (a1 === undefined && formula === '=#REF!' && !held.includes(value)) continue;
      if (a1 !== undefined && driver.read(a1) === value) continue;
      // The column that was the first stays where it was, blank, and so does the last row.
      if (a1 !== undefined && driver.read(a1) === null && !held.includes(value)) continue;
      throw new Error(`${value} is read by ${formula} among ${JSON.stringify(held)}`);
    }
  }
}

t.test('what names a cell of a table names it wherever it is moved', async (t) => {
  let ran = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), fc.nat(8), (steps, undone) => {
      const driver = filled();
      for (const [index, one] of steps.entries()) {
        if (!run(driver, one)) continue;
        ran++;
        check(driver);
        if (index !== undone) continue;
        const before = drive(driver.at(driver.state.head - 1).stateHash());
        driver.undo();
        if (drive(driver.state.stateHash()) !== before) throw new Error('undone to another state');
        driver.undo();
        check(driver);
      }
      const { state, mutations } = driver.replayed();
      const admitted = driver.admitted.map((operation) => operation.mutations);
      if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
      const hash = drive(driver.state.stateHash());
      if (drive(state.stateHash()) !== hash) throw new Error('the journal says otherwise');
    }),
    { numRuns: caseCount(60), seed: 5 },
  );
  t.ok(ran > 0, 'some were moved');
});

t.test('an older journal says what it said', async (t) => {
  const after = (kind: string, payload: object) => {
    const { state } = filled();
    drive(replay(state, { kind, payload } as Operation, {}));
    const driver = new UndoDriver();
    driver.take(state);
    const [table] = state.tables.summaries(state.structure);
    return { range: table?.range, driver };
  };
  const moved = after('table.column.move', { table: 'T', column: 'x', after: 'y' });
  t.equal(moved.driver.read('B1', 1), '=One!C3', 'references stayed');
  const emptied = after('rows.delete', { sheet: 'One', from: 3, count: 5 });
  t.equal(emptied.range, 'B2:E2', 'a table lost its rows');
  const shifted = after('range.delete', { sheet: 'One', range: 'B3:E7', shift: 'up' });
  t.equal(shifted.range, 'B2:E2', 'a table lost its rows');
  const { state } = filled();
  const alter = { table: 'T', column: 'z', formula: '=1' };
  drive(replay(state, { kind: 'table.column.alter', payload: alter }, {}));
  const insert = { sheet: 'One', before: 4 };
  drive(replay(state, { kind: 'rows.insert', payload: insert }, {}));
  const driver = new UndoDriver();
  driver.take(state);
  t.strictSame(driver.rows('E4:E5'), [[null], ['=1']], 'new rows came blank');
});
