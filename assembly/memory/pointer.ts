/** A record at an address. The only cast in the kernel; everything else works on typed records. */
export function at<T>(pointer: usize): T {
  return changetype<T>(pointer);
}

/** The address of a record. */
export function addressOf<T>(record: T): usize {
  return changetype<usize>(record);
}

/** The address of a constant string's UTF-16 units. */
export function unitsOf(text: string): usize {
  return changetype<usize>(text);
}
