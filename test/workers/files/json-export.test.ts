import t from 'tap';
import { writeJson, writeNdjson } from '../../../workers/files/json-write.ts';
import type { SourceCell } from '../../../workers/files/sheet-cells.ts';

const header = { workbook: 'wb_1', ref: { branch: 'main', seq: 7 } };
const cells: SourceCell[] = [
  { row: 0, column: 0, input: '=text' },
  { row: 0, column: 1, input: 2, numberFormat: '0%' },
  { row: 1, column: 0, input: { formula: '=B1*2', legacy: true }, value: 4 },
  { row: 2, column: 0, input: { formula: '=A1:A2', array: 'A3:A4' }, value: { error: '#N/A' } },
];
const merge = { type: 'cellmerge', ranges: ['A1:B1'], value: {} } as const;
const source = {
  date1904: false,
  sheets: [
    { name: 'One', cells: () => cells, records: [merge] },
    { name: 'Two', cells: () => [] },
  ],
  names: [{ name: 'Rate', scope: undefined, formula: '=0.5' }],
  tables: [],
};
const records = [
  { cell: 'A1', input: "'=text", value: '=text' },
  { cell: 'B1', input: 2, value: 2, numberFormat: '0%' },
  { cell: 'A2', input: '=B1*2', value: 4, legacy: true },
  { cell: 'A3', input: '=A1:A2', value: { error: '#N/A' }, array: 'A3:A4' },
];

t.test('json is one document with inputs that can be written back', (t) => {
  let text = '';
  writeJson(header, source, (piece) => (text += piece));
  t.same(JSON.parse(text), {
    ...header,
    date1904: false,
    sheets: [
      { name: 'One', cells: records, records: [merge] },
      { name: 'Two', cells: [], records: [] },
    ],
    names: [{ name: 'Rate', formula: '=0.5' }],
    tables: [],
  });
  t.end();
});

t.test('ndjson is a header, a line a cell, and a trailer that says it is whole', (t) => {
  let text = '';
  writeNdjson(header, source, (piece) => (text += piece));
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  t.match(lines[0], { ...header, sheets: ['One', 'Two'] });
  t.same(
    lines.slice(1, -1),
    records.map((record) => ({ sheet: 'One', ...record })),
  );
  t.same(lines.at(-1), { end: true, count: 4 });
  t.end();
});
