import { strFromU8, unzipSync } from 'fflate';
import t from 'tap';

import type { ImportedWorkbook } from '../../../workers/files/imported-workbook.ts';
import { contentMutations } from '../../../server/state/content-mutations.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { valueForm } from '../../../workers/decode.ts';
import { Kernel } from '../../../workers/kernel.ts';
import { fileOf, sourceOf, stateOf } from '../../support/file-round-trip.ts';
import { relationshipsXml, sheetXml, workbookFile } from '../../support/workbook-file.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** A header and the numbers 1, 2, 4, 8 and 16 in A, totals in C; rows 3 and 6 are hidden. */
const rows = ['n', 1, 2, 4, 8, 16]
  .map((value, index) => {
    const row = index + 1;
    const hidden = row === 3 || row === 6 ? ' hidden="1"' : '';
    const text = typeof value === 'string';
    const cell = text ? `t="inlineStr"><is><t>${value}</t></is>` : `><v>${value}</v>`;
    const total = { 1: 'SUBTOTAL(9,A2:A6)', 2: 'SUBTOTAL(109,A2:A6)' }[row];
    const formula = total === undefined ? '' : `<c r="C${row}"><f>${total}</f></c>`;
    return `<row r="${row}"${hidden}><c r="A${row}" ${cell}</c>${formula}</row>`;
  })
  .join('');

function filter(range: string, inner: string): string {
  return `<autoFilter ref="${range}">${inner}</autoFilter>`;
}

const shown = '<filterColumn colId="0"><filters><filter val="1"/></filters></filterColumn>';

/** SUBTOTAL(9, …) and SUBTOTAL(109, …) of the first sheet. */
function totalsOf(workbook: ImportedWorkbook): unknown[] {
  const { state } = stateOf(toOperations(workbook));
  const kernel = Kernel.create();
  kernel.apply(contentMutations(state));
  while (!kernel.recalculate(now, 1e8)) continue;
  const area = { row0: 0, column0: 2, row1: 1, column1: 2 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm }).flat();
}

function withTable(tables: readonly string[], sheetFilter = ''): Uint8Array {
  const ids = tables.map((_, index) => `<tablePart r:id="rId${index + 1}"/>`).join('');
  const parts = Object.fromEntries(
    tables.map((table, index) => [`xl/tables/table${index + 1}.xml`, table]),
  );
  const links = tables.map((_, index) => ['table', `../tables/table${index + 1}.xml`] as const);
  return workbookFile('', {
    'xl/worksheets/sheet1.xml': sheetXml(rows, `${sheetFilter}<tableParts>${ids}</tableParts>`),
    'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml(links),
    ...parts,
  });
}

function table(name: string, range: string, criteria: string): string {
  const column = name === 'T' ? 'n' : name;
  return (
    `<table xmlns="${main}" id="1" name="${name}" displayName="${name}" ref="${range}">` +
    filter(range, criteria) +
    `<tableColumns count="1"><tableColumn id="1" name="${column}"/></tableColumns></table>`
  );
}

function imported(filters: string): ImportedWorkbook {
  return readXlsx(workbookFile('', { 'xl/worksheets/sheet1.xml': sheetXml(rows, filters) }));
}

t.test(
  'hidden rows of a file are hidden by hand, and by a filter where one leaves them out',
  (t) => {
    t.same(totalsOf(imported('')), [31, 13]);
    t.same(totalsOf(imported(filter('A1:A6', shown))), [13, 13]);
    t.same(totalsOf(imported(filter('A1:A4', shown))), [29, 13]);
    t.same(totalsOf(imported(filter('A1:A6', ''))), [31, 13], 'a filter that shows all');
    t.end();
  },
);

t.test('the filter of a table is the filter of its sheet, and goes out with the table', (t) => {
  const workbook = readXlsx(withTable([table('T', 'A1:A6', shown)]));
  const records = [
    { type: 'filter', ranges: ['A1:A6'], value: { criteria: [{ column: 'A', values: ['1'] }] } },
  ];
  t.same(workbook.sheets[0]?.records, records);
  t.same(workbook.dropped, []);
  t.same(totalsOf(workbook), [13, 13]);
  const file = fileOf(sourceOf(workbook, stateOf(toOperations(workbook))));
  const parts = unzipSync(file);
  const part = (name: string) => strFromU8(parts[name] ?? new Uint8Array());
  t.ok(part('xl/tables/table1.xml').includes(filter('A1:A6', shown)));
  t.notMatch(part('xl/worksheets/sheet1.xml'), /autoFilter/);
  t.notMatch(part('xl/workbook.xml'), /_FilterDatabase/);
  t.same(readXlsx(file).sheets[0]?.records, records);
  t.end();
});

t.test('a sheet keeps one filter that leaves rows out, and says which it does not keep', (t) => {
  const button = '<filterColumn colId="0" hiddenButton="1"/>';
  const plain = readXlsx(withTable([table('T', 'A1:A6', button)]));
  t.same(plain.sheets[0]?.records, []);
  const own = readXlsx(withTable([table('T', 'A1:A6', shown)], filter('E1:E4', shown)));
  t.same(own.sheets[0]?.records?.[0]?.ranges, ['E1:E4']);
  t.match(own.dropped, [{ what: 'filters of tables', where: 'Sheet1', count: 1 }]);
  const idle = readXlsx(withTable([table('T', 'A1:A6', shown)], filter('E1:E4', '')));
  t.same(
    idle.sheets[0]?.records?.map(({ ranges }) => ranges),
    [['A1:A6']],
  );
  const two = readXlsx(withTable([table('T', 'A1:A6', shown), table('U', 'G1:G6', shown)]));
  t.same(two.sheets[0]?.records?.[0]?.ranges, ['A1:A6']);
  t.equal(two.dropped.length, 1);
  t.end();
});

t.test('a table keeps a style that every program has, and no other', (t) => {
  const styled = (name: string) =>
    table('T', 'A1:A6', '').replace(
      '</table>',
      `<tableStyleInfo name="${name}" showFirstColumn="0" showRowStripes="1"/></table>`,
    );
  const known = readXlsx(withTable([styled('TableStyleMedium2')]));
  t.same(known.tables[0]?.style, { name: 'TableStyleMedium2', rowStripes: true });
  t.same(known.dropped, []);
  const own = readXlsx(withTable([styled('Our house')]));
  t.same(own.tables[0]?.style, { rowStripes: true });
  t.match(own.dropped, [{ what: 'table styles', where: 'Sheet1', count: 1 }]);
  t.end();
});

const dxfs =
  `<styleSheet xmlns="${main}"><dxfs count="3">` +
  '<dxf><fill><patternFill patternType="solid"><fgColor rgb="FFFF0000"/>' +
  '<bgColor rgb="FFFF0000"/></patternFill></fill></dxf>' +
  '<dxf><font><color theme="4"/></font></dxf>' +
  '<dxf><fill><patternFill patternType="none"/></fill></dxf></dxfs></styleSheet>';

/** Each kind of criterion that Excel writes, and what of it is kept. */
const kinds: readonly (readonly [rule: string, kept: object])[] = [
  ['<colorFilter dxfId="0"/>', { color: { of: 'fill', color: '#FF0000' } }],
  ['<colorFilter dxfId="1" cellColor="0"/>', { color: { of: 'font', color: { theme: 4 } } }],
  ['<colorFilter dxfId="2"/>', { color: { of: 'fill' } }],
  ['<colorFilter/>', { color: { of: 'fill' } }],
  ['<iconFilter iconSet="3Flags" iconId="2"/>', { icon: { set: '3Flags', index: 2 } }],
  ['<iconFilter iconSet="3Flags"/>', { icon: { set: '3Flags' } }],
  [
    '<filters><dateGroupItem year="2026" dateTimeGrouping="year"/>' +
      '<dateGroupItem year="2025" month="2" day="3" dateTimeGrouping="day"/></filters>',
    { values: [], dates: [{ year: 2026 }, { year: 2025, month: 2, day: 3 }] },
  ],
  ['<filters blank="1"/>', { blanks: true, values: [] }],
  ['<filters/>', { values: [] }],
  [`<filters><filter val="${'x'.repeat(256)}"/></filters>`, { values: [] }],
  ['<customFilters><customFilter operator="greaterThan" val="3"/></customFilters>', {}],
  ['<top10 val="2"/>', { top: { count: 2 } }],
  ['<top10 val="9999"/>', { dynamic: 'null' }],
  ['<dynamicFilter type="aboveAverage"/>', { dynamic: 'aboveAverage' }],
  ['<extLst><ext uri="{x}"/></extLst>', { dynamic: 'null' }],
  [
    '<mc:AlternateContent><mc:Choice Requires="x14"><x14:iconFilter iconSet="3Stars" iconId="1"/>' +
      '</mc:Choice><mc:Fallback><filters blank="1"/></mc:Fallback></mc:AlternateContent>',
    { icon: { set: '3Stars', index: 1 } },
  ],
];

t.test('rows that any kind of filter leaves out are hidden by it', (t) => {
  for (const [rule, kept] of kinds) {
    const inner = `<filterColumn colId="0">${rule}</filterColumn>`;
    const sheet = sheetXml(rows, filter('A1:A6', inner));
    const bytes = workbookFile('', {
      'xl/worksheets/sheet1.xml': sheet,
      'xl/styles.xml': dxfs,
    });
    const workbook = readXlsx(bytes);
    t.same(totalsOf(workbook), [13, 13], rule);
    const record = workbook.sheets[0]?.records?.find(({ type }) => type === 'filter');
    t.match(record?.value, { criteria: [{ column: 'A', ...kept }] }, rule);
    const again = readXlsx(fileOf(sourceOf(workbook, stateOf(toOperations(workbook)))));
    const back = again.sheets[0]?.records?.find(({ type }) => type === 'filter');
    t.same(back?.value, record?.value, `${rule} is written again`);
    t.same(totalsOf(again), [13, 13]);
  }
  t.end();
});

t.test('rows that a table leaves out by color are hidden by its filter', (t) => {
  const inner = '<filterColumn colId="0"><colorFilter dxfId="0"/></filterColumn>';
  const ids = '<tableParts><tablePart r:id="rId1"/></tableParts>';
  const workbook = readXlsx(
    workbookFile('', {
      'xl/worksheets/sheet1.xml': sheetXml(rows, ids),
      'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['table', '../tables/table1.xml']]),
      'xl/tables/table1.xml': table('T', 'A1:A6', inner),
      'xl/styles.xml': dxfs,
    }),
  );
  t.same(totalsOf(workbook), [13, 13]);
  const file = fileOf(sourceOf(workbook, stateOf(toOperations(workbook))));
  t.match(strFromU8(unzipSync(file)['xl/tables/table1.xml'] ?? new Uint8Array()), /colorFilter/);
  t.same(totalsOf(readXlsx(file)), [13, 13]);
  t.end();
});
