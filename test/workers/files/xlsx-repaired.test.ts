import t from 'tap';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import {
  inputsOf,
  relationshipsXml,
  sheetXml,
  withSlashes,
  workbookFile,
  workbookParts,
  workbookXml,
  zipParts,
} from '../../support/workbook-file.ts';

/** Faults of files that Excel repairs, or that other programs write: what can be read is read. */

t.test('a shared formula may have its text in a cell further down', (t) => {
  const rows =
    '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" si="0"/><v>2</v></c></row>' +
    '<row r="2"><c r="A2"><v>3</v></c><c r="B2"><f t="shared" si="0" ref="B1:B3">A2*2</f></c></row>' +
    '<row r="3"><c r="B3"><f t="shared" si="0"/></c><c r="C3"><f t="shared" si="7"/><v>5</v></c></row>';
  const file = workbookFile(rows);
  t.same(inputsOf(file), {
    A1: 1,
    A2: 3,
    B1: { formula: '=A1*2' },
    B2: { formula: '=A2*2' },
    B3: { formula: '=A3*2' },
    C3: 5,
  });
  t.match(readXlsx(file).dropped, [{ what: 'shared formula', count: 1 }]);
  t.end();
});

t.test('dates may name a zone, which does not move them', (t) => {
  const dates = ['2024-02-29T12:00:00+02:00', '2024-02-29T12:00:00.000Z', '2024-02-29T06:00-0530'];
  const cells = dates.map((date, at) => `<c r="A${at + 1}" t="d"><v>${date}</v></c>`);
  const rows = cells.map((cell, at) => `<row r="${at + 1}">${cell}</row>`).join('');
  t.same(inputsOf(workbookFile(rows)), { A1: 45351.5, A2: 45351.5, A3: 45351.25 });
  t.end();
});

t.test('a text that the file has not got is a blank cell', (t) => {
  const rows = '<row r="1"><c r="A1" t="s"><v>4</v></c><c r="B1" t="s"><v>0</v></c></row>';
  const strings = { 'xl/sharedStrings.xml': '<sst><si><t>here</t></si></sst>' };
  const file = workbookFile(rows, strings);
  t.same(inputsOf(file), { B1: 'here' });
  t.match(readXlsx(file).dropped, [{ what: 'texts', count: 1 }]);
  t.same(inputsOf(workbookFile(rows)), {}, 'nor has it the part for all of them');
  t.end();
});

t.test('a second sheet of one name gets another, and formulas mean the first', (t) => {
  const tabs =
    '<sheet name="A" sheetId="1" r:id="rId1"/><sheet name="a" sheetId="2" r:id="rId2"/>' +
    '<sheet name="A (2)" sheetId="3" r:id="rId1"/>';
  const links = relationshipsXml([
    ['worksheet', 'worksheets/sheet1.xml'],
    ['worksheet', 'worksheets/sheet2.xml'],
  ]);
  const file = workbookFile('<row r="1"><c r="A1"><v>1</v></c></row>', {
    'xl/workbook.xml': workbookXml(tabs),
    'xl/_rels/workbook.xml.rels': links,
    'xl/worksheets/sheet2.xml': sheetXml('<row r="1"><c r="B1"><f>A!A1</f></c></row>'),
  });
  const { sheets, dropped } = readXlsx(file);
  t.same(
    sheets.map(({ name }) => name),
    ['A', 'a (3)', 'A (2)'],
  );
  t.same(inputsOf(file, 1), { B1: { formula: '=A!A1' } });
  t.match(dropped, [{ what: 'sheet name', where: 'a (3)' }]);
  t.end();
});

t.test('names of parts may begin with a slash', (t) => {
  const parts = workbookParts('<row r="1"><c r="A1"><v>7</v></c></row>');
  t.same(inputsOf(zipParts(withSlashes(parts))), { A1: 7 });
  t.end();
});

t.test('a part that is missing is told, and all others are read', (t) => {
  const parts = workbookParts('<row r="1"><c r="A1"><v>7</v></c></row>', {
    'xl/worksheets/_rels/sheet1.xml.rels': relationshipsXml([
      ['table', '../tables/table1.xml'],
      ['comments', '../comments1.xml'],
      ['drawing', '../drawings/drawing1.xml'],
    ]),
  });
  t.same(inputsOf(zipParts(parts)), { A1: 7 });
  t.match(readXlsx(zipParts(parts)).dropped, [
    { what: 'part of type table' },
    { what: 'part of type comments' },
    {},
  ]);
  const { 'xl/worksheets/sheet1.xml': _, ...others } = parts;
  const empty = readXlsx(zipParts(others));
  t.match(empty, { sheets: [{ name: 'Sheet1' }], dropped: [{ what: 'cells', where: 'Sheet1' }] });
  t.end();
});
