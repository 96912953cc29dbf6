import { FormatFault, quote } from './fault.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const unknown = 0xff;
const characterCodes = 128;

const digits = new Uint8Array(characterCodes).fill(unknown);
for (let digit = 0; digit < alphabet.length; digit++) digits[alphabet.charCodeAt(digit)] = digit;

/** Standard base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const second = bytes[at + 1];
    const third = bytes[at + 2];
    const bits = ((bytes[at] ?? 0) << 16) | ((second ?? 0) << 8) | (third ?? 0);
    text += alphabet.charAt(bits >>> 18) + alphabet.charAt((bits >>> 12) & 63);
    text += second === undefined ? '=' : alphabet.charAt((bits >>> 6) & 63);
    text += third === undefined ? '=' : alphabet.charAt(bits & 63);
  }
  return text;
}

/** The bytes this is the base64 of: padded, nothing between, unused bits zero. */
export function decodeBase64(text: string, what: string): Uint8Array {
  const groupCount = text.length / 4;
  const paddingLength = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (!Number.isInteger(groupCount)) throw notBase64(text, what);
  const bytes = new Uint8Array(groupCount * 3 - paddingLength);
  const digitCount = text.length - paddingLength;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < digitCount; index++) {
    const digit = digits[text.charCodeAt(index)] ?? unknown;
    if (digit === unknown) throw notBase64(text, what);
    bits = ((bits << 6) | digit) & 0xffffff;
    // The first of four digits completes no byte, and each other one completes one.
    const place = index & 3;
    if (place > 0) bytes[at++] = bits >>> (6 - 2 * place);
  }
  const unusedBits = 2 * paddingLength;
  if ((bits & ((1 << unusedBits) - 1)) !== 0) throw notBase64(text, what);
  return bytes;
}

function notBase64(text: string, what: string): FormatFault {
  return new FormatFault(`${what} is not standard base64 with padding: ${quote(text)}`);
}

/** Base64 of exactly so many bytes. */
export function decodeBase64Of(byteCount: number, text: string, what: string): Uint8Array {
  const bytes = decodeBase64(text, what);
  if (bytes.length === byteCount) return bytes;
  throw new FormatFault(`${what} has ${bytes.length} bytes, not ${byteCount}`);
}
