import t from 'tap';
import * as abi from '../../assembly/abi.ts';
import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { encodeMutations } from '../../workers/encode.ts';
import { CommandReader } from '../support/command-reader.ts';

function encoded(mutations: Iterable<Mutation>, chunkBytes?: number): Uint8Array[] {
  return [...copies(encodeMutations(mutations, chunkBytes))];
}

function* copies(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) yield chunk.slice();
}

function readerOf(...mutations: Mutation[]): CommandReader {
  const [chunk] = encoded(mutations);
  return new CommandReader(chunk ?? new Uint8Array(0));
}

t.test('every kind of input comes out as it went in', async (t) => {
  const inputs: [Input, unknown][] = [
    [null, null],
    [0.1, 0.1],
    [-1e300, -1e300],
    ['', ''],
    ['odd', 'odd'],
    ['even', 'even'],
    ['a text that is long enough for the native path: é€😀\ud83d', undefined],
    [true, true],
    [false, false],
    [{ error: '#N/A' }, { error: abi.ERROR_NOT_AVAILABLE }],
    [{ formula: '=A1+1' }, { formula: '=A1+1' }],
    [
      { formula: '=A1:A3', legacy: true },
      { formula: '=A1:A3', legacy: true },
    ],
    [
      { formula: '=A1:A3*2', array: 'B2:C4' },
      { formula: '=A1:A3*2', area: [1, 1, 3, 2] },
    ],
  ];
  for (const [input, expected] of inputs) {
    const reader = readerOf({ kind: 'cell', sheet: 7, row: 1_048_575, column: 16_383, input });
    t.same(reader.words(4), [abi.COMMAND_CELL, 7, 1_048_575, 16_383]);
    t.same(reader.input(), expected === undefined ? input : expected);
    t.ok(reader.isAtEnd);
  }
});

t.test('a fill is one command, however many cells it writes', async (t) => {
  const size = { rowCount: 1_000_000, columnCount: 1 };
  const input = { formula: '=A1*2' };
  const reader = readerOf({ kind: 'fill', sheet: 1, row: 0, column: 1, ...size, input });
  t.same(reader.words(6), [abi.COMMAND_FILL, 1, 0, 1, 1_000_000, 1]);
  t.same(reader.input(), input);
  t.ok(reader.isAtEnd);
});

t.test('a ragged block is padded with cells that stay as they are', async (t) => {
  const inputs = [[1, undefined, null], ['x']];
  const reader = readerOf({ kind: 'block', sheet: 2, row: 4, column: 5, inputs });
  t.same(reader.words(6), [abi.COMMAND_BLOCK, 2, 4, 5, 2, 3]);
  const read = Array.from({ length: 6 }, () => reader.input());
  t.same(read, [1, 'skip', null, 'x', 'skip', 'skip']);
});

t.test('a large block is cut between rows into chunks of about the given size', async (t) => {
  const inputs = Array.from({ length: 1000 }, (_, row) => [row, `text ${row}`, true]);
  const chunks = encoded([{ kind: 'block', sheet: 1, row: 10, column: 3, inputs }], 4096);
  t.ok(chunks.length > 5);
  let row = 10;
  for (const chunk of chunks) {
    t.ok(chunk.length < 4096 + 64);
    const reader = new CommandReader(chunk);
    const [command, sheet, from, column, rowCount = 0, columnCount] = reader.words(6);
    t.same([command, sheet, from, column, columnCount], [abi.COMMAND_BLOCK, 1, row, 3, 3]);
    for (let at = 0; at < rowCount; at++) {
      t.same([reader.input(), reader.input(), reader.input()], inputs[row - 10 + at]);
    }
    row += rowCount;
  }
  t.equal(row, 1010);
});

t.test('what an earlier command left in the buffer does not show', async (t) => {
  const long = 'x'.repeat(5000);
  const cells: Mutation[] = ['a', long, 'b', 'ccc'].map((input, row) => {
    return { kind: 'cell', sheet: 1, row, column: 0, input };
  });
  const chunks = encoded(cells, 1);
  t.equal(chunks.length, 4);
  const texts = chunks.map((chunk) => {
    const reader = new CommandReader(chunk);
    reader.words(4);
    return reader.input();
  });
  t.same(texts, ['a', long, 'b', 'ccc']);
});

t.test('lines, sheets, names, tables and settings', async (t) => {
  const line = { axis: 'column', sheet: 3, from: 2, count: 4 } as const;
  const remap = readerOf({ kind: 'move', ...line, before: 9 }, { kind: 'delete', ...line });
  const { AXIS_COLUMNS, COMMAND_REMAP, REMAP_DELETE, REMAP_MOVE } = abi;
  t.same(remap.words(7), [COMMAND_REMAP, AXIS_COLUMNS, 3, REMAP_MOVE, 2, 4, 9]);
  t.same(remap.words(7), [COMMAND_REMAP, AXIS_COLUMNS, 3, REMAP_DELETE, 2, 4, 0]);

  const sheet = readerOf(
    { kind: 'sheetAdd', sheet: 1, name: 'Plan', index: 0 },
    { kind: 'sheetRename', sheet: 1, name: 'Ziel' },
    { kind: 'sheetMove', sheet: 1, index: 2 },
    { kind: 'sheetDelete', sheet: 1 },
  );
  t.same([...sheet.words(3), sheet.text()], [abi.COMMAND_SHEET_ADD, 1, 0, 'Plan']);
  t.same([...sheet.words(2), sheet.text()], [abi.COMMAND_SHEET_RENAME, 1, 'Ziel']);
  t.same(sheet.words(3), [abi.COMMAND_SHEET_MOVE, 1, 2]);
  t.same(sheet.words(2), [abi.COMMAND_SHEET_DELETE, 1]);

  const name = readerOf(
    { kind: 'nameSet', name: 'Rate', scope: undefined, formula: '=0.1' },
    { kind: 'nameDelete', name: 'Zins', scope: 4 },
  );
  const set = [...name.words(2), name.text(), name.text()];
  t.same(set, [abi.COMMAND_NAME_SET, 0, 'Rate', '=0.1']);
  t.same([...name.words(2), name.text()], [abi.COMMAND_NAME_DELETE, 4, 'Zins']);

  const table = readerOf(
    {
      kind: 'tableSet',
      name: 'Prices',
      sheet: 1,
      row: 2,
      column: 3,
      rowCount: 4,
      columnCount: 2,
      columns: ['Item', 'Price'],
      headerRow: true,
      totalsRow: false,
    },
    { kind: 'setting', name: 'date1904', value: true },
    { kind: 'setting', name: 'iterationChange', value: 0.5 },
    { kind: 'rowsHidden', sheet: 1, from: 2, count: 3, hidden: 'filter' },
    { kind: 'rowsHidden', sheet: 1, from: 3, count: 1, hidden: 'no' },
  );
  t.same([table.word(), table.text()], [abi.COMMAND_TABLE_SET, 'Prices']);
  t.same(table.words(6), [1, 2, 3, 4, 2, 1]);
  t.same([table.text(), table.text()], ['Item', 'Price']);
  t.same([...table.words(2), table.number()], [abi.COMMAND_SETTING, abi.SETTING_DATE_1904, 1]);
  t.same(
    [...table.words(2), table.number()],
    [abi.COMMAND_SETTING, abi.SETTING_ITERATION_CHANGE, 0.5],
  );
  const { COMMAND_ROWS_HIDDEN, ROWS_HIDDEN_BY_FILTER, ROWS_SHOWN } = abi;
  t.same(table.words(5), [COMMAND_ROWS_HIDDEN, 1, 2, 3, ROWS_HIDDEN_BY_FILTER]);
  t.same(table.words(5), [COMMAND_ROWS_HIDDEN, 1, 3, 1, ROWS_SHOWN]);
});

t.test('a million cells take some tenths of a second', async (t) => {
  const rows = Array.from({ length: 1000 }, (_, row) => {
    return Array.from({ length: 100 }, (_, column) => ({ formula: `=A${row}+${column}` }));
  });
  const block: Mutation = { kind: 'block', sheet: 1, row: 0, column: 0, inputs: rows };
  const started = performance.now();
  let byteCount = 0;
  for (const chunk of encodeMutations(Array.from({ length: 10 }, () => block)))
    byteCount += chunk.length;
  t.ok(byteCount > 20_000_000);
  t.ok(performance.now() - started < 3000, 'generous: other tests run beside it');
});
