import t from 'tap';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import {
  inputsOf,
  relationshipsXml,
  sheetXml,
  workbookFile,
  workbookParts,
  workbookXml,
  zipParts,
} from '../../support/workbook-file.ts';

t.test('every cell type becomes its value', (t) => {
  const rows =
    '<row r="1"><c r="A1"><v>0.1</v></c><c r="B1" t="b"><v>1</v></c><c r="C1" t="e"><v>#N/A</v></c>' +
    '<c r="D1" t="s"><v>1</v></c><c r="E1" t="str"><v>a_x000D_b_x005F_x000D_</v></c>' +
    '<c r="F1" t="inlineStr"><is><r><t>one </t></r><r><t>two</t></r></is></c>' +
    '<c r="G1" t="d"><v>2024-02-29T12:00:00</v></c><c r="H1" t="n"><v>1.5E+3</v></c></row>';
  const strings =
    '<sst><si><t>zero</t></si><si><r><t>rich</t></r><r><t> text</t></r>' +
    '<rPh sb="0" eb="1"><t>phonetic</t></rPh></si></sst>';
  const inputs = inputsOf(workbookFile(rows, { 'xl/sharedStrings.xml': strings }));
  t.same(inputs, {
    A1: 0.1,
    B1: true,
    C1: { error: '#N/A' },
    D1: 'rich text',
    E1: 'a\rb_x000D_',
    F1: 'one two',
    G1: 45351.5,
    H1: 1500,
  });
  t.end();
});

t.test('rows and cells without an address count on', (t) => {
  const rows =
    '<row><c><v>1</v></c><c><v>2</v></c></row><row r="4"><c r="C4"><v>3</v></c><c><v>4</v></c></row>';
  t.same(inputsOf(workbookFile(rows)), { A1: 1, B1: 2, C4: 3, D4: 4 });
  t.end();
});

t.test('prefixes, strict namespaces, absolute targets and part names in other case', (t) => {
  const strict = 'http://purl.oclc.org/ooxml';
  const bytes = zipParts({
    '_rels/.rels':
      '<Relationships><Relationship Id="a" Target="/XL/Workbook.xml" ' +
      `Type="${strict}/officeDocument/relationships/officeDocument"/></Relationships>`,
    'xl/workbook.xml':
      `<x:workbook xmlns:x="${strict}/spreadsheetml/main" xmlns:q="${strict}/r"><x:sheets>` +
      '<x:sheet name="S" sheetId="1" q:id="r9"/></x:sheets></x:workbook>',
    'xl/_rels/Workbook.xml.rels':
      '<p:Relationships xmlns:p="x"><p:Relationship Id="r9" Target="/xl/Worksheets/One.XML" ' +
      `Type="${strict}/officeDocument/relationships/worksheet"/></p:Relationships>`,
    'XL/worksheets/one.xml':
      '<x:worksheet xmlns:x="y"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>7</x:v></x:c></x:row>' +
      '</x:sheetData></x:worksheet>',
  });
  t.same(inputsOf(bytes), { A1: 7 });
  t.end();
});

t.test('byte order marks and UTF-16 are read', (t) => {
  const sheet = sheetXml('<row r="1"><c r="A1" t="inlineStr"><is><t>ü€</t></is></c></row>');
  const wide = Buffer.from(`\uFEFF<?xml version="1.0" encoding="UTF-16"?>${sheet}`, 'utf16le');
  t.same(inputsOf(workbookFile('', { 'xl/worksheets/sheet1.xml': wide })), { A1: 'ü€' });
  const marked = `\uFEFF<?xml version="1.0" encoding="UTF-8"?>${sheet}`;
  t.same(inputsOf(workbookFile('', { 'xl/worksheets/sheet1.xml': marked })), { A1: 'ü€' });
  const declaration = '<?xml version="1.0" encoding="windows-1252"?>';
  const latin = Buffer.from(declaration + sheet.replace('ü€', 'ü\u0080'), 'latin1');
  t.same(inputsOf(workbookFile('', { 'xl/worksheets/sheet1.xml': latin })), { A1: 'ü€' });
  t.end();
});

t.test('shared formulas are the text of their first cell, shifted', (t) => {
  const rows =
    '<row r="1"><c r="A1"><f t="shared" ref="A1:B2" si="0">C1+$D$1</f><v>1</v></c>' +
    '<c r="B1"><f t="shared" si="0"/><v>1</v></c></row>' +
    '<row r="2"><c r="A2"><f t="shared" si="0"/><v>1</v></c><c r="B2"><f t="shared" si="7"/>' +
    '<v>9</v></c></row>';
  const bytes = workbookFile(rows);
  t.same(inputsOf(bytes), {
    A1: { formula: '=C1+$D$1' },
    B1: { formula: '=D1+$D$1' },
    A2: { formula: '=C2+$D$1' },
    B2: 9,
  });
  t.match(readXlsx(bytes).dropped, [{ what: 'shared formula', count: 1 }]);
  t.end();
});

t.test('cm tells dynamic arrays from legacy ones; what they fill is not input', (t) => {
  const metadata =
    '<metadata><metadataTypes count="2"><metadataType name="OTHER"/><metadataType name="XLDAPR"/>' +
    '</metadataTypes><futureMetadata name="XLDAPR"><bk><extLst><ext>' +
    '<xda:dynamicArrayProperties xmlns:xda="x" fDynamic="1"/></ext></extLst></bk></futureMetadata>' +
    '<cellMetadata><bk><rc t="1" v="0"/></bk><bk><rc t="2" v="0"/></bk></cellMetadata></metadata>';
  const rows =
    '<row r="1"><c r="A1" cm="2"><f t="array" ref="A1:A2">_xlfn.UNIQUE(D1:D9)</f><v>1</v></c>' +
    '<c r="B1" cm="1"><f t="array" ref="B1:B2">D1:D2*2</f><v>1</v></c>' +
    '<c r="C1"><f>D1:D2*2</f><v>5</v></c></row>' +
    '<row r="2"><c r="A2"><v>2</v></c><c r="B2"><v>3</v></c><c r="C2"><v>4</v></c></row>';
  t.same(inputsOf(workbookFile(rows, { 'xl/metadata.xml': metadata })), {
    A1: { formula: '=UNIQUE(D1:D9)' },
    B1: { formula: '=D1:D2*2', array: 'B1:B2' },
    C1: { formula: '=D1:D2*2', legacy: true },
    C2: 4,
  });
  t.end();
});

t.test('what cannot be kept leaves its value and a line in dropped', (t) => {
  const rows =
    '<row r="1"><c r="A1"><f>[1]Prices!A1*2</f><v>8</v></c>' +
    '<c r="B1"><f t="dataTable" ref="B1:B2" dt2D="0" r1="A1"/><v>5</v></c>' +
    '<c r="C1"><f>NOT A FORMULA(</f><v>6</v></c></row>';
  const workbook = readXlsx(workbookFile(rows), {
    acceptsFormula: (formula) => !formula.endsWith('('),
  });
  const cells = [...(workbook.sheets[0]?.content.cells() ?? [])].map(({ input }) => input);
  t.same(cells, [8, 5, 6]);
  t.match(workbook.dropped, [
    { what: 'formulas with external links', where: 'Sheet1', count: 1 },
    { what: 'data table formula', count: 1 },
    { what: 'formula', where: 'Sheet1!C1', count: 1 },
  ]);
  t.end();
});

t.test('names keep their scope, built-in ones and macros are dropped', (t) => {
  const names =
    '<definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">A1:B2</definedName>' +
    '<definedName name="Rate">0.25</definedName>' +
    '<definedName name="Local" localSheetId="1">Two!$A$1</definedName>' +
    '<definedName name="Auto_Open" vbProcedure="1">x</definedName></definedNames>';
  const parts = workbookParts('', {
    'xl/workbook.xml': workbookXml(
      '<sheet name="Chart" sheetId="1" r:id="rId1"/><sheet name="Two" sheetId="2" r:id="rId2"/>',
      names,
    ),
    'xl/_rels/workbook.xml.rels': relationshipsXml([
      ['chartsheet', 'chartsheets/sheet1.xml'],
      ['worksheet', 'worksheets/sheet1.xml'],
    ]),
  });
  const workbook = readXlsx(zipParts(parts));
  t.same(
    workbook.sheets.map(({ name }) => name),
    ['Two'],
  );
  t.same(workbook.names, [
    { name: 'Rate', scope: undefined, formula: '=0.25' },
    { name: 'Local', scope: 'Two', formula: '=Two!$A$1' },
  ]);
  t.match(workbook.dropped, [
    { what: 'chart sheets', where: 'Chart' },
    { what: 'defined name _xlnm.Print_Area' },
    { what: 'defined name Auto_Open', why: 'it names a macro' },
  ]);
  t.end();
});

t.test('a name of several areas is one reference', (t) => {
  const names =
    '<definedNames><definedName name="Both">Sheet1!$A$1,Sheet1!$C$1:$C$3</definedName>' +
    '<definedName name="Text">"a,b"</definedName><definedName name="Sum">SUM(1,2)</definedName>' +
    '<definedName name="List">{1,2}</definedName><definedName name="Odd">\'a,b\'!$A$1</definedName>' +
    '</definedNames>';
  const parts = workbookParts('', {
    'xl/workbook.xml': workbookXml('<sheet name="Sheet1" sheetId="1" r:id="rId1"/>', names),
  });
  const formulas = readXlsx(zipParts(parts)).names.map(({ formula }) => formula);
  const both = '=(Sheet1!$A$1,Sheet1!$C$1:$C$3)';
  t.same(formulas, [both, '="a,b"', '=SUM(1,2)', '={1,2}', "='a,b'!$A$1"]);
  t.end();
});

t.test('an element that protects nothing is no protection', (t) => {
  const droppedOf = (attributes: string) => {
    const element = `<workbookProtection ${attributes}/>`;
    const parts = workbookParts('', {
      'xl/workbook.xml': workbookXml('<sheet name="Sheet1" sheetId="1" r:id="rId1"/>', element),
    });
    return readXlsx(zipParts(parts)).dropped;
  };
  t.same(droppedOf(''), []);
  t.same(droppedOf('lockStructure="0" workbookPassword="CC1A"'), []);
  t.match(droppedOf('lockStructure="1"'), [{ what: 'workbook protection' }]);
  t.match(droppedOf('lockRevision="true"'), [{ what: 'workbook protection' }]);
  t.end();
});

t.test('number formats come by built-in id and by code', (t) => {
  const styles =
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.0&quot; kg&quot;"/></numFmts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>';
  const rows =
    '<row r="1"><c r="A1" s="1"><v>1</v></c><c r="B1" s="2"><v>2</v></c><c r="C1" s="99"><v>3</v></c>' +
    '<c r="D1" s="1"/></row>';
  const workbook = readXlsx(workbookFile(rows, { 'xl/styles.xml': styles }));
  const cells = [...(workbook.sheets[0]?.content.cells() ?? [])];
  t.same(
    cells.map(({ numberFormat }) => numberFormat),
    ['m/d/yyyy', '0.0" kg"', undefined, 'm/d/yyyy'],
  );
  t.equal(cells[3]?.input, null, 'a formatted blank stays blank');
  t.end();
});

t.test('cells out of order settle into order, the last of equals counts', (t) => {
  const rows =
    '<row r="3"><c r="A3"><v>3</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>' +
    '<row r="3"><c r="A3"><v>33</v></c></row>';
  t.same(inputsOf(workbookFile(rows)), { A1: 1, A3: 33 });
  t.end();
});
