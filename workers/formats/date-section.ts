import { format, getLocale } from 'numfmt';

import { withCalendar } from './calendars.ts';
import type { Section } from './section.ts';

/** Bounds of Excel: no date before 1900 or after 9999, and a 29 February 1900, which never was. */
const options = {
  locale: 'en-US',
  leap1900: true,
  dateSpanLarge: false,
  dateErrorThrows: true,
  dateErrorNumber: false,
} as const;

/** Days between the serial number 0 of the 1900 system and that of the 1904 system. */
const daysTo1904 = 1462;
const elapsed = /^\[(h+|m+|s+)\]$/iu;

/**
 * Formats a date or a time. In the 1904 system a negative one is shown with a minus; in the 1900
 * system there is none, and the library throws.
 */
export function layDate(section: Section, value: number, date1904: boolean): string {
  const day = date1904 ? Math.abs(value) + daysTo1904 : value;
  const known = withKnownLocale(withSmallHalves(withOwnHalves(localized(section, day), day)));
  const { code, isElapsed } = elapsedCode(known);
  if (!date1904) return smallHalves(format(code, value, options));
  const serial = isElapsed ? Math.abs(value) : day;
  return smallHalves((value < 0 ? '-' : '') + format(code, serial, options));
}

/** Replaces the names of days and months that the library lacks for the section's locale. */
function localized(section: Section, day: number): Section {
  if (!/\[\$|[ge]/iu.test(section.code)) return section;
  return withGenitive(withCalendar(section, day, options), day);
}

const ownHalves = /^(上午|午前|오전)\/(下午|午後|오후)$/u;

/**
 * Replaces words of a code itself for the halves of a day. The library has only those of locales:
 * hours need them, but they are marked to be taken out.
 */
function withOwnHalves(section: Section, day: number): Section {
  if (!section.tokens.some(({ raw }) => ownHalves.test(raw))) return section;
  const tokens = section.tokens.map((one) => {
    const [, early, late] = ownHalves.exec(one.raw) ?? [];
    if (early === undefined || late === undefined) return one;
    return { ...one, raw: `"${day % 1 < 0.5 ? early : late}\u0002"AM/PM"\u0002"` };
  });
  return { ...section, code: tokens.map(({ raw }) => raw).join(''), tokens };
}

/** Replaces `a/p`, whose letter has the same case: the library only writes `A/P`. */
function withSmallHalves(section: Section): Section {
  if (!section.tokens.some(({ raw }) => raw === 'a/p')) return section;
  const marked = section.tokens.map((one) =>
    one.raw === 'a/p' ? { ...one, raw: '"\u0001"A/P' } : one,
  );
  return { ...section, code: marked.map(({ raw }) => raw).join(''), tokens: marked };
}

const localeCode = /^\[\$([^-\]]*)-([0-9a-f]{3,8})\]$/iu;
const languageBits = 0x3ff;
const codeBits = 0xffff;
/** Locale code of a language without a country, such as 0x040A of Spanish. */
const ownLocale = 0x400;
/** Language number of Croatian, Bosnian and Serbian, whose names of months differ. */
const sharedLanguage = 0x1a;

/**
 * Replaces a locale that the library lacks, such as `C0A` of Spain or `FC19` of Russia, by its
 * language.
 */
function withKnownLocale(section: Section): Section {
  if (!section.tokens.some(({ raw }) => localeCode.test(raw))) return section;
  const tokens = section.tokens.map((one) => ({ ...one, raw: knownLocale(one.raw) }));
  return { ...section, code: tokens.map(({ raw }) => raw).join(''), tokens };
}

function knownLocale(raw: string): string {
  const [, sign = '', digits] = localeCode.exec(raw) ?? [];
  if (digits === undefined) return raw;
  const code = Number.parseInt(digits, 16);
  const language = code & languageBits;
  const other = language | ownLocale;
  const isKnown = getLocale(code & codeBits) !== undefined || getLocale(other) === undefined;
  if (isKnown || language === 0 || language === sharedLanguage) return raw;
  return `[$${sign}-${(code - (code & codeBits) + other).toString(16)}]`;
}

/** Months in the genitive, by language number. */
const genitives: ReadonlyMap<number, string> = new Map([
  [0x19, 'января февраля марта апреля мая июня июля августа сентября октября ноября декабря'],
  [0x22, 'січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня'],
]);
/**
 * Prefix of locale codes, such as `FC19`, that want the genitive beside a day; tags can want it
 * too.
 */
const genitiveCode = 0xfc00;
const genitiveTag = /^\[\$-(ru|uk|be)(-[a-z]{2})?-x-genlower\]$/iu;
const taggedLanguages: Readonly<Record<string, number>> = { ru: 0x19, uk: 0x22, be: 0x23 };

/**
 * Replaces months by their genitive, as Slavic languages write dates (`1 мая 2026`): the library
 * only has nominatives.
 */
function withGenitive(section: Section, serial: number): Section {
  const { tokens } = section;
  const names = tokens.map(({ raw }) => genitivesOf(raw)).find((found) => found !== undefined);
  if (names === undefined) return section;
  const hasDay = tokens.some(({ raw }) => /^d{1,2}$/iu.test(raw));
  const month = names.split(' ')[Number(format('m', serial, options)) - 1] ?? '';
  const spelled = tokens.map((one) => {
    if (hasDay && one.raw.toLowerCase() === 'mmmm') return { ...one, raw: `"${month}"` };
    const [, language, country = ''] = genitiveTag.exec(one.raw) ?? [];
    return language === undefined ? one : { ...one, raw: `[$-${language}${country}]` };
  });
  return { ...section, code: spelled.map(({ raw }) => raw).join(''), tokens: spelled };
}

/** Returns the months of a locale that wants the genitive; undefined for other locales. */
function genitivesOf(raw: string): string | undefined {
  const tagged = genitiveTag.exec(raw)?.[1]?.toLowerCase();
  if (tagged !== undefined) return genitives.get(taggedLanguages[tagged] ?? 0);
  const code = Number.parseInt(localeCode.exec(raw)?.[2] ?? '0', 16) & codeBits;
  return code >= genitiveCode ? genitives.get(code & languageBits) : undefined;
}

function smallHalves(text: string): string {
  const own = text.replaceAll(/\u0002[^\u0002]*\u0002/gu, '');
  return own.replaceAll(/\u0001[AP]/gu, (half) => half.slice(1).toLowerCase());
}

/** Returns a number as an unformatted cell shows it. */
export function layGeneral(value: number): string {
  return format('General', value, options);
}

/** Turns all codes behind `[h]` into elapsed ones, as Excel does; minutes and seconds alike. */
function elapsedCode({ code, tokens }: Section): { code: string; isElapsed: boolean } {
  const unit = tokens.map(({ raw }) => elapsed.exec(raw)?.[1]).find((one) => one !== undefined);
  if (unit === undefined) return { code, isElapsed: false };
  const letter = (unit[0] ?? '').toLowerCase();
  const again = new RegExp(`^${letter}+$`, 'iu');
  const parts = tokens.map(({ raw }) => (again.test(raw) ? `[${raw}]` : raw));
  return { code: parts.join(''), isElapsed: true };
}
