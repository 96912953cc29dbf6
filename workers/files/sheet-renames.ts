import { cutText } from '../../server/model/cut-text.ts';
import { foldName, sheetNameFault, sheetNameLength } from '../../server/model/names.ts';
import { quoteSheet } from '../../server/model/range.ts';
import { quoteSheets } from '../../server/model/several-sheets.ts';
import { formulaTokens } from './formula-tokens.ts';

/**
 * Sheets of a file whose names Excel does not allow, although other programs write them, with the
 * names that they get, and the formulas of the file with these.
 */
export class SheetRenames {
  readonly #names = new Map<string, string>();

  /** Names that a sheet had in the file, with what it is called now. */
  readonly changes: { readonly before: string; readonly now: string; readonly why: string }[] = [];

  /** Returns the name of a sheet, which is another one where the file's cannot be. */
  nameFor(name: string, isTaken: (name: string) => boolean): string {
    if (sheetNameFault(name) === undefined) return name;
    const now = free(name, isTaken);
    this.#names.set(foldName(name), now);
    const why = `Excel allows no sheet to be called "${name.slice(0, 255)}"; formulas follow`;
    this.changes.push({ before: name, now, why });
    return now;
  }

  /** Returns the name of a sheet that is called like one before it, which formulas mean. */
  secondName(name: string, isTaken: (name: string) => boolean): string {
    const now = free(name, isTaken);
    const why = `another sheet is called "${name.slice(0, 255)}" too, and formulas mean that one`;
    this.changes.push({ before: name, now, why });
    return now;
  }

  /** Returns a formula of the file with the names that its sheets have now. */
  respell(formula: string): string {
    if (this.#names.size === 0 || !formula.includes('!')) return formula;
    const spelled: string[] = [];
    for (const { kind, text } of formulaTokens(formula)) {
      const isPlace = kind === 'sheet' && text.endsWith('!');
      // `First:Last!` without quotes are three tokens.
      const isSecond = isPlace && !text.startsWith("'") && spelled.at(-1) === ':';
      const before = isSecond ? spelled.splice(-2).join('') : '';
      spelled.push(isPlace ? this.#respellPlace(before + text) : text);
    }
    return spelled.join('');
  }

  #respellPlace(prefix: string): string {
    const spelled = prefix.slice(0, -1);
    const name = spelled.startsWith("'") ? spelled.slice(1, -1).replaceAll("''", "'") : spelled;
    const whole = this.#names.get(foldName(name));
    if (whole !== undefined) return `${quoteSheet(whole)}!`;
    const [first = '', last] = name.split(':');
    if (last === undefined) return prefix;
    const from = this.#names.get(foldName(first));
    const to = this.#names.get(foldName(last));
    if (from === undefined && to === undefined) return prefix;
    return `${quoteSheets(from ?? first, to ?? last)}!`;
  }
}

/** Returns a name that a sheet can have and no other has, as like the wanted one as can be. */
function free(name: string, isTaken: (name: string) => boolean): string {
  const base = fitting(name);
  let now = base;
  for (let number = 2; isTaken(now); number++) {
    const suffix = ` (${number})`;
    now = cutText(base, sheetNameLength - suffix.length) + suffix;
  }
  return now;
}

/** Returns what can be kept of a name: the characters that a name may have, and as many. */
function fitting(name: string): string {
  const allowed = name.replaceAll(/[[\]:*?/\\\u0000-\u001f]/gu, '_');
  const short = cutText(allowed, sheetNameLength)
    .replaceAll(/^'+|'+$/gu, '')
    .trim();
  if (short === '') return 'Sheet';
  return sheetNameFault(short) === undefined ? short : `${short}_`;
}
