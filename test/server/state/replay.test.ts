import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

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

const table = fc.constantFrom('Sales', 'Costs', 'Tax', 'Own');
const columnName = fc.constantFrom('x', 'x2', 'Column1', 'Column2', 'Column3', 'k', 'v');
const tableWrite = fc.oneof(
  fc
    .tuple(
      table,
      fc.constantFrom('v', 'v', 'v', 'x'),
      fc.array(fc.tuple(fc.nat(5), input), { minLength: 1 }),
    )
    .map(([name, column, pairs]) => {
      const rows = pairs.map(([key, value]) => ({ k: key, [column]: value }));
      const kind = pairs.length % 3 === 0 ? 'rows.import' : 'rows.upsert';
      return { kind, payload: { table: name, rows, onInvalid: 'skip' } };
    }),
  fc.tuple(table, fc.array(fc.nat(5), { minLength: 1 })).map(([name, keys]) => {
    return { kind: 'rows.delete', payload: { table: name, keys, onMissing: 'ignore' } };
  }),
);
const tableChange = fc.oneof(
  fc.tuple(table, columnName).map(([name, keyColumn]) => {
    return { kind: 'table.key.change', payload: { table: name, keyColumn } };
  }),
  fc
    .tuple(table, columnName, fc.option(columnName, { nil: undefined }))
    .map(([name, one, other]) => {
      const before = other === undefined ? {} : { before: other };
      return { kind: 'table.column.add', payload: { table: name, column: one, ...before } };
    }),
  fc.tuple(table, columnName, columnName).map(([name, from, before]) => {
    return { kind: 'table.column.move', payload: { table: name, column: from, before } };
  }),
  fc.tuple(table, columnName).map(([name, from]) => {
    return { kind: 'table.column.drop', payload: { table: name, column: from } };
  }),
  fc.tuple(table, columnName, columnName).map(([name, from, to]) => {
    return { kind: 'table.column.rename', payload: { table: name, column: from, name: to } };
  }),
  fc.tuple(table, columnName, fc.constantFrom('text', 'number', 'any')).map(([name, one, type]) => {
    return { kind: 'table.column.alter', payload: { table: name, column: one, type } };
  }),
  fc.tuple(table, table).map(([name, to]) => {
    return { kind: 'table.rename', payload: { table: name, name: to } };
  }),
  fc.tuple(table, fc.boolean()).map(([name, keepCells]) => {
    return { kind: 'table.drop', payload: { table: name, keepCells } };
  }),
);

const withTables = fc.oneof(
  { weight: 12, arbitrary: operation },
  { weight: 8, arbitrary: tableWrite },
  { weight: 4, arbitrary: tableChange },
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

const history = fc.array(fc.tuple(withTables, fc.nat(6)), { minLength: 5, maxLength: 60 });

t.test('replaying what was journalled leads to the same state and mutations', async (t) => {
  let rebasedCount = 0;
  let rejectedCount = 0;
  const tables = new Map<string, number>();
  fc.assert(
    fc.property(history, (steps) => {
      const driver = new StateDriver();
      driver.apply('sheet.add', { name: 'One' });
      driver.apply('sheet.add', { name: 'Two' });
      const keyed = { keyColumn: 'k', schema: { columns: [{ name: 'k' }, { name: 'v' }] } };
      driver.apply('table.create', { name: 'Own', ...keyed });
      driver.apply('table.create', { name: 'Sales', ...keyed, sheetRange: 'Two!B3:C6' });
      const { head } = driver.state;
      for (const [{ kind, payload }, behind] of steps) {
        const baseSeq = Math.max(head, driver.state.head - behind);
        const result = driver.submit(kind, payload, { baseSeq });
        if (result instanceof Rejection) rejectedCount++;
        else if (result.status === 'rebased') rebasedCount++;
        if (!(result instanceof Rejection) && 'table' in payload) {
          const outcome = `${result.kind} ${result.status}`;
          tables.set(outcome, (tables.get(outcome) ?? 0) + 1);
        }
      }
      const { state, mutations } = driver.replayed();
      const admitted = driver.admitted.map((operation) => operation.mutations);
      if (JSON.stringify(mutations) !== JSON.stringify(admitted)) throw new Error('mutations');
      if (drive(state.stateHash()) !== drive(driver.state.stateHash()))
        throw new Error('state hash');
      if (
        JSON.stringify(state.sheetSummaries()) !== JSON.stringify(driver.state.sheetSummaries())
      ) {
        throw new Error('summaries');
      }
    }),
    { numRuns: 300 },
  );
  t.comment(`${rebasedCount} rebased, ${rejectedCount} rejected`);
  t.comment(JSON.stringify(Object.fromEntries(tables)));
  t.ok(tables.size > 10);
  t.ok(rebasedCount > 50);
});

t.test('a fork goes its own way', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  driver.apply('range.fill', { range: 'A1:C3000', input: '=A1' });
  const hash = drive(driver.state.stateHash());
  const fork = driver.state.fork();
  t.equal(drive(fork.stateHash()), hash);
  driver.apply('cells.set', { cells: [{ a1: 'B5', input: 1 }] });
  driver.apply('rows.delete', { sheet: 'One', from: 1, count: 20 });
  t.equal(drive(fork.stateHash()), hash);
  t.not(drive(driver.state.stateHash()), hash);
});
