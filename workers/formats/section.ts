import { isValidFormat } from 'numfmt';

import type { Condition } from '../../server/model/format-section.ts';
import { numeralsOf, type Numerals } from './numerals.ts';

/** A token of a number format code (ECMA-376, part 1, 18.8.31), with its source text. */
export interface Token {
  readonly kind: TokenKind;
  readonly raw: string;
  /** Literal text, sign of an exponent, or unit of an elapsed time. */
  readonly shown: string;
}

export type TokenKind =
  | 'digit'
  | 'point'
  | 'comma'
  | 'percent'
  | 'exponent'
  | 'slash'
  | 'number'
  | 'literal'
  | 'text';

/** Kind of value that a section formats. */
export type SectionKind = 'number' | 'date' | 'text' | 'general';

/** One of the sections of a format code, which semicolons separate. */
export interface Section {
  readonly kind: SectionKind;
  readonly tokens: readonly Token[];
  /** Code of the section without its condition. */
  readonly code: string;
  readonly condition: Condition | undefined;
  /** Numerals that it asks for, if it does. */
  readonly numerals: Numerals | undefined;
}

/** Text of a token in whose place a number is shown as in an unformatted cell. */
export const general = 'General';

const colors = /^(?:black|blue|cyan|green|magenta|red|white|yellow|colou?r ?\d{1,2})$/iu;
const conditionPattern = /^(<=|>=|<>|<|>|=) *([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)$/u;
const elapsed = /^(?:h+|m+|s+)$/iu;

/** Characters that are tokens by themselves. */
const marks: Readonly<Record<string, TokenKind>> = {
  '0': 'digit',
  '#': 'digit',
  '?': 'digit',
  '.': 'point',
  ',': 'comma',
  '%': 'percent',
  '/': 'slash',
  '@': 'text',
};

/**
 * Characters that control how the next one is shown: a blank of its width, nothing, or the
 * character itself.
 */
const escapes: Readonly<Record<string, string | null>> = { _: ' ', '*': '', '\\': null };

/**
 * Words, longer ones first, with their kind; `date` and `general` decide the kind of the section,
 * and `refused` letters are reserved by Excel. All other characters are literals.
 */
const words: readonly [pattern: RegExp, read: TokenKind | 'date' | 'general' | 'refused'][] = [
  [/^(?:general|g\/(?:通用格式|標準))/iu, 'general'],
  [/^e[-+]/iu, 'exponent'],
  [/^[1-9]\d*/u, 'number'],
  [/^(?:am\/pm|a\/p|上午\/下午|午前\/午後|오전\/오후)/iu, 'date'],
  [/^b[12]/iu, 'date'],
  [/^(?:y+|m+|d+|h+|s+|e+|g+|b+|a{3,4})/iu, 'date'],
  [/^n/iu, 'refused'],
];

/** Characters of a word that are looked at; no code is longer. */
const longest = 255;

/** Reads the sections of a format code; undefined if it is none. */
export function readSections(code: string): Section[] | undefined {
  const sections: Section[] = [];
  let rest: string | undefined = code;
  while (rest !== undefined) {
    const reader: SectionReader = new SectionReader(rest);
    if (!reader.read() || sections.length === 4) return undefined;
    sections.push(reader.section());
    rest = reader.rest;
  }
  return sections;
}

/** Reads one section, up to a semicolon or the end. */
class SectionReader {
  /** Text after the semicolon that ended the section; undefined after the last section. */
  rest: string | undefined;
  readonly #text: string;
  #place = 0;
  #end = 0;
  #condition: Condition | undefined;
  #conditionText = '';
  #isDate = false;
  #isGeneral = false;
  readonly #tokens: Token[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  section(): Section {
    const code = this.#code();
    const condition = this.#condition;
    const hasText = this.#tokens.some(({ kind }) => kind === 'text');
    const plain: SectionKind = hasText ? 'text' : this.#isGeneral ? 'general' : 'number';
    const kind = this.#isDate ? 'date' : plain;
    return { kind, tokens: this.#tokens, code, condition, numerals: numeralsOf(this.#tokens) };
  }

  #code(): string {
    return this.#text.slice(0, this.#end).replace(this.#conditionText, '');
  }

  /**
   * Returns whether the section only has colours such as `[Red]`: the number is then unformatted.
   */
  #isColorAlone(): boolean {
    return (
      this.#tokens.length > 0 &&
      this.#tokens.every(({ raw, shown }) => raw.startsWith('[') && shown === '')
    );
  }

  /** Reads the section; returns false if something is not part of any code. */
  read(): boolean {
    while (this.#place < this.#text.length) {
      if (this.#text[this.#place] === ';') {
        this.rest = this.#text.slice(this.#place + 1);
        break;
      }
      if (!this.#readOne()) return false;
    }
    this.#end = this.#place;
    const firstDigit = this.#tokens.findIndex(({ kind }) => kind === 'digit');
    const exponent = this.#tokens.findIndex(({ kind }) => kind === 'exponent');
    if (exponent >= 0 && (firstDigit < 0 || firstDigit > exponent)) return false;
    if (this.#isDate) return !this.#isGeneral && isValidFormat(this.#code());
    if (this.#isColorAlone()) this.#isGeneral = this.#take('literal', '', general);
    return !this.#isGeneral || firstDigit < 0;
  }

  #take(kind: TokenKind, raw: string, shown: string): true {
    this.#tokens.push({ kind, raw, shown });
    this.#place += raw.length;
    return true;
  }

  #readOne(): boolean {
    const rest = this.#text.slice(this.#place, this.#place + longest);
    const first = rest[0] ?? '';
    const kind = marks[first];
    if (kind) return this.#take(kind, first, first);
    if (first === '[') return this.#readBracket(this.#text.slice(this.#place));
    if (first === '"') return this.#readQuoted();
    const hidden = escapes[first];
    if (hidden === undefined) return this.#readWord(rest);
    return rest.length > 1 && this.#take('literal', rest.slice(0, 2), hidden ?? rest.slice(1, 2));
  }

  #readQuoted(): boolean {
    const end = this.#text.indexOf('"', this.#place + 1);
    const raw = this.#text.slice(this.#place, end + 1);
    return end > 0 && this.#take('literal', raw, raw.slice(1, -1));
  }

  #readBracket(rest: string): boolean {
    const end = rest.indexOf(']');
    if (end < 0) return false;
    const raw = rest.slice(0, end + 1);
    const inner = raw.slice(1, -1);
    const [, operator, operand] = conditionPattern.exec(inner) ?? [];
    if (operator !== undefined && operand !== undefined) {
      if (this.#condition) return false;
      this.#condition = { operator, operand: Number(operand) };
      this.#conditionText = raw;
      this.#place += raw.length;
      return true;
    }
    if (elapsed.test(inner)) {
      this.#isDate = true;
      return this.#take('literal', raw, raw);
    }
    // `[$€-407]`, `[$€-de-DE]`: a currency, and the locale for the names of months and days.
    if (inner.startsWith('$'))
      return this.#take('literal', raw, inner.slice(1).replace(/-.*$/u, ''));
    const isSilent = colors.test(inner) || /^(?:dbnum|natnum)\d+$/iu.test(inner);
    return isSilent && this.#take('literal', raw, '');
  }

  #readWord(rest: string): boolean {
    const [unit = ''] = rest;
    for (const [pattern, read] of words) {
      const word = pattern.exec(rest)?.[0];
      if (word === undefined) continue;
      if (read === 'refused') return false;
      if (read === 'date') this.#isDate = true;
      if (read === 'general') this.#isGeneral = true;
      const kind = read === 'date' || read === 'general' ? 'literal' : read;
      return this.#take(kind, word, read === 'general' ? general : word);
    }
    return this.#take('literal', unit, unit);
  }
}
