import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';
import { errorCodes } from '../../../server/model/cell-value.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import type { SourceCell } from '../../../workers/files/sheet-cells.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { fileOf } from '../../support/file-round-trip.ts';
import { relationshipsXml, sheetXml, workbookFile } from '../../support/workbook-file.ts';

function written(cells: readonly SourceCell[]): Uint8Array {
  const sheets = [{ name: 'S', cells: () => cells }];
  return fileOf({ date1904: false, names: [], tables: [], sheets });
}

function cellsOf(bytes: Uint8Array): SourceCell[] {
  const [sheet] = readXlsx(bytes, { keepValues: true }).sheets;
  return [...(sheet?.content.cells() ?? [])];
}

const known = errorCodes.filter((error) => error !== '#CIRC!');

t.test('every error of Excel is a constant that goes out and comes back', (t) => {
  const cells = known.map((error, row) => ({ row, column: 0, input: { error } }));
  t.same(cellsOf(written(cells)), cells);
  const again = [...toOperations(readXlsx(written(cells)))];
  t.match(JSON.stringify(again), /"error":"#SPILL!"/);
  t.end();
});

t.test('so is the value beside a formula, with and without an array', (t) => {
  const cells = known.flatMap((error, row): SourceCell[] => [
    { row, column: 0, input: { formula: '=A1' }, value: { error } },
    {
      row,
      column: 1,
      input: { formula: '=A1:A2', array: `B${row + 1}:B${row + 1}` },
      value: { error },
    },
    { row, column: 2, input: { formula: '=SORT(A1:A9)' }, value: { error } },
  ]);
  t.same(
    cellsOf(written(cells)).map(({ value }) => value),
    cells.map(({ value }) => value),
  );
  t.end();
});

t.test('a file has rich values only for errors that need them', (t) => {
  const names = (error: (typeof known)[number]) =>
    Object.keys(unzipSync(written([{ row: 0, column: 0, input: { error } }])));
  t.notMatch(names('#N/A').join(), /richData/);
  t.match(names('#CALC!').join(), /richData\/rdrichvalue\.xml/);
  const parts = unzipSync(written([{ row: 0, column: 0, input: { error: '#CALC!' } }]));
  const types = strFromU8(parts['[Content_Types].xml'] ?? new Uint8Array());
  const links = strFromU8(parts['xl/_rels/workbook.xml.rels'] ?? new Uint8Array());
  for (const part of ['rdrichvalue', 'rdrichvaluestructure']) {
    t.match(types, `PartName="/xl/richData/${part}.xml"`);
    t.match(links, `Target="richData/${part}.xml"`);
  }
  t.end();
});

const rich = 'xmlns="http://schemas.microsoft.com/office/spreadsheetml/2017/richdata"';

t.test('errors are read as Excel writes them, beside rich values that are none', (t) => {
  const metadata =
    '<metadata><metadataTypes count="2"><metadataType name="XLDAPR"/>' +
    '<metadataType name="XLRICHVALUE"/></metadataTypes>' +
    '<futureMetadata name="XLRICHVALUE" count="3">' +
    [2, 0, 1]
      .map((i) => `<bk><extLst><ext uri="{x}"><xlrd:rvb i="${i}"/></ext></extLst></bk>`)
      .join('') +
    '</futureMetadata><valueMetadata count="3"><bk><rc t="2" v="0"/></bk><bk><rc t="2" v="1"/></bk>' +
    '<bk><rc t="2" v="2"/></bk></valueMetadata></metadata>';
  const cell = (name: string, mark: string): string =>
    `<c r="${name}" t="e"${mark}><v>#VALUE!</v></c>`;
  const row = cell('A1', ' vm="1"') + cell('B1', ' vm="2"') + cell('C1', ' vm="3"');
  const bytes = workbookFile('', {
    'xl/worksheets/sheet1.xml': sheetXml(`<row r="1">${row}${cell('D1', ' vm="9"')}</row>`),
    'xl/metadata.xml': metadata,
    'xl/richData/values.xml':
      `<rvData ${rich} count="3"><rv s="1"><v>0</v><v>13</v></rv>` +
      '<rv s="0"><v>Paris</v></rv><rv s="2"><v>0</v><v>8</v><v>1</v><v>0</v></rv></rvData>',
    'xl/richData/structures.xml':
      `<rvStructures ${rich} count="3"><s t="_entity"><k n="name" t="s"/></s>` +
      '<s t="_error"><k n="subType" t="i"/><k n="errorType" t="i"/></s>' +
      '<s t="_error"><k n="colOffset" t="i"/><k n="errorType" t="i"/>' +
      '<k n="rwOffset" t="i"/><k n="subType" t="i"/></s></rvStructures>',
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['sheetMetadata', 'metadata.xml'],
      ['rdRichValue', 'richData/values.xml'],
      ['rdRichValueStructure', 'richData/structures.xml'],
    ]),
  });
  t.same(
    cellsOf(bytes).map(({ input }) => input),
    [{ error: '#SPILL!' }, { error: '#CALC!' }, { error: '#VALUE!' }, { error: '#VALUE!' }],
  );
  t.match(readXlsx(bytes).dropped, [{ what: 'rich values', count: 1 }]);
  t.end();
});

t.test('errors in words that other programs write are read as well', (t) => {
  const cells = known.map((error, at) => `<c r="A${at + 1}" t="e"><v>${error}</v></c>`);
  const rows = cells.map((cell, at) => `<row r="${at + 1}">${cell}</row>`).join('');
  t.same(
    cellsOf(workbookFile(rows)).map(({ input }) => input),
    known.map((error) => ({ error })),
  );
  t.end();
});
