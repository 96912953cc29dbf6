import t from 'tap';

import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { writeXlsx } from '../../workers/files/xlsx-write.ts';
import type { SourceCell } from '../../workers/files/sheet-cells.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
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

t.test('a table of its own is filled by key, over the wire and over a restart', async (t) => {
  const settings = {
    DATABASE_URL: await createMigratedDatabase(),
    DATA_DIR: await makeTemporaryFolder(t),
  };
  let service = await TestService.start(t, settings, {});
  const credential = await service.register();
  const created = await service.request('/v1/workbooks', { credential, body: {} });
  const at = `/v1/workbooks/${(created.json as { id: string }).id}`;
  const submit = (...ops: object[]) =>
    service.request(`${at}/branches/main/ops`, { credential, body: { ops, mode: 'atomic' } });
  const columns = [
    { name: 'sku', type: 'text' },
    { name: 'price', type: 'number', nullable: false },
    { name: 'double', formula: '[@price]*2' },
  ];
  const rows = Array.from({ length: 300 }, (_, index) => [`S${index}`, index]);
  const filled = await submit(
    { kind: 'table.create', payload: { name: 'Stock', keyColumn: 'sku', schema: { columns } } },
    { kind: 'rows.upsert', payload: { table: 'Stock', columns: ['sku', 'price'], rows } },
    {
      kind: 'cells.set',
      payload: { sheet: 'Sheet1', cells: [{ a1: 'A1', input: '=SUM(Stock[double])' }] },
    },
  );
  t.match(filled, { status: 200, json: { status: 'applied' } });
  const wrong = await submit({
    kind: 'rows.upsert',
    payload: {
      table: 'Stock',
      rows: [
        { sku: 'S1', price: 2 },
        { sku: 'S2', price: 'dear' },
      ],
    },
  });
  t.match(wrong, { status: 409, json: { errors: [{ code: 'row_invalid' }] } });
  const single = await service.request(`${at}/branches/main/ops`, {
    credential,
    body: {
      ops: [{ kind: 'rows.upsert', payload: { table: 'Stock', rows: [{ sku: 'S2', price: '' }] } }],
    },
  });
  const [result] = (single.json as { results: unknown[] }).results;
  t.match(result, { status: 'rejected', error: { code: 'row_invalid', pointer: '/rows/0/price' } });
  const malformed = await submit({ kind: 'rows.delete', payload: { table: 'Stock', key: ['S1'] } });
  const faults = [{ pointer: '/ops/0/payload/key' }, { pointer: '/ops/0/payload/keys' }];
  t.match(malformed, { status: 400, json: { errors: faults } });
  const bad = await submit({
    kind: 'rows.import',
    payload: { table: 'Stock', rows: [{ sku: [] }] },
  });
  t.match(bad, { status: 400, json: { errors: [{ pointer: '/ops/0/payload/rows/0/sku' }] } });
  t.match(
    (
      await submit(
        { kind: 'rows.delete', payload: { table: 'Stock', keys: ['S0', 'S299'] } },
        { kind: 'rows.delete', payload: { sheet: 'Stock', from: 2 } },
      )
    ).json,
    { status: 'applied' },
  );
  const sum = 2 * ((299 * 300) / 2 - 299 - 1);
  const read = async (path: string) =>
    (await service.request(`${at}/${path}`, { credential })).json;
  t.match(await read('slice?range=Sheet1!A1'), { rows: [[sum]] });
  const before = await read('branches/main/state');
  t.match(before, {
    tables: [{ name: 'Stock', range: 'A1:C298', keyColumn: 'sku', schema: { columns } }],
  });
  await service.app.stop();
  service = await TestService.start(t, settings, {});
  t.same(await read('branches/main/state'), before);
  t.match(await read('slice?range=Stock!A297:C298'), {
    rows: [
      ['S297', 297, 594],
      ['S298', 298, 596],
    ],
  });
  const file = await service.request(`${at}/branches/main/export?format=xlsx`, { credential });
  t.match(readXlsx(file.bytes).tables, [{ name: 'Stock', sheet: 'Stock', range: 'A1:C298' }]);
});
