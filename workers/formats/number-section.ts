import { decimalOf, roundTo, type Decimal, type PlacedDigits } from './decimal.ts';
import { digitCount, layPart, layWhole, type Places } from './digits.ts';
import { fractionOf, layFraction } from './fraction.ts';
import type { Token } from './section.ts';

/** A formatted number, and whether all of its digits are zeros, which have no sign. */
export interface Laid {
  readonly text: string;
  readonly isZero: boolean;
}

/** Formats the size of a number by the tokens of a section. */
export function layNumber(tokens: readonly Token[], value: number): Laid {
  const fraction = fractionOf(tokens);
  if (fraction) return layFraction(fraction, value);
  const exponentAt = tokens.findIndex(({ kind }) => kind === 'exponent');
  if (exponentAt >= 0) return layScientific(tokens, exponentAt, decimalOf(value));
  const body = bodyOf(tokens);
  const decimal = shifted(decimalOf(value), body.shift);
  const placed = roundTo(decimal, digitCount(body.part));
  return { text: layBody(body, placed), isZero: isZero(body, placed) };
}

/** Parts of a section without an exponent. */
interface Body {
  readonly whole: Places;
  readonly part: Places;
  readonly hasPoint: boolean;
  readonly isGrouped: boolean;
  /** Power of ten from percent signs and from commas after the last digit of a side. */
  readonly shift: number;
}

function bodyOf(tokens: readonly Token[]): Body {
  const pointAt = tokens.findIndex(({ kind }) => kind === 'point');
  const whole = pointAt < 0 ? tokens : tokens.slice(0, pointAt);
  const part = pointAt < 0 ? [] : tokens.slice(pointAt + 1);
  const wholeScale = scalingCommas(whole);
  const percents = tokens.filter(({ kind }) => kind === 'percent').length;
  const first = whole.findIndex(({ kind }) => kind === 'digit');
  const commas = whole.slice(first).filter(({ kind }) => kind === 'comma').length;
  return {
    whole: withoutCommas(whole),
    part: withoutCommas(part),
    hasPoint: pointAt >= 0,
    isGrouped: commas > wholeScale && digitCount(whole) > 0,
    shift: 2 * percents - 3 * (wholeScale + scalingCommas(part)),
  };
}

/** Returns the number of commas after the last placeholder, each of which divides by a thousand. */
function scalingCommas(places: Places): number {
  const last = places.findLastIndex(({ kind }) => kind === 'digit');
  if (last < 0) return 0;
  return places.slice(last).filter(({ kind }) => kind === 'comma').length;
}

function withoutCommas(places: Places): Places {
  const first = places.findIndex(({ kind }) => kind === 'digit');
  // A comma before all digits, or without any, is a literal.
  return places.filter(({ kind }, index) => kind !== 'comma' || index < first || first < 0);
}

function shifted({ digits, power }: Decimal, shift: number): Decimal {
  return { digits, power: digits === '' ? 0 : power + shift };
}

function layBody({ whole, part, hasPoint, isGrouped }: Body, placed: PlacedDigits): string {
  const hasDigits = digitCount(whole) + digitCount(part) > 0;
  const integer = layWhole(whole, hasDigits ? placed.whole : '', isGrouped);
  return integer + (hasPoint ? '.' : '') + layPart(part, placed.part);
}

function isZero({ whole, part }: Body, { whole: integer, part: rest }: PlacedDigits): boolean {
  if (digitCount(whole) + digitCount(part) === 0) return false;
  return integer === '' && /^0*$/u.test(rest);
}

/**
 * Formats a section with an exponent. As many digits come before the point as there are
 * placeholders, and the exponent is a multiple of their number. Percent signs and commas do not
 * scale here. A literal between the letter and the digits of the exponent goes before the sign.
 */
function layScientific(tokens: readonly Token[], at: number, decimal: Decimal): Laid {
  const body = bodyOf(tokens.slice(0, at));
  const step = digitCount(body.whole);
  const places = digitCount(body.part);
  let exponent = exponentOf(decimal, step);
  let placed = roundTo(shifted(decimal, -exponent), places);
  if (placed.whole.length > Math.max(step, 0)) {
    exponent += Math.max(step, 1);
    placed = roundTo(shifted(decimal, -exponent), places);
  }
  const mark = tokens[at]?.raw ?? 'E+';
  const behind = withoutCommas(tokens.slice(at + 1));
  const first = behind.findIndex(({ kind }) => kind === 'digit');
  const lead = first < 0 ? behind : behind.slice(0, first);
  const sign = exponent < 0 ? '-' : mark.endsWith('+') ? '+' : '';
  const digits = first < 0 ? '' : layWhole(behind.slice(first), String(Math.abs(exponent)), false);
  const between = lead.map(({ shown }) => shown).join('');
  const text = `${layBody(body, placed)}${mark.slice(0, 1)}${between}${sign}${digits}`;
  return { text, isZero: isZero(body, placed) };
}

function exponentOf({ digits, power }: Decimal, step: number): number {
  if (digits === '') return 0;
  if (step === 0) return power;
  return Math.floor((power - 1) / step) * step;
}
