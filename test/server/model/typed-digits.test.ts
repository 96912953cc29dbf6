import t from 'tap';

import { readEntered, readTyped } from '../../../server/model/typed-input.ts';
import { Formulas } from '../../../workers/formulas.ts';

/** Typed numbers keep 15 digits, in a cell and in a formula alike. */
const numbers: readonly (readonly [typed: string, taken: number])[] = [
  ['123456789012345678', 123_456_789_012_345_000],
  ['1234567890123456', 1_234_567_890_123_450],
  ['0.12345678901234567', 0.123_456_789_012_345],
  ['0.0000123456789012345678', 0.000_012_345_678_901_234_5],
  ['3.24159265358979323846', 3.241_592_653_589_79],
  ['0.99999999999999999', 0.999_999_999_999_999],
  ['1.99999999999999999e10', 19_999_999_999.999_9],
  ['0.30000000000000004', 0.3],
  ['123456789012345', 123_456_789_012_345],
  ['000123456789012345', 123_456_789_012_345],
  ['.5', 0.5],
];

t.test('typed into a cell', async (t) => {
  for (const [typed, taken] of numbers) t.equal(readEntered(typed).input, taken, typed);
  t.equal(readEntered('-123,456,789,012,345,678').input, -123_456_789_012_345_000);
  t.equal(readEntered('$1234567890123456').input, 1_234_567_890_123_450);
});

t.test('files keep what they have, and moments are no numbers', async (t) => {
  t.equal(readTyped('0.30000000000000004').input, 0.1 + 0.2);
  const moment = '2026-01-02 10:11:12.123';
  t.same(readEntered(moment), readTyped(moment));
});

t.test('typed into a formula', async (t) => {
  const formulas = new Formulas();
  for (const [typed, taken] of numbers) {
    const shown = formulas.fromR1C1(formulas.toR1C1(`=${typed}`, 0, 0), 0, 0);
    t.equal(Number(shown.slice(1)), taken, `=${typed}`);
  }
  const stored = formulas.toR1C1('=123456789012345678', 0, 0);
  t.equal(stored, '=123456789012345680', 'what is stored is what the former version stored');
});
