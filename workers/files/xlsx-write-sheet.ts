import { cellName } from '../../server/model/address.ts';
import type { FormulaInput, Value } from '../../server/model/cell-value.ts';
import { parseRange, rangeName } from '../../server/model/range.ts';
import type { FormatList } from './format-list.ts';
import { sameEitherWay } from './formula-arrays.ts';
import { formulaToFile } from './formula-export.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { SourceCell } from './sheet-cells.ts';
import { withTableHeaders } from './table-headers.ts';
import type { SheetSource } from './workbook-source.ts';
import { encodeText, escapeXml } from './xml-text.ts';
import type { ZipText } from './zip-writer.ts';

interface SheetOptions {
  readonly formats: FormatList;
  /** Tables that lie on this sheet. */
  readonly tables: readonly ImportedTable[];
  /** Elements that follow the cells. */
  readonly records: string;
}

/** Errors that a file can name; later ones travel as rich values, which are not written. */
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

/** Streams one worksheet; answers whether every formula had a value to write beside it. */
export function writeSheet(
  part: ZipText,
  sheet: SheetSource,
  options: SheetOptions,
): { hasAllValues: boolean } {
  let hasAllValues = true;
  let openRow = -1;
  part.write('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n');
  part.write(`<worksheet xmlns="${main}" xmlns:r="${relationships}"><sheetData>`);
  const { tables } = options;
  const cells = tables.length === 0 ? sheet.cells() : withTableHeaders(sheet.cells(), tables);
  for (const cell of cells) {
    if (cell.row !== openRow) {
      part.write(`${openRow < 0 ? '' : '</row>'}<row r="${cell.row + 1}">`);
      openRow = cell.row;
    }
    if (isFormula(cell.input) && cell.value === undefined) hasAllValues = false;
    part.write(cellElement(cell, options));
  }
  part.write(`${openRow < 0 ? '' : '</row>'}</sheetData>${options.records}`);
  if (tables.length > 0) {
    const references = tables.map((_, index) => `<tablePart r:id="rId${index + 1}"/>`);
    part.write(`<tableParts count="${tables.length}">${references.join('')}</tableParts>`);
  }
  part.write('</worksheet>');
  return { hasAllValues };
}

function isFormula(input: SourceCell['input']): input is FormulaInput {
  return typeof input === 'object' && input !== null && 'formula' in input;
}

function cellElement(cell: SourceCell, options: SheetOptions): string {
  const style = options.formats.indexOf(cell.numberFormat ?? 'General');
  const start = `<c r="${cellName(cell.row, cell.column)}"${style === 0 ? '' : ` s="${style}"`}`;
  if (isFormula(cell.input)) return start + formulaContent(cell, cell.input, options);
  // A cell that another one spills into has a value but no input.
  return start + constantContent(cell.input ?? cell.value ?? null);
}

function constantContent(value: Value): string {
  if (value === null) return '/>';
  if (typeof value !== 'string') return valueContent(value, '');
  const space = /^\s|\s$/.test(value) ? ' xml:space="preserve"' : '';
  return ` t="inlineStr"><is><t${space}>${encodeText(value)}</t></is></c>`;
}

function formulaContent(cell: SourceCell, input: FormulaInput, options: SheetOptions): string {
  const table = input.formula.includes('[') ? tableAround(cell, options.tables) : undefined;
  const text = escapeXml(formulaToFile(input.formula, table));
  const value = cell.value ?? null;
  if (input.array !== undefined) {
    return valueContent(value, `<f t="array" ref="${input.array}">${text}</f>`);
  }
  if (input.legacy === true || sameEitherWay(input.formula)) {
    return valueContent(value, `<f>${text}</f>`);
  }
  const formula = `<f t="array" ref="${spillRange(cell)}">${text}</f>`;
  // The first and only record of xl/metadata.xml says: dynamic array.
  return ` cm="1"${valueContent(value, formula)}`;
}

function spillRange({ row, column, spillRows = 1, spillColumns = 1 }: SourceCell): string {
  const [row1, column1] = [row + spillRows - 1, column + spillColumns - 1];
  return rangeName({ row0: row, column0: column, row1, column1 });
}

/** The rest of a `c` element: type, formula if any, value if any. */
function valueContent(value: Value, formula: string): string {
  if (value === null) return `>${formula}</c>`;
  if (typeof value === 'number') return `>${formula}<v>${value}</v></c>`;
  if (typeof value === 'boolean') return ` t="b">${formula}<v>${value ? 1 : 0}</v></c>`;
  if (typeof value === 'string') return ` t="str">${formula}<v>${encodeText(value)}</v></c>`;
  const error = fileErrors.has(value.error) ? value.error : '#VALUE!';
  return ` t="e">${formula}<v>${error}</v></c>`;
}

/** The table whose rows hold the cell: what a bare `[@Column]` is about. */
function tableAround(cell: SourceCell, tables: readonly ImportedTable[]): string | undefined {
  return tables.find(({ range }) => {
    const area = parseRange(range);
    if (area === undefined) return false;
    const isInRows = cell.row >= area.row0 && cell.row <= area.row1;
    return isInRows && cell.column >= area.column0 && cell.column <= area.column1;
  })?.name;
}
