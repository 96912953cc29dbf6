import t from 'tap';
import type { SourceCell } from '../../../workers/files/sheet-cells.ts';
import { readCsv, type CsvOptions } from '../../../workers/files/csv-read.ts';
import { writeCsv, type CsvWriteOptions } from '../../../workers/files/csv-write.ts';
import { FileProblem } from '../../../workers/files/file-problem.ts';

function read(content: string | Uint8Array, options?: CsvOptions): unknown[][] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const rows: unknown[][] = [];
  for (const { row, column, input } of readCsv(bytes, options).sheets[0]?.content.cells() ?? []) {
    const cells = (rows[row] ??= []);
    cells[column] = input;
  }
  return rows;
}

function write(cells: SourceCell[], options?: CsvWriteOptions): string {
  let text = '';
  writeCsv({ name: 'S', cells: () => cells }, (piece) => (text += piece), options);
  return text;
}

function row(...values: (string | number | boolean)[]): SourceCell[] {
  return values.map((input, column) => ({ row: 0, column, input }));
}

t.test('fields are read as a person types them', (t) => {
  t.same(read("n,1.5,-2e3,TRUE,007,1234567890123456,=A1+1,'=x,#N/A, padded \n"), [
    [
      'n',
      1.5,
      -2000,
      true,
      '007',
      '1234567890123456',
      { formula: '=A1+1' },
      '=x',
      { error: '#N/A' },
      ' padded ',
    ],
  ]);
  t.same(read('1,TRUE,=A1', { rawText: true }), [['1', 'TRUE', '=A1']]);
  t.same(read('=A1+', { acceptsFormula: () => false }), [['=A1+']]);
  t.end();
});

t.test('quotes, line ends and rows of unequal length', (t) => {
  t.same(read('"a ""b""\r\nc",1\r\n\r\nx\r\n'), [['a "b"\r\nc', 1], undefined, ['x']]);
  t.same(read('5" pipe,1\n'), [['5" pipe', 1]]);
  t.throws(() => read('a,"b\n'), { code: 'file_broken', message: /Quote/ });
  t.end();
});

t.test('the delimiter is found, or said by the file', (t) => {
  t.same(read('a;b\n1,5;2\n'), [
    ['a', 'b'],
    ['1,5', 2],
  ]);
  t.same(read('a\tb\n1\t2\n'), [
    ['a', 'b'],
    [1, 2],
  ]);
  t.same(read('a|b\n"x,y"|2\n'), [
    ['a', 'b'],
    ['x,y', 2],
  ]);
  t.same(read('sep=;\na,b;c\n'), [['a,b', 'c']]);
  t.same(read('just text\nmore\n'), [['just text'], ['more']]);
  t.end();
});

t.test('UTF-8, UTF-16 and Windows-1252 are told apart', (t) => {
  t.same(read('\uFEFFé,€\n'), [['é', '€']]);
  t.same(read(Buffer.from('\uFEFFé,1\n', 'utf16le')), [['é', 1]]);
  t.same(read(Buffer.from('ab,1\n', 'utf16le')), [['ab', 1]]);
  t.same(read(new Uint8Array([0x80, 0x2c, 0xe9, 0x0a])), [['€', 'é']]);
  t.throws(() => read(new Uint8Array([0x89, 0x50, 0, 0, 0, 7])), FileProblem);
  t.end();
});

t.test('values are written by RFC 4180 in their places', (t) => {
  const cells: SourceCell[] = [
    { row: 0, column: 0, input: 'a "b"' },
    { row: 0, column: 2, input: 0.1 },
    { row: 2, column: 1, input: { formula: '=1/0' }, value: { error: '#DIV/0!' } },
    { row: 2, column: 2, input: { formula: '=TRUE' }, value: true },
  ];
  t.equal(write(cells), '"a ""b""",,0.1\r\n\r\n,#DIV/0!,TRUE\r\n');
  t.equal(write([]), '');
  t.end();
});

t.test('text that would run as a formula is written harmless, unless a machine reads', (t) => {
  for (const text of ['=1+1', '+1', '-1', '@SUM', '\tx', '\rx', '＝1', '＋1', '－1', '＠x']) {
    t.equal(write(row(text)).replace(/^"/, '').charAt(0), "'", JSON.stringify(text));
    t.same(read(write(row(text))), [[text]], 'and reads back');
  }
  t.equal(write(row('=1+1'), { escape: 'none' }), '=1+1\r\n');
  t.equal(write(row(-5, 'x-1')), '-5,x-1\r\n', 'numbers are no danger');
  t.end();
});
