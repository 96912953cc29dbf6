import { lengthOf, unit } from '../memory/text';
import { isWordUnit } from './lexer-reference';

/** A sheet name stands bare only when it can be nothing else: no digit first, no cell address. */
export function needsQuotesAlone(name: usize): bool {
  const length = lengthOf(name);
  const first = unit(name, 0);
  if (first - 48 < 10 || first == 46 || length == 0) return true;
  let letters: u32 = 0;
  let digits: u32 = 0;
  for (let index: u32 = 0; index < length; index++) {
    const code = unit(name, index);
    if (!isWordUnit(code) || code == 36 || code == 92 || code == 63) return true;
    if ((code | 32) - 97 < 26 && digits == 0) letters++;
    else if (code - 48 < 10) digits++;
    else letters += 1000;
  }
  if (looksR1C1(name, length)) return true;
  // A1-like: up to three letters, then digits.
  return letters + digits == length && letters <= 3 && digits > 0;
}

/** `R`, `C5`, `RC`, `R1C1`: names that R1C1 notation could take for a place. */
function looksR1C1(name: usize, length: u32): bool {
  let index: u32 = 0;
  if ((unit(name, 0) | 32) == 114) {
    index++;
    while (index < length && unit(name, index) - 48 < 10) index++;
  }
  if (index < length && (unit(name, index) | 32) == 99) {
    index++;
    while (index < length && unit(name, index) - 48 < 10) index++;
  }
  return index == length;
}
