import t from 'tap';
import { formatValue } from '../../workers/number-format.ts';

const cases: [value: number | string, code: string, expected: string | undefined][] = [
  [12, '0.', '12.'],
  [1234567.891, '#,##0.00', '1,234,567.89'],
  [-5, '0;(0)', '(5)'],
  [0.285, '0.0%', '28.5%'],
  [12345, '0.00E+00', '1.23E+04'],
  [1.25, '# ?/?', '1 1/4'],
  [60, 'yyyy-mm-dd', '1900-02-29'],
  [2958465, 'yyyy-mm-dd', '9999-12-31'],
  [2958466, 'yyyy-mm-dd', undefined],
  [-1, 'yyyy-mm-dd', undefined],
  [0.6, 'h:mm AM/PM', '2:24 PM'],
  [1.5, '[h]:mm', '36:00'],
  [45000, 'dddd, mmmm d', 'Wednesday, March 15'],
  ['x', '0;0;0;"<"@">"', '<x>'],
  ['x', '0', 'x'],
  [1 / 3, 'General', '0.333333333'],
  [1, 'E', undefined],
  [1, '0 "never closed', undefined],
];

t.test('values are shown as their codes say', async (t) => {
  for (const [value, code, expected] of cases) {
    t.equal(formatValue(value, code), expected, `${value} as ${code}`);
  }
});

/** Serials of the 1904 system; there dates and times may be negative. */
const cases1904: [value: number, code: string, expected: string | undefined][] = [
  [43_830, 'yyyy-mm-dd', '2024-01-01'],
  [0, 'ddd d mmm yyyy', 'Fri 1 Jan 1904'],
  [-1, 'yyyy-mm-dd', '-1904-01-02'],
  [-0.5, '[h]:mm', '-12:00'],
  [1.5, '[h]:mm', '36:00'],
  [2_957_003, 'yyyy-mm-dd', '9999-12-31'],
  [2_957_004, 'yyyy-mm-dd', undefined],
  [-5, '0.0', '-5.0'],
];

t.test('dates of the 1904 system may be negative', async (t) => {
  for (const [value, code, expected] of cases1904) {
    t.equal(formatValue(value, code, true), expected, `${value} as ${code} in the 1904 system`);
  }
});
