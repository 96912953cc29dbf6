import t from 'tap';
import { FileDoor } from '../support/file-door.ts';
import {
  relationshipsXml,
  sheetXml,
  workbookFile,
  workbookParts,
  withSlashes,
  workbookXml,
  zipParts,
} from '../support/workbook-file.ts';

/** Runs long: a file is made and read for each way of being odd. */

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

t.test(
  'conditional formats that only newer programs read are kept if they are whole',
  async (t) => {
    const door = await FileDoor.open(t);
    const rule = (attributes: string, content: string, area: string) =>
      `<x14:conditionalFormatting><x14:cfRule ${attributes}>${content}</x14:cfRule>` +
      `<xm:sqref>${area}</xm:sqref></x14:conditionalFormatting>`;
    const red =
      '<x14:dxf><font><b/></font><fill><patternFill><bgColor rgb="FFFFC7CE"/></patternFill></fill></x14:dxf>';
    const points = [0, 40, 80].map((at) => {
      return `<x14:cfvo type="percent"><xm:f>${at}</xm:f></x14:cfvo>`;
    });
    const icons =
      '<x14:cfIcon iconSet="3Stars" iconId="0"/><x14:cfIcon iconSet="NoIcons" iconId="0"/>' +
      '<x14:cfIcon iconSet="5Boxes" iconId="4"/>';
    const rules =
      rule(
        'type="expression" priority="2" id="{1}"',
        `<xm:f>Other!$A$1&gt;3</xm:f>${red}`,
        'A1:A9',
      ) +
      rule(
        'type="cellIs" priority="1" operator="between" id="{2}"',
        `<xm:f>Other!$A$1</xm:f><xm:f>9</xm:f>${red}`,
        'B2',
      ) +
      rule(
        'type="iconSet" priority="3" id="{3}"',
        `<x14:iconSet iconSet="3Stars">${points.join('')}</x14:iconSet>`,
        'C1:C9',
      ) +
      rule('type="dataBar" id="{4}"', '<x14:dataBar/>', 'D1:D9') +
      rule(
        'type="iconSet" priority="4" id="{5}"',
        `<x14:iconSet custom="1" showValue="0">${points.join('')}${icons}</x14:iconSet>`,
        'E1:E9',
      );
    const extension =
      '<extLst xmlns:x14="x" xmlns:xm="y"><ext><x14:conditionalFormattings>' +
      `${rules}</x14:conditionalFormattings></ext></extLst>`;
    const file = zipParts(
      workbookParts('', {
        'xl/workbook.xml': workbookXml(
          '<sheet name="Plan" sheetId="1" r:id="rId1"/><sheet name="Other" sheetId="2" r:id="rId2"/>',
        ),
        'xl/_rels/workbook.xml.rels': relationshipsXml([
          ['worksheet', 'worksheets/sheet1.xml'],
          ['worksheet', 'worksheets/sheet2.xml'],
        ]),
        'xl/worksheets/sheet1.xml': sheetXml('<row r="1"><c r="A1"><v>5</v></c></row>', extension),
        'xl/worksheets/sheet2.xml': sheetXml('<row r="1"><c r="A1"><v>7</v></c></row>'),
      }),
    );
    const { at, dropped } = await door.import(file);
    t.match(dropped, [{ what: 'details of conditional formats', where: 'Plan', count: 1 }]);
    const compared = { type: 'cellIs', operator: 'between', formula1: '=Other!$A$1', formula2: 9 };
    const own = [{ set: '3Stars', index: 0 }, null, { set: '5Boxes', index: 4 }];
    const kept = {
      records: [
        { ranges: ['B2'], value: { rule: compared, style: { bold: true, fill: '#FFC7CE' } } },
        { ranges: ['A1:A9'], value: { rule: { type: 'expression', formula1: '=Other!$A$1>3' } } },
        {
          ranges: ['C1:C9'],
          value: { rule: { icons: '3Stars', points: [{}, { value: 40 }, {}] }, priority: 3 },
        },
        { ranges: ['E1:E9'], value: { rule: { own, showValue: false }, priority: 4 } },
      ],
    };
    const { json } = await door.request(`${at}/records?types=cf`);
    t.match(json, kept);
    const again = await door.import((await door.export(at)).bytes);
    t.same(again.dropped, [], 'what an export writes is read by everybody');
    t.match((await door.request(`${again.at}/records?types=cf`)).json, kept);
  },
);

t.test('functions that only LibreOffice has leave their last value', async (t) => {
  const door = await FileDoor.open(t);
  const rows =
    '<row r="1"><c r="A1"><f>_xlfn.ORG.LIBREOFFICE.EASTERSUNDAY(2024)</f><v>45382</v></c>' +
    '<c r="B1"><f>A1+1</f><v>45383</v></c></row>';
  const { at, dropped } = await door.import(workbookFile(rows));
  t.same(await door.rows(at, 'A1:B1'), [[45_382, 45_383]]);
  t.match(dropped, [{ what: 'formulas of other programs', where: 'Sheet1', count: 1 }]);
});

t.test(
  'a formula that cells above share, names with a slash and lost texts are read',
  async (t) => {
    const door = await FileDoor.open(t);
    const rows =
      '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" si="0"/><v>9</v></c></row>' +
      '<row r="2"><c r="A2"><v>3</v></c><c r="B2"><f t="shared" si="0" ref="B1:B2">A2*2</f></c>' +
      '<c r="C2" t="s"><v>3</v></c><c r="D2" t="d"><v>2024-02-29T12:00:00+02:00</v></c></row>';
    const file = zipParts(withSlashes(workbookParts(rows)));
    const { at, dropped } = await door.import(file);
    t.match(dropped, [{ what: 'texts', where: 'Sheet1', count: 1 }]);
    t.same(await door.rows(at, 'Sheet1!A1:D2'), [
      [1, 2, null, null],
      [3, 6, null, 45351.5],
    ]);
  },
);
