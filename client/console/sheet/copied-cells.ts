import { cellName } from '../../../server/model/address.ts';
import { parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import { shiftedRange, type Shift } from '../../../server/model/shift.ts';

/** A place of cells that were copied or cut: on which sheet of which branch, at which position. */
export interface CopiedCells {
  readonly id: string;
  readonly workbookId: string;
  readonly branch: string;
  /** The id of their sheet. */
  readonly sheet: string;
  readonly range: Range;
  readonly isCut: boolean;
  /** The position of their addresses. */
  readonly seq: number;
  /** Their text in the clipboard, once it is there. */
  readonly text: string | undefined;
}

/** Returns what others read who paste the cells; their texts lie beside it. */
export function markOf(copied: CopiedCells): string {
  return JSON.stringify({ ...copied, range: rangeName(copied.range) });
}

/** Reads a mark of this page or of another one; undefined for anything else. */
export function readMark(mark: string): CopiedCells | undefined {
  try {
    const { range, ...place } = JSON.parse(mark) as Omit<CopiedCells, 'range'> & { range: string };
    const area = parseRange(range);
    return area && { ...place, range: area, text: undefined };
  } catch {
    return undefined;
  }
}

/** Returns copied cells as lines of their sheet stand later; undefined where all are gone. */
export function shiftedCells(
  copied: CopiedCells | undefined,
  shifts: readonly Shift[],
): CopiedCells | undefined {
  let range: Range | undefined = copied?.range;
  for (const shift of shifts) range = range && shiftedRange(range, shift);
  return copied && range && { ...copied, range };
}

/** Returns the area of a paste: all that is selected where the copy fills it several times. */
export function targetOf(selected: Range, copied: Range): string {
  const [height, width] = sizeOf(copied);
  const [rows, columns] = sizeOf(selected);
  const isTiled = rows % height === 0 && columns % width === 0;
  return isTiled ? rangeName(selected) : cellName(selected.row0, selected.column0);
}

function sizeOf({ row0, row1, column0, column1 }: Range): readonly [number, number] {
  return [row1 - row0 + 1, column1 - column0 + 1];
}
