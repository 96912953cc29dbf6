const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeDigits = 10;
const randomDigits = 16;

/** Makes a ULID: later ids sort behind earlier ones, to the millisecond. */
export function makeUlid(): string {
  let time = Date.now();
  let text = '';
  for (let at = 0; at < timeDigits; at++) {
    text = (digits[time % 32] ?? '') + text;
    time = Math.floor(time / 32);
  }
  return text + randomText();
}

/** Returns random text that is unique but no secret: Node 18 has no global `crypto`. */
function randomText(): string {
  const bytes = new Uint8Array(randomDigits);
  const { crypto } = globalThis as { crypto?: { getRandomValues(bytes: Uint8Array): unknown } };
  if (crypto) crypto.getRandomValues(bytes);
  else for (const at of bytes.keys()) bytes[at] = Math.random() * 256;
  return Array.from(bytes, (byte) => digits[byte % 32]).join('');
}
