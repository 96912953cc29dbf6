const before = '=?base64?';
const after = '?=';
const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Returns the decoded text of a header; undefined if it cannot be decoded. */
export function headerText(value: string): string | undefined {
  const text = value.trim();
  if (!text.startsWith(before) || !text.endsWith(after)) return text;
  const packed = text.slice(before.length, text.length - after.length);
  if (!canonical.test(packed)) return undefined;
  const bytes = Buffer.from(packed, 'base64');
  const unpacked = bytes.toString('utf8');
  return Buffer.from(unpacked, 'utf8').equals(bytes) ? unpacked : undefined;
}

const decimal = /^-?\d+(?:\.\d+)?$/;

/** Returns whether a header says the same as the argument that it repeats. */
export function saysSame(text: string, argument: unknown): boolean {
  if (typeof argument === 'number' && decimal.test(text)) return Number(text) === argument;
  return text === textOf(argument);
}

/** Returns undefined for what no header can repeat. */
export function textOf(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument === 'boolean') return String(argument);
  return Number.isSafeInteger(argument) ? String(argument) : undefined;
}
