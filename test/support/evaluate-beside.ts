import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const fuel = 1e9;

/** Returns the values of formulas that read A1, B1 and so on. None of them may spill. */
export function evaluateBeside(values: readonly string[], formulas: readonly string[]): unknown[] {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs: [[...values]] },
    {
      kind: 'block',
      sheet: 1,
      row: 1,
      column: 0,
      inputs: [formulas.map((formula) => ({ formula }))],
    },
  ]);
  while (!kernel.recalculate(now, fuel));
  const area = { row0: 1, column0: 0, row1: 1, column1: formulas.length - 1 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm })[0] ?? [];
}
