import { parseRange } from '../../server/model/range.ts';
import type { ImportedTable } from './imported-workbook.ts';
import type { SourceCell } from './sheet-cells.ts';

interface Header {
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/**
 * Yields the cells of a sheet with the column names in the header cells of tables: Excel takes a
 * file for damaged if the two differ.
 */
export function* withTableHeaders(
  cells: Iterable<SourceCell>,
  tables: readonly ImportedTable[],
): Generator<SourceCell> {
  const headers = tables.flatMap(headersOf).sort(inFileOrder);
  let next = 0;
  for (const cell of cells) {
    let header = headers[next];
    while (header !== undefined && inFileOrder(header, cell) < 0) {
      yield headerCell(header);
      header = headers[++next];
    }
    if (header === undefined || inFileOrder(header, cell) !== 0) {
      yield cell;
      continue;
    }
    yield cell.input === header.text ? cell : headerCell(header, cell);
    next++;
  }
  for (const header of headers.slice(next)) yield headerCell(header);
}

function headersOf({ range, headerRow, columns }: ImportedTable): Header[] {
  const place = parseRange(range);
  if (!headerRow || place === undefined) return [];
  return columns.map((text, index) => ({ row: place.row0, column: place.column0 + index, text }));
}

function inFileOrder(
  a: { readonly row: number; readonly column: number },
  b: { readonly row: number; readonly column: number },
): number {
  return a.row - b.row || a.column - b.column;
}

/** Returns the cell with a column name, in the style of the cell at its place. */
function headerCell({ row, column, text }: Header, cell?: SourceCell): SourceCell {
  const { numberFormat, style } = cell ?? {};
  return {
    row,
    column,
    input: text,
    value: text,
    ...(numberFormat !== undefined && { numberFormat }),
    ...(style !== undefined && { style }),
  };
}
