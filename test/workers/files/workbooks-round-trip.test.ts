import { readFileSync } from 'node:fs';
import t from 'tap';
import { WorkbookGrid } from '../../support/workbook-grid.ts';
import type { ImportedWorkbook } from '../../../workers/files/imported-workbook.ts';
import type { SourceCell } from '../../../workers/files/sheet-cells.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import type { WorkbookSource } from '../../../workers/files/workbook-source.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { writeXlsx } from '../../../workers/files/xlsx-write.ts';

const folder = new URL('../../../../test/workbooks/', import.meta.url);
const files = ['event_calendar', 'gantt_project_tracker', 'poi-46535', 'poi-51710'];

function written(source: WorkbookSource): Uint8Array {
  const chunks: Uint8Array[] = [];
  writeXlsx(source, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

function contentOf(workbook: ImportedWorkbook | WorkbookSource) {
  const sheets = workbook.sheets.map((sheet) => {
    const cells: Iterable<SourceCell> = 'content' in sheet ? sheet.content.cells() : sheet.cells();
    const records = sheet.records ?? [];
    return { name: sheet.name, cells: [...cells].map(withoutSpilled), records };
  });
  const { date1904, names, tables } = workbook;
  return { sheets, date1904, names, tables };
}

/** How far an array spills is not kept, so what it fills would come back as inputs. */
function withoutSpilled({ value, ...cell }: SourceCell): SourceCell {
  return cell.input === null || value === undefined ? cell : { ...cell, value };
}

for (const file of files) {
  t.test(`${file}: operations make the same cells as the file`, (t) => {
    const workbook = readXlsx(readFileSync(new URL(`${file}.xlsx`, folder)));
    const grid = WorkbookGrid.from(toOperations(workbook));
    t.same(withoutRecords(grid.source()), withoutRecords(workbook));
    t.end();
  });

  t.test(`${file}: import, export, import gives the same workbook with its values`, (t) => {
    const bytes = readFileSync(new URL(`${file}.xlsx`, folder));
    const first = readXlsx(bytes, { keepValues: true });
    const sheets = first.sheets.map((sheet) => ({
      name: sheet.name,
      look: sheet.look,
      records: sheet.records ?? [],
      cells: () => [...sheet.content.cells()].map(withoutSpilled),
    }));
    const again = readXlsx(written({ ...first, sheets }), { keepValues: true });
    t.same(contentOf(again), contentOf(first));
    t.same(again.look, first.look, 'named styles and settings');
    for (const [index, { name, look }] of first.sheets.entries()) {
      t.same(again.sheets[index]?.look, look, `${name}: rows, columns and properties`);
    }
    t.same(again.dropped, [], 'nothing is lost the second time');
    t.end();
  });
}

function withoutRecords(workbook: ImportedWorkbook | WorkbookSource) {
  const { sheets, ...rest } = contentOf(workbook);
  return { ...rest, sheets: sheets.map(({ name, cells }) => ({ name, cells })) };
}

t.test('tables, names, arrays, flags, formats and odd texts survive', (t) => {
  const cells: SourceCell[] = [
    { row: 0, column: 0, input: 'Item' },
    { row: 0, column: 1, input: 'Unit price' },
    { row: 0, column: 2, input: 'Twice' },
    { row: 1, column: 0, input: '=not a formula' },
    { row: 1, column: 1, input: 0.1, numberFormat: '0.00 "€"' },
    { row: 1, column: 2, input: { formula: '=[@[Unit price]]*2' }, value: 0.2 },
    { row: 2, column: 0, input: "'quoted' & <tagged> \r\n\t\u0001 _x000D_ 😀" },
    { row: 2, column: 1, input: 1e-300, numberFormat: 'yyyy-mm-dd' },
    { row: 2, column: 2, input: { error: '#N/A' } },
    { row: 3, column: 0, input: '  spaces  ' },
    { row: 3, column: 1, input: true },
    { row: 4, column: 0, input: { formula: '=SEQUENCE(2,2)' }, value: 1, spillRows: 2 },
    { row: 4, column: 4, input: { formula: '=A1:A3&"x"', array: 'E5:E7' }, value: 'Itemx' },
    { row: 4, column: 6, input: { formula: '=A1:A9', legacy: true }, value: 1 },
    { row: 4, column: 7, input: { formula: '=@A1:A9+A5#' }, value: { error: '#VALUE!' } },
    { row: 4, column: 8, input: { formula: '=LAMBDA(x,[y],x+IF(ISOMITTED(y),1,y))(2)' }, value: 3 },
    { row: 6, column: 0, input: null, numberFormat: '0%' },
  ];
  const source: WorkbookSource = {
    date1904: true,
    sheets: [
      { name: "It's <1>", cells: () => cells },
      { name: 'Leer', cells: () => [] },
    ],
    names: [
      { name: 'Rate', scope: undefined, formula: '=0.25', comment: 'a "note"' },
      { name: 'Rate', scope: 'Leer', formula: "='It''s <1>'!$A$1" },
    ],
    tables: [
      {
        name: 'Prices',
        sheet: "It's <1>",
        range: 'A1:C3',
        columns: ['Item', 'Unit price', 'Twice'],
        headerRow: true,
        totalsRow: false,
        style: { name: 'TableStyleLight9', rowStripes: true, lastColumn: true },
      },
    ],
  };
  const again = readXlsx(written(source), { keepValues: true });
  const plain = (cell: SourceCell) => {
    const { spillRows: _, numberFormat, ...rest } = cell;
    return numberFormat === undefined ? rest : { ...rest, numberFormat, style: { numberFormat } };
  };
  const expected = contentOf(source);
  const sheets = expected.sheets.map((sheet) => ({ ...sheet, cells: sheet.cells.map(plain) }));
  t.same(contentOf(again), { ...expected, sheets });
  t.end();
});

t.test('a text, error or name that looks like something else survives as operations', (t) => {
  const cells: SourceCell[] = [
    { row: 0, column: 0, input: '=SUM(A1)' },
    { row: 1, column: 0, input: "'x" },
    { row: 2, column: 0, input: 'TRUE' },
    { row: 3, column: 0, input: '#N/A' },
    { row: 4, column: 0, input: '007' },
  ];
  const source = {
    date1904: false,
    names: [],
    tables: [],
    sheets: [{ name: 'S', cells: () => cells }],
  };
  const grid = WorkbookGrid.from(toOperations(readXlsx(written(source))));
  t.same(contentOf(grid.source()).sheets, [{ name: 'S', cells, records: [] }]);
  t.end();
});
