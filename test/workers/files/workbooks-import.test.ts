import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { cellName } from '../../../server/model/address.ts';
import { readXlsx } from '../../../workers/files/xlsx-read.ts';
import type { ImportedSheet } from '../../../workers/files/imported-workbook.ts';

interface Expected {
  cells: number;
  formulas: number;
  sha256?: string;
  first?: string;
}

const folder = new URL('../../../../test/workbooks/', import.meta.url);
const expected = JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) as Record<
  string,
  Record<string, Expected>
>;

function listing(sheet: ImportedSheet): { cells: number; lines: string[] } {
  const lines: string[] = [];
  let cells = 0;
  for (const { row, column, input, value } of sheet.content.cells()) {
    if (input === null) continue;
    cells++;
    if (typeof input !== 'object' || !('formula' in input)) continue;
    // A formula cell without a cached value holds the empty text.
    lines.push(`${cellName(row, column)}\t${input.formula}\t${JSON.stringify(value ?? '')}`);
  }
  return { cells, lines };
}

for (const [file, sheets] of Object.entries(expected)) {
  t.test(`${file}: every cell, formula and cached value is read`, (t) => {
    const workbook = readXlsx(readFileSync(new URL(file, folder)), { keepValues: true });
    t.same(
      workbook.sheets.map(({ name }) => name),
      Object.keys(sheets),
      'sheets in their order',
    );
    for (const sheet of workbook.sheets) {
      const want = sheets[sheet.name];
      const { cells, lines } = listing(sheet);
      t.equal(cells, want?.cells, `${sheet.name}: cells`);
      t.equal(lines.length, want?.formulas, `${sheet.name}: formulas`);
      if (want?.sha256 === undefined) continue;
      t.equal(lines[0], want.first, `${sheet.name}: first formula`);
      const digest = createHash('sha256').update(lines.join('\n')).digest('hex');
      t.equal(digest, want.sha256, `${sheet.name}: formulas with their values`);
    }
    t.end();
  });
}

t.test('what the four workbooks lose is listed with count and reason', (t) => {
  const workbook = readXlsx(readFileSync(new URL('poi-46535.xlsx', folder)));
  const line = workbook.dropped.find(({ what }) => what === 'page setup');
  t.same(line, { what: 'page setup', where: 'Test', count: 1, why: 'layout is not kept' });
  const names = workbook.dropped.filter(({ what }) => what.startsWith('defined name '));
  t.equal(names.length, 8, 'names that refer to other workbooks');
  t.same(workbook.names, [
    { name: 'AirportCode', scope: undefined, formula: '=CodeLists!$A$2:$B$2439' },
  ]);
  t.end();
});

t.test('dynamic arrays and plain formulas are told apart', (t) => {
  const workbook = readXlsx(readFileSync(new URL('event_calendar.xlsx', folder)));
  const inputs = new Map<string, unknown>();
  for (const { row, column, input } of workbook.sheets[0]?.content.cells() ?? []) {
    if (input !== null) inputs.set(cellName(row, column), input);
  }
  t.same(inputs.get('B5'), { formula: '=week()' }, 'dynamic: it spills from B5');
  t.equal(inputs.has('C5'), false, 'what it fills is no input');
  t.match(inputs.get('B6'), { formula: /^=LET\(mo,1,yr,\$B\$2,/ }, 'LET without prefixes');
  t.same(inputs.get('B2'), { formula: '=YEAR(TODAY())' }, 'scalar: the flag would change nothing');
  t.end();
});
