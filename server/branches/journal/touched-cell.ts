import { parseAddress } from '../../model/address.ts';
import { Failure } from '../../model/failure.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { LineId } from '../../state/ids/order.ts';
import { placeIn, writtenCells, type WrittenCells } from '../../state/written-cells.ts';
import type { JournalRecord } from '../record.ts';

/** A cell by the ids of its lines, wherever it stood before. */
export interface TouchedCell {
  readonly sheet: string;
  readonly row: LineId;
  readonly column: LineId;
}

/** Returns the cell that has an address now. */
export function touchedCell(
  { structure }: BranchState,
  { sheet: id, cell }: { readonly sheet: string; readonly cell: string },
): TouchedCell {
  const sheet = structure.find(id);
  const address = parseAddress(cell);
  if (!sheet || !address) {
    throw new Failure('invalidRequest', {
      detail: 'The cell is no address such as B5.',
      errors: [{ pointer: '?cell', code: 'invalid_value', message: 'is no address' }],
    });
  }
  const { row, column } = address;
  return { sheet: sheet.id, row: sheet.rows.idAt(row), column: sheet.columns.idAt(column) };
}

/** Returns whether an operation wrote the input or the format of a cell. */
export function writesTo({ kind, payload, resolved }: JournalRecord, cell: TouchedCell): boolean {
  const { values, formats } = writtenCells(kind, payload, resolved);
  return holds(values, cell) || holds(formats, cell);
}

function holds(written: WrittenCells | undefined, cell: TouchedCell): boolean {
  if (!written) return false;
  switch (written.type) {
    case 'several':
      return written.parts.some((part) => holds(part, cell));
    case 'cells':
      return isListed(written, cell);
    case 'sheet':
      return written.sheet === cell.sheet;
    case 'lines':
      return written.sheet === cell.sheet && placeIn(written.spans, cell[written.axis]) >= 0;
    case 'areas':
      return written.sheet === cell.sheet && isInAreas(written, cell);
  }
}

const idsPerCell = 6;

function isListed(
  { ids, sheetOf, isWritten }: Extract<WrittenCells, { type: 'cells' }>,
  { sheet, row, column }: TouchedCell,
): boolean {
  for (let at = 0; at < ids.length; at += idsPerCell) {
    const index = at / idsPerCell;
    const isIt = isLine(ids, at, row) && isLine(ids, at + 3, column);
    if (isIt && sheetOf(index) === sheet && isWritten(index)) return true;
  }
  return false;
}

function isLine(ids: readonly number[], at: number, line: LineId): boolean {
  return ids[at] === line.branch && ids[at + 1] === line.sequence && ids[at + 2] === line.offset;
}

function isInAreas(
  { areas, isWritten }: Extract<WrittenCells, { type: 'areas' }>,
  cell: TouchedCell,
): boolean {
  return areas.some(({ rows, columns }, index) => {
    const row = placeIn(rows, cell.row);
    const column = placeIn(columns, cell.column);
    return row >= 0 && column >= 0 && isWritten(index, row, column);
  });
}
