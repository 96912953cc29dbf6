import { isUtf8 } from 'node:buffer';

import { Failure } from '../../server/model/failure.ts';
import { bodyLimits } from '../../server/model/limits.ts';
import type { TextRule } from '../../server/model/text-rule.ts';
import type { BodySource, MemberSpan, Span } from './body-source.ts';
import { explainJson } from './json-scan.ts';
import { checkTexts, countPlain, tooDeep } from './plain-value.ts';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const opensList = 0x5b;
const closesList = 0x5d;
const opensObject = 0x7b;
const closesObject = 0x7d;
const byteOrderMark = Buffer.from('\ufeff');

/** JSON text: UTF-8, at most 32 levels deep, without repeated members and prototype keys. */
export class JsonSource implements BodySource {
  readonly key = 'invalidJson';
  readonly whole: Span;
  readonly valueCount: number;
  readonly #bytes: Buffer;
  readonly #rule: TextRule;
  /** Number of members of all objects. */
  readonly #memberCount: number;

  constructor(bytes: Buffer, rule: TextRule) {
    if (!isUtf8(bytes)) {
      throw new Failure('invalidJson', {
        detail: 'The body is not UTF-8.',
        hint: 'Send the body as JSON (RFC 8259), in UTF-8.',
      });
    }
    const isMarked = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    const unmarked = isMarked ? bytes.subarray(byteOrderMark.length) : bytes;
    this.#bytes = rule === 'cells' ? withWholePairs(unmarked) : unmarked;
    this.#rule = rule;
    // Deep text is refused before it is parsed, so that nothing later recurses into it.
    const { deep, valueCount, memberCount } = measure(this.#bytes);
    if (deep) throw tooDeep('invalidJson');
    this.valueCount = valueCount;
    this.#memberCount = memberCount;
    this.whole = this.#trimmed();
  }

  typeOf({ start }: Span): 'object' | 'list' | 'other' {
    const first = this.#bytes[start];
    if (first === opensObject) return 'object';
    return first === opensList ? 'list' : 'other';
  }

  *members({ start }: Span): Generator<MemberSpan, void> {
    const seen = new Set<string>();
    let offset = this.#space(start + 1);
    if (this.#bytes[offset] === closesObject) return;
    for (;;) {
      if (this.#bytes[offset] !== quote) this.#explain();
      const nameEnd = this.#valueEnd(offset);
      const name = this.value({ start: offset, end: nameEnd });
      offset = this.#space(nameEnd);
      if (this.#bytes[offset] !== colon || typeof name !== 'string') return this.#explain();
      if (seen.has(name)) this.#explain();
      seen.add(name);
      const valueStart = this.#space(offset + 1);
      const end = this.#valueEnd(valueStart);
      yield { name, start: valueStart, end };
      offset = this.#space(end);
      if (this.#bytes[offset] === closesObject) return;
      if (this.#bytes[offset] !== comma) this.#explain();
      offset = this.#space(offset + 1);
    }
  }

  *items({ start }: Span): Generator<Span, void> {
    let offset = this.#space(start + 1);
    if (this.#bytes[offset] === closesList) return;
    for (;;) {
      const end = this.#valueEnd(offset);
      yield { start: offset, end };
      offset = this.#space(end);
      if (this.#bytes[offset] === closesList) return;
      if (this.#bytes[offset] !== comma) this.#explain();
      offset = this.#space(offset + 1);
    }
  }

  value(span: Span): unknown {
    return this.#parse(this.#slice(span), span);
  }

  values(span: Span): unknown[] {
    return this.#parse(`[${this.#slice(span)}]`, span) as unknown[];
  }

  text(span: Span, isItems = false): string {
    return isItems ? `[${this.#slice(span)}]` : this.#slice(span);
  }

  #slice({ start, end }: Span): string {
    return this.#bytes.toString('utf8', start, end);
  }

  #parse(text: string, span: Span): unknown {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#explain();
    }
    const memberCount = this.#membersIn(span);
    // JSON.parse keeps the last of equal members, so the object then has fewer members than the
    // text.
    if (countPlain(value, 'invalidJson') !== memberCount) this.#explain();
    // Forbidden characters can only come from an escape: unescaped ones are no JSON, or no UTF-8.
    if (text.includes('\\u')) checkTexts(value, this.#rule);
    return value;
  }

  #membersIn(span: Span): number {
    if (span === this.whole) return this.#memberCount;
    return measure(this.#bytes.subarray(span.start, span.end)).memberCount;
  }

  #explain(): never {
    explainJson(this.#bytes.toString('utf8'));
    throw new Failure('invalidJson', { hint: 'Send the body as JSON (RFC 8259), in UTF-8.' });
  }

  /** Returns the span of the value without blanks; fails if anything else surrounds it. */
  #trimmed(): Span {
    const start = this.#space(0);
    let end = this.#bytes.length;
    while (end > start && isSpace(this.#bytes[end - 1])) end--;
    if (start === end || this.#valueEnd(start) !== end) this.#explain();
    return { start, end };
  }

  #space(from: number): number {
    let offset = from;
    while (isSpace(this.#bytes[offset])) offset++;
    return offset;
  }

  /** Returns where a value ends, with its brackets and strings closed. */
  #valueEnd(start: number): number {
    const bytes = this.#bytes;
    const first = bytes[start];
    if (first === quote) return endOfString(bytes, start + 1) + 1;
    if (first !== opensList && first !== opensObject) return endOfScalar(bytes, start);
    let depth = 0;
    for (let offset = start; offset < bytes.length; offset++) {
      const byte = bytes[offset];
      if (byte === quote) offset = endOfString(bytes, offset + 1);
      else if (byte === opensList || byte === opensObject) depth++;
      else if ((byte === closesList || byte === closesObject) && --depth === 0) return offset + 1;
    }
    return bytes.length;
  }
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** Returns the end of a number or a word, at least one byte on, so that a scan always advances. */
function endOfScalar(bytes: Buffer, start: number): number {
  let offset = start + 1;
  while (offset < bytes.length && !isSpace(bytes[offset]) && !endsScalar(bytes[offset])) offset++;
  return offset;
}

function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === closesList || byte === closesObject || byte === colon;
}

function endOfString(bytes: Buffer, start: number): number {
  let offset = start;
  while (offset < bytes.length && bytes[offset] !== quote) {
    offset += bytes[offset] === backslash ? 2 : 1;
  }
  return offset;
}

interface Measures {
  readonly memberCount: number;
  readonly valueCount: number;
  readonly deep: boolean;
}

/** Counts in one pass: members are colons outside of strings, values follow commas and brackets. */
function measure(bytes: Buffer): Measures {
  let memberCount = 0;
  let valueCount = 1;
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset] ?? 0;
    if (byte === quote) offset = endOfString(bytes, offset + 1);
    else if (byte === colon) memberCount++;
    else if (byte === comma) valueCount++;
    // Most bytes are digits, commas and spaces, all of which are lower.
    else if (byte >= opensList) {
      if (byte === opensList || byte === opensObject) {
        depth++;
        valueCount++;
      } else if (byte === closesList || byte === closesObject) depth--;
      if (depth > bodyLimits.depth) return { memberCount, valueCount, deep: true };
    }
  }
  return { memberCount, valueCount, deep: false };
}

/**
 * Matches an escaped surrogate pair, half of a pair, and any other escape such as that of a
 * backslash.
 */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\[^]/g;
const halfLength = '\\ud800'.length;

/**
 * Replaces each half of a surrogate pair, which only an escape can write, by U+FFFD. The length
 * stays the same.
 */
function withWholePairs(bytes: Buffer): Buffer {
  if (!bytes.includes('\\ud') && !bytes.includes('\\uD')) return bytes;
  // Escapes are ASCII, and all other bytes stay as they are.
  const text = bytes.toString('latin1');
  const whole = text.replace(escapes, (escape) =>
    escape.length === halfLength ? '\\ufffd' : escape,
  );
  return whole === text ? bytes : Buffer.from(whole, 'latin1');
}
