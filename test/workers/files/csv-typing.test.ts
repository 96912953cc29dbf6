import t from 'tap';
import { readEntered, readTyped } from '../../../server/model/typed-input.ts';
import { readCsv } from '../../../workers/files/csv-read.ts';

interface Field {
  readonly input: unknown;
  readonly format?: string;
}

/** The fields of one column, and what the import says of them. */
function column(...fields: string[]): { cells: Field[]; dropped: unknown[] } {
  return columnOf(undefined, fields);
}

/** The same of a file that is read in some year. */
function columnOf(year: number | undefined, fields: readonly string[]) {
  const quoted = fields.map((field) => `"${field.replaceAll('"', '""')}"`);
  const { sheets, dropped } = readCsv(Buffer.from(quoted.join('\n')), {
    delimiter: ';',
    ...(year !== undefined && { year }),
  });
  const cells = [...(sheets[0]?.content.cells() ?? [])].map(({ input, numberFormat }) => ({
    input,
    ...(numberFormat !== undefined && { format: numberFormat }),
  }));
  return { cells, dropped: [...dropped] };
}

t.test('what a person types is read as the operations read it, with its format', (t) => {
  const cases: [string, unknown, string?][] = [
    ['2026-01-31', 46053, 'yyyy-mm-dd'],
    ['1/31/2026', 46053, 'm/d/yyyy'],
    ['01/05/26', 46027, 'm/d/yyyy'],
    ['31-Jan-26', 46053, 'd-mmm-yy'],
    ['2026-01-31 14:30', 46053 + 14.5 / 24, 'yyyy-mm-dd h:mm'],
    ['09:30', 9.5 / 24, 'h:mm'],
    ['9:30 PM', 21.5 / 24, 'h:mm AM/PM'],
    ['$1,234.50', 1234.5, '$#,##0.00'],
    ['-$5', -5, '$#,##0'],
    ['($1,234.50)', -1234.5, '$#,##0.00'],
    ['(12.50)', -12.5],
    ['50%', 0.5, '0%'],
    ['-12.5 %', -0.125, '0.00%'],
    ['1,234', 1234, '#,##0'],
    ['-1,234,567.25', -1234567.25, '#,##0.00'],
    ['1.5E+3', 1500, '0.00E+00'],
    ['1e-7', 1e-7, '0.00E+00'],
    ['-2e3', -2000, '0.00E+00'],
    ['0.5', 0.5],
    ['.5', 0.5],
    ['+5', 5],
    ['0', 0],
    ['123456789012345', 123456789012345],
    ['0.30000000000000004', 0.30000000000000004],
    ['true', true],
    ['#N/A', { error: '#N/A' }],
    ['0.00%', 0, '0.00%'],
  ];
  for (const [field, input, format] of cases) {
    const { cells, dropped } = column(field);
    t.same(cells, [{ input, ...(format !== undefined && { format }) }], field);
    t.same(cells[0], readTyped(field), `${field} as parse: true has it`);
    t.same(dropped, [], field);
  }
  t.end();
});

t.test('days without a year are of the year of the import, as Excel has them', (t) => {
  const cases: [string, number, string][] = [
    ['Dec 5', 46361, 'd-mmm'],
    ['5 December', 46361, 'd-mmm'],
    ['5-Dec', 46361, 'd-mmm'],
    ['Dec 2025', 45992, 'mmm-yy'],
    ['Jan 31, 2025', 45688, 'd-mmm-yy'],
  ];
  for (const [field, input, format] of cases) {
    const { cells, dropped } = columnOf(2026, [field]);
    t.same(cells, [{ input, format }], field);
    t.same(dropped, [], field);
    t.same(cells[0], readEntered(field, 2026), `${field} as a person types it`);
  }
  for (const field of ['Mar-1', 'SEP-2', 'Dec-26', 'Feb 30, 2026', 'Mayor 5', '5 Decembers']) {
    t.same(columnOf(2026, [field]).cells, [{ input: field }], field);
  }
  t.same(columnOf(2026, ['May 5', '00123']).cells[1], { input: '00123' });
  t.end();
});

t.test('what a number would lose stays text, and is listed by column', (t) => {
  const ids = ['00123', '0049301234567', '+4930123456', '1234567890123456', '2E10'];
  const grouped = ['0,123', '$0123', '1,234,567,890,123,456', '007%', '(0123)'];
  for (const field of [...ids, ...grouped]) {
    const { cells, dropped } = column(field);
    t.same(cells, [{ input: field }], field);
    t.match(dropped, [{ what: 'digits kept as text', where: 'Sheet1!A:A', count: 1 }], field);
  }
  const { cells, dropped } = column('00123', '12345', '00007');
  t.same(cells, [{ input: '00123' }, { input: 12345 }, { input: '00007' }]);
  t.match(dropped, [{ what: 'digits kept as text', count: 2 }]);
  t.end();
});

t.test('what only looks like a date or a number stays text', (t) => {
  const plain = ['1-2', '1/2', '3-4-5', '4:3', '10.0.0.1', '1.2.3', '+49 30 123', 'A-12', '12 OZ'];
  for (const field of [
    ...plain,
    '555-1234',
    'Jan',
    'May 5',
    '2026-W05',
    '5"',
    '1½',
    '25:61',
    '12e4567',
  ]) {
    const { cells, dropped } = column(field);
    t.same(cells, [{ input: field }], field);
    t.same(dropped, [], field);
  }
  const dates = ['31.12.2026', '31/12/2026', '2026/01/31', 'Jan 31, 2026', '1850-05-01'];
  for (const field of [...dates, '2026-02-30', '2026-01-31T10:00:00Z', '31. Januar 2026']) {
    const { cells, dropped } = column(field);
    t.same(cells, [{ input: field }], field);
    t.match(dropped, [{ what: 'dates left as text', where: 'Sheet1!A:A', count: 1 }], field);
  }
  for (const field of [
    '1,5',
    '1.234,50',
    '€5',
    '5 €',
    '1 234',
    "1'234.50",
    '12 EUR',
    '£1,234.50',
  ]) {
    const { cells, dropped } = column(field);
    t.same(cells, [{ input: field }], field);
    t.match(dropped, [{ what: 'numbers left as text', where: 'Sheet1!A:A', count: 1 }], field);
  }
  t.end();
});

t.test('a column that shows another order or comma is not read by ours', (t) => {
  const dates = column('03/02/2026', '13/02/2026', '2026-02-03');
  t.same(dates.cells, [
    { input: '03/02/2026' },
    { input: '13/02/2026' },
    { input: 46056, format: 'yyyy-mm-dd' },
  ]);
  t.match(dates.dropped, [{ what: 'dates left as text', count: 2 }]);
  const amounts = column('1,234', '12,50', '1.234', '7');
  t.same(
    amounts.cells.map(({ input }) => input),
    ['1,234', '12,50', '1.234', 7],
  );
  t.match(amounts.dropped, [{ what: 'numbers left as text', count: 3 }]);
  const apart = readCsv(Buffer.from('1/2/2026|13/2/2026\n"1,234"|"1,5"\n'));
  const inputs = [...(apart.sheets[0]?.content.cells() ?? [])].map(({ input }) => input);
  t.same(inputs, [46024, '13/2/2026', 1234, '1,5'], 'another column says nothing');
  t.end();
});

t.test('fields that are asked for as text are text', (t) => {
  const { sheets, dropped } = readCsv(Buffer.from('2026-01-31,50%,00123\n'), { rawText: true });
  const inputs = [...(sheets[0]?.content.cells() ?? [])].map(({ input }) => input);
  t.same(inputs, ['2026-01-31', '50%', '00123']);
  t.same(dropped, []);
  t.end();
});
