import { unzipSync, strFromU8 } from 'fflate';
import t from 'tap';

import { FileDoor } from '../support/file-door.ts';
import {
  relationshipsXml,
  sheetXml,
  workbookParts,
  workbookXml,
  zipParts,
} from '../support/workbook-file.ts';

const oneSheet = '<sheet name="Plan" sheetId="1" r:id="rId1"/>';

function definedNames(names: readonly (readonly [name: string, text: string, local?: number])[]) {
  const elements = names.map(([name, text, local]) => {
    const scope = local === undefined ? '' : ` localSheetId="${local}"`;
    return `<definedName name="${name}"${scope}>${text}</definedName>`;
  });
  return `<definedNames>${elements.join('')}</definedNames>`;
}

function formulaCell(cell: string, formula: string, value: number): string {
  return `<c r="${cell}"><f>${formula}</f><v>${value}</v></c>`;
}

t.test('a formula that uses another workbook by a name keeps its last value', async (t) => {
  const door = await FileDoor.open(t);
  const names = definedNames([
    ['Far', '[1]Prices!$B$1'],
    ['Further', 'Far*2'],
    ['Near', 'Plan!$A$9'],
    ['Both', '[1]Prices!$B$1'],
    ['Both', 'Plan!$A$9', 0],
  ]);
  const cells = [
    formulaCell('A1', 'Far+1', 43),
    formulaCell('B1', 'SUM(Further,1)', 85),
    formulaCell('C1', 'A1+B1', 128),
    formulaCell('D1', 'Near*2', 14),
    formulaCell('E1', '[0]!Near*3', 21),
    formulaCell('F1', '[0]Plan!A9*4', 28),
    formulaCell('G1', 'Both', 7),
    formulaCell('H1', '&quot;Far&quot;&amp;[1]!Far', 5),
  ];
  const rows = `<row r="1">${cells.join('')}</row><row r="9"><c r="A9"><v>7</v></c></row>`;
  const parts = workbookParts(rows, { 'xl/workbook.xml': workbookXml(oneSheet, names) });
  const { at, dropped } = await door.import(zipParts(parts));
  t.same(await door.rows(at, 'A1:H1'), [[43, 85, 128, 14, 21, 28, 7, 5]]);
  t.same(await door.rows(at, 'A1:H1', 'formula'), [
    [null, null, '=A1+B1', '=Near*2', '=Near*3', '=Plan!A9*4', '=Both', null],
  ]);
  t.match(dropped, [
    { what: 'formulas with external links', where: 'Plan', count: 3 },
    { what: 'defined name Far' },
    { what: 'defined name Further', why: /another workbook/ },
    { what: 'defined name Both' },
  ]);
});

t.test('names and tables may be spelled with vowel signs and tones', async (t) => {
  const door = await FileDoor.open(t);
  const [table, column, name] = ['तालिका1', 'मूल्य', 'शुल्क'] as const;
  const tablePart =
    `<table id="1" name="${table}" displayName="${table}" ref="A1:A3"><tableColumns count="1">` +
    `<tableColumn id="1" name="${column}"/></tableColumns></table>`;
  const sum = `SUM(${table}[${column}])*${name}`;
  const rows =
    `<row r="1"><c r="A1" t="inlineStr"><is><t>${column}</t></is></c>${formulaCell('C1', sum, 9)}` +
    `${formulaCell('D1', `LET(${name}ा,2,${name}ा*${name})`, 6)}</row>` +
    '<row r="2"><c r="A2"><v>1</v></c></row><row r="3"><c r="A3"><v>2</v></c></row>';
  const parts = workbookParts('', {
    'xl/workbook.xml': workbookXml(oneSheet, definedNames([[name, '3']])),
    'xl/worksheets/sheet1.xml': sheetXml(rows, '<tableParts><tablePart r:id="rId1"/></tableParts>'),
    'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([['table', '../tables/table1.xml']]),
    'xl/tables/table1.xml': tablePart,
  });
  const { at, dropped } = await door.import(zipParts(parts));
  t.same(dropped, []);
  t.same(await door.rows(at, 'C1:D1'), [[9, 6]]);

  const renamed = { from: name, to: 'ค่าธรรมเนียม' };
  await door.submit(at, { kind: 'name.rename', payload: renamed });
  await door.submit(at, { kind: 'rows.insert', payload: { sheet: 'Plan', before: 1, count: 1 } });
  const formulas = [
    `=SUM(${table}[${column}])*${renamed.to}`,
    `=LET(${name}ा,2,${name}ा*${renamed.to})`,
  ];
  t.same(await door.rows(at, 'C2:D2', 'formula'), [formulas]);
  t.same(await door.rows(at, 'C2:D2'), [[9, 6]]);
  await door.restart();
  t.same(await door.rows(at, 'C2:D2'), [[9, 6]]);

  const { bytes } = await door.export(at);
  const book = strFromU8(unzipSync(bytes)['xl/workbook.xml'] ?? new Uint8Array());
  t.match(book, `name="${renamed.to}"`);
  const again = await door.import(bytes);
  t.same(again.dropped, []);
  t.same(await door.rows(again.at, 'C2:D2'), [[9, 6]]);
});

t.test('functions that are handed on come in and go out as Excel spells them', async (t) => {
  const door = await FileDoor.open(t);
  const names = definedNames([
    ['_xleta.SUM', '#NAME?'],
    ['_xlfn.BYROW', '#NAME?'],
    ['Rate', '2'],
  ]);
  const rows =
    `<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c>` +
    `${formulaCell('D1', 'SUM(_xlfn.BYROW(A1:B2,_xleta.MAX))*Rate', 12)}</row>` +
    '<row r="2"><c r="A2"><v>3</v></c><c r="B2"><v>4</v></c></row>';
  const parts = workbookParts(rows, { 'xl/workbook.xml': workbookXml(oneSheet, names) });
  const { at, dropped } = await door.import(zipParts(parts));
  t.same(dropped, []);
  t.same(await door.rows(at, 'D1'), [[12]]);
  t.same(await door.rows(at, 'D1', 'formula'), [['=SUM(BYROW(A1:B2,MAX))*Rate']]);
  const { bytes } = await door.export(at);
  const files = unzipSync(bytes);
  const text = (part: string) => strFromU8(files[part] ?? new Uint8Array());
  t.match(text('xl/worksheets/sheet1.xml'), 'SUM(_xlfn.BYROW(A1:B2,_xleta.MAX))*Rate');
  t.notMatch(text('xl/workbook.xml'), /_xl/);
  const typed = {
    kind: 'cells.set',
    payload: { sheet: 'Plan', cells: [{ a1: 'D2', input: '=SUM(_xlfn.BYROW(A1:B2,_xleta.MIN))' }] },
  };
  await door.submit(at, typed);
  t.same(await door.rows(at, 'D2'), [[4]]);
});

t.test('a formula that asks a pivot table keeps its last value', async (t) => {
  const door = await FileDoor.open(t);
  const asked =
    'IFERROR(GETPIVOTDATA(&quot;Sales&quot;,$A$9,&quot;Region&quot;,&quot;East&quot;),0)';
  const cells = [
    formulaCell('A1', asked, 12),
    formulaCell('B1', 'A1*2', 24),
    formulaCell('C1', 'LEN(&quot;GETPIVOTDATA(&quot;)', 13),
  ];
  const { at, dropped } = await door.import(
    zipParts(workbookParts(`<row r="1">${cells.join('')}</row>`)),
  );
  t.same(await door.rows(at, 'A1:C1'), [[12, 24, 13]]);
  t.same(await door.rows(at, 'A1:C1', 'formula'), [[null, '=A1*2', '=LEN("GETPIVOTDATA(")']]);
  t.match(dropped, [{ what: 'formulas about pivot tables', where: 'Sheet1', count: 1 }]);
});
