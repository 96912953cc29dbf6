import { format } from 'numfmt';

import type { Section } from './section.ts';

/** Excel's own bounds: no date before 1900 or after 9999, and the leap day that 1900 had not. */
const options = {
  locale: 'en-US',
  leap1900: true,
  dateSpanLarge: false,
  dateErrorThrows: true,
  dateErrorNumber: false,
} as const;

/** Days between serial 0 of the 1900 system and of the 1904 system. */
const daysTo1904 = 1462;
const elapsed = /^\[(h+|m+|s+)\]$/iu;

/**
 * A date or a time. In the 1904 system a negative one is that of its size behind a minus; in the
 * 1900 system there is none, and the library throws.
 */
export function layDate(section: Section, value: number, date1904: boolean): string {
  const { code, isElapsed } = elapsedCode(withSmallHalves(section));
  if (!date1904) return smallHalves(format(code, value, options));
  const serial = Math.abs(value) + (isElapsed ? 0 : daysTo1904);
  return smallHalves((value < 0 ? '-' : '') + format(code, serial, options));
}

/** `a/p` is a letter as small as it; the library writes `A/P` only, so the place of it is marked. */
function withSmallHalves(section: Section): Section {
  if (!section.tokens.some(({ raw }) => raw === 'a/p')) return section;
  const marked = section.tokens.map((one) =>
    one.raw === 'a/p' ? { ...one, raw: '"\u0001"A/P' } : one,
  );
  return { ...section, code: marked.map(({ raw }) => raw).join(''), tokens: marked };
}

function smallHalves(text: string): string {
  return text.replaceAll(/\u0001[AP]/gu, (half) => half.slice(1).toLowerCase());
}

/** A number as cells show it that have no format. */
export function layGeneral(value: number): string {
  return format('General', value, options);
}

/** Behind `[h]` every h counts all hours; so do minutes and seconds. */
function elapsedCode({ code, tokens }: Section): { code: string; isElapsed: boolean } {
  const unit = tokens.map(({ raw }) => elapsed.exec(raw)?.[1]).find((one) => one !== undefined);
  if (unit === undefined) return { code, isElapsed: false };
  const letter = (unit[0] ?? '').toLowerCase();
  const again = new RegExp(`^${letter}+$`, 'iu');
  const parts = tokens.map(({ raw }) => (again.test(raw) ? `[${raw}]` : raw));
  return { code: parts.join(''), isElapsed: true };
}
