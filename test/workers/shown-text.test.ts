import t from 'tap';
import type { Value } from '../../server/model/cell-value.ts';
import { ShownTexts } from '../../workers/shown-text.ts';

const cases: [value: Value, pattern: string, shown: string | null][] = [
  [null, '0.00', null],
  [5, 'General', '5'],
  [-0, 'General', '0'],
  [99_999_999_999, 'General', '99999999999'],
  [100_000_000_000, 'General', '1E+11'],
  [123_456_789_012, 'General', '1.23457E+11'],
  [-123_456_789_012, 'General', '-1.23457E+11'],
  [1 / 3, 'General', '0.333333333'],
  [0.1 + 0.2, 'General', '0.3'],
  [1234567890.123, 'General', '1234567890'],
  [1e-10, 'General', '1E-10'],
  [1e300, 'General', '1E+300'],
  [1234.5, '#,##0.00', '1,234.50'],
  [1234.5, '$#,##0.00', '$1,234.50'],
  [-1234.5, '#,##0.00;(#,##0.00)', '(1,234.50)'],
  [-1234.5, '#,##0.00_);[Red](#,##0.00)', '(1,234.50)'],
  [1234.5, '_(* #,##0.00_)', ' 1,234.50 '],
  [0.5, '0%', '50%'],
  [0.125, '0.0%', '12.5%'],
  [1.5, '# ?/?', '1 1/2'],
  [12345, '0.00E+00', '1.23E+04'],
  [46053, 'yyyy-mm-dd', '2026-01-31'],
  [46053.75, 'm/d/yyyy h:mm AM/PM', '1/31/2026 6:00 PM'],
  [1.5, '[h]:mm', '36:00'],
  [60, 'yyyy-mm-dd', '1900-02-29'],
  [-1, 'yyyy-mm-dd', '########'],
  [2_958_466, 'yyyy-mm-dd', '########'],
  [5, ';;;', ''],
  [5, '0 "never closed', '5'],
  [5, '', '5'],
  ['x', 'General', 'x'],
  ['x', '0.00', 'x'],
  ['x', '0;0;0;"<"@">"', '<x>'],
  ['=1+1', '@', '=1+1'],
  [true, '0.00', 'TRUE'],
  [false, 'General', 'FALSE'],
  [{ error: '#DIV/0!' }, '0.00', '#DIV/0!'],
  [{ error: '#N/A' }, ';;;', '#N/A'],
];

t.test('a value is shown by its number format, as Excel shows it in English', (t) => {
  const texts = new ShownTexts(false, []);
  for (const [value, pattern, shown] of cases) {
    t.equal(texts.show(value, pattern), shown, `${JSON.stringify(value)} as ${pattern}`);
  }
  t.end();
});

t.test('days of the 1904 system begin there, times stay what they are', (t) => {
  const texts = new ShownTexts(true, []);
  t.equal(texts.show(0, 'yyyy-mm-dd'), '1904-01-01');
  t.equal(texts.show(44_591, 'yyyy-mm-dd'), '2026-01-31');
  t.equal(texts.show(-1, 'yyyy-mm-dd'), '-1904-01-02');
  t.equal(texts.show(0.5, 'h:mm'), '12:00');
  t.equal(texts.show(1.5, '[h]:mm'), '36:00');
  t.equal(texts.show(5, '0.0'), '5.0');
  t.equal(texts.show(2_957_004, 'yyyy-mm-dd'), '########');
  t.end();
});

t.test('a cell without a number format has that of its named style, or of Normal', (t) => {
  const styles = [
    { id: 'Normal', style: { numberFormat: '0.0' } },
    { id: 'Money', style: { numberFormat: '$0' } },
    { id: 'Plain', style: { bold: true } },
  ];
  const texts = new ShownTexts(false, styles);
  t.equal(texts.formatOf(undefined), '0.0');
  t.equal(texts.formatOf({ bold: true }), '0.0');
  t.equal(texts.formatOf({ named: 'money' }), '$0');
  t.equal(texts.formatOf({ named: 'Money', numberFormat: 'General' }), 'General');
  t.equal(texts.formatOf({ named: 'Plain' }), 'General');
  t.equal(new ShownTexts(false, []).formatOf(undefined), 'General');
  t.end();
});

t.test('a format cannot multiply a long text', (t) => {
  const texts = new ShownTexts(false, []);
  t.equal(texts.show('ab', '@@@'), 'ababab');
  const long = 'x'.repeat(20_000);
  t.equal(texts.show(long, '@@'), long);
  t.end();
});
