import { FormatFault } from './fault.ts';

const encoder = new TextEncoder();
// A byte order mark is a character like any other: dropped, two texts would sign the same.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index++) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** UTF-8 of a text; half a surrogate pair has none. */
export function encodeText(text: string): Uint8Array {
  if (/\p{Surrogate}/u.test(text)) throw new FormatFault('the text has half a surrogate pair');
  return encoder.encode(text);
}

/** The text these bytes are the UTF-8 of, and no others. */
export function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    if (cause instanceof TypeError) throw new FormatFault(`${what} is not UTF-8`);
    throw cause;
  }
}

/** A text as it is, or decoded if it came as bytes. */
export function readText(given: Uint8Array | string, what: string): string {
  if (typeof given !== 'string') return decodeText(given, what);
  encodeText(given);
  return given;
}

const wordBytes = 8;

export function encodeUint64(value: number): Uint8Array {
  const bytes = new Uint8Array(wordBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}
