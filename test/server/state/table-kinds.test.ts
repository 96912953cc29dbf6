import t from 'tap';

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
  driver.apply('cells.set', { sheet: 'Main', cells: [{ a1: 'A1', input: '=SUM(Stock[sum])' }] });
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
  t.match(resolved, { table: 't1.2.0', added: [1, 4, 0, 2], areas: [{ rows: [1, 4, 0, 2] }] });
  t.equal(driver.value('Main', 0, 0), 11);
  driver.compare();
  driver.apply('rows.upsert', {
    table: 'stock',
    columns: ['sku', 'count'],
    rows: [
      ['milk', 5],
      ['salt', 2],
    ],
  });
  t.equal(driver.value('Main', 0, 0), 15);
  t.equal(driver.value('Stock', 3, 1), null);
  driver.compare();
  driver.apply('rows.delete', { table: 'Stock', keys: ['tea'] });
  t.same(
    driver.rows('Stock').map(({ sku }) => sku),
    ['milk', 'salt'],
  );
  t.equal(driver.value('Main', 0, 0), 5);
  driver.apply('rows.delete', { table: 'Stock', keys: ['salt', 'milk'] });
  t.same(driver.rows('Stock'), []);
  t.equal(driver.range('Stock'), 'A1:D2');
  t.equal(driver.value('Main', 0, 0), 0);
  driver.compare();
});
