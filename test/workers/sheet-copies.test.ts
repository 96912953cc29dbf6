import t from 'tap';

import { operationLimits } from '../../server/model/operation-limits.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { Formulas } from '../../workers/formulas.ts';
import { forkFaults, forkOf, lawFaults } from '../support/law-checks.ts';
import { StateDriver } from '../support/state-driver.ts';
import { contentDifference, contentOf, UndoDriver } from '../support/undo-driver.ts';

const formulas = new Formulas();

/** A sheet with two tables, and formulas about them here and elsewhere. */
function start<Driver extends StateDriver>(driver: Driver): Driver {
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('sheet.add', { name: 'Other' });
  driver.apply('cells.set', {
    sheet: 'Plan',
    cells: Object.entries({ F2: 'k', G2: 'v', F3: 'a', G3: 5, H1: 3 }).map(([a1, input]) => {
      return { a1, input };
    }),
  });
  const formula = '=[@v]*SUM(Stock[v])+Plan!$H$1';
  const columns = [{ name: 'k' }, { name: 'v', type: 'number' }, { name: 'x', formula }];
  driver.apply('table.create', {
    name: 'Sales',
    keyColumn: 'k',
    schema: { columns },
    sheetRange: 'Plan!A2:C4',
    totalsRow: true,
  });
  driver.apply('table.create', { name: 'Stock', keyColumn: 'k', sheetRange: 'Plan!F2:G3' });
  driver.apply('rows.upsert', { table: 'Sales', rows: [{ k: 1, v: 2 }] });
  driver.apply('cells.set', {
    cells: [
      { a1: 'Plan!D1', input: '=SUM(sales[v])+ROWS(Stock)+Plan!H1+LET(Stock,1,Stock)' },
      { a1: 'Plan!B4', input: '=SUBTOTAL(109,Sales[v])' },
      { a1: 'Other!A1', input: '=SUM(Sales[x])' },
    ],
  });
  driver.apply('name.set', { name: 'total', scope: 'Plan', formula: '=SUM(Sales[v])*Plan!total2' });
  driver.apply('name.set', { name: 'total2', scope: 'Plan', formula: '=2' });
  driver.apply('name.set', { name: 'all', formula: '=SUM(Sales[v])' });
  return driver;
}

const tables = ({ state }: StateDriver) => state.tables.summaries(state.structure);
const formulaIn = ({ state }: StateDriver, name: string, column: string) =>
  state.tables.named(name)?.columns.find((known) => known.name === column)?.formula;

t.test('a copied sheet has tables of its own', async (t) => {
  const driver = start(new StateDriver(formulas));
  const fork = forkOf(driver);
  const before = tables(driver);
  driver.apply('sheet.add', { name: 'Copy', copyOf: 'Plan', index: 1 });
  const { head } = driver.state;
  t.same(tables(driver).slice(0, 2), before, 'those there are stay');
  const [sales, stock] = tables(driver).slice(2);
  const copy = driver.state.structure.named('Copy');
  t.match(sales, {
    ...before[0],
    id: `t1.${head}.0`,
    name: 'Sales2',
    sheet: 'Copy',
    sheetId: copy?.id,
    schema: {},
  });
  t.match(stock, {
    ...before[1],
    id: `t1.${head}.1`,
    name: 'Stock2',
    sheet: 'Copy',
    sheetId: copy?.id,
  });
  const own = '=[@v]*SUM(Stock2[v])+Copy!$H$1';
  t.equal(formulaIn(driver, 'Sales2', 'x'), own);
  t.equal(driver.read('C3', 1), own);
  t.equal(
    driver.read('D1', 1),
    '=SUM(Sales2[v])+ROWS(Stock2)+Copy!H1+LET(Stock,1,Stock)',
    'what the formula names itself is no table',
  );
  t.equal(driver.read('B4', 1), '=SUBTOTAL(109,Sales2[v])', 'in the row of totals');
  t.equal(driver.read('A1', 2), '=SUM(Sales[x])', 'other sheets mean what they meant');
  const all = driver.state.nameSummaries().find(({ name }) => name === 'all');
  t.equal(all?.formula, '=SUM(Sales[v])', 'names of the workbook too');
  const scoped = driver.state.nameSummaries().filter(({ scope }) => scope === copy?.id);
  t.same(
    scoped.map(({ formula }) => formula),
    ['=SUM(Sales2[v])*Copy!total2', '=2'],
  );
  t.same(lawFaults(driver), []);

  driver.apply('rows.upsert', { table: 'Sales2', rows: [{ k: 1, v: 7 }, { k: 9 }] });
  t.equal(driver.read('B3', 1), 7, 'the key is that of the copy');
  t.equal(driver.read('B5', 1), '=SUBTOTAL(109,Sales2[v])', 'rows come before the totals');
  t.equal(driver.read('B3', 0), 2);
  driver.apply('table.column.rename', { table: 'Stock2', column: 'v', name: 'w' });
  t.equal(formulaIn(driver, 'Sales2', 'x'), '=[@v]*SUM(Stock2[w])+Copy!$H$1');
  t.equal(formulaIn(driver, 'Sales', 'x'), '=[@v]*SUM(Stock[v])+Plan!$H$1');
  driver.apply('table.drop', { table: 'Stock2' });
  t.same(lawFaults(driver), []);
  t.same(forkFaults(fork, driver), []);
});

t.test('names are free, and names of tables', async (t) => {
  const driver = new StateDriver(formulas);
  const columns = [{ name: 'k' }, { name: 'v' }];
  const create = (name: string, sheetRange: string) =>
    driver.apply('table.create', { name, keyColumn: 'k', schema: { columns }, sheetRange });
  driver.apply('sheet.add', { name: 'Plan' });
  const long = `T${'a'.repeat(254)}`;
  for (const [at, name] of ['Sales', 'SALES2', 'Tab', long, 'Table1'].entries()) {
    create(name, `Plan!A${at * 4 + 1}:B${at * 4 + 2}`);
  }
  driver.apply('name.set', { name: 'sales3', formula: '=1' });
  driver.apply('name.set', { name: 'Sales22', scope: 'Plan', formula: '=1' });
  driver.apply('cells.set', {
    cells: [{ a1: 'Plan!F1', input: `=ROWS(Sales)&ROWS(Sales2)&ROWS(Tab)&ROWS(${long})` }],
  });
  driver.apply('sheet.add', { name: 'Copy', copyOf: 'Plan' });
  const names = tables(driver).map(({ name }) => name);
  const copied = ['Sales4', 'SALES23', 'Tab_2', `${long.slice(0, 254)}2`, 'Table12'];
  t.same(names.slice(5), copied);
  t.equal(
    driver.read('F1', 1),
    `=ROWS(Sales4)&ROWS(SALES23)&ROWS(Tab_2)&ROWS(${long.slice(0, 254)}2)`,
  );
  driver.apply('sheet.add', { name: 'Again', copyOf: 'Copy' });
  const folded = tables(driver).map(({ name }) => name.toLowerCase());
  t.equal(new Set(folded).size, 15);
  t.ok(folded.includes('table122'));
  t.same(lawFaults(driver), []);
});

t.test('the same submission can name the copy', async (t) => {
  const driver = start(new StateDriver(formulas));
  driver.submitAll(
    [
      { kind: 'sheet.add', payload: { name: 'Copy', copyOf: 'Plan' } },
      { kind: 'rows.upsert', payload: { table: 'Sales2', rows: [{ k: 5, v: 6 }] } },
      { kind: 'cells.set', payload: { cells: [{ a1: 'Copy!J1', input: '=SUM(Sales2[v])' }] } },
    ],
    driver.state.head - 2,
  );
  t.equal(driver.read('A4', 2), 5);
  t.same(lawFaults(driver), []);
});

t.test('a workbook has no more tables for a copy', async (t) => {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  for (let at = 0; at < 64; at++) {
    const sheetRange = `Plan!A${at * 2 + 1}:B${at * 2 + 2}`;
    driver.apply('table.create', { name: `Table${at}`, keyColumn: 'Column1', sheetRange });
  }
  const copy = (at: number) => ({ name: `Copy${at}`, copyOf: 'Plan' });
  for (let at = 1; at < operationLimits.tableCount / 64; at++) driver.apply('sheet.add', copy(at));
  t.equal(driver.state.tables.size, operationLimits.tableCount);
  t.match(driver.submit('sheet.add', copy(0)), { code: 'too_many_tables' });
  t.notOk(driver.state.structure.named('Copy0'), 'nothing is half copied');
});

t.test('a copy with tables is undone and redone', async (t) => {
  const driver = start(new UndoDriver(formulas));
  const before = contentOf(driver.state);
  driver.apply('sheet.add', { name: 'Copy', copyOf: 'Plan' });
  const after = contentOf(driver.state);
  for (const wanted of [before, after, before]) {
    const result = driver.undo();
    if (result instanceof Rejection) throw result;
    t.same(result.clipped, []);
    t.equal(contentDifference(wanted, contentOf(driver.state)), undefined);
  }
  t.same(lawFaults(driver), []);
});

t.test('a sheet made for a table is copied as one for anything', async (t) => {
  const driver = new StateDriver(formulas);
  const columns = [{ name: 'k' }, { name: 'v' }];
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema: { columns } });
  driver.apply('sheet.add', { name: 'Copy', copyOf: 'Own' });
  driver.apply('table.drop', { table: 'Own_2' });
  t.same(
    driver.state.structure.sheets.map(({ name }) => name),
    ['Own', 'Copy'],
  );
  driver.apply('table.drop', { table: 'Own' });
  t.same(
    driver.state.structure.sheets.map(({ name }) => name),
    ['Copy'],
  );
  t.same(lawFaults(driver), []);
});
