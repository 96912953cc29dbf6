/**
 * Imports from the host, which has good libraries for number formats. Texts are UTF-16 units; a
 * result below zero is an error of abi.ts, negated, minus one.
 */

/** Formats a number by an Excel format code into `out`; returns the length or an error. */
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
