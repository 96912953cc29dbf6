import type { Section, Token } from './section.ts';

/** The ten digits of a script, and the words of one that spells whole numbers out. */
export interface Numerals {
  readonly digits: readonly string[];
  readonly words?: Words;
}

interface Words {
  /** Ten, hundred and thousand. */
  readonly units: readonly string[];
  /** Ten thousand and a hundred million. */
  readonly groups: readonly [string, string];
  /** Chinese says where zeros lie between digits; Japanese passes over them. */
  readonly hasZeros: boolean;
  /** Japanese says `ten` where Chinese says `one ten`. */
  readonly isOneSilent: boolean;
}

const han = '〇一二三四五六七八九';
const fullWidth = '０１２３４５６７８９';
const chinese = { hasZeros: true, isOneSilent: false };
const japanese = { hasZeros: false, isOneSilent: true };

type Spelled = readonly [digits: string, units: string, groups: string];

/** `[DBNum1]` to `[DBNum3]` of a language, by its locale. */
const spelled: Readonly<Record<'cn' | 'tw' | 'ja', readonly Spelled[]>> = {
  cn: [
    [han, '十百千', '万亿'],
    ['零壹贰叁肆伍陆柒捌玖', '拾佰仟', '万亿'],
    [fullWidth, '十百千', '万亿'],
  ],
  tw: [
    [han, '十百千', '萬億'],
    ['零壹貳參肆伍陸柒捌玖', '拾佰仟', '萬億'],
    [fullWidth, '十百千', '萬億'],
  ],
  ja: [
    [han, '十百千', '万億'],
    ['〇壱弐参四伍六七八九', '拾百阡', '萬億'],
    [fullWidth, '十百千', '万億'],
  ],
};

/** Zeros of scripts by the first byte of a locale code, as 0D of `[$-D07041E]` is Thai. */
const scriptZeros: ReadonlyMap<number, number> = new Map([
  [0x02, 0x0660],
  [0x03, 0x06f0],
  [0x04, 0x0966],
  [0x05, 0x09e6],
  [0x06, 0x0a66],
  [0x07, 0x0ae6],
  [0x08, 0x0b66],
  [0x09, 0x0be6],
  [0x0a, 0x0c66],
  [0x0b, 0x0ce6],
  [0x0c, 0x0d66],
  [0x0d, 0x0e50],
  [0x0e, 0x0ed0],
  [0x0f, 0x0f20],
  [0x10, 0x1040],
  [0x12, 0x17e0],
  [0x13, 0x1810],
]);

const native = /^\[dbnum([1-3])\]$/iu;
const locale = /^\[\$[^-\]]*-(?:([0-9a-f]{3,8})|([a-z]{2}-[a-z]{2})[^,\]]*(?:,([0-9a-f]+))?)\]$/iu;
const languages: Readonly<Record<string, keyof typeof spelled | undefined>> = {
  '0': 'cn',
  '804': 'cn',
  'zh-cn': 'cn',
  '404': 'tw',
  'zh-tw': 'tw',
  '411': 'ja',
  'ja-jp': 'ja',
};

/** The numerals that a section asks for; undefined for those of all others. */
export function numeralsOf(tokens: readonly Token[]): Numerals | undefined {
  const { language, script } = placeOf(tokens);
  const style = tokens.map(({ raw }) => native.exec(raw)?.[1]).find((one) => one !== undefined);
  if (style !== undefined) return spelledIn(languages[language], Number(style) - 1);
  const zero = scriptZeros.get(script);
  if (zero === undefined) return undefined;
  return { digits: Array.from({ length: 10 }, (_, digit) => String.fromCodePoint(zero + digit)) };
}

function placeOf(tokens: readonly Token[]): { language: string; script: number } {
  const found = tokens.map(({ raw }) => locale.exec(raw)).find((match) => match !== null);
  const [, code, tag, looks = '0'] = found ?? [];
  if (tag !== undefined) {
    return { language: tag.toLowerCase(), script: Number.parseInt(looks, 16) >>> 8 };
  }
  const number = Number.parseInt(code ?? '0', 16);
  return { language: (number & 0xffff).toString(16), script: number >>> 24 };
}

function spelledIn(
  language: keyof typeof spelled | undefined,
  style: number,
): Numerals | undefined {
  const [digits, units, groups] = (language && spelled[language][style]) ?? [];
  if (digits === undefined || units === undefined || groups === undefined) return undefined;
  const [ten = '', hundred = ''] = groups;
  const manner = language === 'ja' ? { ...japanese, isOneSilent: style !== 1 } : chinese;
  return {
    digits: digits.split(''),
    words: { units: units.split(''), groups: [ten, hundred], ...manner },
  };
}

/** Digits that are no digits of the value are these letters meanwhile, of private use. */
const hiddenZero = 0xe000;

/** A section whose literals are not taken for digits of the value. */
export function withHiddenDigits(section: Section): Section {
  const tokens = section.tokens.map((token) => {
    if (token.kind !== 'literal') return token;
    const isQuoted = /^["\\_*]/u.test(token.raw);
    return { ...token, shown: hidden(token.shown), raw: isQuoted ? hidden(token.raw) : token.raw };
  });
  return { ...section, tokens, code: tokens.map(({ raw }) => raw).join('') };
}

function hidden(text: string): string {
  return text.replaceAll(/\d/gu, (digit) => String.fromCodePoint(hiddenZero + Number(digit)));
}

/** Each digit in a script; then what was hidden is there again. */
export function inDigits(text: string, { digits }: Numerals): string {
  const shown = text.replaceAll(/\d/gu, (digit) => digits[Number(digit)] ?? digit);
  return shown.replaceAll(/[\ue000-\ue009]/gu, (letter) =>
    String((letter.codePointAt(0) ?? hiddenZero) - hiddenZero),
  );
}

const beforeYear = '\u0003';
const beforePart = '\u0004';
const behindPart = '\u0005';
const yearShape = /^y+$/iu;
const partShape = /^(?:[mdhs]{1,2}|e+)$/iu;

/** A date whose parts are marked, so that years are told digit by digit, and others as numbers. */
export function withMarkedParts(section: Section, { words }: Numerals): Section {
  if (!words) return section;
  const tokens = section.tokens.flatMap((token) => {
    const isYear = yearShape.test(token.raw);
    if (!isYear && !partShape.test(token.raw)) return [token];
    return [quoted(isYear ? beforeYear : beforePart), token, quoted(behindPart)];
  });
  return { ...section, tokens, code: tokens.map(({ raw }) => raw).join('') };
}

function quoted(shown: string): Token {
  return { kind: 'literal', raw: `"${shown}"`, shown };
}

/** The marked parts of a date in words: the fourteenth is `ten four`. */
export function inParts(text: string, { digits, words }: Numerals): string {
  if (!words) return text;
  const speller = { digits, words: { ...words, isOneSilent: true } };
  const spell = (_: string, part: string): string =>
    part.startsWith('0') || part.length > 2 ? part : spellWhole(part, speller);
  return text.replaceAll(/\u0004(\d+)\u0005/gu, spell).replaceAll(/[\u0003-\u0005]/gu, '');
}

const spelledMost = 1e16;

/** A number without placeholders, in words where the script has them; its decimals are digits. */
export function inWords(plain: string, size: number, numerals: Numerals): string {
  const { digits, words } = numerals;
  if (!words) return plain;
  const isLong = plain.includes('E');
  if (isLong && (size < 1 || size >= spelledMost)) return plain;
  const [whole = '0', part] = isLong ? [Math.round(size).toFixed(0)] : plain.split('.');
  const shown = spellWhole(whole, { digits, words });
  return part === undefined ? shown : `${shown}.${part}`;
}

type Speller = Required<Numerals>;

/** At most sixteen digits: those before the last eight are counted in hundred millions. */
function spellWhole(text: string, { digits, words }: Speller): string {
  const most = text.length - 8;
  const zero = digits[0] ?? '';
  const high = most > 0 ? spellEight(text.slice(0, most), { digits, words }) : '';
  const low = spellEight(text.slice(Math.max(most, 0)), { digits, words });
  if (high === '') return low === '' ? zero : low;
  const isGap = words.hasZeros && low !== '' && text[most] === '0';
  return high + words.groups[1] + (isGap ? zero : '') + low;
}

function spellEight(text: string, speller: Speller): string {
  const { digits, words } = speller;
  const most = text.length - 4;
  const high = most > 0 ? spellFour(text.slice(0, most), speller) : '';
  const low = spellFour(text.slice(Math.max(most, 0)), speller);
  if (high === '') return low;
  const isGap = words.hasZeros && low !== '' && text[most] === '0';
  return high + words.groups[0] + (isGap ? (digits[0] ?? '') : '') + low;
}

function spellFour(text: string, { digits, words }: Speller): string {
  let shown = '';
  let isGap = false;
  for (const [index, digit] of text.split('').entries()) {
    if (digit === '0') {
      isGap = shown !== '';
      continue;
    }
    if (isGap && words.hasZeros) shown += digits[0] ?? '';
    isGap = false;
    const unit = words.units[text.length - index - 2] ?? '';
    const isSilent = words.isOneSilent && digit === '1' && unit !== '';
    shown += (isSilent ? '' : (digits[Number(digit)] ?? '')) + unit;
  }
  return shown;
}
