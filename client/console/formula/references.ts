import { parseSheetRange, type Range } from '../../../server/model/range.ts';
import { tokensOf, type Token } from './tokens.ts';

/** A reference of a formula, with a colour that all mentions of the same cells share. */
export interface NamedRange {
  readonly range: Range;
  /** Sheet of the range; undefined for the formula's own. */
  readonly sheet: string | undefined;
  readonly colour: number;
  readonly token: Token;
}

/** Returns the references of a formula in their order. */
export function referencesOf(tokens: readonly Token[]): readonly NamedRange[] {
  const colours = new Map<string, number>();
  return tokens.flatMap((token) => {
    if (token.kind !== 'reference') return [];
    const text = token.text.replace(/#$/u, '');
    const place = parseSheetRange(text.replaceAll('$', ''));
    const range = place?.areas[0];
    if (!range) return [];
    const key = text.replaceAll('$', '').toUpperCase();
    const colour = colours.get(key) ?? colours.size;
    colours.set(key, colour);
    return [{ range, sheet: place.sheet, colour, token }];
  });
}

export interface Edited {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Returns a formula with the next combination of dollar signs in the reference at the caret. */
export function cycled({ text, start, end }: Edited): Edited | undefined {
  const token = tokensOf(text).find(
    (one) => one.kind === 'reference' && one.start <= start && one.end >= end,
  );
  if (!token) return undefined;
  const split = token.text.lastIndexOf('!') + 1;
  const turned = token.text.slice(0, split) + nextDollars(token.text.slice(split));
  const next = text.slice(0, token.start) + turned + text.slice(token.end);
  return { text: next, start: token.start, end: token.start + turned.length };
}

/** A1, $A$1, A$1, $A1 and again; both ends of a range alike. */
function nextDollars(reference: string): string {
  const [first = ''] = reference.split(':');
  const hasBoth = /\d/u.test(first) && /[a-z]/iu.test(first);
  const column = /^\$[a-z]/iu.test(first);
  const row = /\$\d/u.test(first);
  const states: Readonly<Record<string, readonly [string, string]>> = {
    'false,false': ['$', '$'],
    'true,true': ['', '$'],
    'false,true': ['$', ''],
    'true,false': ['', ''],
  };
  const isOn = column || row;
  const next = states[`${column},${row}`] ?? ['', ''];
  const [ofColumn, ofRow] = hasBoth ? next : isOn ? ['', ''] : ['$', '$'];
  return reference
    .split(':')
    .map((end) => {
      const [, letters = '', digits = ''] = /^\$?([a-z]*)\$?(\d*)/iu.exec(end) ?? [];
      return `${letters && ofColumn + letters}${digits && ofRow + digits}`;
    })
    .join(':');
}

const pointable = new Set<Token['kind']>(['operator', 'open', 'separator']);

/** Returns where a pointed reference goes: after an operator, or in place of a reference. */
export function pointingPlace({ text, start }: Edited): Edited | undefined {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== 'blank');
  const before = tokens.findLast((token) => token.end <= start);
  const isAfter = before !== undefined && pointable.has(before.kind);
  const next = tokens.find((token) => token.start >= start);
  const isFree = next === undefined || next.kind === 'close' || next.kind === 'separator';
  return isAfter && isFree && before.text !== '%' ? { text, start, end: start } : undefined;
}
