import { parseAddress } from './address.ts';

export const sheetNameLength = 31;
export const definedNameLength = 255;
const definedName = /^[\p{L}_\\][\p{L}\p{M}\p{N}_.\\?]*$/u;
/** Texts that the R1C1 notation reads as a reference: R, C, R1, C1, R1C1, R[-1]C. */
const rowColumn = /^(?:r\d*|c\d*|r\d*c\d*)$/iu;

/** Explains why a sheet may not have a name; undefined when it may. Excel's rules. */
export function sheetNameFault(name: string): string | undefined {
  if (name.trim().length === 0) return 'a sheet needs a name';
  if (name.length > sheetNameLength)
    return `a sheet name has at most ${sheetNameLength} characters`;
  if (/[[\]:*?/\\]/u.test(name)) return 'a sheet name cannot contain [ ] : * ? / or \\';
  if (name.startsWith("'") || name.endsWith("'")) {
    return 'a sheet name cannot start or end with an apostrophe';
  }
  if (hasControl(name)) return 'a sheet name cannot contain control characters';
  return foldName(name) === 'history' ? 'Excel keeps the name "History" for itself' : undefined;
}

/** Explains why a defined name may not be used; undefined when it may. Excel's rules. */
export function definedNameFault(name: string): string | undefined {
  if (name.length === 0) return 'a name cannot be empty';
  if (name.length > definedNameLength) return `a name has at most ${definedNameLength} characters`;
  if (!definedName.test(name)) {
    return 'a name starts with a letter, _ or \\ and goes on with letters, digits, _ . ? or \\';
  }
  if (parseAddress(name) || rowColumn.test(name)) return 'a name cannot look like a reference';
  return /^(?:true|false)$/iu.test(name) ? 'a name cannot be TRUE or FALSE' : undefined;
}

/** Names are equal when this is: case does not count. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 32) return true;
  }
  return false;
}
