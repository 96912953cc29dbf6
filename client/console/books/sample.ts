import type { Service } from '../service.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];
const lines: readonly (readonly [string, number])[] = [
  ['Rent', 1200],
  ['Salaries', 8400],
  ['Software', 310],
  ['Travel', 640],
];

/** Makes a budget with a branch whose merge has a conflict; answers the id of the workbook. */
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
      sheets: [{ name: 'Budget', rows: [header, ...rows, total] }],
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
  ]);
  await service.ask(`${path}/branches`, { body: { name: 'less-travel', from: 'main' } });
  await write('less-travel', [set('B5', 200), set('C5', 200), set('D5', 200), set('B4', 290)]);
  await write('main', [set('B5', 700)]);
  await service.ask(`${path}/merges`, { body: { source: 'less-travel', target: 'main' } });
  return book.id;
}
