import type { Service } from '../service.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];
const lines: readonly (readonly [string, number])[] = [
  ['Rent', 1200],
  ['Salaries', 8400],
  ['Software', 310],
  ['Travel', 640],
];

const suppliers: readonly (readonly (string | number)[])[] = [
  ['Name', 'City', 'Days'],
  ['Acme Paper Ltd', 'Leeds', 30],
  ['Borealis Travel', 'Oslo', 14],
  ['Cedar Software GmbH', 'Berlin', 30],
  ['Delta Property', 'Lyon', 60],
  ['Ember Catering', 'Turin', 14],
];
const invoices: readonly (readonly (string | number)[])[] = [
  ['No', 'From', 'Amount'],
  ['I-101', 'ACME Paper Limited', 310.5],
  ['I-102', 'Borealis Travels', 640],
  ['I-103', 'Cedar Software', 1200],
  ['I-104', 'Delta Properties Inc', 8400],
  ['I-105', 'Falcon Couriers', 75.2],
];

/** Makes a budget with two tables and a branch whose merge has a conflict; returns its id. */
export async function makeSample(service: Service): Promise<string> {
  const header = ['Costs', ...months, 'Total'];
  const rows = lines.map(([name, cost], index) => [
    name,
    ...months.map((_, month) => cost + month * 10),
    `=SUM(B${index + 2}:G${index + 2})`,
  ]);
  const columns = ['B', 'C', 'D', 'E', 'F', 'G', 'H'];
  const total = ['All', ...columns.map((column) => `=SUM(${column}2:${column}5)`)];
  const book = await service.ask<{ id: string }>('/v1/workbooks', {
    body: {
      name: `budget-${crypto.randomUUID().slice(0, 6)}`,
      sheets: [
        { name: 'Budget', rows: [header, ...rows, total] },
        { name: 'Suppliers', rows: suppliers },
        { name: 'Invoices', rows: invoices },
      ],
    },
  });
  const path = `/v1/workbooks/${book.id}`;
  const write = (branch: string, ops: readonly unknown[]) =>
    service.ask(`${path}/branches/${branch}/ops`, { body: { writer: 'sample', ops } });
  const set = (a1: string, input: unknown) => ({
    kind: 'cells.set',
    payload: { sheet: 'Budget', cells: [{ a1, input }] },
  });
  await write('main', [
    { kind: 'format.set', payload: { sheet: 'Budget', range: '1:1', style: { bold: true } } },
    {
      kind: 'format.set',
      payload: { sheet: 'Budget', range: 'A6:H6', style: { bold: true, fill: '#E8F1EC' } },
    },
    { kind: 'numfmt.set', payload: { sheet: 'Budget', range: 'B2:H6', pattern: '#,##0' } },
    { kind: 'sheet.props', payload: { sheet: 'Budget', freezeRows: 1, freezeCols: 1 } },
    { kind: 'cols.size', payload: { sheet: 'Suppliers', from: 'A', count: 1, px: 170 } },
    { kind: 'cols.size', payload: { sheet: 'Invoices', from: 'B', count: 1, px: 170 } },
    {
      kind: 'table.create',
      payload: { name: 'Suppliers', keyColumn: 'Name', sheetRange: 'Suppliers!A1:C6' },
    },
    {
      kind: 'table.create',
      payload: { name: 'Invoices', keyColumn: 'No', sheetRange: 'Invoices!A1:C6' },
    },
  ]);
  await service.ask(`${path}/branches`, { body: { name: 'less-travel', from: 'main' } });
  await write('less-travel', [set('B5', 200), set('C5', 200), set('D5', 200), set('B4', 290)]);
  await write('main', [set('B5', 700)]);
  await service.ask(`${path}/merges`, { body: { source: 'less-travel', target: 'main' } });
  return book.id;
}
