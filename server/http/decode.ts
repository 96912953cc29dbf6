import { isUtf8 } from 'node:buffer';
import { Unpackr } from 'msgpackr';

import { Failure } from '../model/failure.ts';
import { bodyLimits } from '../model/limits.ts';
import { explainJson } from './json-scan.ts';

// Records and shared structures are msgpackr's own dialect; outsiders speak plain msgpack.
const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

/** Keys that would reach an object's prototype in code that copies members carelessly. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Parses JSON that came from outside: UTF-8, at most 32 deep, no member twice, no prototype keys. */
export function decodeJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) {
    throw new Failure('invalidJson', { detail: 'The body is not UTF-8.' });
  }
  // Deep text is refused before it is parsed, so that nothing later recurses into it.
  const { memberCount, deep } = measureJson(bytes);
  if (deep) throw tooDeep('invalidJson');
  const text = withoutMark(bytes.toString('utf8'));
  const value = parse(text);
  const shape = new Shape('invalidJson');
  shape.check(value, 1);
  // JSON.parse lets the last of equal members win; then the object has fewer than the text.
  if (shape.memberCount !== memberCount) explainJson(text);
  return value;
}

export function decodeMsgpack(bytes: Buffer): unknown {
  let value: unknown;
  try {
    value = unpackr.unpack(bytes);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : undefined;
    throw new Failure('invalidMsgpack', { ...(detail && { detail }), cause });
  }
  new Shape('invalidMsgpack').check(value, 1);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    explainJson(text);
    throw new Failure('invalidJson', { cause });
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
/** Most bytes are digits, commas and spaces, which lie below. */
const firstBracket = 0x5b;
const openers: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const closers: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** One pass over the bytes: members are the colons outside strings. */
function measureJson(bytes: Buffer): { memberCount: number; deep: boolean } {
  let memberCount = 0;
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset];
    if (byte === quote) offset = endOfString(bytes, offset + 1);
    else if (byte === colon) memberCount++;
    else if (byte !== undefined && byte >= firstBracket) {
      if (openers.has(byte) && ++depth > bodyLimits.depth) return { memberCount, deep: true };
      if (closers.has(byte)) depth--;
    }
  }
  return { memberCount, deep: false };
}

function endOfString(bytes: Buffer, start: number): number {
  let offset = start;
  while (offset < bytes.length && bytes[offset] !== quote) {
    offset += bytes[offset] === backslash ? 2 : 1;
  }
  return offset;
}

/** Checks a decoded value for what the formats allow and we do not. */
class Shape {
  /** Members of all objects seen. */
  memberCount = 0;
  readonly #key: 'invalidJson' | 'invalidMsgpack';

  constructor(key: 'invalidJson' | 'invalidMsgpack') {
    this.#key = key;
  }

  check(value: unknown, depth: number): void {
    if (typeof value === 'object' && value !== null) {
      if (depth > bodyLimits.depth) throw tooDeep(this.#key);
      if (Array.isArray(value)) this.#checkItems(value, depth);
      else this.#checkMembers(value, depth);
    } else if (!this.#isPlain(value)) {
      throw new Failure(this.#key, {
        detail: 'The body holds a number that is not finite, or a type that JSON does not have.',
      });
    }
  }

  #isPlain(value: unknown): boolean {
    const type = typeof value;
    return type === 'number'
      ? Number.isFinite(value)
      : type === 'string' || type === 'boolean' || value === null;
  }

  #checkItems(items: readonly unknown[], depth: number): void {
    for (const item of items) {
      // Strings are most of what arrives; they need no further look.
      if (typeof item !== 'string') this.check(item, depth + 1);
    }
  }

  #checkMembers(value: object, depth: number): void {
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      throw new Failure(this.#key, { detail: 'The body holds a type that JSON does not have.' });
    }
    for (const [name, member] of Object.entries(value)) {
      this.memberCount++;
      if (forbiddenKeys.has(name)) {
        throw new Failure(this.#key, { detail: `A member must not be called "${name}".` });
      }
      if (typeof member !== 'string') this.check(member, depth + 1);
    }
  }
}

function tooDeep(key: 'invalidJson' | 'invalidMsgpack'): Failure {
  return new Failure(key, {
    detail: `The body nests deeper than ${bodyLimits.depth} arrays and objects.`,
  });
}
