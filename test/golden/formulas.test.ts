import t from 'tap';
import { Kernel } from '../../workers/kernel.ts';
import { valueForm } from '../../workers/decode.ts';
import { goldenFiles, readGolden, type GoldenCase } from '../support/golden-file.ts';

const sheet = 1;
/** Far from the cells of the cases, with room for arrays. */
const place = { row: 199, column: 51 };
/** 2026-01-15 14:30 UTC. */
const now = { clockSerial: 46_037 + 14.5 / 24, seedHigh: 1, seedLow: 2 };

/**
 * Returns the result of the formula in the shape that is expected: a value, or the rows of its
 * array.
 */
function evaluate({ formula, cells }: GoldenCase, isArray: boolean): unknown {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet, name: 'Sheet1', index: 0 },
    ...cells.map((cell) => ({ kind: 'cell' as const, sheet, ...cell })),
    { kind: 'cell', sheet, ...place, input: { formula } },
  ]);
  while (!kernel.recalculate(now, 1e9));
  const spill = kernel.readSpill(sheet, place.row, place.column);
  const row1 = place.row + (isArray ? (spill?.rowCount ?? 1) - 1 : 0);
  const column1 = place.column + (isArray ? (spill?.columnCount ?? 1) - 1 : 0);
  const area = { row0: place.row, column0: place.column, row1, column1 };
  const rows = kernel.readRange(sheet, area, { lens: 'value', form: valueForm });
  return isArray ? rows : rows[0]?.[0];
}

function isClose(found: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      found.length === expected.length &&
      expected.every((item, index) => isClose(found[index], item))
    );
  }
  if (typeof found === 'number' && typeof expected === 'number') {
    if (found === expected) return true;
    // A whole number must show as one: Excel rounds to 15 digits.
    const tolerance = Number.isSafeInteger(expected) ? 2e-15 : 1e-12;
    return Math.abs(found - expected) <= tolerance * Math.abs(expected);
  }
  return JSON.stringify(found) === JSON.stringify(expected);
}

for (const file of goldenFiles()) {
  t.test(file, (t) => {
    for (const golden of readGolden(file)) {
      const { where, formula, expected } = golden;
      const found = evaluate(golden, Array.isArray(expected));
      const isRight = isClose(found, expected);
      t.ok(isRight, `${where} ${formula}`, isRight ? {} : { found, expected });
    }
    t.end();
  });
}
