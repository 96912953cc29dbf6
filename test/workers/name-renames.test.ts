import * as fc from 'fast-check';
import t from 'tap';

import { Rejection } from '../../server/model/rejection.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { contentMutations } from '../../server/state/content-mutations.ts';
import { valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { nameHistory, startedBook, startedHead, type AnyStep } from '../support/any-history.ts';
import { caseCount } from '../support/case-count.ts';
import { forkFaults, forkOf, lawFaults } from '../support/law-checks.ts';
import { listed } from '../support/record-driver.ts';
import { submitStep } from '../support/record-operations.ts';
import { StateDriver } from '../support/state-driver.ts';
import { contentDifference, contentOf, UndoDriver } from '../support/undo-driver.ts';

const formulas = new Formulas();

function start<Driver extends StateDriver>(driver: Driver): Driver {
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('sheet.add', { name: "It's" });
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A1' });
  driver.apply('cells.set', { cells: [{ a1: 'Plan!A1', input: 3 }] });
  return driver;
}

const book = () => start(new StateDriver(formulas));

function set(driver: StateDriver, cells: Readonly<Record<string, string>>): void {
  const list = Object.entries(cells).map(([a1, input]) => ({ a1, input }));
  driver.apply('cells.set', { sheet: 'Plan', cells: list });
}

function inputAt({ state }: StateDriver, row: number, column: number): unknown {
  const [sheet] = state.structure.sheets;
  return sheet && state.inputAt(sheet, row, column);
}

const rename = (driver: StateDriver, from: string, to: string, scope?: string) =>
  driver.apply('name.rename', { from, to, ...(scope !== undefined && { scope }) });

t.test('formulas go on naming what has another name', async (t) => {
  const driver = book();
  const fork = forkOf(driver);
  const tax = '=tax*2+Tax+LET(tax,1,tax)+"tax"+SUM(B:B)';
  set(driver, { C1: tax, C2: "=Plan!tax+'It''s'!tax+Gone!tax" });
  driver.apply('range.fill', { sheet: "It's", range: 'B1:B50', input: '=ROW(A1)*tax' });
  driver.apply('cells.set', {
    sheet: 'Plan',
    cells: [{ a1: 'D1', input: '=tax*E1:E3', array: 'D1:D3' }],
  });
  rename(driver, 'TAX', 'vat');
  t.equal(driver.read('C1'), '=vat*2+vat+LET(tax,1,tax)+"tax"+SUM(B:B)');
  t.equal(driver.read('C2'), "=Plan!vat+'It''s'!vat+Gone!tax");
  t.equal(driver.read('B50', 1), '=ROW(A50)*vat');
  t.same(inputAt(driver, 0, 3), { formula: '=vat*E1:E3', array: 'D1:D3' });
  t.same(lawFaults(driver), []);
  rename(driver, 'vat', 'Vat');
  t.equal(driver.read('B1', 1), '=ROW(A1)*Vat', 'in other letters');
  t.equal(rename(driver, 'Vat', 'Vat').status, 'noop');
  t.same(lawFaults(driver), []);
  t.same(forkFaults(fork, driver), []);
});

t.test('arrays below one another keep ranges of their own', async (t) => {
  const driver = book();
  const cells = ['D1', 'D2', 'D3'].map((a1) => ({ a1, input: '=tax', array: `${a1}:${a1}` }));
  driver.apply('cells.set', { sheet: 'Plan', cells });
  rename(driver, 'tax', 'vat');
  for (const [row, array] of ['D1', 'D2', 'D3'].entries()) {
    t.same(inputAt(driver, row, 3), { formula: '=vat', array });
  }
  t.same(lawFaults(driver), []);
});

t.test('a name of a sheet hides that of the workbook there', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', scope: "It's", formula: '=7' });
  const both = "=tax+Plan!tax+'It''s'!tax";
  for (const sheet of ['Plan', "It's"]) {
    driver.apply('cells.set', { sheet, cells: [{ a1: 'B1', input: both }] });
  }
  driver.apply('name.set', { name: 'double', formula: both });
  driver.apply('name.set', { name: 'own', scope: "It's", formula: both });
  const formulaOf = (name: string) =>
    driver.state.nameSummaries().find((summary) => summary.name === name)?.formula;

  rename(driver, 'tax', 'vat');
  t.equal(driver.read('B1'), "=vat+Plan!vat+'It''s'!tax");
  t.equal(driver.read('B1', 1), "=tax+Plan!vat+'It''s'!tax");
  t.equal(formulaOf('double'), "=vat+Plan!vat+'It''s'!tax");
  t.equal(formulaOf('own'), "=tax+Plan!vat+'It''s'!tax");
  t.same(lawFaults(driver), []);

  rename(driver, 'tax', 'mine', "It's");
  t.equal(driver.read('B1'), "=vat+Plan!vat+'It''s'!mine");
  t.equal(driver.read('B1', 1), "=mine+Plan!vat+'It''s'!mine");
  t.equal(formulaOf('own'), "=mine+Plan!vat+'It''s'!mine");
  t.same(lawFaults(driver), []);
});

t.test('what would mean something else then is refused', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'vat', scope: 'Plan', formula: '=7' });
  driver.apply('name.set', { name: 'twice', formula: '=LAMBDA(x,x*2)' });
  set(driver, { B1: '=tax', B2: '=twice(4)+LET(own,2,own*twice(own))', B3: '=SUM(1)' });
  const codeOf = (from: string, to: string) => {
    const result = driver.submit('name.rename', { from, to });
    return result instanceof Rejection ? result.code : result.status;
  };
  t.equal(codeOf('tax', 'VAT'), 'name_taken', 'a name of the sheet');
  t.equal(codeOf('twice', 'Own'), 'name_taken', 'a name of the formula itself');
  t.equal(codeOf('twice', 'sum'), 'bad_name', 'a function that is called');
  t.equal(codeOf('tax', 'sum'), 'applied', 'a word that is not called');
  t.equal(driver.read('B1'), '=sum');
  t.equal(codeOf('sum', 'tax'), 'applied');
  t.equal(driver.read('B3'), '=SUM(1)', 'a function is no name');
  t.equal(codeOf('twice', 'both'), 'applied');
  t.equal(driver.read('B2'), '=both(4)+LET(own,2,own*both(own))');
  t.same(lawFaults(driver), []);
});

t.test('a sheet may have a name like that of a table', async (t) => {
  const driver = book();
  const columns = [{ name: 'k' }, { name: 'v' }];
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema: { columns } });
  driver.apply('name.set', { name: 'own', scope: 'Plan', formula: '=7' });
  set(driver, { B1: '=own+SUM(Own[v])', B2: '=ROWS(Own)' });
  driver.apply('cells.set', { cells: [{ a1: "'It''s'!B1", input: '=ROWS(own)' }] });
  t.match(driver.submit('name.set', { name: 'Own', formula: '=1' }), { code: 'name_taken' });
  driver.apply('table.rename', { table: 'Own', name: 'Ours' });
  t.equal(driver.read('B1'), '=own+SUM(Ours[v])');
  t.equal(driver.read('B1', 1), '=ROWS(Ours)');
  driver.apply('name.rename', { from: 'own', to: 'ours', scope: 'Plan' });
  t.equal(driver.read('B1'), '=ours+SUM(Ours[v])');
  t.equal(driver.read('B2'), '=ROWS(ours)');
  t.same(lawFaults(driver), []);

  driver.apply('name.rename', { from: 'ours', to: 'mine', scope: 'Plan' });
  set(driver, { B3: '=ROWS(Ours)' });
  const taken = driver.submit('table.rename', { table: 'Ours', name: 'Mine' });
  t.match(taken, { code: 'name_taken' }, 'what would mean the name of the sheet');
  t.same(lawFaults(driver), []);
});

t.test('rules, links, names and calculated columns name it too', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'factor', formula: '=LAMBDA(n,IF(n<2,1,n*factor(n-1)))' });
  const columns = [{ name: 'k' }, { name: 'tax' }, { name: 'x', formula: '=[@tax]*tax' }];
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema: { columns } });
  driver.apply('rows.upsert', { table: 'Own', rows: [{ k: 1, tax: 2 }] });
  const ranges = ['B2:B4'];
  driver.apply('validation.set', {
    sheet: 'Plan',
    ranges,
    rule: { type: 'custom', formula1: '=B2>tax+factor(3)' },
  });
  driver.apply('cf.set', {
    sheet: 'Plan',
    ranges,
    rule: { type: 'expression', formula1: '=SUM(Own[tax])>tax' },
    style: { bold: true },
  });
  driver.apply('rows.insert', { sheet: 'Plan', before: 1 });
  rename(driver, 'tax', 'vat');
  rename(driver, 'factor', 'faculty');
  const rules = (type: string) => JSON.stringify(listed(driver, type));
  t.match(rules('validation'), '=B3>vat+faculty(3)');
  t.match(rules('cf'), '=SUM(Own[tax])>vat');
  const own = driver.state.tables.named('Own');
  t.equal(own?.columns[2]?.formula, '=[@tax]*vat');
  t.equal(driver.read('C2', 2), '=[@tax]*vat');
  const names = driver.state.nameSummaries().map(({ name, formula }) => [name, formula]);
  t.same(names, [
    ['faculty', '=LAMBDA(n,IF(n<2,1,n*faculty(n-1)))'],
    ['vat', '=Plan!$A$2'],
  ]);
  driver.apply('table.rename', { table: 'Own', name: 'Ours' });
  t.match(rules('cf'), '=SUM(Ours[tax])>vat', 'tables are renamed in rules as well');
  driver.apply('table.column.rename', { table: 'Ours', column: 'tax', name: 'duty' });
  t.match(rules('cf'), '=SUM(Ours[duty])>vat');
  t.same(lawFaults(driver), []);
});

t.test('a name that is asked for on a sheet goes along with the name of the sheet', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', scope: "It's", formula: '=7' });
  set(driver, { B1: "='It''s'!tax+Plan!tax", B2: '=Later!tax', B3: "='It''s'!tax" });
  driver.apply('sheet.rename', { sheet: "It's", name: 'Other' });
  t.equal(driver.read('B1'), '=Other!tax+Plan!tax');
  driver.apply('sheet.add', { name: 'Later' });
  driver.apply('sheet.rename', { sheet: 'Later', name: 'Now' });
  t.equal(driver.read('B2'), '=Now!tax');
  t.same(lawFaults(driver), []);
  rename(driver, 'tax', 'mine', 'Other');
  t.equal(driver.read('B1'), '=Other!mine+Plan!tax');
  rename(driver, 'tax', 'vat');
  t.equal(driver.read('B1'), '=Other!mine+Plan!vat');
  t.equal(driver.read('B2'), '=Now!vat');
  t.same(lawFaults(driver), []);
  driver.apply('sheet.delete', { sheet: 'Other' });
  t.equal(driver.read('B1'), '=#REF!+Plan!vat');
  t.same(lawFaults(driver), []);
});

t.test('who has not heard of it can go on writing the earlier name', async (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', scope: "It's", formula: '=7' });
  const columns = [{ name: 'k' }, { name: 'v' }];
  driver.apply('table.create', { name: 'Own', keyColumn: 'k', schema: { columns } });
  const base = driver.state.head;
  rename(driver, 'tax', 'vat');
  driver.apply('table.rename', { table: 'Own', name: 'Ours' });
  rename(driver, 'vat', 'duty');
  driver.apply('sheet.rename', { sheet: "It's", name: 'Other' });
  rename(driver, 'tax', 'mine', 'Other');

  const both = "=tax+Plan!tax+'It''s'!tax+ROWS(Own)";
  const cells = ['Plan!B1', "'It''s'!B1"].map((a1) => ({ a1, input: both }));
  t.equal(driver.apply('cells.set', { cells }, base).status, 'rebased');
  t.equal(driver.read('B1'), '=duty+Plan!duty+Other!mine+ROWS(Ours)');
  t.equal(driver.read('B1', 1), '=mine+Plan!duty+Other!mine+ROWS(Ours)');
  driver.apply('name.set', { name: 'twice', formula: '=tax*2' }, base);
  const twice = driver.state.nameSummaries().find(({ name }) => name === 'twice');
  t.equal(twice?.formula, '=duty*2');
  driver.apply('table.column.add', { table: 'Own', column: 'x', formula: '=[@v]*tax' }, base);
  t.equal(driver.state.tables.named('Ours')?.columns[2]?.formula, '=[@v]*duty');
  const rule = { type: 'custom', formula1: '=B2>tax+ROWS(Own)' };
  driver.apply('validation.set', { sheet: 'Plan', ranges: ['B2:B4'], rule }, base);
  t.match(JSON.stringify(listed(driver, 'validation')), '=B2>duty+ROWS(Ours)');
  t.same(lawFaults(driver), []);
});

t.test('a submission knows the names that it gave', async (t) => {
  const driver = book();
  const base = driver.state.head;
  rename(driver, 'tax', 'vat');
  driver.apply('sheet.add', { name: 'Third' });
  driver.submitAll(
    [
      { kind: 'cells.set', payload: { cells: [{ a1: 'Plan!B1', input: '=tax' }] } },
      { kind: 'name.set', payload: { name: 'rate', formula: '=1' } },
      { kind: 'name.rename', payload: { from: 'rate', to: 'fee' } },
      { kind: 'cells.set', payload: { cells: [{ a1: 'Plan!B2', input: '=fee+tax+rate' }] } },
    ],
    base,
  );
  t.equal(driver.read('B1'), '=vat');
  t.equal(driver.read('B2'), '=fee+vat+rate');
  t.same(lawFaults(driver), []);
});

t.test('an undo gives the name back, and the formulas that others wrote with it', async (t) => {
  const driver = start(new UndoDriver(formulas));
  set(driver, { B1: '=TAX+1', B2: '=tax', B3: '=LET(vat,1,vat)' });
  const before = contentOf(driver.state);
  rename(driver, 'tax', 'vat');
  const { head } = driver.state;
  const undo = () => {
    const result = driver.undo(head);
    if (result instanceof Rejection) throw result;
    return result;
  };
  const after = contentOf(driver.state);
  t.same(undo().clipped, []);
  t.equal(contentDifference(before, contentOf(driver.state)), undefined);
  driver.undo();
  t.equal(contentDifference(after, contentOf(driver.state)), undefined, 'a redo');
  set(driver, { B2: '=vat*3', B9: '=vat*4' });
  undo();
  t.equal(driver.read('B1'), '=TAX+1');
  t.equal(driver.read('B2'), '=tax*3');
  t.equal(driver.read('B9'), '=tax*4');
  t.same(lawFaults(driver), []);
});

t.test('an undo leaves what had the later name before it was one', async (t) => {
  const driver = start(new UndoDriver(formulas));
  set(driver, { B1: '=tax', B2: '=vat', B3: '=Plan!vat' });
  const before = contentOf(driver.state);
  rename(driver, 'tax', 'vat');
  driver.undo();
  t.equal(contentDifference(before, contentOf(driver.state)), undefined);
  t.same(lawFaults(driver), []);
});

function valuesOf(state: BranchState): string {
  const kernel = Kernel.create();
  kernel.apply([...contentMutations(state)]);
  while (!kernel.recalculate({ clockSerial: 46_000, seedHigh: 1, seedLow: 2 }, 1e8)) continue;
  const area = { row0: 0, column0: 0, row1: 29, column1: 11 };
  const read = ({ key }: { key: number }) =>
    kernel.readRange(key, area, { lens: 'value', form: valueForm });
  return JSON.stringify(state.structure.sheets.map(read));
}

/**
 * Returns whether a formula says none of the names whose meaning depends on the sheet it stands on.
 */
function isPlain({ formula }: { formula: string }): boolean {
  return !/(?<![!\w])(?:tax|vat|fee)\b/iu.test(formula);
}

const scoped = (scope: string | null) => (scope === null ? {} : { scope });

let renamedCount = 0;

function checkValues(steps: readonly AnyStep[]): void {
  const driver = startedBook(formulas);
  for (const [step, behind] of steps) submitStep(driver, step, { behind, since: startedHead });
  const { state } = driver;
  for (const summary of state.nameSummaries()) {
    const { name, scope } = summary;
    if (!isPlain(summary)) driver.apply('name.delete', { name, ...scoped(scope) });
  }
  const values = valuesOf(state);
  for (const { name, scope } of state.nameSummaries()) {
    const before = JSON.stringify(contentOf(state));
    driver.apply('name.rename', { from: name, to: 'quite_new', ...scoped(scope) });
    if (valuesOf(state) !== values) throw new Error(`${name} on ${scope} changed values`);
    driver.apply('name.rename', { from: 'quite_new', to: name, ...scoped(scope) });
    const after = JSON.stringify(contentOf(state));
    if (after.toLowerCase() !== before.toLowerCase()) throw new Error(`${name} is not back`);
    renamedCount++;
  }
}

t.test('no value changes when a name does', async (t) => {
  t.doesNotThrow(() =>
    fc.assert(fc.property(nameHistory, checkValues), { numRuns: caseCount(100) }),
  );
  t.ok(renamedCount > 50, `${renamedCount} names`);
});
