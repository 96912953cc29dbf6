/**
 * Keys that collided in the kernel's tables when its hashes had no secret key, so that anybody
 * could compute them. Now they are ordinary keys.
 */
const prime = 0x01000193;

function mix(value: number): number {
  const product = Math.imul(value, prime);
  return (product ^ (product >>> 15)) >>> 0;
}

/** Texts of four units with one hash, in the pool of all texts. */
export function meetingTexts(count: number): string[] {
  const start = 0x811c9dc5 ^ 4;
  const [first, second] = [0x0061_0061, 0x0062_0062];
  return Array.from({ length: count }, (_, index) => {
    // The second word undoes the change of the first.
    const other = 0x0100_0100 + index * 0x0001_0003;
    const word = second ^ mix(start ^ first) ^ mix(start ^ other);
    return String.fromCharCode(other & 0xffff, other >>> 16, word & 0xffff, word >>> 16);
  });
}

/**
 * Returns texts that look-ups, names and UNIQUE put into one of 2^`bits` slots, each in lower case.
 */
export function meetingKeys(count: number, bits: number): string[] {
  const keys: string[] = [];
  const mask = 2 ** bits - 1;
  for (let number = 0; keys.length < count; number++) {
    const text = `k${number.toString(36)}_`;
    let hash = 0x811c9dc5;
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), prime);
    }
    if (((hash ^ (hash >>> 15)) & mask) === 0) keys.push(text);
  }
  return keys;
}

/** Returns numbers whose hash had 32 equal bits. */
export function meetingNumbers(count: number): number[] {
  // The inverse of 0x9e3779b97f4a7c15 among 64 bits.
  const inverse = 0xf1de83e19937733dn;
  const numbers: number[] = [];
  for (let rest = 1n; numbers.length < count; rest++) {
    const mixed = BigInt.asUintN(64, ((77n << 32n) | rest) * inverse);
    const number = new Float64Array(BigUint64Array.of(mixed ^ (mixed >> 32n)).buffer)[0] ?? NaN;
    if (Math.abs(number) > 1e-300 && Math.abs(number) < 1e300) numbers.push(number);
  }
  return numbers;
}

/** Returns rows below 2^20 that collided in a table of 2^`bits` slots, in any column. */
export function meetingRows(count: number, bits: number): number[] {
  const rows: number[] = [];
  for (let row = 0; rows.length < count; row++) {
    const high = (BigInt(row) * 0x9e3779b97f4a7c15n) >> 32n;
    if ((high & BigInt(2 ** bits - 1)) === 0n) rows.push(row);
  }
  return rows;
}
