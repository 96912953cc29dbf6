import { unzipSync } from 'fflate';
import t from 'tap';

import { FileDoor } from '../support/file-door.ts';
import { relationshipsXml, sheetXml, workbookFile } from '../support/workbook-file.ts';

/** Formulas within tables, which a file spells with the name of the table and Excel shows without. */

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const text = (a1: string, content: string) =>
  `<c r="${a1}" t="inlineStr"><is><t>${content}</t></is></c>`;
const formula = (a1: string, content: string, attributes = '') =>
  `<c r="${a1}"><f${attributes}>${content}</f></c>`;
const rows =
  `<row r="1">${text('A1', 'n')}${text('B1', 'twice')}${text('C1', 'share')}</row>` +
  `<row r="2"><c r="A2"><v>1</v></c>${formula('B2', 'T[[#This Row],[n]]*2')}` +
  formula('C2', 'T[[#This Row],[n]]/SUM(T[n])', ' t="shared" ref="C2:D3" si="0"') +
  '<c r="D2"><f t="shared" si="0"/></c></row>' +
  `<row r="3"><c r="A3"><v>3</v></c>${formula('B3', 't[[#This Row],[n]]*2')}` +
  '<c r="C3"><f t="shared" si="0"/></c><c r="D3"><f t="shared" si="0"/></c></row>' +
  `<row r="4">${formula('A4', 'SUBTOTAL(109,T[n])')}${formula('B4', 'SUM(T[[n]:[twice]])+Tax')}` +
  `${formula('C4', 'COUNTA(T[[#Headers],[n]:[share]])&amp;"T[n]"')}</row>` +
  `<row r="6">${formula('A6', 'SUM(T[n])')}${formula('B6', 'ROWS(T[#All])')}</row>`;
const table =
  `<table xmlns="${main}" id="1" name="T" displayName="T" ref="A1:C4" totalsRowCount="1">` +
  '<tableColumns count="3"><tableColumn id="1" name="n" totalsRowFunction="sum"/>' +
  '<tableColumn id="2" name="twice"><calculatedColumnFormula>T[[#This Row],[n]]*2' +
  '</calculatedColumnFormula></tableColumn><tableColumn id="3" name="share"/></tableColumns></table>';
const sheet = 'xl/worksheets/sheet1.xml';

function file(tablePart = table): Uint8Array {
  return workbookFile('', {
    [sheet]: sheetXml(rows, '<tableParts><tablePart r:id="rId1"/></tableParts>'),
    'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['table', '../tables/table1.xml']]),
    'xl/tables/table1.xml': tablePart,
  });
}

const shown = [
  [null, null, null, null],
  [null, '=[@n]*2', '=[@n]/SUM([n])', '=T[@n]/SUM(T[n])'],
  [null, '=[@n]*2', '=[@n]/SUM([n])', '=T[@n]/SUM(T[n])'],
  [
    '=SUBTOTAL(109,[n])',
    '=SUM([[n]:[twice]])+Tax',
    '=COUNTA([[#Headers],[n]:[share]])&"T[n]"',
    null,
  ],
  [null, null, null, null],
  ['=SUM(T[n])', '=ROWS(T[#All])', null, null],
];

t.test(
  'a formula within a table reads as Excel shows it, and is stored as Excel does',
  async (t) => {
    const door = await FileDoor.open(t);
    const { at, dropped } = await door.import(file());
    t.same(dropped, []);
    const check = async (book: string, when: string) => {
      t.same(await door.rows(book, 'A1:D6', 'formula'), shown, when);
      t.same(
        await door.rows(book, 'A2:D3'),
        [
          [1, 2, 0.25, 0.25],
          [3, 6, 0.75, 0.75],
        ],
        when,
      );
      t.same(await door.rows(book, 'A6:B6'), [[4, 4]], when);
    };
    await check(at, 'at once');
    const { json } = await door.request(`${at}/tables/T`);
    t.match(json, {
      table: { schema: { columns: [{ name: 'n' }, { name: 'twice', formula: '=[@n]*2' }, {}] } },
    });
    await door.restart();
    await check(at, 'after a restart');
    const { bytes } = await door.export(at);
    const written = Buffer.from(unzipSync(bytes)[sheet] ?? []).toString();
    t.match(written, '<f>T[[#This Row],[n]]*2</f>');
    t.match(written, '<f>SUBTOTAL(109,T[n])</f>');
    t.notMatch(written, /<f>\[/);
    const again = await door.import(bytes);
    await check(again.at, 'through a file');
    await door.submit(at, { kind: 'table.rename', payload: { table: 'T', name: 'Goods' } });
    t.same(await door.rows(at, 'B2', 'formula'), [['=[@n]*2']]);
    t.same(await door.rows(at, 'D2:D3'), [[0.25], [0.75]]);
  },
);

t.test('a table that is not kept is listed by its name', async (t) => {
  const door = await FileDoor.open(t);
  const { dropped } = await door.import(file(table.replaceAll('"T"', '"T1"')));
  t.match(dropped, [{ what: 'table', where: 'T1', count: 1, why: /like a reference/u }]);
});
