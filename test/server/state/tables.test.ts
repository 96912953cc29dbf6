import t from 'tap';

import { Rejection } from '../../../server/model/rejection.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';

function book(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('range.set', {
    range: 'B2:D4',
    inputs: [
      ['Item', 2024, ''],
      ['Tea', 2, 3],
      ['Milk', 1, 4],
    ],
  });
  return driver;
}

function rejection(result: unknown): string {
  return result instanceof Rejection ? result.code : 'none';
}

function tableOf({ state }: StateDriver) {
  const [table] = state.tables.summaries(state.structure);
  return table && [table.range, table.schema.columns.map(({ name }) => name).join(' ')];
}

t.test('header cells name the columns and become texts', (t) => {
  const driver = book();
  const { mutations } = driver.apply('table.create', { name: 'Sales', sheetRange: 'Plan!B2:D4' });
  t.same(tableOf(driver), ['B2:D4', 'Item 2024 Column3']);
  t.match(mutations, [
    { kind: 'tableSet', name: 'Sales', row: 1, column: 1, rowCount: 3, columnCount: 3 },
    { kind: 'block', row: 1, column: 1, inputs: [[undefined, '2024', 'Column3']] },
  ]);
  t.equal(driver.read('C2'), '2024');
  t.end();
});

t.test('a table that cannot be is rejected', (t) => {
  const driver = book();
  driver.apply('cells.set', { cells: [{ a1: 'F2', input: '=A1' }] });
  driver.apply('name.set', { name: 'Taken', ref: 'Plan!A1' });
  driver.apply('table.create', { name: 'Sales', sheetRange: 'B2:D4' });
  const create = (payload: object) => rejection(driver.submit('table.create', payload));
  t.equal(create({ name: 'sales', sheetRange: 'J1:K4' }), 'name_taken');
  t.equal(create({ name: 'taken', sheetRange: 'J1:K4' }), 'name_taken');
  t.equal(create({ name: 'A1', sheetRange: 'J1:K4' }), 'bad_name');
  t.equal(create({ name: 'Other', sheetRange: 'D4:K9' }), 'table_overlap');
  t.equal(create({ name: 'Other', sheetRange: 'J1:K4,L1:M4' }), 'bad_table');
  t.equal(create({ name: 'Other', sheetRange: 'J1:K1' }), 'bad_table');
  t.equal(create({ name: 'Other', sheetRange: 'F2:F4' }), 'bad_table');
  t.equal(create({ name: 'Other', sheetRange: 'Nowhere!F2:F4' }), 'sheet_not_found');
  const columns = [{ name: 'a' }, { name: 'A' }];
  t.equal(create({ name: 'Other', sheetRange: 'J1:K4', schema: { columns } }), 'bad_table');
  t.equal(create({ name: 'Other', sheetRange: 'J1:J4', schema: { columns } }), 'bad_table');
  t.equal(create({ name: 'Other', sheetRange: 'J1:K4', keyColumn: 'none' }), 'bad_table');
  const name = driver.submit('name.set', { name: 'SALES', ref: 'Plan!A1' });
  t.equal(rejection(name), 'name_taken');
  t.end();
});

t.test('tables follow rows and columns, in the state as in the mutations', (t) => {
  const driver = book();
  driver.apply('table.create', { name: 'Sales', sheetRange: 'B2:D4', keyColumn: 'Item' });
  driver.apply('rows.insert', { sheet: 'Plan', before: 3, count: 2 });
  driver.apply('cols.insert', { sheet: 'Plan', before: 'C' });
  t.same(tableOf(driver), ['B2:E6', 'Item Column2 2024 Column3']);
  const { mutations } = driver.apply('cols.delete', { sheet: 'Plan', from: 'A', count: 2 });
  t.match(mutations.at(-1), {
    kind: 'tableSet',
    column: 0,
    columns: ['Column2', '2024', 'Column3'],
  });
  t.equal(driver.state.tables.summaries(driver.state.structure)[0]?.keyColumn, null);
  const { mutations: last } = driver.apply('rows.delete', { sheet: 'Plan', from: 1, count: 9 });
  t.match(last.at(-1), { kind: 'tableSet', rowCount: 0 });
  t.equal(tableOf(driver), undefined);
  const { state } = driver.replayed();
  t.equal(drive(state.stateHash()), drive(driver.state.stateHash()));
  t.end();
});

t.test('a deleted header row leaves a table without one; a deleted sheet none', (t) => {
  const driver = book();
  driver.apply('sheet.add', { name: 'Other' });
  driver.apply('table.create', { name: 'Sales', sheetRange: 'Plan!B2:D4' });
  driver.apply('rows.delete', { sheet: 'Plan', from: 2 });
  t.match(driver.state.tables.summaries(driver.state.structure), [
    { range: 'B2:D3', headerRow: false },
  ]);
  const { mutations } = driver.apply('sheet.delete', { sheet: 'Plan' });
  t.same(
    mutations.map(({ kind }) => kind),
    ['tableSet', 'sheetDelete'],
  );
  t.end();
});

t.test('a table meant for an older position is made where its cells are now', (t) => {
  const driver = book();
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'Plan', before: 1 });
  driver.apply('cols.insert', { sheet: 'Plan', before: 'C' });
  const schema = { columns: [{ name: 'Item' }, { name: '2024', type: 'number' }, { name: 'Sum' }] };
  const payload = { name: 'Sales', sheetRange: 'B2:D4', schema };
  const { status, payload: applied, resolved } = driver.apply('table.create', payload, base);
  t.equal(status, 'rebased');
  t.match(applied, { sheetRange: 'Plan!B3:E5', schema: { columns: [{}, { name: 'Column2' }] } });
  t.match(resolved, { table: `t1.${driver.state.head}.0`, areas: [{}] });
  t.same(tableOf(driver), ['B3:E5', 'Item Column2 2024 Sum']);
  t.end();
});

t.test('settings', (t) => {
  const driver = book();
  const before = drive(driver.state.stateHash());
  const set = (path: string, value: unknown) => driver.submit('settings.set', { path, value });
  t.match(set('dateSystem', 1904), {
    status: 'applied',
    mutations: [{ kind: 'setting', name: 'date1904', value: true }],
  });
  t.match(set('dateSystem', 1904), { status: 'noop' });
  t.match(set('iteration.enabled', true), { mutations: [{ name: 'iterate', value: true }] });
  t.match(set('title', 'Plan of the year'), { status: 'applied', mutations: [] });
  t.match(driver.state.settings.all(), { dateSystem: 1904, title: 'Plan of the year' });
  const wrong = [
    ['dateSystem', 1905],
    ['locale', 'Deutsch!'],
    ['timezone', '../etc'],
    ['title', 7],
    ['toString', 1],
  ] as const;
  for (const [path, value] of wrong) t.equal(rejection(set(path, value)), 'bad_setting');
  t.not(drive(driver.state.stateHash()), before);
  for (const path of ['dateSystem', 'iteration.enabled', 'title']) set(path, null);
  t.equal(drive(driver.state.stateHash()), before);
  t.end();
});
