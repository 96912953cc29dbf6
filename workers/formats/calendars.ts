import { format } from 'numfmt';

import type { Section, Token } from './section.ts';

/** Eras of Japan, newest first, each with its first day in the 1900 system. */
const eras: readonly { from: number; firstYear: number; names: readonly string[] }[] = [
  { from: 43_586, firstYear: 2019, names: ['R', '令', '令和'] },
  { from: 32_516, firstYear: 1989, names: ['H', '平', '平成'] },
  { from: 9_856, firstYear: 1926, names: ['S', '昭', '昭和'] },
  { from: 4_595, firstYear: 1912, names: ['T', '大', '大正'] },
  { from: 0, firstYear: 1868, names: ['M', '明', '明治'] },
];
/** Western year before the first one of Taiwan's calendar. */
const taiwanZero = 1911;
/** Difference between a year of the Thai calendar and a western one. */
const thaiLead = 543;

/** Locale of a code in its two spellings: `[$-411]` and `[$-ja-JP-x-gannen]`. */
const localeShape = /^\[\$[^-\]]*-(?:([0-9a-f]{3,8})|([a-z][a-z\d@-]*)(?:,[0-9a-f]+)?)\]$/iu;
const thaiCalendar = 7;
const japanese = 0x411;
const taiwanese = 0x404;
const codeBits = 0xffff;

/** Returns a year of another calendar, padded to the given digits. */
type Spell = (raw: string) => string | undefined;

/**
 * Replaces years and eras of other calendars in a section by their text, because the library does
 * not know them: `ggge` of Japan, `e` of Taiwan, and years of the Thai calendar. Fails for a serial
 * number without a date.
 */
export function withCalendar(
  section: Section,
  serial: number,
  options: Parameters<typeof format>[2],
): Section {
  const spell = spelling(section.tokens, () => Number(format('yyyy', serial, options)), serial);
  if (!spell) return section;
  const tokens = section.tokens.map((token) => {
    const text = /^[gey]+$/iu.test(token.raw) ? spell(token.raw.toLowerCase()) : undefined;
    return text === undefined ? token : { ...token, raw: `"${text}"` };
  });
  return { ...section, code: tokens.map(({ raw }) => raw).join(''), tokens };
}

function spelling(
  tokens: readonly Token[],
  readYear: () => number,
  serial: number,
): Spell | undefined {
  const { calendar, locale, tag } = placeOf(tokens);
  const has = (shape: RegExp): boolean => tokens.some(({ raw }) => shape.test(raw));
  const hasEraYear = has(/^e+$/u);
  if (calendar === thaiCalendar) return has(/^y+$/iu) ? thaiSpelling(readYear()) : undefined;
  if (locale === taiwanese || /^zh-tw/iu.test(tag)) {
    return hasEraYear ? taiwaneseSpelling(readYear()) : undefined;
  }
  const isJapanese = locale === japanese || /^ja\b/iu.test(tag);
  if (!has(/^g+$/iu) && !(isJapanese && hasEraYear)) return undefined;
  return japaneseSpelling(readYear(), serial, /-x-gannen$/iu.test(tag));
}

/** Returns the locale of a section: its calendar and language by number, or its tag. */
function placeOf(tokens: readonly Token[]) {
  const found = tokens.map(({ raw }) => localeShape.exec(raw)).find((match) => match !== null);
  const [, digits = '0', tag = ''] = found ?? [];
  const code = Number.parseInt(digits, 16);
  return { calendar: (code >>> 16) & 0xff, locale: code & codeBits, tag };
}

function thaiSpelling(year: number): Spell {
  return (raw) => (raw.startsWith('y') ? lastDigits(year + thaiLead, raw.length < 3) : undefined);
}

function taiwaneseSpelling(year: number): Spell | undefined {
  if (year <= taiwanZero) return undefined;
  return (raw) => (raw.startsWith('e') ? padded(year - taiwanZero, raw) : undefined);
}

function japaneseSpelling(year: number, serial: number, isFirstNamed: boolean): Spell | undefined {
  const era = eras.find(({ from }) => serial >= from);
  if (!era) return undefined;
  const number = year - era.firstYear + 1;
  return (raw) => {
    if (raw.startsWith('g')) return era.names[Math.min(raw.length, 3) - 1];
    if (!raw.startsWith('e')) return undefined;
    return isFirstNamed && number === 1 ? '元' : padded(number, raw);
  };
}

function padded(year: number, raw: string): string {
  return String(year).padStart(Math.min(raw.length, 2), '0');
}

function lastDigits(year: number, isShort: boolean): string {
  return isShort ? String(year % 100).padStart(2, '0') : String(year);
}
