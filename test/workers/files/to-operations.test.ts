import t from 'tap';
import { operationSchema } from '../../../server/model/operation.ts';
import { importFile } from '../../../workers/files/import-file.ts';
import { toOperations } from '../../../workers/files/to-operations.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import { fillDownWorkbook } from '../../support/fill-down.ts';
import { workbookFile } from '../../support/workbook-file.ts';

function operationsOf(rows: string) {
  return [...toOperations(readXlsx(workbookFile(rows)))];
}

for (const style of ['shared', 'plain'] as const) {
  t.test(`a ${style} fill-down is one operation a column`, (t) => {
    const bytes = fillDownWorkbook({ rowCount: 10_000, formulaCount: 3, style });
    const operations = [...toOperations(readXlsx(bytes))];
    const fills = operations.filter(({ kind }) => kind === 'range.fill');
    t.same(
      fills.map(({ payload }) => payload),
      [
        { sheet: 'Fill', range: 'B1:B10000', input: '=A1*2+$A1-0' },
        { sheet: 'Fill', range: 'C1:C10000', input: '=B1*2+$A1-1' },
        { sheet: 'Fill', range: 'D1:D10000', input: '=C1*2+$A1-2' },
      ],
    );
    const blocks = operations.filter(({ kind }) => kind === 'range.set');
    t.equal(blocks.length, 2, 'ten thousand numbers in blocks of at most 8,192 cells');
    for (const operation of operations) t.ok(operationSchema.safeParse(operation).success);
    t.end();
  });
}

t.test('equal columns side by side are one rectangle', (t) => {
  let rows = '';
  for (let row = 1; row <= 20; row++) {
    rows += `<row r="${row}"><c r="B${row}"><f>A${row}+$Z$1</f></c>`;
    rows += `<c r="C${row}"><f>B${row}+$Z$1</f></c></row>`;
  }
  t.same(operationsOf(rows).slice(1), [
    { kind: 'range.fill', payload: { sheet: 'Sheet1', range: 'B1:C20', input: '=A1+$Z$1' } },
  ]);
  t.end();
});

t.test('dense cells go in blocks, scattered ones by address, flags apart', (t) => {
  const rows =
    '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c></row>' +
    '<row r="2"><c r="A2" t="b"><v>0</v></c><c r="B2" t="inlineStr"><is><t>=x</t></is></c></row>' +
    '<row r="900"><c r="Z900"><f>A1:A9</f></c><c r="AA900"><f t="array" ref="AA900:AA901">A1</f></c>' +
    '</row>';
  t.same(operationsOf(rows).slice(1), [
    {
      kind: 'range.set',
      payload: {
        sheet: 'Sheet1',
        range: 'A1:B2',
        inputs: [
          [1, 2],
          [false, "'=x"],
        ],
      },
    },
    {
      kind: 'cells.set',
      payload: {
        sheet: 'Sheet1',
        cells: [
          { a1: 'Z900', input: '=A1:A9', legacy: true },
          { a1: 'AA900', input: '=A1', array: 'AA900:AA901' },
        ],
      },
    },
  ]);
  t.end();
});

t.test('blocks stay small however long the texts are', (t) => {
  let rows = '';
  for (let row = 1; row <= 100; row++) {
    const text = `${row}${'x'.repeat(20_000)}`;
    rows += `<row r="${row}"><c r="A${row}" t="inlineStr"><is><t>${text}</t></is></c></row>`;
  }
  const operations = operationsOf(rows).slice(1);
  t.ok(operations.length >= 7);
  for (const operation of operations) t.ok(JSON.stringify(operation).length < 300_000);
  t.end();
});

t.test('importFile answers plain data that can be posted from a worker', (t) => {
  const file = importFile(workbookFile('<row r="1"><c r="A1"><v>1</v></c></row>'), {
    format: 'xlsx',
  });
  t.same(structuredClone(file), file);
  t.match(file, { ok: true, sheets: ['Sheet1'], date1904: false, tables: [], dropped: [] });
  const problem = importFile(new Uint8Array(3), { format: 'xlsx' });
  t.match(structuredClone(problem), { ok: false, code: 'file_not_xlsx', hint: /Save it/ });
  t.end();
});
