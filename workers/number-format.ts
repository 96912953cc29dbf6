import { LRUCache } from 'lru-cache';

import { ERROR_VALUE } from '../assembly/abi.ts';
import { chooseSection, textSection } from '../server/model/format-section.ts';
import { layDate, layGeneral } from './formats/date-section.ts';
import { layNumber } from './formats/number-section.ts';
import {
  inDigits,
  inParts,
  inWords,
  withHiddenDigits,
  withMarkedParts,
  type Numerals,
} from './formats/numerals.ts';
import { general, readSections, type Section, type Token } from './formats/section.ts';

/** Result that the kernel reads as an error: the number of the error value, negated, minus one. */
export const formatFailed = -1 - ERROR_VALUE;

/** Recently read format codes; an invalid code is an empty list. */
const known = new LRUCache<string, readonly Section[]>({ max: 1000 });

/** Text of a number that fits none of the sections. */
const filled = '######';

/**
 * Returns a value as TEXT() writes it; undefined where Excel answers #VALUE!: for an invalid
 * format, or a date outside of the calendar.
 */
export function formatValue(
  value: number | string,
  code: string,
  date1904 = false,
): string | undefined {
  const sections = sectionsOf(code);
  if (sections.length === 0) return undefined;
  if (typeof value === 'string') return formatText(value, sections, code);
  if (code === '') return '';
  const chosen = chooseSection(sections, value);
  if (chosen === 'general') return layGeneral(value);
  if (chosen === 'filled') return filled;
  // A date is never negative, whichever section formats it.
  const isUnsigned = chosen.isUnsigned && chosen.section.kind !== 'date';
  return formatNumber(chosen.section, isUnsigned ? Math.abs(value) : value, date1904);
}

function sectionsOf(code: string): readonly Section[] {
  const sections = known.get(code) ?? readSections(code) ?? [];
  known.set(code, sections);
  return sections;
}

function formatNumber(section: Section, value: number, date1904: boolean): string | undefined {
  const { numerals } = section;
  if (!numerals) return layPlain(section, value, date1904);
  const text = layNative(withHiddenDigits(section), value, { numerals, date1904 });
  return text === undefined ? undefined : inDigits(text, numerals);
}

/** Parts of a date, and numbers without placeholders, are in words where the script has them. */
function layNative(
  section: Section,
  value: number,
  { numerals, date1904 }: { readonly numerals: Numerals; readonly date1904: boolean },
): string | undefined {
  if (section.kind === 'general') {
    const size = Math.abs(value);
    return signed(value, literals(section, inWords(layGeneral(size), size, numerals)));
  }
  if (section.kind !== 'date') return layPlain(section, value, date1904);
  const text = layPlain(withMarkedParts(section, numerals), value, date1904);
  return text === undefined ? undefined : inParts(text, numerals);
}

function layPlain(section: Section, value: number, date1904: boolean): string | undefined {
  switch (section.kind) {
    case 'date':
      return orUndefined(() => layDate(section, value, date1904));
    case 'text':
      return layGeneral(value);
    case 'general':
      return signed(value, literals(section, layGeneral(Math.abs(value))));
    case 'number': {
      const { text, isZero } = layNumber(section.tokens, value);
      return isZero ? text : signed(value, text);
    }
  }
}

function signed(value: number, text: string): string {
  return value < 0 ? `-${text}` : text;
}

/** Returns the literals of a section, with the text in place of `@`. */
function literals({ tokens }: Section, text: string): string {
  const isPlace = ({ raw, kind, shown }: Token) =>
    kind === 'text' || (shown === general && !/^["\\]/u.test(raw));
  return tokens.map((token) => (isPlace(token) ? text : token.shown)).join('');
}

function formatText(value: string, sections: readonly Section[], code: string): string {
  const section = textSection(sections);
  return section && code !== '' ? literals(section, value) : value;
}

/**
 * Returns undefined if the library throws because there is no such date; other errors are thrown
 * on.
 */
function orUndefined(lay: () => string): string | undefined {
  try {
    return lay();
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error;
    return undefined;
  }
}
