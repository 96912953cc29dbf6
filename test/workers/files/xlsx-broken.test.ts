import { strToU8, zipSync } from 'fflate';
import t from 'tap';
import { FileProblem } from '../../../workers/files/file-problem.ts';
import { importFile } from '../../../workers/files/import-file.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { relationshipsXml, workbookFile, zipParts } from '../../support/workbook-file.ts';

function problemOf(bytes: Uint8Array): FileProblem {
  try {
    readXlsx(bytes);
  } catch (problem) {
    if (problem instanceof FileProblem) return problem;
    throw problem;
  }
  throw new Error('the file was read');
}

function withSheet(sheet: string): Uint8Array {
  return workbookFile('', { 'xl/worksheets/sheet1.xml': sheet });
}

const ole = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

t.test('what is not .xlsx is named, with the next step', (t) => {
  const cases: [string, Uint8Array, string, RegExp][] = [
    ['nothing', new Uint8Array(0), 'file_not_xlsx', /not an \.xlsx/],
    ['text', strToU8('a,b\n1,2\n'), 'file_not_xlsx', /not an \.xlsx/],
    ['an old .xls', new Uint8Array([...ole, ...new Uint8Array(600)]), 'file_not_xlsx', /\.xls /],
    [
      'a password',
      new Uint8Array([...ole, ...Buffer.from('..EncryptedPackage', 'utf16le')]),
      'file_encrypted',
      /password/,
    ],
    [
      'OpenDocument',
      zipParts({ mimetype: 'x', 'content.xml': '' }),
      'file_not_xlsx',
      /OpenDocument/,
    ],
    [
      'Word',
      zipParts({ '_rels/.rels': relationshipsXml([['officeDocument', 'word/document.xml']]) }),
      'file_not_xlsx',
      /Word/,
    ],
    ['an archive', zipParts({ 'a.txt': 'x' }), 'file_not_xlsx', /ZIP archive/],
    ['a cut archive', workbookFile('').subarray(0, 400), 'file_broken', /no directory/],
  ];
  for (const [what, bytes, code, message] of cases) {
    const problem = problemOf(bytes);
    t.equal(problem.code, code, what);
    t.match(problem.message, message, what);
    t.ok(problem.hint.length > 10, `${what}: a hint`);
  }
  t.end();
});

t.test('an encrypted entry is refused', (t) => {
  const bytes = workbookFile('');
  const directory = Buffer.from(bytes).indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  bytes[directory + 8] = 1;
  t.equal(problemOf(bytes).code, 'file_encrypted');
  t.end();
});

t.test('names that lead outside, or stand twice, are refused', (t) => {
  for (const name of ['../evil.xml', '/../etc/passwd', 'xl/../../x', 'C:\\x', 'a\\..\\..\\b']) {
    t.match(problemOf(workbookFile('', { [name]: 'x' })).message, /outside/, name);
  }
  t.match(problemOf(workbookFile('', { 'XL/workbook.XML': 'x' })).message, /twice/);
  t.end();
});

t.test('bombs are stopped by what they really inflate to', (t) => {
  const bomb = new Uint8Array(64 * 1024 * 1024).fill(0x20);
  const problem = problemOf(workbookFile('', { 'xl/worksheets/sheet1.xml': bomb }));
  t.equal(problem.code, 'file_too_large');
  t.match(problem.message, /200 times/);
  const many: Record<string, Uint8Array> = {};
  for (let index = 0; index < 2_001; index++) many[`part${index}`] = new Uint8Array(0);
  t.equal(problemOf(zipSync(many)).code, 'file_too_large', 'too many parts');
  t.end();
});

t.test('an archive that lies about its sizes is found out', (t) => {
  const bytes = workbookFile('<row r="1"><c r="A1"><v>1</v></c></row>');
  const directory = Buffer.from(bytes).lastIndexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  new DataView(bytes.buffer, bytes.byteOffset).setUint32(directory + 16, 1, true);
  t.match(problemOf(bytes).message, /checksum of xl\/worksheets\/sheet1\.xml/);
  t.end();
});

t.test('XML that attacks its reader is refused', (t) => {
  const laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>';
  t.match(problemOf(withSheet(`${laughs}<worksheet>&b;</worksheet>`)).message, /document type/);
  const external = '<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet/>';
  t.match(problemOf(withSheet(external)).message, /document type/);
  const deep = '<a>'.repeat(65) + '</a>'.repeat(65);
  t.match(problemOf(withSheet(deep)).message, /too deeply/);
  t.match(problemOf(withSheet('<worksheet>&undefined;</worksheet>')).message, /well-formed/);
  let attributes = '';
  for (let index = 0; index < 400_000; index++) attributes += ` a${index}=""`;
  t.match(problemOf(withSheet(`<worksheet${attributes}/>`)).message, /too long/);
  t.end();
});

t.test('XML that is broken is refused with the part that is', (t) => {
  const broken: [string, RegExp][] = [
    ['<worksheet><sheetData>', /sheet1\.xml is not well-formed/],
    ['', /sheet1\.xml is not well-formed/],
    ['<worksheet><sheetData><row r="0"/></sheetData></worksheet>', /outside of the grid/],
    ['<worksheet><sheetData><row r="1048577"/></sheetData></worksheet>', /outside of the grid/],
    ['<worksheet><sheetData><row r="1"><c r="XFE1"/></row></sheetData></worksheet>', /outside/],
    ['<?xml version="1.0" encoding="nonsense"?><worksheet/>', /character encoding/],
  ];
  for (const [sheet, message] of broken) {
    const problem = problemOf(withSheet(sheet));
    t.equal(problem.code, 'file_broken');
    t.match(problem.message, message);
  }
  const notText = new Uint8Array([0x3c, 0x61, 0xff, 0xfe, 0x3e]);
  const bytes = workbookFile('', { 'xl/worksheets/sheet1.xml': notText });
  t.match(problemOf(bytes).message, /not text/);
  t.end();
});

t.test('overlapping array formulas cannot make the reader work for ever', (t) => {
  let rows = '';
  for (let row = 1; row <= 1_200; row++) {
    rows += `<row r="${row}"><c r="A${row}"><f t="array" ref="A1:XFD100">1</f></c></row>`;
  }
  t.match(problemOf(workbookFile(rows)).message, /overlap/);
  t.end();
});

t.test('a long shared text cannot be multiplied without end', (t) => {
  const text = 'x'.repeat(32_767);
  let rows = '';
  for (let row = 1; row <= 17_000; row++) {
    rows += `<row r="${row}"><c t="s"><v>${row % 2}</v></c></row>`;
  }
  const strings = `<sst><si><t>${text}</t></si><si><t>y${text.slice(1)}</t></si></sst>`;
  const bytes = workbookFile(rows, { 'xl/sharedStrings.xml': strings });
  const result = importFile(bytes, { format: 'xlsx' });
  t.match(result, { ok: false, code: 'file_too_large' });
  t.end();
});
