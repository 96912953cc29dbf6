export const keyBytesMax = 900;
/** Limits of file systems for a name. */
const segmentBytesMax = 255;
const segment = /^[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

/**
 * Throws unless every driver can hold the key. A segment cannot begin with a dot, which keeps `..`
 * out and leaves dot names to the file driver.
 */
export function checkObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new RangeError(`"${key}" is not an object key`);
}

export function isObjectKey(key: string): boolean {
  return key.length <= keyBytesMax && key.split('/').every(isKeySegment);
}

function isKeySegment(name: string): boolean {
  return name.length <= segmentBytesMax && segment.test(name);
}

/** A prefix may also be empty, end in a slash or stop inside a segment. */
export function checkObjectPrefix(prefix: string): void {
  if (prefix !== '') checkObjectKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}

/** Throws unless it is a range: whole numbers, and no end beyond what can be counted. */
export function checkObjectRange(start: number, length: number): void {
  const isCount = (number: number): boolean => Number.isSafeInteger(number) && number >= 0;
  if (!isCount(start) || !isCount(length) || !isCount(start + length)) {
    throw new RangeError(`${start} and ${length} are not the start and length of a range`);
  }
}
