import t from 'tap';

import { TableList } from '../../../server/state/structure/tables.ts';
import type { SectionEntry } from '../../../server/state/structure/section.ts';
import { drive, StateDriver } from '../../support/state-driver.ts';
import { TableDriver } from '../../support/table-driver.ts';

const columns = [
  { name: 'sku', type: 'text' },
  { name: 'price', type: 'number' },
  { name: 'count', type: 'integer', default: 1 },
  { name: 'sum', formula: '[@price]*[@count]' },
];

function shop(): TableDriver {
  const driver = new TableDriver();
  driver.apply('sheet.add', { name: 'Main' });
  driver.apply('table.create', { name: 'Stock', keyColumn: 'sku', schema: { columns } });
  return driver;
}

/** With three rows, and what they come to at Main!A1. */
function stocked(): TableDriver {
  const driver = shop();
  const rows = [
    ['tea', 2, 4],
    ['milk', 1, 3],
    ['salt', 5, 1],
  ];
  driver.apply('rows.upsert', { table: 'Stock', columns: ['sku', 'price', 'count'], rows });
  driver.apply('cells.set', { sheet: 'Main', cells: [{ a1: 'A1', input: '=SUM(Stock[sum])' }] });
  return driver;
}

const input = (a1: string, text: unknown) => ({ sheet: 'Main', cells: [{ a1, input: text }] });

t.test('a formula that an alteration keeps is carried to the head once', async (t) => {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'Main' });
  const schema = { columns: [{ name: 'v' }, { name: 'x', formula: '=[@v]*Main!$A$2' }] };
  driver.apply('table.create', { name: 'Own', schema });
  const base = driver.state.head;
  driver.apply('rows.insert', { sheet: 'Main', before: 1 });
  driver.apply('table.column.alter', { table: 'Own', column: 'x', type: 'text' }, base);
  t.equal(driver.read('B2', 1), '=[@v]*Main!$A$3');
  t.equal(drive(driver.replayed().state.stateHash()), drive(driver.state.stateHash()));
});

t.test('a table without a place gets a sheet of its own', async (t) => {
  const driver = shop();
  t.same(
    driver.state.sheetSummaries().map(({ name, used }) => [name, used]),
    [
      ['Main', null],
      ['Stock', 'A1:D2'],
    ],
  );
  t.equal(driver.range('Stock'), 'A1:D2');
  t.same(driver.rows('Stock'), []);
  driver.apply('cells.set', input('A1', '=SUM(Stock[sum])'));
  const rows = [
    { sku: 'tea', price: 2.5, count: 4 },
    { price: 1, sku: 'milk' },
  ];
  const { resolved } = driver.apply('rows.upsert', { table: 'Stock', rows });
  t.equal(driver.range('Stock'), 'A1:D3');
  t.same(driver.rows('Stock'), [
    { sku: 'tea', price: 2.5, count: 4, sum: '=[@price]*[@count]' },
    { sku: 'milk', price: 1, count: 1, sum: '=[@price]*[@count]' },
  ]);
  // The ids of two rows that operation 4 added, in the run of all operations that add two.
  const ids = [1, 0, 2 ** 28 + 2 * 4, 2];
  t.match(resolved, { table: 't1.2.0', added: ids, areas: [{ rows: ids }] });
  t.equal(driver.value('Main', 0, 0), 11);
  const more = { table: 'stock', columns: ['sku', 'count'], rows: [['milk', 5], ['salt']] };
  driver.apply('rows.upsert', more);
  t.equal(driver.value('Main', 0, 0), 15);
  t.equal(driver.value('Stock', 3, 1), null);
  driver.apply('rows.delete', { table: 'Stock', keys: ['tea'] });
  t.equal(driver.value('Main', 0, 0), 5);
  driver.apply('rows.delete', { table: 'Stock', keys: ['salt', 'milk'] });
  t.same([driver.rows('Stock'), driver.range('Stock')], [[], 'A1:D2']);
  t.equal(driver.value('Main', 0, 0), 0);
  driver.compare();
});

t.test('sheets of tables have names of their own', async (t) => {
  const driver = shop();
  const create = (name: string) => {
    driver.apply('table.create', { name, schema: { columns: [{ name: 'a' }] } });
    return driver.state.sheetSummaries().at(-1)?.name;
  };
  driver.apply('sheet.add', { name: 'Goods' });
  t.equal(create('goods'), 'goods 2');
  t.equal(create('History'), 'History 2');
  t.equal(create('What\\why?'), 'What_why_');
  const long = 'x'.repeat(40);
  t.equal(create(long), 'x'.repeat(31));
  t.equal(create(`${long}y`), `${'x'.repeat(29)} 2`);
});

t.test('a dropped table takes its own sheet along, and leaves the cells of others', async (t) => {
  const driver = stocked();
  driver.apply('table.drop', { table: 'Stock' });
  t.same(
    driver.state.sheetSummaries().map(({ name }) => name),
    ['Main'],
  );
  t.same(driver.value('Main', 0, 0), { error: '#REF!' });
  t.equal(driver.driver.read('A1'), '=SUM(Stock[sum])', 'the text stays');
  driver.apply('range.set', { sheet: 'Main', range: 'C1:C3', inputs: [['sum'], [1], [2]] });
  driver.apply('table.create', { name: 'Stock', sheetRange: 'Main!C1:C3' });
  t.equal(driver.value('Main', 0, 0), 3, 'and means the next table of the name');
  driver.apply('table.drop', { table: 'Stock' });
  t.equal(driver.driver.read('C3'), 2);
  driver.apply('table.create', { name: 'Again', sheetRange: 'Main!C1:C3' });
  driver.apply('table.drop', { table: 'Again', keepCells: false });
  t.equal(driver.driver.read('C3'), null);
  driver.compare();
});

t.test('a table kept on its sheet, and one that is the whole workbook', async (t) => {
  const driver = stocked();
  driver.apply('table.drop', { table: 'Stock', keepCells: true });
  t.equal(driver.driver.read('A2', 1), 'tea');
  const alone = new TableDriver();
  alone.apply('table.create', { name: 'Only', schema: { columns: [{ name: 'a' }] } });
  t.equal(alone.refusal('table.drop', { table: 'Only' }), 'last_sheet');
  t.equal(alone.refusal('table.drop', { table: 'Only', keepCells: true }), 'none');
});

t.test('formulas everywhere follow another name, of a table and of a column', async (t) => {
  const driver = stocked();
  driver.apply('name.set', { name: 'Total', formula: '=SUM(Stock[price])' });
  driver.apply('cells.set', input('A2', '=Total+ROWS(Stock)&"Stock[price]"'));
  driver.apply('table.rename', { table: 'Stock', name: 'Goods' });
  t.equal(driver.driver.read('A1'), '=SUM(Goods[sum])');
  t.equal(driver.driver.read('A2'), '=Total+ROWS(Goods)&"Stock[price]"');
  t.match(driver.state.nameSummaries(), [{ formula: '=SUM(Goods[price])' }]);
  driver.apply('table.column.rename', { table: 'Goods', column: 'price', name: 'Unit price' });
  t.match(driver.table('Goods').columns[3], { formula: '=[@[Unit price]]*[@count]' });
  t.equal(driver.driver.read('D3', 1), '=[@[Unit price]]*[@count]');
  t.same([driver.value('Main', 0, 0), driver.value('Main', 1, 0)], [16, '11Stock[price]']);
  t.equal(
    driver.refusal('table.column.rename', { table: 'Goods', column: 'sku', name: 'SUM' }),
    'name_taken',
  );
  t.equal(driver.refusal('table.rename', { table: 'Stock', name: 'X' }), 'table_not_found');
  t.equal(driver.refusal('table.rename', { table: 'Goods', name: 'total' }), 'name_taken /name');
  t.equal(driver.refusal('table.rename', { table: 'Goods', name: 'A1' }), 'bad_name /name');
  driver.compare();
});

t.test('a renamed table is what an older formula and an older operation mean', async (t) => {
  const driver = stocked();
  const base = driver.state.head;
  driver.apply('table.rename', { table: 'Stock', name: 'Goods' });
  driver.apply('table.column.rename', { table: 'Goods', column: 'price', name: 'cost' });
  driver.apply('rows.insert', { sheet: 'Main', before: 1 });
  const set = driver.apply('cells.set', input('B1', '=SUM(Stock[price])+ROWS(Stock)'), base);
  t.match(set, {
    status: 'rebased',
    payload: { cells: [{ input: '=SUM(Goods[cost])+ROWS(Goods)' }] },
  });
  const row = { table: 'Stock', rows: [{ sku: 'tea', price: 7 }] };
  const written = driver.apply('rows.upsert', row, base);
  t.match(written, { status: 'rebased', payload: { rows: [{ sku: 'tea', cost: 7 }] } });
  t.match(written.payload, { table: 't1.2.0' });
  t.equal(driver.rows('Goods')[0]?.['cost'], 7);
  driver.apply('table.drop', { table: 'Goods' });
  t.equal(driver.refusal('rows.upsert', row, { baseSeq: base }), 'target_deleted');
});

t.test('columns come, go and move with the rows they have', async (t) => {
  const driver = stocked();
  const names = () =>
    driver
      .table('Stock')
      .columns.map(({ name }) => name)
      .join(' ');
  const add = (payload: object) => driver.apply('table.column.add', { table: 'Stock', ...payload });
  add({ column: 'tax', type: 'number', default: 0.2, before: 'sum' });
  add({ column: 'note' });
  add({ column: 'first', before: 'sku' });
  t.equal(names(), 'first sku price count tax sum note');
  t.match(driver.rows('Stock')[2], { sku: 'salt', tax: 0.2, note: null, first: null });
  driver.apply('table.column.move', { table: 'Stock', column: 'first' });
  driver.apply('table.column.move', { table: 'Stock', column: 'count', before: 'price' });
  t.equal(names(), 'sku count price tax sum note first');
  driver.apply('table.column.drop', { table: 'Stock', column: 'tax' });
  t.equal(names(), 'sku count price sum note first');
  t.equal(driver.value('Main', 0, 0), 16);
  driver.apply('table.column.drop', { table: 'Stock', column: 'price' });
  t.same(driver.value('Main', 0, 0), { error: '#REF!' });
  t.equal(driver.range('Stock'), 'A1:E4');
  const refusal = (kind: string, payload: object) =>
    driver.refusal(`table.column.${kind}`, { table: 'Stock', ...payload });
  t.equal(refusal('drop', { column: 'sku' }), 'key_needed');
  t.equal(refusal('drop', { column: 'price' }), 'column_not_found');
  t.equal(refusal('add', { column: 'NOTE' }), 'name_taken');
  t.equal(refusal('add', { column: 'x', nullable: false }), 'row_invalid /default');
  t.equal(refusal('add', { column: 'x', before: 'sku', after: 'sku' }), 'position_missing');
  t.equal(refusal('add', { column: 'x', formula: 'A1*2' }), 'bad_formula');
  t.equal(refusal('add', { column: 'x', type: 'number', default: 'y' }), 'bad_table');
  driver.compare();
});

t.test('cells that a calculated column names follow their rows and sheets', async (t) => {
  const driver = stocked();
  driver.apply('cells.set', input('C5', 10));
  driver.apply('table.column.add', {
    table: 'Stock',
    column: 'dear',
    formula: '=[@price]*Main!$C$5',
  });
  driver.apply('rows.insert', { sheet: 'Main', before: 2, count: 3 });
  driver.apply('sheet.rename', { sheet: 'Main', name: 'Front page' });
  t.match(driver.table('Stock').columns.at(-1), { formula: "=[@price]*'Front page'!$C$8" });
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ sku: 'rice', price: 4 }] });
  t.equal(driver.value('Stock', 4, 4), 40);
  t.equal(
    driver.refusal('rows.upsert', { table: 'Stock', rows: [{ sku: 'a', dear: 1 }] }),
    'row_invalid /rows/0/dear',
  );
  driver.compare();
});

t.test('alter turns values into what says the same, or refuses', async (t) => {
  const driver = stocked();
  const alter = (column: string, change: object) => ({ table: 'Stock', column, ...change });
  driver.apply('table.column.alter', alter('price', { type: 'text' }));
  t.equal(driver.rows('Stock')[0]?.['price'], '2');
  t.same(driver.value('Main', 0, 0), 16, 'a text that is a number counts as one');
  driver.apply('table.column.alter', alter('price', { type: 'integer' }));
  t.equal(driver.rows('Stock')[0]?.['price'], 2);
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ sku: 'gold', price: null }] });
  t.equal(driver.refusal('table.column.alter', alter('price', { nullable: false })), 'row_invalid');
  driver.apply('table.column.alter', alter('price', { nullable: false, default: 9 }));
  t.equal(driver.rows('Stock')[3]?.['price'], 9);
  t.equal(
    driver.refusal('table.column.alter', alter('price', { enum: [1, 2] })),
    'bad_table',
    'the default',
  );
  t.equal(driver.refusal('table.column.alter', alter('price', { enum: [1, 2, 9] })), 'row_invalid');
  t.equal(driver.refusal('table.column.alter', alter('sku', { type: 'number' })), 'row_invalid');
  t.equal(driver.refusal('table.column.alter', alter('sku', { type: 'boolean' })), 'bad_table');
  t.match(driver.apply('table.column.alter', alter('price', { default: 9 })), { status: 'noop' });
  driver.apply(
    'table.column.alter',
    alter('price', { default: null, nullable: true, type: 'date' }),
  );
  const [tea] = driver.state.structure.sheets.slice(1);
  const area = { row0: 1, row1: 1, column0: 1, column1: 1 };
  t.same(tea && driver.state.numberFormats(tea, area), [['yyyy-mm-dd']]);
  driver.apply('table.column.alter', alter('price', { type: 'text' }));
  t.equal(driver.rows('Stock')[0]?.['price'], '1900-01-02');
  driver.compare();
});

t.test('another key has to tell the rows apart', async (t) => {
  const driver = stocked();
  const change = (keyColumn: string) => ({ table: 'Stock', keyColumn });
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ sku: 'tea', count: 1 }] });
  t.equal(driver.refusal('table.key.change', change('count')), 'row_invalid');
  t.equal(driver.refusal('table.key.change', change('sum')), 'bad_table');
  driver.apply('table.key.change', change('price'));
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ price: 5, sku: 'sea salt' }] });
  t.same(
    driver.rows('Stock').map(({ sku }) => sku),
    ['tea', 'milk', 'sea salt'],
  );
  t.match(driver.apply('table.key.change', change('PRICE')), { status: 'noop' });
  driver.apply('cells.set', { sheet: 'Stock', cells: [{ a1: 'B2', input: 5 }] });
  t.equal(driver.refusal('table.key.change', change('sku')), 'none');
  t.equal(driver.refusal('table.key.change', change('price')), 'row_invalid', 'it repeats now');
});

t.test('cells under a table of a shared sheet make way, and those beside it stay', async (t) => {
  const driver = new TableDriver();
  driver.apply('sheet.add', { name: 'Plan' });
  const inputs = [
    ['id', 'n', '', 'beside'],
    ['a', 1, '', 'x'],
    ['b', 2, '', '=B3'],
    ['', '', '', 'y'],
    ['below', '=SUM(T[n])', '', ''],
  ];
  driver.apply('range.set', { sheet: 'Plan', range: 'A1:D5', inputs });
  driver.apply('table.create', { name: 'T', keyColumn: 'id', sheetRange: 'Plan!A1:B3' });
  driver.apply('rows.upsert', { table: 'T', rows: [{ id: 'c', n: 3 }] });
  t.equal(driver.range('T'), 'A1:B4', 'the blank row was taken in');
  driver.apply('rows.upsert', {
    table: 'T',
    rows: [
      { id: 'd', n: 4 },
      { id: 'e', n: 5 },
    ],
  });
  t.same([driver.range('T'), driver.driver.read('A7')], ['A1:B6', 'below'], 'rows came in');
  t.equal(driver.value('Plan', 6, 1), 15);
  driver.apply('rows.delete', { table: 'T', keys: ['a', 'd'] });
  t.same(
    driver.rows('T').map(({ id }) => id),
    ['b', 'c', 'e'],
  );
  t.same([driver.driver.read('D2'), driver.driver.read('D4')], ['x', 'y'], 'what was beside');
  t.equal(driver.value('Plan', 6, 1), 10);
  driver.compare();
  driver.apply('range.set', {
    sheet: 'Plan',
    range: 'G1:G9',
    inputs: Array.from({ length: 9 }, (_, i) => [`r${i}`]),
  });
  driver.apply('table.create', { name: 'Tall', sheetRange: 'Plan!G1:G9' });
  driver.apply('cells.set', { sheet: 'Plan', cells: [{ a1: 'A5', input: 'in the way' }] });
  t.equal(driver.refusal('rows.upsert', { table: 'T', rows: [{ id: 'z' }] }), 'no_room');
});

t.test('an export and an import of what is stored make the same tables', async (t) => {
  const driver = stocked();
  driver.apply('range.set', {
    sheet: 'Main',
    range: 'C1:D2',
    inputs: [
      ['a', 'b'],
      [1, 2],
    ],
  });
  driver.apply('table.create', { name: 'Other', sheetRange: 'Main!C1:D2', headerRow: false });
  const stored = JSON.stringify([...driver.state.tables.entries()]);
  const entries = JSON.parse(stored) as SectionEntry[];
  const again = TableList.from(entries);
  t.same([...again.entries()], entries);
  const { structure } = driver.state;
  t.same(again.summaries(structure), driver.state.tables.summaries(structure));
  t.match(again.mutations(structure), [{ name: 'Stock' }, { name: 'Other', headerRow: false }]);
  const fork = driver.state.fork();
  const hash = drive(fork.stateHash());
  driver.apply('rows.upsert', { table: 'Stock', rows: [{ sku: 'new' }] });
  driver.apply('table.rename', { table: 'Other', name: 'Others' });
  t.equal(drive(fork.stateHash()), hash, 'a fork goes its own way');
  t.not(drive(driver.state.stateHash()), hash);
});
