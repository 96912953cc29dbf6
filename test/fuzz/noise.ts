import type { Choice } from './choice.ts';

const tokens = [
  '(',
  ')',
  ',',
  ';',
  '{',
  '}',
  '"',
  "'",
  '!',
  ':',
  '#',
  '@',
  '$',
  '[',
  ']',
  '[#',
  '[@',
  '.:.',
  '%',
  '^',
  '&',
  '<>',
  '<=',
  ' ',
  '\n',
  '\t',
  '1E',
  '.5',
  '1.2.3',
  'A',
  'A1',
  '$A$1',
  'XFE1',
  'A1048577',
  'R1C1',
  'RC[-1]',
  '1:',
  ':A',
  'SUM(',
  'LET(',
  'LAMBDA(',
  '_xlfn.',
  '_xlfn._xlws.',
  '_xlpm.x',
  '_xlfn.SINGLE(',
  '_xlfn.ANCHORARRAY(',
  'Sales[',
  "Sales['",
  '#REF!',
  '#N/A',
  '#nonsense!',
  "'It''s 3'!",
  '[1]One!A1',
  'C:\\book.xlsx',
  'TRUE',
  'é',
  '😀',
  '\ud800',
  '\u0000',
  '\ufeff',
  '９',
  '99999999999999999999999999',
  '0.0000000000000000000000000000001',
];

/** A text that is hardly a formula: characters of any kind, or pieces of the language shuffled. */
export function makeNoise(choice: Choice): string {
  const count = 1 + choice.below(choice.pick([4, 12, 60]));
  const isRaw = choice.oneIn(3);
  const piece = () =>
    isRaw
      ? String.fromCharCode(choice.below(choice.pick([128, 256, 65_536])))
      : choice.pick(tokens);
  return choice.times(count, piece).join('');
}

/** The text with a few places changed: cut, doubled, exchanged, or something put in. */
export function mutate(text: string, choice: Choice): string {
  let mutated = text;
  for (let count = 1 + choice.below(3); count > 0; count--) {
    const from = choice.below(mutated.length + 1);
    const to = Math.min(mutated.length, from + choice.below(choice.pick([3, 12])));
    const head = mutated.slice(0, from);
    const piece = mutated.slice(from, to);
    const tail = mutated.slice(to);
    mutated = choice.pick([
      head + tail,
      head + piece + piece + tail,
      head + choice.pick(tokens) + piece + tail,
      head + choice.pick(tokens) + tail,
      piece + head + tail,
    ]);
  }
  return mutated;
}
