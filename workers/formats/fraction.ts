import { decimalOf, roundTo } from './decimal.ts';
import { digitCount, layWhole, type Places } from './digits.ts';
import type { Laid } from './number-section.ts';
import type { Token } from './section.ts';

/**
 * A section such as `# ?/?`: placeholders of the whole number, the numerator and the denominator.
 */
interface Fraction {
  readonly whole: Places;
  /** Literals between the whole number and the numerator. */
  readonly gap: Places;
  readonly numerator: Places;
  readonly slash: Places;
  readonly denominator: Places;
  /** Denominator that the code states, as in `# ?/8`. */
  readonly fixed: number | undefined;
  readonly tail: Places;
}

const isDigit = ({ kind }: Token) => kind === 'digit';

/** Returns the parts of a fraction; undefined if the section is none. */
export function fractionOf(tokens: readonly Token[]): Fraction | undefined {
  const isDecimal = tokens.some(({ kind }) => kind === 'point' || kind === 'exponent');
  const from = tokens.findIndex(isDigit);
  const at = tokens.findIndex(({ kind }, index) => kind === 'slash' && index > from);
  if (from < 0 || at < 0 || isDecimal) return undefined;
  const under = underOf(tokens.slice(at + 1));
  if (!under) return undefined;
  const over = tokens.slice(0, at);
  const end = over.findLastIndex(isDigit) + 1;
  const start = over.slice(0, end).findLastIndex((token) => !isDigit(token)) + 1;
  const before = over.slice(0, start);
  const wholeEnd = before.findLastIndex(isDigit) + 1;
  return {
    ...under,
    whole: before.slice(0, wholeEnd),
    gap: before.slice(wholeEnd),
    numerator: over.slice(start, end),
    slash: [...over.slice(end), ...tokens.slice(at, at + 1), ...under.slash],
  };
}

/** Reads the part after the slash; undefined without a denominator. */
function underOf(
  tokens: readonly Token[],
): Pick<Fraction, 'slash' | 'denominator' | 'fixed' | 'tail'> | undefined {
  const first = tokens.findIndex((token) => isDigit(token) || token.kind === 'number');
  const head = tokens[first];
  if (!head) return undefined;
  const rest = tokens.slice(first + 1);
  const isFixed = head.kind === 'number';
  const others = isFixed ? 0 : rest.findIndex((token) => !isDigit(token));
  const count = 1 + (others < 0 ? rest.length : others);
  return {
    slash: tokens.slice(0, first),
    denominator: tokens.slice(first, first + count),
    fixed: isFixed ? Number(head.raw) : undefined,
    tail: tokens.slice(first + count),
  };
}

/** Digits of numerators and denominators, so that they are exact in doubles. */
const digitsMost = 7;

export function layFraction(fraction: Fraction, value: number): Laid {
  const { whole, gap, denominator, fixed } = fraction;
  const size = Math.abs(value) * 100 ** percentCount(fraction);
  const isMixed = whole.length > 0;
  const digitsWanted = Math.min(digitCount(denominator), digitsMost);
  const [top, bottom] =
    fixed === undefined
      ? convergent(size, 10 ** digitsWanted - 1)
      : [Math.floor(size * fixed + 0.5), fixed];
  const integer = isMixed ? Math.floor(top / bottom) : 0;
  const n = top - integer * bottom;
  const d = bottom;
  const tail = fraction.tail.map(({ shown }) => shown).join('');
  const text = isMixed
    ? layMixed(fraction, integer, n, d)
    : shownOf(gap) + layRatio(fraction, n, d);
  const isZero = integer === 0 && n === 0;
  return { text: text + tail, isZero };
}

function percentCount({ gap, tail }: Fraction): number {
  return [...gap, ...tail].filter(({ kind }) => kind === 'percent').length;
}

function shownOf(places: Places): string {
  return places.map(({ kind, shown, raw }) => (kind === 'comma' ? raw : shown)).join('');
}

function has(mark: string, ...lists: Places[]): boolean {
  return lists.some((places) => places.some(({ kind, raw }) => kind === 'digit' && raw === mark));
}

/**
 * Formats a whole number and a fraction. A missing fraction is left out, or blank where its
 * placeholders are `?`; so is a whole number 0 without a required digit.
 */
function layMixed(fraction: Fraction, integer: number, n: number, d: number): string {
  const { whole, gap, numerator, denominator } = fraction;
  const digits = integer === 0 ? '' : wholeDigits(integer);
  const isGrouped = whole.some(({ kind }) => kind === 'comma');
  const places = whole.filter(({ kind }) => kind !== 'comma');
  if (n === 0 && !has('0', numerator)) {
    const number = layWhole(places, digits === '' ? '0' : digits, isGrouped);
    if (!has('?', whole, numerator, denominator)) return number;
    return number + ' '.repeat((shownOf(gap) + layRatio(fraction, n, d)).length);
  }
  const isLeftOut = integer === 0 && n > 0 && !has('0', whole);
  if (!isLeftOut) {
    return layWhole(places, digits, isGrouped) + shownOf(gap) + layRatio(fraction, n, d);
  }
  const blank =
    layWhole(places, '', isGrouped).replace(/[^ ]/gu, ' ') + ' '.repeat(shownOf(gap).length);
  return (has('?', whole, numerator) ? blank : '') + layRatio(fraction, n, d);
}

function wholeDigits(integer: number): string {
  return roundTo(decimalOf(integer), 0).whole;
}

/** Formats numerator and denominator: the first is aligned right, the second left. */
function layRatio(
  { numerator, slash, denominator, fixed }: Fraction,
  n: number,
  d: number,
): string {
  const over = layWhole(numerator, String(n), false);
  if (fixed !== undefined) return over + shownOf(slash) + String(fixed);
  const under = layWhole(denominator, String(d), false);
  const left = under.trimStart();
  return over + shownOf(slash) + left + ' '.repeat(under.length - left.length);
}

/** Numerator and denominator. */
type Ratio = readonly [top: number, bottom: number];

/** Remainder below which a number counts as reached. */
const settled = 5e-8;

/**
 * Returns the last convergent of a continued fraction whose denominator is within the limit,
 * computed in doubles as in Excel: 0.3 is 2/7, and 1.3 is 1 1/3.
 */
function convergent(value: number, limit: number): Ratio {
  let before: Ratio = [1, 0];
  let last: Ratio = [Math.floor(value), 1];
  let rest = value - Math.floor(value);
  while (rest >= settled) {
    const term = Math.floor(1 / rest);
    const next: Ratio = [term * last[0] + before[0], term * last[1] + before[1]];
    if (next[1] > limit) break;
    rest = 1 / rest - term;
    before = last;
    last = next;
  }
  return last;
}
