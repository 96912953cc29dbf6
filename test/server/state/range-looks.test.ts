import * as fc from 'fast-check';
import t from 'tap';

import { caseCount } from '../../support/case-count.ts';
import { StateDriver } from '../../support/state-driver.ts';

const patterns = ['General', '0.00', '0%', '@'];
const size = 6;
const block = { row0: 0, row1: size - 1, column0: 0, column1: size - 1 };

function looks(driver: StateDriver): readonly (readonly string[])[] {
  const sheet = driver.state.structure.sheets[0];
  return sheet ? driver.state.numberFormats(sheet, block) : [];
}

/** Returns the look of each cell that holds something, by its content. */
function shown(driver: StateDriver): Map<unknown, string | undefined> {
  const formats = looks(driver);
  const inputs = driver.rows('A1:F6');
  const found = new Map<unknown, string | undefined>();
  for (const [row, values] of inputs.entries()) {
    for (const [column, value] of values.entries()) {
      if (value !== null) found.set(value, formats[row]?.[column]);
    }
  }
  return found;
}

function styled(formats: readonly (readonly [string, string])[]): StateDriver {
  const driver = new StateDriver();
  driver.apply('sheet.add', { name: 'One' });
  for (const [range, pattern] of formats) {
    driver.apply('numfmt.set', { sheet: 'One', range, pattern });
  }
  const inputs = [...Array(3).keys()].map((row) => [row * 3 + 1, row * 3 + 2, row * 3 + 3]);
  driver.apply('range.set', { sheet: 'One', range: 'A1', inputs });
  return driver;
}

const edits = [
  ['range.move', { sheet: 'One', source: 'A1:C3', to: 'D4' }],
  ['range.move', { sheet: 'One', source: 'A1:C3', to: 'B2' }],
  ['range.insert', { sheet: 'One', range: 'A1:C2', shift: 'down' }],
  ['range.insert', { sheet: 'One', range: 'A1:B3', shift: 'right' }],
  ['range.sort', { sheet: 'One', range: 'A1:C3', keys: [{ col: 'B', desc: true }] }],
] as const;

const place = fc.constantFrom('1:1', '2:2', '4:5', 'A:A', 'B:C', 'E:E', 'B2', 'C1:C3', 'D4:E5');
const styles = fc.array(fc.tuple(place, fc.constantFrom(...patterns)), { maxLength: 5 });

t.test('cells take the look of their rows and columns along', async (t) => {
  fc.assert(
    fc.property(styles, fc.constantFrom(...edits), (formats, [kind, payload]) => {
      const driver = styled(formats);
      const before = shown(driver);
      driver.apply(kind, payload);
      t.strictSame(shown(driver), before, JSON.stringify([formats, kind, payload]));
    }),
    { numRuns: caseCount(300), seed: 7 },
  );
});

t.test('a copy looks like its source, in rows and columns of another style too', async (t) => {
  const driver = styled([
    ['1:1', '0.00'],
    ['E:E', '0%'],
  ]);
  driver.apply('range.copy', { sheet: 'One', source: 'A1:B2', to: 'D4' });
  const rows = looks(driver).map((row) => row.slice(3, 5));
  t.strictSame(rows.slice(3, 5), [
    ['0.00', '0.00'],
    ['General', 'General'],
  ]);
  driver.apply('range.copy', { sheet: 'One', source: 'A1:B2', to: 'D5', paste: ['values'] });
  t.equal(looks(driver)[5]?.[4], '0%');
});

t.test('moving a styled cell onto its own place changes nothing', async (t) => {
  const driver = styled([['1:1', '0.00']]);
  const payload = { sheet: 'One', source: 'A1:C3', to: 'A1', paste: ['values', 'formats'] };
  t.equal(driver.apply('range.copy', payload).status, 'noop');
});
