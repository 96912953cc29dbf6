import * as fc from 'fast-check';
import t from 'tap';

import {
  orderedStyle,
  patchStyle,
  plainStyle,
  readStyle,
  type CellStyle,
  type WireStyle,
} from '../../../server/model/cell-style.ts';
import { lineValue, type LineValue } from '../../../server/state/structure/line-value.ts';
import type { SourceCell } from '../../../workers/files/sheet-cells.ts';
import type { LineRun, SheetLook } from '../../../workers/files/sheet-look.ts';
import { differenceOf, StyleBase, usualFont } from '../../../workers/files/style-base.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import type { WorkbookSource } from '../../../workers/files/workbook-source.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { writeXlsx } from '../../../workers/files/xlsx-write.ts';
import { operationSchema } from '../../../server/model/operation.ts';
import { stylePartial } from '../../support/look-operations.ts';
import {
  relationshipsXml,
  sheetXml,
  workbookFile,
  workbookParts,
  workbookXml,
  zipParts,
} from '../../support/workbook-file.ts';

function written(source: WorkbookSource): Uint8Array {
  const chunks: Uint8Array[] = [];
  writeXlsx(source, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

const style = (stylePartial as fc.Arbitrary<WireStyle>).map((wire) =>
  patchStyle(plainStyle, readStyle(wire), true),
);
const bookFont = fc.constantFrom<CellStyle>({}, { font: 'Arial', size: 10 }, { valign: 'center' });

t.test('cells look the same after a file, whatever their styles', (t) => {
  fc.assert(
    fc.property(
      bookFont,
      fc.array(fc.tuple(style, fc.constantFrom(undefined, 'Loud', 'Quiet')), { minLength: 1 }),
      style,
      (normal, drawn, loud) => {
        const named = [
          ...(Object.keys(normal).length > 0 ? [{ id: 'Normal', style: normal }] : []),
          { id: 'Loud', style: loud },
          { id: 'Quiet', style: {} },
        ];
        const base = new StyleBase(named);
        const styles = drawn.map(([own, id]) =>
          id === undefined ? own : orderedStyle({ ...own, named: id }),
        );
        const cells = styles.map((own, row): SourceCell => ({
          row,
          column: 0,
          input: 1,
          style: own,
        }));
        const look = { styles: named, settings: {} };
        const source = { date1904: false, names: [], tables: [], look };
        const bytes = written({ ...source, sheets: [{ name: 'S', cells: () => cells }] });
        const again = readXlsx(bytes);
        if (again.dropped.length > 0) throw new Error(JSON.stringify(again.dropped));
        const after = new StyleBase(again.look.styles);
        const found = [...(again.sheets[0]?.content.cells() ?? [])];
        for (const [row, own] of styles.entries()) {
          const shown = after.full(found[row]?.style ?? {});
          same(base.full(own), shown);
        }
        // A second file says exactly what the first one said.
        const sheets = [{ name: 'S', cells: () => found }];
        const twice = readXlsx(written({ ...source, look: again.look, sheets }));
        same([...(twice.sheets[0]?.content.cells() ?? [])], found);
        same(twice.look, again.look);
      },
    ),
    { numRuns: 60 },
  );
  t.pass('for every workbook that was tried');
  t.end();
});

function sortedMembers(object: object): object {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function same(wanted: unknown, found: unknown): void {
  const [left, right] = [JSON.stringify(wanted), JSON.stringify(found)];
  if (left !== right) throw new Error(`${left}\n${right}`);
}

const lineArbitrary = fc
  .record(
    {
      hidden: fc.constant(true as const),
      level: fc.integer({ min: 1, max: 3 }),
      px: fc.constantFrom(20, 64, 100),
      style: fc.constantFrom<CellStyle>(
        { bold: true },
        { fill: { fg: '#00FF00', pattern: 'solid' } },
      ),
    },
    { requiredKeys: [] },
  )
  .map((value): LineValue => lineValue(value));

function runsOf(lines: readonly (LineValue | null)[]): LineRun[] {
  const runs: LineRun[] = [];
  for (const [line, value] of lines.entries()) {
    if (value === null || Object.keys(value).length === 0) continue;
    const last = runs.at(-1);
    const isSame = last?.to === line - 1 && JSON.stringify(last.value) === JSON.stringify(value);
    if (isSame) runs[runs.length - 1] = { ...last, to: line };
    else runs.push({ from: line, to: line, value });
  }
  return runs;
}

t.test('rows, columns and sheets look the same after a file', (t) => {
  const lines = fc.array(fc.option(lineArbitrary), { maxLength: 12 }).map(runsOf);
  const properties = fc.record(
    {
      colPx: fc.constantFrom(80, 120),
      freezeCols: fc.constantFrom(1, 2),
      freezeRows: fc.constantFrom(1, 5),
      gridlines: fc.constant(false),
      rowPx: fc.constant(30),
      rtl: fc.constant(true),
      summaryBelow: fc.constant(false),
      tabColor: fc.constantFrom('#112233', { theme: 4, tint: 0.5 }),
      zoom: fc.constant(75),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(lines, lines, properties, (rows, columns, own) => {
      const look = { rows, columns, properties: own };
      const again = roundTrip(look, [{ row: 3, column: 2, input: 'x' }]);
      same(again.sheets[0]?.look.rows, rows);
      same(again.sheets[0]?.look.columns, columns);
      const sorted = sortedMembers(own);
      same(sortedMembers(again.sheets[0]?.look.properties ?? {}), sorted);
      for (const operation of toOperations(again)) operationSchema.parse(operation);
    }),
    { numRuns: 80 },
  );
  t.pass('for every sheet that was tried');
  t.end();
});

function roundTrip(look: SheetLook, cells: readonly SourceCell[] = []) {
  const sheets = [{ name: 'S', look, cells: () => cells }];
  return readXlsx(written({ date1904: false, names: [], tables: [], sheets }));
}

t.test('groups stay folded, with their button below or above', (t) => {
  const folded = { collapsed: true, hidden: true } as const;
  const rows = [
    { from: 1, to: 2, value: { ...folded, level: 1 } },
    { from: 4, to: 4, value: { px: 30 } },
    { from: 5, to: 6, value: { level: 1 } },
    { from: 7, to: 8, value: { ...folded, level: 2 } },
    { from: 9, to: 9, value: { level: 1 } },
  ];
  for (const properties of [{}, { summaryBelow: false }]) {
    t.same(roundTrip({ rows, columns: [], properties }).sheets[0]?.look.rows, rows);
  }
  t.end();
});

t.test('rows hidden to the end of the sheet are not written one by one', (t) => {
  const hidden = { from: 40, to: 1_048_575, value: { hidden: true } } as const;
  const rows = [{ from: 2, to: 3, value: { px: 44 } }, hidden];
  const look = { rows, columns: [], properties: {} };
  const cells = [
    { row: 5, column: 0, input: 1 },
    { row: 90, column: 0, input: 2 },
  ];
  const sheets = [{ name: 'S', look, cells: () => cells }];
  const bytes = written({ date1904: false, names: [], tables: [], sheets });
  t.ok(bytes.length < 10_000, `${bytes.length} bytes`);
  const again = readXlsx(bytes).sheets[0];
  t.same(again?.look.rows, rows);
  t.same([...(again?.content.cells() ?? [])], cells);
  t.end();
});

const styles =
  '<styleSheet><fonts count="3"><font><sz val="10"/><name val="Arial"/></font>' +
  '<font><b/><u/><vertAlign val="superscript"/><sz val="14"/><color indexed="8"/><name val="Arial"/>' +
  '</font><font><b val="0"/><i/><strike/><u val="double"/><sz val="10"/>' +
  '<color theme="4" tint="-0.5"/><name val="Arial"/></font></fonts>' +
  '<fills><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor indexed="9"/><bgColor indexed="64"/>' +
  '</patternFill></fill><fill><gradientFill><stop position="0"><color rgb="FF0000FF"/></stop>' +
  '<stop position="1"><color rgb="FFFFFFFF"/></stop></gradientFill></fill>' +
  '<fill><patternFill patternType="lightGrid"><fgColor auto="1"/><bgColor rgb="00ABCDEF"/>' +
  '</patternFill></fill></fills>' +
  '<borders><border/><border diagonalDown="1"><start style="thin"><color auto="1"/></start>' +
  '<bottom style="double"><color rgb="FFff0000"/></bottom><diagonal style="hair"/></border></borders>' +
  '<cellStyleXfs><xf fontId="0"><alignment vertical="center"/></xf>' +
  '<xf fontId="1" fillId="1" applyFill="0"/></cellStyleXfs>' +
  '<cellXfs><xf fontId="0" xfId="0"><alignment vertical="center"/></xf>' +
  '<xf fontId="1" fillId="1" borderId="1" xfId="1"><alignment vertical="center"/></xf>' +
  '<xf fontId="2" fillId="2" xfId="0"><alignment horizontal="fill" textRotation="135" indent="2"/>' +
  '<protection locked="0" hidden="1"/></xf>' +
  '<xf fontId="0" fillId="3" xfId="0"><alignment vertical="center" textRotation="255"/></xf></cellXfs>' +
  '<cellStyles><cellStyle name="Standard" xfId="0" builtinId="0"/><cellStyle name="Titel" xfId="1"/>' +
  '</cellStyles><colors><indexedColors>' +
  Array.from({ length: 10 }, (_, index) => `<rgbColor rgb="0000000${index}"/>`).join('') +
  '</indexedColors></colors></styleSheet>';

t.test('a style is what differs from the named style below', (t) => {
  const rows =
    '<row r="1"><c r="A1"><v>1</v></c><c r="B1" s="1"/><c r="C1" s="2"/><c r="D1" s="3"/></row>';
  const workbook = readXlsx(workbookFile(rows, { 'xl/styles.xml': styles }));
  t.same(workbook.look.styles, [
    { id: 'Normal', style: { font: 'Arial', size: 10, valign: 'center' } },
    {
      id: 'Titel',
      style: {
        bold: true,
        color: '#000008',
        script: 'super',
        size: 14,
        underline: 'single',
        valign: 'bottom',
      },
    },
  ]);
  const cells = [...(workbook.sheets[0]?.content.cells() ?? [])];
  t.same(
    cells.map((cell) => cell.style),
    [
      undefined,
      {
        'border.bottom': { color: '#FF0000', style: 'double' },
        'border.diagonalDown': { style: 'hair' },
        'border.left': { style: 'thin' },
        fill: { fg: '#000009', pattern: 'solid' },
        named: 'Titel',
        valign: 'center',
      },
      {
        align: 'fill',
        color: { theme: 4, tint: -0.5 },
        fill: { fg: '#0000FF', pattern: 'solid' },
        hidden: true,
        indent: 2,
        italic: true,
        locked: false,
        named: 'Normal',
        rotation: -45,
        strike: true,
        underline: 'double',
        valign: 'bottom',
      },
      { fill: { bg: '#ABCDEF', pattern: 'lightGrid' }, rotation: 255 },
    ],
  );
  t.match(workbook.dropped, [{ what: 'gradient fills', count: 1 }]);
  t.end();
});

t.test('cells over rows and columns with styles keep what they look like', (t) => {
  const formats =
    '<styleSheet><fonts><font><sz val="11"/><name val="Calibri"/></font>' +
    '<font><b/><sz val="11"/><name val="Calibri"/></font>' +
    '<font><i/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<cellXfs><xf/><xf fontId="1"/><xf fontId="2"/></cellXfs></styleSheet>';
  const sheet =
    '<worksheet><cols><col min="1" max="2" width="20" style="1" customWidth="1"/>' +
    '<col min="3" max="16384" width="9.140625" style="2"/></cols><sheetData>' +
    '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1"><v>2</v></c><c r="C1" s="1"/></row>' +
    '<row r="2" s="2" customFormat="1"><c r="A2" s="2"><v>1</v></c><c r="B2" s="1"><v>1</v></c></row>' +
    '</sheetData></worksheet>';
  const bytes = zipParts(
    workbookParts('', { 'xl/styles.xml': formats, 'xl/worksheets/sheet1.xml': sheet }),
  );
  const first = readXlsx(bytes);
  const look = first.sheets[0]?.look;
  t.same(look?.columns, [
    { from: 0, to: 1, value: { px: 140, style: { bold: true } } },
    { from: 2, to: 16_383, value: { style: { italic: true } } },
  ]);
  t.same(look?.rows, [{ from: 1, to: 1, value: { style: { italic: true } } }]);
  const cells = [...(first.sheets[0]?.content.cells() ?? [])];
  t.same(
    cells.map(({ style: own }) => own),
    [undefined, { named: 'Normal' }, { bold: true }, undefined, { bold: true }],
  );
  const kinds = [...toOperations(first)].flatMap(({ kind, payload }) =>
    kind === 'format.set' ? [payload] : [],
  );
  t.same(kinds, [
    { sheet: 'Sheet1', range: 'A:B', style: { bold: true }, replace: true },
    { sheet: 'Sheet1', range: 'C:XFD', style: { italic: true }, replace: true },
    { sheet: 'Sheet1', range: '2:2', style: { italic: true }, replace: true },
    { sheet: 'Sheet1', range: 'B1', style: {}, replace: true },
    { sheet: 'Sheet1', range: 'B2,C1', style: { bold: true }, replace: true },
  ]);
  const sheets = [{ name: 'Sheet1', ...(look && { look }), cells: () => cells }];
  const again = readXlsx(written({ date1904: false, names: [], tables: [], sheets }));
  t.same(again.sheets[0]?.look, look);
  t.same([...(again.sheets[0]?.content.cells() ?? [])], cells);
  t.end();
});

t.test('a row that says that its style is not its own leaves the cells theirs', (t) => {
  const formats =
    '<styleSheet><fonts><font/><font><b/></font></fonts>' +
    '<cellXfs><xf/><xf fontId="1"/></cellXfs></styleSheet>';
  const stylesOf = (customFormat: string) => {
    const row = `<row r="1" s="1" customFormat="${customFormat}"><c r="A1" s="1"><v>1</v></c></row>`;
    const sheet = readXlsx(workbookFile(row, { 'xl/styles.xml': formats })).sheets[0];
    const cells = [...(sheet?.content.cells() ?? [])];
    return { row: sheet?.look.rows[0]?.value.style, cell: cells[0]?.style };
  };
  t.same(stylesOf('1'), { row: { bold: true }, cell: undefined });
  t.same(stylesOf('0'), { row: undefined, cell: { bold: true } });
  t.same(stylesOf('false'), { row: undefined, cell: { bold: true } });
  t.end();
});

t.test('what a workbook says of itself comes in and goes out', (t) => {
  const parts = workbookParts('', {
    'xl/workbook.xml': workbookXml(
      '<sheet name="A" sheetId="1" state="hidden" r:id="rId1"/>' +
        '<sheet name="B" sheetId="2" r:id="rId1"/>' +
        '<sheet name="C" sheetId="3" state="veryHidden" r:id="rId1"/>',
      '<calcPr iterate="1" iterateCount="7" iterateDelta="0.5" calcMode="manual" fullPrecision="0"/>',
    ),
    'docProps/core.xml':
      '<coreProperties><title> Plan &amp; more </title><description>two\nlines</description>' +
      '<keywords>b, a, b</keywords></coreProperties>',
  });
  const first = readXlsx(zipParts(parts));
  const settings = {
    calcMode: 'manual',
    'iteration.enabled': true,
    'iteration.maxCount': 7,
    'iteration.maxChange': 0.5,
    title: 'Plan & more',
    description: 'two\nlines',
    labels: ['a', 'b'],
  };
  t.same(first.look.settings, settings);
  t.same(
    first.sheets.map(({ look }) => look.properties),
    [{ hidden: true }, {}, { hidden: 'veryHidden' }],
  );
  t.match(first.dropped, [{ what: 'precision as shown' }]);
  const sheets = first.sheets.map(({ name, look }) => ({ name, look, cells: () => [] }));
  const again = readXlsx(written({ ...first, sheets }));
  t.same(again.look.settings, settings);
  t.same(
    again.sheets.map(({ look }) => look),
    first.sheets.map(({ look }) => look),
  );
  t.end();
});

t.test('a damaged part that can be missed is listed, and the rest is kept', (t) => {
  const parts = workbookParts('<row r="1"><c r="A1"><v>1</v></c></row>', {
    'docProps/core.xml': '<coreProperties><title>',
    'xl/theme/theme1.xml': '<theme',
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['worksheet', 'worksheets/sheet1.xml'],
      ['theme', 'theme/theme1.xml'],
    ]),
    'xl/worksheets/sheet1.xml': sheetXml('<row r="1"><c r="A1"><v>1</v></c></row>'),
  });
  const workbook = readXlsx(zipParts(parts));
  t.match(workbook.dropped, [{ what: 'theme' }, { what: 'document properties' }]);
  t.equal([...(workbook.sheets[0]?.content.cells() ?? [])].length, 1);
  t.end();
});

t.test('differences and sums of styles are inverse', (t) => {
  fc.assert(
    fc.property(style, style, (own, below) => {
      const base = new StyleBase([{ id: 'Normal', style: below }]);
      const full = base.full(own);
      same(base.full(base.style(full, undefined)), full);
      same(differenceOf(full, full), {});
      same(base.normal.font ?? '', below.font ?? usualFont.font);
    }),
    { numRuns: 500 },
  );
  t.pass('for every pair that was tried');
  t.end();
});
