import t from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import { TestService } from '../support/test-service.ts';

const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const rows: (string | number | { formula: string })[][] = [
  ['Item', 'Price', 'Count', 'Sum'],
  ['Tea', 2.5, 4, { formula: '=[@Price]*[@Count]' }],
  ['Milk', 1.25, 2, { formula: '=[@Price]*[@Count]' }],
  ['Total', '', '', { formula: '=SUM(Sales[Sum])' }],
];
const figures = ['=SUM(Sales[Price])', '=Sales[[#Totals],[Sum]]', '=Sales[[#Headers],[Count]]'];

/** A workbook with a table, and formulas on another sheet that name its parts. */
function salesFile(): Uint8Array {
  const cells: SourceCell[] = rows.flatMap((inputs, row) =>
    inputs.flatMap((input, column) => (input === '' ? [] : [{ row, column, input }])),
  );
  const named = figures.map((formula, row) => ({ row, column: 0, input: { formula } }));
  const chunks: Uint8Array[] = [];
  const table = {
    name: 'Sales',
    sheet: 'Plan',
    range: 'A1:D4',
    columns: ['Item', 'Price', 'Count', 'Sum'],
    headerRow: true,
    totalsRow: true,
  };
  const source = {
    date1904: true,
    names: [],
    tables: [table],
    sheets: [
      { name: 'Figures', cells: () => named },
      { name: 'Plan', cells: () => cells },
    ],
  };
  writeXlsx(source, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

t.test(
  'tables and the date system of a file come in, calculate, follow edits and go out',
  async (t) => {
    const service = await TestService.start(t, {}, {});
    const credential = await service.register();
    const created = await service.request('/v1/workbooks', {
      credential,
      bytes: salesFile(),
      headers: { 'content-type': xlsx },
    });
    t.match(created, { status: 201, json: { dropped: [] } });
    const at = `/v1/workbooks/${(created.json as { id: string }).id}`;
    const read = (path: string) => service.request(`${at}/${path}`, { credential });
    const values = async (range: string) =>
      ((await read(`slice?range=${range}`)).json as { rows: unknown[][] }).rows;
    const submit = (...ops: object[]) =>
      service.request(`${at}/branches/main/ops`, { credential, body: { ops } });

    t.same(await values('Figures!A1:A3'), [[3.75], [12.5], ['Count']]);
    t.same(await values('Plan!D2:D4'), [[10], [2.5], [12.5]]);
    t.match((await read('branches/main/state')).json, {
      settings: { dateSystem: 1904, 'iteration.enabled': false },
      tables: [{ id: /^t1\.\d+\.0$/, name: 'Sales', range: 'A1:D4', totalsRow: true }],
    });

    const edited = await submit(
      { kind: 'rows.insert', payload: { sheet: 'Plan', before: 3 } },
      { kind: 'cols.insert', payload: { sheet: 'Plan', before: 'C' } },
      { kind: 'range.set', payload: { sheet: 'Plan', range: 'B3:D3', inputs: [[10, 1, 3]] } },
      {
        kind: 'cells.set',
        payload: {
          sheet: 'Figures',
          cells: [
            { a1: 'A4', input: '=SUM(Sales[Column3])' },
            { a1: 'A5', input: '=ROWS(Sales)' },
            { a1: 'A6', input: '=Costs[a]' },
          ],
        },
      },
    );
    t.match(edited.json, { status: 'applied' });
    t.same(await values('Figures!A1:A5'), [[13.75], [12.5], ['Count'], [1], [3]]);

    t.match(
      (
        await submit({
          kind: 'table.create',
          payload: { name: 'Costs', sheetRange: 'Plan!H1:H3' },
        })
      ).json,
      { status: 'applied' },
    );
    const renamed = { a1: 'H1', input: 'b' };
    await submit({ kind: 'cells.set', payload: { sheet: 'Plan', cells: [renamed] } });
    const file = await read('branches/main/export?format=xlsx');
    const again = readXlsx(file.bytes);
    t.equal(again.date1904, true);
    t.match(again.tables, [
      {
        name: 'Sales',
        sheet: 'Plan',
        range: 'A1:E5',
        columns: ['Item', 'Price', 'Column3', 'Count', 'Sum'],
      },
      { name: 'Costs', range: 'H1:H3', columns: ['Column1'] },
    ]);

    t.match(
      (await submit({ kind: 'rows.delete', payload: { sheet: 'Plan', from: 1, count: 9 } })).json,
      {
        status: 'applied',
      },
    );
    const gone = { error: '#REF!' };
    t.same(await values('Figures!A1:A2'), [[gone], [gone]]);
    t.match((await read('branches/main/state')).json, { tables: [] });
  },
);
