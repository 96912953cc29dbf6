import t from 'tap';
import { readXlsx } from '../../workers/files/xlsx-read.ts';
import { FileDoor, xlsxType } from '../support/file-door.ts';
import { workbookFile, workbookParts, workbookXml, zipParts } from '../support/workbook-file.ts';

const problemOf = (json: unknown) => json as { code: string; hint: string };

t.test('an export is what Accept asks for, or 406', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import('a,1', 'text/csv');
  const path = `${at}/branches/main/export`;
  const ask = (accept: string, query = '') => door.request(path + query, undefined, { accept });
  const expected: [accept: string, type: RegExp][] = [
    [xlsxType, /spreadsheetml\.sheet$/],
    ['text/csv', /^text\/csv/],
    ['text/*', /^text\/csv/],
    ['application/x-ndjson', /^application\/x-ndjson/],
    ['application/json', /^application\/json/],
    ['*/*', /^application\/json/],
    ['application/*', /^application\/json/],
    [`application/json;q=0.5, ${xlsxType}`, /spreadsheetml\.sheet$/],
    [`text/html, ${xlsxType};q=0.9, */*;q=0.1`, /spreadsheetml\.sheet$/],
    ['application/pdf, text/csv;q=0.2', /^text\/csv/],
  ];
  for (const [accept, type] of expected) {
    const { status, headers } = await ask(accept);
    t.equal(status, 200, accept);
    t.match(headers.get('content-type'), type, accept);
    t.match(headers.get('vary'), /Accept/);
  }
  const { bytes, headers } = await ask(xlsxType);
  t.equal(readXlsx(bytes).sheets[0]?.name, 'Sheet1');
  t.match(headers.get('content-disposition'), /\.xlsx"$/);
  t.equal((await ask('application/msgpack')).status, 406, 'said in msgpack');
  for (const accept of ['application/pdf', 'image/*', 'text/csv;q=0']) {
    const { status, json } = await ask(accept);
    t.equal(status, 406, accept);
    t.match(json, { code: 'not_acceptable' });
    t.match(problemOf(json).hint, /spreadsheetml\.sheet/);
  }
  t.match((await ask('*/*', '?format=csv')).headers.get('content-type'), /^text\/csv/);
});

t.test('a file without a clear type is known by its first bytes', async (t) => {
  const door = await FileDoor.open(t);
  const file = workbookFile('<row r="1"><c r="A1"><v>7</v></c></row>');
  for (const type of ['application/octet-stream', 'application/vnd.ms-excel']) {
    const { at } = await door.import(file, type);
    t.same(await door.rows(at, 'A1'), [[7]], type);
  }
  const fromWindows = await door.import('a;b\r\n1;2\r\n', 'application/vnd.ms-excel');
  t.same(await door.rows(fromWindows.at, 'A2:B2'), [[1, 2]]);
  const old = new Uint8Array([
    0xd0,
    0xcf,
    0x11,
    0xe0,
    0xa1,
    0xb1,
    0x1a,
    0xe1,
    ...Buffer.alloc(600),
  ]);
  const strange: [Uint8Array | string, string][] = [
    [old, 'application/octet-stream'],
    [old, 'application/vnd.ms-excel'],
    ['a,b', 'application/octet-stream'],
    [new Uint8Array([0, 1, 2, 3]), 'application/vnd.ms-excel'],
  ];
  for (const [bytes, type] of strange) {
    const { status, json, headers } = await door.send(bytes, type);
    t.equal(status, 415, type);
    t.match(problemOf(json).hint, /\.xlsx as application.*text\/csv/);
    t.match(headers.get('accept'), /text\/csv/);
  }
  t.match((await door.send(old, 'application/octet-stream')).text, /old \.xls workbook/);
  const locked = Buffer.concat([old, Buffer.from('EncryptedPackage', 'utf16le')]);
  const { json } = await door.send(locked, 'application/octet-stream');
  t.match(json, { code: 'unsupported_file' }, 'a password is called by its name');
});

t.test(
  'a file as LibreOffice and openpyxl write it loses nothing, names of two areas too',
  async (t) => {
    const door = await FileDoor.open(t);
    const more =
      '<workbookProtection/>' +
      '<definedNames><definedName name="Both">Sheet1!$A$1,Sheet1!$C$1</definedName></definedNames>';
    const rows =
      '<row r="1"><c r="A1"><v>7</v></c><c r="B1"><f>SUM(Both)</f></c><c r="C1"><v>5</v></c></row>';
    const sheet = '<sheet name="Sheet1" sheetId="1" r:id="rId1"/>';
    const parts = workbookParts(rows, { 'xl/workbook.xml': workbookXml(sheet, more) });
    const { at, dropped } = await door.import(zipParts(parts));
    t.same(dropped, []);
    t.same(await door.rows(at, 'B1'), [[12]]);
    const { bytes } = await door.request(`${at}/branches/main/export?format=xlsx`);
    const again = await door.import(bytes);
    t.same(again.dropped, []);
    t.same(await door.rows(again.at, 'B1'), [[12]]);
  },
);
