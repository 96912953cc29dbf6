import * as fc from 'fast-check';

import { rangeEdit } from './range-histories.ts';
import { tableOperation } from './table-operations.ts';

const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D');
const cell = fc.tuple(column, row).map(([c, r]) => `${c}${r}`);
const area = fc.tuple(cell, cell).map(([a, b]) => `${a}:${b}`);
const sheet = fc.constantFrom('One', 'Two', 'Three');
const count = fc.integer({ min: 1, max: 3 });
const input = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom('x', "'=y", '', true, { error: '#N/A' }),
  fc.constantFrom('=A1', '=$B$2+C3', '=SUM(A2:B6)', '=Two!A3', '=SUM(B:B)', '=SUM(2:3)'),
  fc.constantFrom('=SUM(tax)', '=SUM(vat,Two!tax)', '=LET(tax,A1,tax+vat)', '=TAX+One!vat'),
);

const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(sheet, fc.array(fc.record({ a1: cell, input }), { minLength: 1, maxLength: 3 }))
      .map(([s, cells]) => ({ kind: 'cells.set', payload: { sheet: s, cells } })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        sheet,
        cell,
        fc.array(fc.array(input, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 4 }),
      )
      .map(([s, range, inputs]) => ({ kind: 'range.set', payload: { sheet: s, range, inputs } })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(sheet, area, input).map(([s, range, filled]) => ({
      kind: 'range.fill',
      payload: { sheet: s, range, input: filled },
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(sheet, area).map(([s, range]) => ({
      kind: 'range.clear',
      payload: { sheet: s, range, what: ['values', 'formats'] },
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, area)
      .map(([s, range]) => ({ kind: 'numfmt.set', payload: { sheet: s, range, pattern: '0.00' } })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(sheet, row, count)
      .map(([s, before, n]) => ({ kind: 'rows.insert', payload: { sheet: s, before, count: n } })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(sheet, row, count)
      .map(([s, from, n]) => ({ kind: 'rows.delete', payload: { sheet: s, from, count: n } })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(sheet, row, count, row).map(([s, from, n, before]) => ({
      kind: 'rows.move',
      payload: { sheet: s, from, count: n, before },
    })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, column)
      .map(([s, after]) => ({ kind: 'cols.insert', payload: { sheet: s, after } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, column)
      .map(([s, from]) => ({ kind: 'cols.delete', payload: { sheet: s, from } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, column, column)
      .map(([s, from, before]) => ({ kind: 'cols.move', payload: { sheet: s, from, before } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, fc.nat(3))
      .map(([name, index]) => ({ kind: 'sheet.add', payload: { name, index } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, sheet)
      .map(([s, name]) => ({ kind: 'sheet.rename', payload: { sheet: s, name } })),
  },
  { weight: 1, arbitrary: sheet.map((s) => ({ kind: 'sheet.delete', payload: { sheet: s } })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, fc.nat(3))
      .map(([s, index]) => ({ kind: 'sheet.move', payload: { sheet: s, index } })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sheet, area)
      .map(([s, range]) => ({ kind: 'name.set', payload: { name: 'tax', ref: `${s}!${range}` } })),
  },
);

/** Operations that write to the cells they name and to no others. */
export const plainOperation = fc.oneof(
  { weight: 12, arbitrary: operation },
  {
    weight: 3,
    arbitrary: fc
      .tuple(sheet, area, fc.constantFrom('Sales', 'Costs', 'Tax'), fc.boolean())
      .map(([s, range, name, totalsRow]) => {
        return { kind: 'table.create', payload: { name, sheetRange: `${s}!${range}`, totalsRow } };
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1900, 1904)
      .map((value) => ({ kind: 'settings.set', payload: { path: 'dateSystem', value } })),
  },
);

const defined = fc.constantFrom('tax', 'vat');
const scope = fc.option(fc.constantFrom('One', 'Two'), { nil: undefined });

/**
 * Operations by which defined things get other names, are hidden on sheets and come back to light.
 */
export const nameOperation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(defined, fc.constantFrom('tax', 'vat', 'Vat', 'fee'), scope)
      .map(([from, to, on]) => ({ kind: 'name.rename', payload: { from, to, ...scoped(on) } })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(defined, fc.constantFrom('=One!$A$1', '=Two!$B$2:$B$4', '=fee*2', '=vat+1'), scope)
      .map(([name, formula, on]) => {
        return { kind: 'name.set', payload: { name, formula, ...scoped(on) } };
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(defined, scope)
      .map(([name, on]) => ({ kind: 'name.delete', payload: { name, ...scoped(on) } })),
  },
);

function scoped(on: string | undefined): object {
  return on === undefined ? {} : { scope: on };
}

export const anyOperation = fc.oneof(
  { weight: 16, arbitrary: plainOperation },
  { weight: 2, arbitrary: nameOperation },
  { weight: 10, arbitrary: tableOperation },
  { weight: 6, arbitrary: rangeEdit },
);

/** Operations, each with how far behind the head its client is. */
export const operationHistory = fc.array(fc.tuple(anyOperation, fc.nat(6)), {
  minLength: 5,
  maxLength: 60,
});
