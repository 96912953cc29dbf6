import { cellName, rowLimit } from '../../server/model/address.ts';
import type { CellStyle } from '../../server/model/cell-style.ts';
import { isFormulaInput, type FormulaInput, type Value } from '../../server/model/cell-value.ts';
import { rangeName } from '../../server/model/range.ts';
import { sameEitherWay } from './formula-arrays.ts';
import { formulaToFile } from './formula-export.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { SourceCell } from './sheet-cells.ts';
import { LineStyles, plainLook, type SheetLook } from './sheet-look.ts';
import { TableAreas } from './table-areas.ts';
import { withTableHeaders } from './table-headers.ts';
import type { SheetSource } from './workbook-source.ts';
import type { WrittenErrors } from './xlsx-rich-errors.ts';
import type { WrittenRecords } from './xlsx-write-records.ts';
import { RowElements, sheetStart } from './xlsx-write-look.ts';
import type { StyleSheet } from './xlsx-write-styles.ts';
import { encodeText } from './xml-text.ts';
import type { ZipText } from './zip-writer.ts';

interface SheetOptions {
  readonly styles: StyleSheet;
  /** True for the sheet that is shown first. */
  readonly isFirst: boolean;
  /** Tables on this sheet. */
  readonly tables: readonly ImportedTable[];
  /** Errors for which the format has no name. */
  readonly errors: WrittenErrors;
  /** Names of the workbook in upper case. */
  readonly taken: ReadonlySet<string>;
  readonly records: Pick<WrittenRecords, 'elements' | 'extensions'>;
}

/** Errors with a name in files; later ones are written as rich values. */
const fileErrors = new Set([
  '#NULL!',
  '#DIV/0!',
  '#VALUE!',
  '#REF!',
  '#NAME?',
  '#NUM!',
  '#N/A',
  '#GETTING_DATA',
]);

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Writes one worksheet; returns whether every formula had a value to write beside it. */
export function writeSheet(
  part: ZipText,
  sheet: SheetSource,
  options: SheetOptions,
): { hasAllValues: boolean } {
  let hasAllValues = true;
  const { tables, styles, isFirst, errors, taken } = options;
  const { look = plainLook } = sheet;
  part.write('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n');
  part.write(`<worksheet xmlns="${main}" xmlns:r="${relationships}">`);
  part.write(`${sheetStart(look, (style) => styles.indexOf(style), isFirst)}<sheetData>`);
  const cells = tables.length === 0 ? sheet.cells() : withTableHeaders(sheet.cells(), tables);
  const rows = new RowWriter(part, look, styles);
  const cellStyles = new CellStyles(look, styles);
  const areas = new TableAreas(tables);
  for (const cell of cells) {
    rows.open(cell.row);
    if (isFormulaInput(cell.input) && cell.value === undefined) hasAllValues = false;
    part.write(cellElement(cell, cellStyles.indexOf(cell), { areas, errors, taken }));
  }
  rows.end();
  part.write(`</sheetData>${options.records.elements}`);
  if (tables.length > 0) {
    const references = tables.map((_, index) => `<tablePart r:id="rId${index + 1}"/>`);
    part.write(`<tableParts count="${tables.length}">${references.join('')}</tableParts>`);
  }
  part.write(`${options.records.extensions}</worksheet>`);
  return { hasAllValues };
}

/** Opens and closes rows, including those without cells. */
class RowWriter {
  readonly #part: ZipText;
  readonly #rows: RowElements;
  /** First row that may come next; the one before is open if it has cells. */
  #next = 0;
  #isOpen = false;

  constructor(part: ZipText, look: SheetLook, styles: StyleSheet) {
    this.#part = part;
    this.#rows = new RowElements(look, (style) => styles.indexOf(style));
  }

  open(row: number): void {
    if (this.#isOpen && row === this.#next - 1) return;
    this.#close();
    this.#writeEmpty(row);
    this.#part.write(`<row${this.#rows.attributes(row)}>`);
    this.#isOpen = true;
    this.#next = row + 1;
  }

  end(): void {
    this.#close();
    this.#writeEmpty(rowLimit);
  }

  #close(): void {
    if (this.#isOpen) this.#part.write('</row>');
    this.#isOpen = false;
  }

  #writeEmpty(end: number): void {
    for (let row = this.#rows.next(this.#next); row < end; row = this.#rows.next(row + 1)) {
      this.#part.write(`<row${this.#rows.attributes(row)}/>`);
    }
  }
}

/** Values of the attribute `s`: the style of the cell, or else of its row or column. */
class CellStyles {
  readonly #styles: StyleSheet;
  readonly #below: LineStyles | undefined;
  /** Styles of cells of which only the number format is known. */
  readonly #byPattern = new Map<string, CellStyle>();

  constructor(look: SheetLook, styles: StyleSheet) {
    const below = new LineStyles(look);
    this.#below = below.isEmpty ? undefined : below;
    this.#styles = styles;
  }

  indexOf({ style, numberFormat, row, column }: SourceCell): number {
    if (style !== undefined) return this.#styles.indexOf(style);
    if (numberFormat !== undefined) return this.#styles.indexOf(this.#patternStyle(numberFormat));
    const below = this.#below?.below(row, column);
    return below === undefined ? 0 : this.#styles.indexOf(below);
  }

  #patternStyle(numberFormat: string): CellStyle {
    let style = this.#byPattern.get(numberFormat);
    if (style === undefined) this.#byPattern.set(numberFormat, (style = { numberFormat }));
    return style;
  }
}

interface CellParts extends Pick<SheetOptions, 'errors' | 'taken'> {
  readonly areas: TableAreas;
}

function cellElement(cell: SourceCell, style: number, parts: CellParts): string {
  const start = `<c r="${cellName(cell.row, cell.column)}"${style === 0 ? '' : ` s="${style}"`}`;
  if (isFormulaInput(cell.input)) return start + formulaContent(cell, cell.input, parts);
  // A cell that another one spills into has a value but no input.
  return start + constantContent(cell.input ?? cell.value ?? null, parts.errors);
}

function constantContent(value: Value, errors: WrittenErrors): string {
  if (value === null) return '/>';
  if (typeof value !== 'string') return valueContent(value, '', errors);
  const space = /^\s|\s$/.test(value) ? ' xml:space="preserve"' : '';
  return ` t="inlineStr"><is><t${space}>${encodeText(value)}</t></is></c>`;
}

function formulaContent(
  cell: SourceCell,
  input: FormulaInput,
  { areas, errors, taken }: CellParts,
): string {
  const table = input.formula.includes('[') ? areas.around(cell) : undefined;
  const text = encodeText(formulaToFile(input.formula, { table, taken }));
  const space = /^\s|\s$/.test(text) ? ' xml:space="preserve"' : '';
  const value = cell.value ?? null;
  if (input.array !== undefined) {
    return valueContent(value, `<f t="array" ref="${input.array}"${space}>${text}</f>`, errors);
  }
  if (input.legacy === true || sameEitherWay(input.formula)) {
    return valueContent(value, `<f${space}>${text}</f>`, errors);
  }
  const formula = `<f t="array" ref="${spillRange(cell)}"${space}>${text}</f>`;
  // The first and only record of xl/metadata.xml means a dynamic array.
  return ` cm="1"${valueContent(value, formula, errors)}`;
}

function spillRange({ row, column, spillRows = 1, spillColumns = 1 }: SourceCell): string {
  const [row1, column1] = [row + spillRows - 1, column + spillColumns - 1];
  return rangeName({ row0: row, column0: column, row1, column1 });
}

/** Returns the rest of a `c` element: type, formula and value. */
function valueContent(value: Value, formula: string, errors: WrittenErrors): string {
  if (value === null) return `>${formula}</c>`;
  if (typeof value === 'number') return `>${formula}<v>${value}</v></c>`;
  if (typeof value === 'boolean') return ` t="b">${formula}<v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'string') return ` t="str">${formula}<v>${encodeText(value)}</v></c>`;
  const error = fileErrors.has(value.error) ? value.error : '#VALUE!';
  const mark = errors.markOf(value.error);
  const rich = mark === undefined ? '' : ` vm="${mark}"`;
  return ` t="e"${rich}>${formula}<v>${error}</v></c>`;
}
