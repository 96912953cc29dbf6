import t from 'tap';

import type { Histories } from '../support/merge-histories.ts';
import { hold, outcomeLaws } from '../support/merge-outcome-laws.ts';

// Histories that broke a law of merging once: each law holds for each of them.

const found: Readonly<Record<string, Histories>> = {
  'one side cuts cells that the other sorts': {
    base: [],
    ours: [
      { kind: 'range.move', payload: { sheet: 'One', source: 'A1:C1', toSheet: 'One', to: 'C4' } },
    ],
    theirs: [{ kind: 'range.sort', payload: { sheet: 'One', range: 'A1:E2', order: [2, 1] } }],
  },
  'one side cuts a formula whose range the other deletes': {
    base: [],
    ours: [{ kind: 'range.move', payload: { sheet: 'One', source: 'A1:C1', to: 'A3' } }],
    theirs: [{ kind: 'range.delete', payload: { sheet: 'One', range: 'A5:C2', shift: 'left' } }],
  },
  'one side cuts a formula whose range the other shifts up': {
    base: [],
    ours: [
      { kind: 'range.move', payload: { sheet: 'One', source: 'C1:A1', toSheet: 'One', to: 'A3' } },
    ],
    theirs: [{ kind: 'range.delete', payload: { sheet: 'One', range: 'A4:E2', shift: 'up' } }],
  },
  'both sides move rows, one of them by a sort': {
    base: [],
    ours: [
      { kind: 'rows.move', payload: { sheet: 'Two', from: 9, count: 2, before: 12 } },
      { kind: 'rows.move', payload: { sheet: 'Two', from: 9, count: 4, before: 1 } },
    ],
    theirs: [{ kind: 'range.sort', payload: { sheet: 'Two', range: '11:12', order: [12, 11] } }],
  },
  'a moved row was the first of a table, and rows come behind it': {
    base: [],
    ours: [{ kind: 'rows.move', payload: { sheet: 'Two', from: 1, count: 3, before: 5 } }],
    theirs: [
      {
        kind: 'rows.import',
        payload: {
          table: 'Sales',
          rows: [
            { k: 0, v: '=A1' },
            { k: 0, v: 0 },
            { k: 0, v: 0 },
          ],
          onInvalid: 'skip',
        },
      },
    ],
  },
  'a blank row gets the key of a row that the other side adds': {
    base: [],
    ours: [
      {
        kind: 'rows.upsert',
        payload: {
          table: 'Sales',
          rows: [
            { k: 1, v: '=A1' },
            { k: 0, v: '=A1' },
          ],
          onInvalid: 'skip',
        },
      },
    ],
    theirs: [
      { kind: 'range.fill', payload: { sheet: 'Two', range: 'A4:B1', input: 1, fmt: '0.000' } },
    ],
  },
  'keys become texts, and the other side adds one': {
    base: [],
    ours: [{ kind: 'table.column.alter', payload: { table: 'Sales', column: 'k', type: 'text' } }],
    theirs: [
      {
        kind: 'rows.upsert',
        payload: { table: 'Sales', rows: [{ k: 0, v: 'x' }], onInvalid: 'skip' },
      },
    ],
  },
  'a formula in a new row names rows that the other side deletes': {
    base: [],
    ours: [
      {
        kind: 'rows.import',
        payload: {
          table: 'Sales',
          rows: [
            { k: 0, v: 'x' },
            { k: 0, v: 'x' },
            { k: 0, v: 0 },
          ],
          onInvalid: 'skip',
        },
      },
    ],
    theirs: [
      {
        kind: 'rows.upsert',
        payload: { table: 'Sales', rows: [{ k: 1, v: '=SUM(A2:B6)' }], onInvalid: 'skip' },
      },
    ],
  },
  'a row is added, and a sheet that its formula names is deleted and kept': {
    base: [],
    ours: [
      {
        kind: 'rows.upsert',
        payload: { table: 'Sales', rows: [{ k: 0, v: 0 }], onInvalid: 'skip' },
      },
      { kind: 'sheet.delete', payload: { sheet: 'One' } },
    ],
    theirs: [{ kind: 'range.fill', payload: { sheet: 'One', range: 'A1:A1', input: 0 } }],
  },
  'a formula asks for a name on a sheet that is deleted and kept': {
    base: [
      {
        kind: 'range.set',
        payload: {
          sheet: 'Two',
          range: 'A1',
          inputs: [
            ['=A1', '=TAX+One!vat'],
            ['x', 'x'],
          ],
        },
      },
    ],
    ours: [{ kind: 'sheet.delete', payload: { sheet: 'One' } }],
    theirs: [
      {
        kind: 'cf.set',
        payload: {
          sheet: 'One',
          ranges: ['A1:B2'],
          rule: { type: 'expression', formula1: '=A1>1' },
          priority: 1,
        },
      },
    ],
  },
  'a table lies where another one comes to stand': {
    base: [{ kind: 'rows.insert', payload: { sheet: 'Two', before: 1, count: 2 } }],
    ours: [{ kind: 'range.sort', payload: { sheet: 'Two', range: '4:5', order: [5, 4] } }],
    theirs: [
      { kind: 'cols.delete', payload: { sheet: 'Two', from: 'D' } },
      {
        kind: 'table.create',
        payload: { name: 'Costs', sheetRange: 'Two!A1:D4', totalsRow: false },
      },
    ],
  },
};

for (const [name, histories] of Object.entries(found)) {
  t.test(name, async (t) => {
    for (const [law, check] of Object.entries(outcomeLaws)) {
      t.ok(hold(check, histories), law);
    }
  });
}
