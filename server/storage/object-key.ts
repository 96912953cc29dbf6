const keyBytesMax = 900;
const segment = /^[A-Za-z0-9_=-][A-Za-z0-9._=-]*$/;

/**
 * Throws unless every driver can hold the key. A segment cannot begin with a dot, which keeps `..`
 * out and leaves dot names to the file driver.
 */
export function checkObjectKey(key: string): void {
  if (key.length > keyBytesMax || !key.split('/').every((part) => segment.test(part))) {
    throw new RangeError(`"${key}" is not an object key`);
  }
}

/** A prefix may also be empty, end in a slash or stop inside a segment. */
export function checkObjectPrefix(prefix: string): void {
  if (prefix !== '') checkObjectKey(prefix.endsWith('/') ? prefix.slice(0, -1) : prefix);
}
