import t from 'tap';
import { FileDoor } from '../support/file-door.ts';
import { workbookFile } from '../support/workbook-file.ts';

const csv = [
  'Day,Amount,Share,Total,Id,Note',
  '2026-01-31,"$1,234.50",50%,"1,234",00123,1-2',
  '2026-02-01,"$1,000.00",25%,"2,000",00124,true',
].join('\n');

t.test('days of the week and months are those of the language of a format', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import('44000,44000,44000,44000', 'text/csv');
  const formats = ['aaaa', '[$-411]aaa', '[$-C0A]d mmmm', '[$-F800]dddd, mmmm dd, yyyy'];
  for (const [column, numberFormat] of formats.entries()) {
    const range = `${'ABCD'[column]}1`;
    const payload = { sheet: 'Sheet1', range, style: { numberFormat } };
    await door.submit(at, { kind: 'format.set', payload });
  }
  const shown = [['Thursday', '木', '18 junio', 'Thursday, June 18, 2020']];
  t.same(await door.rows(at, 'A1:D1', 'formatted'), shown);
});

t.test(
  'an amount is in words, in another script, and without the tag of its currency',
  async (t) => {
    const door = await FileDoor.open(t);
    const { at } = await door.import('1234,1234,1234.5,36964', 'text/csv');
    const formats = [
      '[DBNum2][$-804]General"元"',
      '[$-D000000]#,##0',
      '[$$-en-US]#,##0.00',
      '[DBNum1][$-804]yyyy"年"m"月"d"日"',
    ];
    for (const [column, numberFormat] of formats.entries()) {
      const range = `${'ABCD'[column]}1`;
      const payload = { sheet: 'Sheet1', range, style: { numberFormat } };
      await door.submit(at, { kind: 'format.set', payload });
    }
    const shown = [['壹仟贰佰叁拾肆元', '๑,๒๓๔', '$1,234.50', '二〇〇一年三月十四日']];
    t.same(await door.rows(at, 'A1:D1', 'formatted'), shown);
  },
);

t.test('formats that a file names by ids of other locales show days and times', async (t) => {
  const door = await FileDoor.open(t);
  const ids = [31, 58, 33, 60, 49];
  const looks = ids.map((id) => `<xf numFmtId="${id}" applyNumberFormat="1"/>`).join('');
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const cells = ids.map((_, at) => `<c r="${'ABCDE'[at]}1" s="${at + 1}"><v>45292.5</v></c>`);
  const file = workbookFile(`<row r="1">${cells.join('')}</row>`, {
    'xl/styles.xml': `<styleSheet xmlns="${main}"><cellXfs><xf/>${looks}</cellXfs></styleSheet>`,
  });
  const { at } = await door.import(file);
  const shown = [['1/1/2024', '1/1/2024', '12:00:00', '45292.50', '45292.5']];
  t.same(await door.rows(at, 'A1:E1', 'formatted'), shown);
});

t.test('a csv is calculated with, and read as a person sees it', async (t) => {
  const door = await FileDoor.open(t);
  const { at, dropped } = await door.import(csv, 'text/csv');
  t.same(dropped, [
    {
      what: 'digits kept as text',
      where: 'Sheet1!E:E',
      count: 2,
      why: 'a number would lose leading zeros, a leading + or digits past the fifteenth',
    },
  ]);
  const inputs = [['=SUM(A2:A3)', '=SUM(B2:B3)', '=SUM(C2:C3)', '=SUM(D2:D3)', '=1/0', '=B4']];
  await door.submit(at, {
    kind: 'range.set',
    payload: { sheet: 'Sheet1', range: 'A4:F4', inputs },
  });
  t.same(await door.rows(at, 'A2:F4'), [
    [46053, 1234.5, 0.5, 1234, '00123', '1-2'],
    [46054, 1000, 0.25, 2000, '00124', true],
    [92107, 2234.5, 0.75, 3234, { error: '#DIV/0!' }, 2234.5],
  ]);
  await door.restart();
  const shown = [
    ['2026-01-31', '$1,234.50', '50%', '1,234', '00123', '1-2'],
    ['2026-02-01', '$1,000.00', '25%', '2,000', '00124', 'TRUE'],
    ['92107', '2234.5', '0.75', '3234', '#DIV/0!', '2234.5'],
    [null, null, null, null, null, null],
  ];
  t.same(await door.rows(at, 'A2:F5', 'formatted'), shown);
  t.same(await door.rows(at, 'Sheet1!2:4', 'formatted'), shown.slice(0, 3));
  const several = await door.request(`${at}/slice?range=A2&range=B:B&lens=formatted`);
  t.match(several.json, {
    lens: 'formatted',
    slices: [{ rows: [['2026-01-31']] }, { rows: [['Amount'], ['$1,234.50']] }],
  });
  const { text } = await door.export(at, 'format=csv&as=shown');
  t.equal(
    text,
    'Day,Amount,Share,Total,Id,Note\r\n' +
      '2026-01-31,"$1,234.50",50%,"1,234",00123,1-2\r\n' +
      '2026-02-01,"$1,000.00",25%,"2,000",00124,TRUE\r\n' +
      '92107,2234.5,0.75,3234,#DIV/0!,2234.5\r\n',
  );
  const again = await door.import(text, 'text/csv');
  t.same(await door.rows(again.at, 'A2:F3'), await door.rows(at, 'A2:F3'));
});

t.test('formats of rows, columns, named styles and 1904 are shown', async (t) => {
  const door = await FileDoor.open(t);
  const { at } = await door.import('1,1,-5,x', 'text/csv');
  await door.submit(
    at,
    { kind: 'settings.set', payload: { path: 'dateSystem', value: 1904 } },
    { kind: 'style.define', payload: { id: 'Money', style: { numberFormat: '$0.00' } } },
    { kind: 'format.set', payload: { range: 'Sheet1!A:A', style: { numberFormat: 'yyyy-mm-dd' } } },
    { kind: 'format.set', payload: { range: 'Sheet1!B1', style: { named: 'Money' } } },
    { kind: 'format.set', payload: { range: 'Sheet1!C1', style: { numberFormat: '"="0;"=-"0' } } },
    { kind: 'format.set', payload: { range: 'Sheet1!D1', style: { numberFormat: '0;0;0;"-"@' } } },
  );
  t.same(await door.rows(at, 'A1:D1', 'formatted'), [['1904-01-02', '$1.00', '=-5', '-x']]);
  t.equal((await door.export(at, 'format=csv&as=shown')).text, "1904-01-02,$1.00,'=-5,'-x\r\n");
  const unguarded = await door.export(at, 'format=csv&as=shown&escape=none');
  t.equal(unguarded.text, '1904-01-02,$1.00,=-5,-x\r\n');
  const { json } = await door.export(at, 'format=json&as=shown');
  t.match(json, { sheets: [{ cells: [{ cell: 'A1', value: 1, shown: '1904-01-02' }] }] });
  const lines = (await door.export(at, 'format=ndjson&as=shown')).text.split('\n');
  t.match(JSON.parse(lines[2] ?? ''), { cell: 'B1', value: 1, shown: '$1.00' });
  t.notMatch((await door.export(at, 'format=json')).text, '"shown"');
  const older = await door.request(`${at}/slice?range=A1&lens=formatted&ref=main@2`);
  t.match(older.json, { lens: 'formatted', rows: [['1']] });
});
