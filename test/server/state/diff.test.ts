import t from 'tap';

import { cellName } from '../../../server/model/address.ts';
import { rangeName } from '../../../server/model/range.ts';
import type { BranchState } from '../../../server/state/branch-state.ts';
import { columnOf, rowOf } from '../../../server/state/diff/changed-cells.ts';
import { diffStates, type DiffKind, type StateDiff } from '../../../server/state/diff/diff.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';
import { Formulas } from '../../../workers/formulas.ts';

const formulas = new Formulas();

function diff(from: BranchState, to: BranchState, ...kinds: DiffKind[]): StateDiff {
  return drive(diffStates({ from, to }, kinds.length > 0 ? { kinds: new Set(kinds) } : {}));
}

/** Returns a diff of the first sheet that differs, in few words. */
function told(found: StateDiff) {
  const [sheet] = found.sheets;
  return {
    structure: sheet?.structure.map((change) => {
      if (change.op === 'rename') return `${change.from} is ${change.to}`;
      if (change.op === 'move') return `${change.axis} ${change.from} to ${change.to}`;
      return 'position' in change
        ? `${change.op} ${change.axis} ${change.position}+${change.count}`
        : change.op;
    }),
    cells:
      sheet &&
      [...sheet.cells].map((cell) => `${cell.run.change} ${cellName(rowOf(cell), columnOf(cell))}`),
    collapsed: sheet?.collapsed.map(({ change, range }) => `${change} ${rangeName(range)}`),
  };
}

function book(): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('range.set', {
    sheet: 'Plan',
    range: 'A1:C12',
    inputs: Array.from({ length: 12 }, (_, row) => [row, `t${row}`, `=A${row + 1}*2`]),
  });
  return driver;
}

t.test('nothing differs from itself', (t) => {
  const { state } = book();
  t.same(diff(state, state).sheets, []);
  t.same(diff(state, state.fork()).sheets, []);
  t.end();
});

t.test('cells are told where they stand, and formulas that moved along are not', (t) => {
  const driver = book();
  const before = driver.state.fork();
  driver.apply('rows.insert', { sheet: 'Plan', before: 3, count: 2 });
  driver.apply('cells.set', {
    sheet: 'Plan',
    cells: [
      { a1: 'A9', input: 100 },
      { a1: 'B1', input: null },
      { a1: 'E1', input: 'new' },
      { a1: 'C10', input: '=A10*2' },
    ],
  });
  t.same(told(diff(before, driver.state)), {
    structure: ['insert row 2+2'],
    cells: ['removed B1', 'added E1', 'modified A9'],
    collapsed: [],
  });
  t.same(told(diff(driver.state, before)), {
    structure: ['delete row 2+2'],
    cells: ['added B1', 'removed E1', 'modified A7'],
    collapsed: [],
  });
  t.end();
});

t.test('rows that moved are as few as can be, and many are one entry', (t) => {
  const driver = book();
  const before = driver.state.fork();
  driver.apply('rows.move', { sheet: 'Plan', from: 2, count: 2, before: 11 });
  driver.apply('cols.move', { sheet: 'Plan', from: 'C', count: 1, before: 'A' });
  const found = diff(before, driver.state);
  t.same(told(found), {
    structure: ['row 1 to 8', 'column 2 to 0'],
    cells: [],
    collapsed: [],
  });
  const order = Array.from({ length: 60 }, (_, index) => 60 - index);
  driver.apply('range.sort', { sheet: 'Plan', range: '1:60', order });
  t.match(diff(before, driver.state, 'structure').sheets[0]?.structure[0], {
    op: 'reorder',
    axis: 'row',
  });
  t.end();
});

t.test('what was filled is one entry, over several columns and what it was before', (t) => {
  const driver = book();
  const before = driver.state.fork();
  driver.apply('range.fill', { sheet: 'Plan', range: 'D2:F3000', input: '=A2*3' });
  driver.apply('range.fill', { sheet: 'Plan', range: 'A1:A12', input: '=ROW()' });
  driver.apply('range.fill', { sheet: 'Plan', range: 'H1:H2', input: 1 });
  t.same(told(diff(before, driver.state)), {
    structure: [],
    cells: ['added H1', 'added H2'],
    collapsed: ['modified A1:A12', 'added D2:F3000'],
  });
  const [first] = diff(before, driver.state).sheets[0]?.collapsed ?? [];
  t.equal(first?.isMixed, true);
  t.same(told(diff(driver.state, before)), {
    structure: [],
    cells: [
      'modified A1',
      'removed H1',
      'modified A2',
      'removed H2',
      ...Array.from({ length: 10 }, (_, row) => `modified A${row + 3}`),
    ],
    collapsed: ['removed D2:F3000'],
  });
  t.end();
});

t.test('equal fills are one entry only where they stand beside one another', (t) => {
  const driver = book();
  const before = driver.state.fork();
  for (const range of ['D2:D5', 'F2:F5', 'G2:G5', 'H2:H6']) {
    driver.apply('range.fill', { sheet: 'Plan', range, input: '=$A2' });
  }
  driver.apply('range.fill', { sheet: 'Plan', range: 'A2:A4', input: 7 });
  t.same(told(diff(before, driver.state)), {
    structure: [],
    cells: ['modified A2', 'modified A3', 'modified A4'],
    collapsed: ['added D2:D5', 'added F2:G5', 'added H2:H6'],
  });
  t.same(told(diff(driver.state, before)).collapsed, [
    'removed D2:D5',
    'removed F2:G5',
    'removed H2:H6',
  ]);
  t.end();
});

t.test('a formula that was entered anew in another structure is compared by what it means', (t) => {
  const driver = book();
  const before = driver.state.fork();
  driver.apply('rows.insert', { sheet: 'Plan', before: 1 });
  driver.apply('range.fill', { sheet: 'Plan', range: 'C2:C13', input: '=A2*2' });
  t.same(told(diff(before, driver.state)), {
    structure: ['insert row 0+1'],
    cells: [],
    collapsed: [],
  });
  driver.apply('sheet.add', { name: 'Other' });
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'F1', input: '=Other!A1' }] });
  const then = driver.state.fork();
  driver.apply('sheet.rename', { sheet: 'Other', name: 'Else' });
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'F1', input: '=Else!A1' }] });
  t.same(told(diff(then, driver.state)), {
    structure: ['Other is Else'],
    cells: [],
    collapsed: [],
  });
  t.end();
});

t.test('a range whose ends were sorted or deleted is the same range', (t) => {
  const driver = book();
  driver.apply('cells.set', {
    sheet: 'Plan',
    cells: [
      { a1: 'E20', input: '=SUM(A2:A10)' },
      { a1: 'F20', input: '=SUM(A2:A10)' },
      { a1: 'G20', input: '=SUM(A2:A10)' },
    ],
  });
  const before = driver.state.fork();
  driver.apply('range.sort', { sheet: 'Plan', range: '2:10', order: [10, 9, 8, 7, 6, 5, 4, 3, 2] });
  driver.apply('rows.delete', { sheet: 'Plan', from: 10, count: 1 });
  t.equal(driver.read('E19'), '=SUM(A2:A9)');
  const cells = () => [...(diff(before, driver.state, 'cells').sheets[0]?.cells ?? [])];
  const edited = () => cells().filter(({ run }) => run.change === 'modified');
  t.same(edited().length, 0);
  driver.apply('cells.set', {
    sheet: 'Plan',
    cells: [
      { a1: 'F19', input: '=SUM(A2:A10)' },
      { a1: 'G19', input: '=SUM(A2:A8)' },
    ],
  });
  t.same(
    edited().map((cell) => cellName(rowOf(cell), columnOf(cell))),
    ['F19', 'G19'],
    'longer and shorter ones are others',
  );
  driver.apply('rows.insert', { sheet: 'Plan', before: 10 });
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'E20', input: '=SUM(A2:A10)' }] });
  t.equal(edited().length, 3, 'so is one that takes in a row that came beside it');
  t.end();
});

t.test('sheets come, go and change places', (t) => {
  const driver = book();
  driver.apply('sheet.add', { name: 'Two' });
  driver.apply('sheet.add', { name: 'Three' });
  const before = driver.state.fork();
  driver.apply('sheet.move', { sheet: 'Three', index: 0 });
  driver.apply('sheet.delete', { sheet: 'Plan' });
  driver.apply('sheet.add', { name: 'New' });
  driver.apply('cells.set', { sheet: 'New', cells: [{ a1: 'B2', input: 1 }] });
  const ops = (found: StateDiff) =>
    found.sheets.map(({ pair, structure, cells, collapsed }) => {
      const name = (pair.is ?? pair.was)?.name;
      return [name, structure.map(({ op }) => op).join(), cells.length + collapsed.length];
    });
  t.same(ops(diff(before, driver.state)), [
    ['Three', 'place', 0],
    ['New', 'add', 1],
    ['Plan', 'delete', 25],
  ]);
  t.same(ops(diff(driver.state, before)), [
    ['Plan', 'add', 25],
    ['Two', 'place', 0],
    ['New', 'delete', 1],
  ]);
  t.end();
});

t.test('formats, lines, properties and settings are told beside the cells', (t) => {
  const driver = book();
  const before = driver.state.fork();
  driver.apply('format.set', { sheet: 'Plan', range: 'A1:C4', style: { bold: true } });
  driver.apply('rows.size', { sheet: 'Plan', from: 2, count: 3, px: 40 });
  driver.apply('sheet.props', { sheet: 'Plan', freezeRows: 1 });
  driver.apply('settings.set', { path: 'locale', value: 'de-AT' });
  driver.apply('style.define', { id: 'Loud', style: { bold: true } });
  const { sheets, settings, styles } = diff(before, driver.state);
  const [sheet] = sheets;
  t.same(
    sheet?.formats.map(({ range }) => rangeName(range)),
    ['A1:C4'],
  );
  t.match(sheet?.lines, [{ axis: 'row', position: 1, count: 3, was: {}, is: { px: 40 } }]);
  t.same(sheet?.properties, [{ key: 'freezeRows', was: 0, is: 1 }]);
  t.same(settings, [{ path: 'locale', was: 'en-US', is: 'de-AT' }]);
  t.match(styles, [{ id: 'Loud', was: undefined, is: { bold: true } }]);
  t.end();
});

t.test('names that only have another name are told as renamed', (t) => {
  const driver = book();
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A2' });
  driver.apply('name.set', { name: 'fee', ref: 'Plan!A3' });
  const before = driver.state.fork();
  driver.apply('rows.insert', { sheet: 'Plan', before: 1 });
  t.same(diff(before, driver.state).names, [], 'moved along');
  driver.apply('name.rename', { from: 'tax', to: 'vat' });
  driver.apply('name.set', { name: 'fee', ref: 'Plan!B9' });
  const names = diff(before, driver.state).names;
  t.match(names, [
    { change: 'modified', was: { name: 'fee' }, is: { name: 'fee' } },
    { change: 'modified', was: { name: 'tax' }, is: { name: 'vat' } },
  ]);
  t.equal(names.length, 2);
  t.end();
});

t.test('formulas that follow a renamed name, table or column are no change', (t) => {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A2' });
  driver.apply('name.set', { name: 'own', ref: 'Plan!A3', scope: 'Plan' });
  const schema = { columns: [{ name: 'sku' }, { name: 'price' }] };
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema });
  const inputs = [['=tax*2', '=own+tax', '=SUM(Items[price])', '="tax"&tax']];
  driver.apply('range.set', { sheet: 'Plan', range: 'D1', inputs });
  const before = driver.state.fork();
  driver.apply('name.rename', { from: 'tax', to: 'vat' });
  driver.apply('name.rename', { from: 'own', to: 'mine', scope: 'Plan' });
  driver.apply('table.rename', { table: 'Items', name: 'Goods' });
  driver.apply('table.column.rename', { table: 'Goods', column: 'price', name: 'cost' });
  t.same(driver.rows('D1:G1'), [['=vat*2', '=mine+vat', '=SUM(Goods[cost])', '="tax"&vat']]);
  const plan = () => diff(before, driver.state).sheets.find(({ pair }) => pair.is?.name === 'Plan');
  t.equal(plan()?.cells.length, 0);
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'D1', input: '=mine*2' }] });
  t.equal(plan()?.cells.length, 1);
  t.end();
});

t.test('a formula that says the same as before is no change, whatever was renamed', (t) => {
  const driver = new StateDriver(formulas);
  driver.apply('sheet.add', { name: 'Plan' });
  driver.apply('name.set', { name: 'tax', ref: 'Plan!A1', scope: 'Plan' });
  const entry = { sheet: 'Plan', cells: [{ a1: 'B1', input: '=SUM(vat,A3:A9)' }] };
  driver.apply('cells.set', entry);
  const before = driver.state.fork();
  driver.apply('name.rename', { from: 'tax', to: 'vat', scope: 'Plan' });
  driver.apply('rows.insert', { sheet: 'Plan', before: 20 });
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'B1', input: '' }] });
  driver.apply('cells.set', entry);
  for (const found of [diff(before, driver.state), diff(driver.state, before)]) {
    t.same(
      found.sheets.flatMap(({ cells }) => [...cells]),
      [],
    );
  }
  t.end();
});

t.test('tables are told by schema and by rows of a key, wherever those stand', (t) => {
  const driver = new StateDriver();
  const schema = { columns: [{ name: 'sku' }, { name: 'price' }, { name: 'note' }] };
  driver.apply('table.create', { name: 'Items', keyColumn: 'sku', schema });
  const rows = Array.from({ length: 30 }, (_, at) => ({ sku: `S${at}`, price: at, note: 'n' }));
  driver.apply('rows.import', { table: 'Items', rows });
  const before = driver.state.fork();
  driver.apply('rows.upsert', {
    table: 'Items',
    rows: [
      { sku: 'S3', price: 33 },
      { sku: 'S99', price: 1, note: 'new' },
    ],
  });
  driver.apply('rows.delete', { table: 'Items', keys: ['S7'] });
  driver.apply('table.column.rename', { table: 'Items', column: 'note', name: 'remark' });
  driver.apply('table.column.add', { table: 'Items', column: 'stock' });
  const [table] = diff(before, driver.state).sheets[0]?.tables ?? [];
  t.same(
    table?.schema.map(({ op, column }) => [op, column]),
    [
      ['column.rename', 'remark'],
      ['column.add', 'stock'],
    ],
  );
  t.same(
    table?.rows.slice(0).map(({ change, read }) => [change, read().key, read().columns.join()]),
    [
      ['modified', 'S3', 'price'],
      ['added', 'S99', 'sku,price,remark'],
      ['removed', 'S7', 'sku,price,remark'],
    ],
  );
  t.match(table?.rows.slice(0)[0]?.read(), { before: { price: 3 }, after: { price: 33 } });
  t.end();
});

t.test('records are told by what they say, and not for lines that came between', (t) => {
  const driver = book();
  driver.apply('note.set', { sheet: 'Plan', a1: 'A5', text: 'why' });
  driver.apply('validation.set', {
    id: 'v1',
    sheet: 'Plan',
    ranges: ['A1:A10'],
    rule: { type: 'whole', operator: 'between', formula1: 1, formula2: 9 },
  });
  const before = driver.state.fork();
  driver.apply('rows.insert', { sheet: 'Plan', before: 3 });
  driver.apply('rows.delete', { sheet: 'Plan', from: 11, count: 1 });
  t.same(diff(before, driver.state, 'records').sheets, []);
  driver.apply('note.set', { sheet: 'Plan', a1: 'A6', text: 'because' });
  driver.apply('note.set', { sheet: 'Plan', a1: 'B6', text: 'new' });
  driver.apply('validation.delete', { id: 'v1' });
  const records = diff(before, driver.state, 'records').sheets[0]?.records;
  t.same(
    records?.map(({ change, type }) => [change, type]),
    [
      ['modified', 'note'],
      ['added', 'note'],
      ['removed', 'validation'],
    ],
  );
  t.end();
});
