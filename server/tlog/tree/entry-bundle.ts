import { concatBytes } from '../encoding/bytes.ts';
import { FormatFault } from '../encoding/fault.ts';
import { formatBundlePath, type BundleName } from './tile-name.ts';

const prefixBytes = 2;
export const entryBytesMost = 0xffff;

/** The bytes of a bundle: each entry after its length in two bytes. */
export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const parts = entries.flatMap((entry) => {
    if (entry.length > entryBytesMost) {
      throw new RangeError(`an entry has ${entry.length} bytes, more than ${entryBytesMost}`);
    }
    return [Uint8Array.of(entry.length >>> 8, entry.length & 0xff), entry];
  });
  return concatBytes(parts);
}

/** Reads the entries of a bundle; fails unless there are exactly as many as its width. */
export function decodeBundle(name: BundleName, bytes: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < name.width) {
    const end = endOfEntry(bytes, at);
    if (end > bytes.length) {
      throw new FormatFault(
        `${formatBundlePath(name)} ends within entry ${entries.length} of ${name.width}`,
      );
    }
    entries.push(bytes.subarray(at + prefixBytes, end));
    at = end;
  }
  if (at === bytes.length) return entries;
  throw new FormatFault(
    `${formatBundlePath(name)} has ${bytes.length - at} bytes behind its ${name.width} entries`,
  );
}

/** The bundle as a narrower one: its first entries. */
export function cutBundle(bytes: Uint8Array, width: number): Uint8Array {
  let end = 0;
  for (let count = 0; count < width; count++) end = endOfEntry(bytes, end);
  if (end <= bytes.length) return bytes.subarray(0, end);
  throw new RangeError(`a bundle of ${bytes.length} bytes has no ${width} entries`);
}

/**
 * Returns where an entry ends, by its length at this place; behind the bytes if they end before it.
 */
function endOfEntry(bytes: Uint8Array, at: number): number {
  const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return at + prefixBytes + length;
}
