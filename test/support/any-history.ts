import * as fc from 'fast-check';

import { formatOperation, propertyOperation, structureOperation } from './look-operations.ts';
import { anyOperation, nameOperation } from './operation-history.ts';
import { rangeEdit } from './range-histories.ts';
import { recordSteps, type RecordStep } from './record-operations.ts';
import { StateDriver } from './state-driver.ts';
import type { FormulaService } from '../../server/model/formula-service.ts';

/** An operation of any kind, and how many operations its sender was behind the head. */
export type AnyStep = readonly [step: RecordStep, behind: number];

const names = ['One', 'Two', 'Three'] as const;
const row = fc.integer({ min: 1, max: 12 });
const column = fc.constantFrom('A', 'B', 'C', 'D');
const cell = fc.tuple(column, row).map(([letters, number]) => `${letters}${number}`);
const sheet = fc.constantFrom(...names);
const corner = fc
  .tuple(fc.constantFrom('', '$'), column, fc.constantFrom('', '$'), row)
  .map((parts) => parts.join(''));
const reference = fc
  .tuple(fc.constantFrom('', '', 'One!', 'Two!', 'Three!'), corner, corner)
  .map(([prefix, from, to]) => `${prefix}${from}:${to}`);

/** Formulas with references that can lose an end. */
export const rangeFormula = fc.oneof(
  { weight: 4, arbitrary: reference.map((range) => `=SUM(${range})`) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('SUBTOTAL(9', 'SUBTOTAL(109', 'AGGREGATE(9,5'), reference)
      .map(([call, range]) => `=${call},${range})`),
  },
  { weight: 2, arbitrary: fc.tuple(reference, corner).map(([a, b]) => `=SUM(${a})+${b}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '=SUM(tax)',
      '=SUM(vat,One!tax)',
      '=LET(tax,2,tax*vat)',
      '=ROWS(Own)',
      '=SUM(Sales[v])',
      '=SUM(B:C)',
      '=SUM(3:9)',
    ),
  },
);

/** Numbers that are all different, so that a value shows which cells a formula reads. */
const numbers = fc.tuple(sheet, cell, fc.integer({ min: 1, max: 99 })).map(([s, a1, first]) => ({
  kind: 'range.set',
  payload: { sheet: s, range: a1, inputs: [[first], [first * 100], [first * 10_000]] },
}));

const write: fc.Arbitrary<RecordStep> = fc.oneof(
  numbers,
  fc.tuple(sheet, cell, rangeFormula).map(([s, a1, input]) => ({
    kind: 'cells.set',
    payload: { sheet: s, cells: [{ a1, input }] },
  })),
  fc.tuple(sheet, cell, cell, rangeFormula).map(([s, from, to, input]) => ({
    kind: 'range.fill',
    payload: { sheet: s, range: `${from}:${to}`, input },
  })),
  fc.tuple(sheet, reference).map(([s, range]) => {
    const ref = range.includes('!') ? range : `${s}!${range}`;
    return { kind: 'name.set', payload: { name: 'tax', ref } };
  }),
);

const spans = fc.uniqueArray(row, { minLength: 1, maxLength: 3 });
const hiding: fc.Arbitrary<RecordStep> = fc
  .tuple(sheet, row, fc.integer({ min: 1, max: 4 }), fc.constantFrom(true, true, false))
  .map(([s, from, count, hidden]) => ({
    kind: 'rows.hide',
    payload: { sheet: s, from, count, hidden },
  }));
const filtering: fc.Arbitrary<RecordStep> = fc
  .tuple(sheet, row, row, fc.constantFrom([], [{ column: 'B', values: ['x'] }]))
  .map(([s, from, to, criteria]) => ({
    kind: 'filter.set',
    payload: { sheet: s, range: `A${from}:D${to}`, criteria },
  }));

const lines: fc.Arbitrary<RecordStep> = fc.oneof(
  hiding,
  filtering,
  structureOperation,
  fc.tuple(sheet, spans).map(([s, from]) => ({
    kind: 'rows.delete',
    payload: { sheet: s, spans: from.map((at) => ({ from: at })) },
  })),
  fc.tuple(sheet, spans, row).map(([s, from, before]) => ({
    kind: 'rows.move',
    payload: { sheet: s, spans: from.map((at) => ({ from: at })), before },
  })),
  fc.tuple(sheet, column, column).map(([s, from, before]) => ({
    kind: 'cols.move',
    payload: { sheet: s, from, before },
  })),
);

const calculated = fc
  .tuple(fc.constantFrom('Own', 'Sales'), reference, fc.constantFrom('', '+tax'))
  .map(([table, range, more]): RecordStep => {
    const formula = `=SUM(${range.includes('!') ? range : `One!${range}`})${more}`.replaceAll(
      /(?<=[!:])\$?([A-D])\$?([0-9]+)/gu,
      '$$$1$$$2',
    );
    return { kind: 'table.column.add', payload: { table, column: 'x', formula } };
  });

/** Operations on sheets, including formulas that name missing, deleted and renamed ones. */
const sheets: fc.Arbitrary<RecordStep> = fc.oneof(
  sheet.map((name) => ({ kind: 'sheet.add', payload: { name } })),
  fc
    .tuple(sheet, sheet)
    .map(([name, copyOf]) => ({ kind: 'sheet.add', payload: { name, copyOf } })),
  fc
    .tuple(sheet, sheet)
    .map(([s, name]) => ({ kind: 'sheet.rename', payload: { sheet: s, name } })),
);

const step: fc.Arbitrary<RecordStep> = fc.oneof(
  { weight: 5, arbitrary: write },
  { weight: 7, arbitrary: lines },
  { weight: 10, arbitrary: anyOperation },
  { weight: 2, arbitrary: nameOperation },
  { weight: 2, arbitrary: fc.oneof(formatOperation, propertyOperation) },
  { weight: 3, arbitrary: recordSteps(names) },
  { weight: 1, arbitrary: calculated },
  { weight: 2, arbitrary: sheets },
);

/** Histories of all kinds of operation. */
export const anyHistory: fc.Arbitrary<readonly AnyStep[]> = fc.array(fc.tuple(step, fc.nat(6)), {
  minLength: 10,
  maxLength: 40,
});

/** Histories that mostly change ranges and the lines at their ends. */
export const lineHistory: fc.Arbitrary<readonly AnyStep[]> = fc.array(
  fc.tuple(fc.oneof(write, lines), fc.nat(3)),
  { minLength: 5, maxLength: 30 },
);

/** Histories of records on cells, and of cells that move. */
export const placeHistory: fc.Arbitrary<readonly AnyStep[]> = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 6, arbitrary: recordSteps(names) },
      { weight: 6, arbitrary: rangeEdit },
      { weight: 2, arbitrary: lines },
      { weight: 1, arbitrary: sheets },
    ),
    fc.nat(3),
  ),
  { minLength: 8, maxLength: 40 },
);

const meanings = fc.constantFrom(
  '=tax+Two!vat',
  '=SUM(One!tax,VAT)',
  '=LET(tax,fee,tax+vat)',
  '=MAP(tax,LAMBDA(vat,vat+tax))',
  "=ROWS(Sales)+'Two'!fee",
  '=Three!tax+fee',
);
const named: fc.Arbitrary<RecordStep> = fc.oneof(
  fc.tuple(sheet, cell, meanings).map(([s, a1, input]) => ({
    kind: 'cells.set',
    payload: { sheet: s, cells: [{ a1, input }] },
  })),
  fc.tuple(fc.constantFrom('one', 'two'), meanings).map(([name, formula]) => ({
    kind: 'name.set',
    payload: { name, formula },
  })),
  fc.tuple(sheet, meanings).map(([s, formula1]) => ({
    kind: 'validation.set',
    payload: { sheet: s, ranges: ['B2:C4'], rule: { type: 'custom', formula1 } },
  })),
  fc.tuple(fc.constantFrom('Own', 'Sales'), meanings).map(([table, formula]) => ({
    kind: 'table.column.add',
    payload: { table, column: 'x', formula },
  })),
);

/** Histories of names: defined names, sheets and tables, and formulas with them. */
export const nameHistory: fc.Arbitrary<readonly AnyStep[]> = fc.array(
  fc.tuple(
    fc.oneof(
      { weight: 6, arbitrary: named },
      { weight: 6, arbitrary: nameOperation },
      { weight: 3, arbitrary: sheets },
      { weight: 1, arbitrary: sheet.map((s) => ({ kind: 'sheet.delete', payload: { sheet: s } })) },
      { weight: 2, arbitrary: lines },
      { weight: 2, arbitrary: anyOperation },
    ),
    fc.nat(3),
  ),
  { minLength: 8, maxLength: 40 },
);

/** Sequence number of the last operation of `startedBook`. */
export const startedHead = 5;

export function startedBook(formulas: FormulaService): StateDriver {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('name.set', { name: 'tax', ref: 'One!B2:B5' });
  const keyed = { keyColumn: 'k', schema: { columns: [{ name: 'k' }, { name: 'v' }] } };
  driver.apply('table.create', { name: 'Own', ...keyed });
  driver.apply('table.create', { name: 'Sales', ...keyed, sheetRange: 'Two!B3:C6' });
  return driver;
}
