import type { CellStyle } from '../server/model/cell-style.ts';
import { isFormulaInput, type Value } from '../server/model/cell-value.ts';
import { normalStyle } from '../server/model/cell-style.ts';
import { foldName } from '../server/model/names.ts';
import type { NamedStyle } from '../server/state/structure/looks.ts';
import type { SourceCell } from './files/sheet-cells.ts';
import { formatValue } from './number-format.ts';

/** Text with which Excel fills a cell whose date is outside of the calendar. */
const unshown = '########';
const textUnitsMost = 32_767;
const general = 'General';
/** Largest integer with the eleven digits that General shows. */
const wholeMost = 99_999_999_999;

/** Texts that a person sees in cells (en-US), if columns are wide enough. */
export class ShownTexts {
  readonly #date1904: boolean;
  readonly #styles: ReadonlyMap<string, CellStyle>;

  constructor(date1904: boolean, styles: Iterable<NamedStyle>) {
    this.#date1904 = date1904;
    this.#styles = new Map([...styles].map(({ id, style }) => [foldName(id), style]));
  }

  /** Returns the number format of a cell, which may come from its named style. */
  formatOf(style: CellStyle | undefined): string {
    const named = this.#styles.get(foldName(style?.named ?? normalStyle));
    return style?.numberFormat ?? named?.numberFormat ?? general;
  }

  /** Returns the text of a value; null for a blank cell. Errors ignore the format. */
  show(value: Value, pattern: string): string | null {
    if (value === null) return null;
    if (typeof value === 'number') return this.#number(value, pattern);
    if (typeof value === 'object') return value.error;
    return showText(typeof value === 'string' ? value : value ? 'TRUE' : 'FALSE', pattern);
  }

  /** Returns the text that a writer shows for a cell. */
  showCell({ input, value, style, numberFormat }: SourceCell): string | null {
    const isFormula = isFormulaInput(input);
    const pattern = style === undefined ? numberFormat : undefined;
    return this.show(value ?? (isFormula ? null : input), pattern ?? this.formatOf(style));
  }

  #number(value: number, pattern: string): string {
    if (pattern === general && Number.isInteger(value) && Math.abs(value) <= wholeMost) {
      return String(value === 0 ? 0 : value);
    }
    const code = pattern === '' ? general : pattern;
    const shown = formatValue(value, code, this.#date1904);
    if (shown !== undefined) return shown;
    // The format can show one number and not this one, so this is a date outside of the calendar.
    if (formatValue(1, code, this.#date1904) !== undefined) return unshown;
    return formatValue(value, general) ?? String(value);
  }
}

/** Formats a text, to at most the length of a cell. */
function showText(text: string, pattern: string): string {
  if (pattern === general || text.length * (pattern.split('@').length - 1) > textUnitsMost) {
    return text;
  }
  return formatValue(text, pattern) ?? text;
}
