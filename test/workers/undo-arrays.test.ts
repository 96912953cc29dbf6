import t from 'tap';

import { contentMutations } from '../../server/state/content-mutations.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { valueForm } from '../../workers/decode.ts';
import { contentOf, UndoDriver } from '../support/undo-driver.ts';

// Formulas of every kind that name cells which an undo brings back.

const formulas = new Formulas();
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: 9, column1: 9 };

const readers: Readonly<Record<string, readonly object[]>> = {
  'a formula': [{ a1: 'C1', input: '=One!A2*2' }],
  'a legacy array over several cells': [{ a1: 'C1', input: '=One!A1:A3*2', array: 'C1:C3' }],
  'a legacy array that names one cell': [{ a1: 'C1', input: '=One!A2*2', array: 'C1:D2' }],
  'a legacy formula': [{ a1: 'C2', input: '=One!A1:A3', legacy: true }],
  'formulas below one another': [1, 2, 3, 4].map((row) => ({
    a1: `C${row}`,
    input: `=One!A${row}+One!$A$2`,
  })),
};

const deletions = [
  { kind: 'rows.delete', payload: { sheet: 'One', from: 2, count: 1 } },
  { kind: 'rows.delete', payload: { sheet: 'One', from: 1, count: 4 } },
  { kind: 'cols.delete', payload: { sheet: 'One', from: 'A' } },
  { kind: 'sheet.delete', payload: { sheet: 'One' } },
];

for (const [what, cells] of Object.entries(readers)) {
  for (const { kind, payload } of deletions) {
    t.test(`${what} names again what ${kind} ${JSON.stringify(payload)} took away`, async (t) => {
      const driver = new UndoDriver(formulas);
      driver.apply('sheet.add', { name: 'One' });
      driver.apply('sheet.add', { name: 'Two' });
      driver.apply('range.set', { sheet: 'One', range: 'A1:A4', inputs: [[1], [2], [3], [4]] });
      driver.apply('name.set', { name: 'read', formula: '=One!$A$2' });
      driver.apply('cells.set', { sheet: 'Two', cells });
      driver.apply('cells.set', { sheet: 'Two', cells: [{ a1: 'F1', input: '=read+1' }] });
      const before = contentOf(driver.state);
      const values = valuesOf([[...contentMutations(driver.state)]], driver);
      driver.apply(kind, payload);
      driver.undo();
      t.strictSame(contentOf(driver.state), before, 'all is as it was');
      const seen = valuesOf(
        driver.admitted.map(({ mutations }) => mutations),
        driver,
      );
      t.equal(seen, values, 'a kernel that saw it has the same values');
    });
  }
}

function valuesOf(
  batches: readonly Parameters<Kernel['apply']>[0][],
  { state }: UndoDriver,
): string {
  const kernel = Kernel.create();
  for (const mutations of batches) {
    kernel.apply(mutations);
    while (!kernel.recalculate(now, 1e8)) continue;
  }
  return JSON.stringify(
    state.structure.sheets.map(({ key }) =>
      kernel.readRange(key, area, { lens: 'value', form: valueForm }),
    ),
  );
}
