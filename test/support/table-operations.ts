import * as fc from 'fast-check';

// Operations on tables, for tests that make histories of them.

const input = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom('x', "'=y", '', true, { error: '#N/A' }),
  fc.constantFrom('=A1', '=$B$2+C3', '=SUM(A2:B6)', '=Two!A3', '=SUM(B:B)', '=SUM(2:3)'),
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

export const tableOperation = fc.oneof(
  { weight: 2, arbitrary: tableWrite },
  { weight: 1, arbitrary: tableChange },
);
