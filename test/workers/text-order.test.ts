import t from 'tap';
import { compareFoldedTexts, foldedText } from '../../server/model/text-order.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

/** range.sort and the kernel order texts apart from each other: here they are compared. */

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };

/** Units of all kinds that the order tells apart, and some behind them. */
function* units(): Generator<string> {
  // From U+24B6 on the kernel's own table of cases lacks letters in circles.
  for (let code = 0x20; code < 0x2400; code++) yield String.fromCharCode(code);
  yield* ['─', '日', '\u{ff21}', '\u{ffff}'];
}

function sortedByKernel(texts: readonly string[]): unknown[] {
  const kernel = Kernel.create();
  kernel.apply([
    { kind: 'sheetAdd', sheet: 1, name: 'Sheet1', index: 0 },
    { kind: 'block', sheet: 1, row: 0, column: 0, inputs: texts.map((text) => [text]) },
    { kind: 'cell', sheet: 1, row: 0, column: 1, input: { formula: `=SORT(A1:A${texts.length})` } },
  ]);
  kernel.recalculate(now, 1e9);
  const area = { row0: 0, column0: 1, row1: texts.length - 1, column1: 1 };
  return kernel.readRange(1, area, { lens: 'value', form: valueForm }).map(([value]) => value);
}

function sortedByHost(texts: readonly string[]): string[] {
  const folded = new Map(texts.map((text) => [text, foldedText(text)]));
  return texts.toSorted((a, b) => compareFoldedTexts(folded.get(a) ?? '', folded.get(b) ?? ''));
}

t.test('every unit has the same place', async (t) => {
  const texts = [...units()].flatMap((unit) => [`${unit}x`, `e${unit}`]);
  t.same(sortedByHost(texts), sortedByKernel(texts));
});

t.test('accents count only between words that are equal else', async (t) => {
  const words = ['côted', 'coté', 'Côte', 'cote', 'cot', 'côté', 'CÔT', 'co-te', 'coue', 'côte'];
  const due = ['co-te', 'cot', 'CÔT', 'cote', 'coté', 'Côte', 'côte', 'côté', 'côted', 'coue'];
  t.same(sortedByHost(words), due);
  t.same(sortedByKernel(words), due);
});
