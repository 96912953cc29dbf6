import t from 'tap';
import { FileDoor } from '../support/file-door.ts';
import {
  relationshipsXml,
  sheetXml,
  workbookFile,
  workbookParts,
  workbookXml,
  zipParts,
} from '../support/workbook-file.ts';

/** Files that other programs write and Excel only repairs, or reads in silence. */

const longName = 'Quarterly results of all regions, north';
const other = 'Quarterly results of all regions, south';

function twoSheets(): Uint8Array {
  const rows =
    '<row r="1"><c r="A1"><v>5</v></c>' +
    `<c r="B1"><f>'${other}'!A1*2</f><v>14</v></c>` +
    `<c r="C1"><f>SUM('${longName}:${other}'!A1)</f><v>12</v></c><c r="D1"><f>Total+1</f></c></row>`;
  const rest =
    `<conditionalFormatting sqref="A1"><cfRule type="expression" priority="1">` +
    `<formula>'${other}'!$A$1&gt;3</formula></cfRule></conditionalFormatting>` +
    `<hyperlinks><hyperlink ref="A1" location="'${other}'!A1"/></hyperlinks>`;
  const names = `<definedNames><definedName name="Total">SUM('${other}'!$A$1)</definedName></definedNames>`;
  return zipParts(
    workbookParts('', {
      'xl/workbook.xml': workbookXml(
        `<sheet name="${longName}" sheetId="1" r:id="rId1"/>` +
          `<sheet name="${other}" sheetId="2" r:id="rId2"/>`,
        names,
      ),
      'xl/_rels/workbook.xml.rels': relationshipsXml([
        ['worksheet', 'worksheets/sheet1.xml'],
        ['worksheet', 'worksheets/sheet2.xml'],
      ]),
      'xl/worksheets/sheet1.xml': sheetXml(rows, rest),
      'xl/worksheets/sheet2.xml': sheetXml('<row r="1"><c r="A1"><v>7</v></c></row>'),
    }),
  );
}

t.test('sheets with names that are too long get shorter ones, and formulas follow', async (t) => {
  const door = await FileDoor.open(t);
  const { at, dropped } = await door.import(twoSheets());
  const first = 'Quarterly results of all region';
  const second = 'Quarterly results of all re (2)';
  t.match(dropped, [
    { what: 'sheet name', where: first, why: /regions, north/u },
    { what: 'sheet name', where: second, why: /regions, south/u },
  ]);
  t.same(await door.rows(at, `'${first}'!A1:D1`), [[5, 14, 12, 8]]);
  t.same(await door.rows(at, `'${first}'!B1:C1`, 'formula'), [
    [`='${second}'!A1*2`, `=SUM('${first}:${second}'!A1)`],
  ]);
  const { bytes } = await door.export(at);
  const again = await door.import(bytes);
  t.same(again.dropped, []);
  t.same(await door.rows(again.at, `'${first}'!A1:D1`), [[5, 14, 12, 8]]);
});

t.test('a name with characters that none may have gets one without', async (t) => {
  const door = await FileDoor.open(t);
  for (const [name, kept] of [
    ['Income/Costs', 'Income_Costs'],
    ['History', 'History_'],
    ["it's'", "it's"],
    ['', 'Sheet'],
  ] as const) {
    const sheet = `'${name.replaceAll("'", "''")}'`;
    const rows = `<row r="1"><c r="A1"><v>5</v></c><c r="B1"><f>${sheet}!A1*2</f></c></row>`;
    const tab = `<sheet name="${name}" sheetId="1" r:id="rId1"/>`;
    const { at, dropped } = await door.import(
      workbookFile(rows, { 'xl/workbook.xml': workbookXml(tab) }),
    );
    t.match(dropped, [{ what: 'sheet name', where: kept }]);
    t.same(await door.rows(at, 'A1:B1'), [[5, 10]], kept);
  }
});

t.test('cells in the words of other programs are read, and one that is none is text', async (t) => {
  const door = await FileDoor.open(t);
  const rows =
    '<row r="1"><c r="A1" t="inlineStr"><v>plain</v></c><c r="B1" t="b"><v>TRUE</v></c>' +
    '<c r="C1"><v>NaN</v></c><c r="D1"><v>-inf</v></c><c r="E1"><v>1,5</v></c>' +
    '<c r="F1"><v>2.5E-3</v></c></row>';
  const { at, dropped } = await door.import(workbookFile(rows));
  const none = { error: '#NUM!' };
  t.same(await door.rows(at, 'A1:F1'), [['plain', true, none, none, '1,5', 0.0025]]);
  t.match(dropped, [{ what: 'numbers that are none', where: 'Sheet1', count: 1 }]);
});
