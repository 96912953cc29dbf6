/**
 * The door to the host: what well-kept libraries do better than a kernel (number formats, regular
 * expressions). Texts go in and out as UTF-16 units; an answer below zero is an error of abi.ts,
 * negated and minus one.
 */

/** Formats a number by an Excel format code into `out`; answers the length or an error. */
export declare function formatNumber(
  value: f64,
  code: usize,
  codeLength: u32,
  out: usize,
  outCapacity: u32,
  date1904: bool,
): i32;

/** Formats a text by the text section of an Excel format code. */
export declare function formatText(
  text: usize,
  textLength: u32,
  code: usize,
  codeLength: u32,
  out: usize,
  outCapacity: u32,
  date1904: bool,
): i32;
