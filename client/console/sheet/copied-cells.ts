import { cellName } from '../../../server/model/address.ts';
import { overlaps, parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import { shiftedRange, type Shift } from '../../../server/model/shift.ts';
import { gathered, piecesOf, spanAt, type Pieces } from '../grid/pieces.ts';

/** A place of cells that were copied or cut: on which sheet of which branch, at which position. */
export interface CopiedCells {
  readonly id: string;
  readonly workbookId: string;
  readonly branch: string;
  /** The id of their sheet. */
  readonly sheet: string;
  readonly pieces: Pieces;
  readonly isCut: boolean;
  /** The position of their addresses. */
  readonly seq: number;
  /** Their text in the clipboard, once it is there. */
  readonly text: string | undefined;
}

/** Returns what others read who paste the cells; their texts lie beside it. */
export function markOf(copied: CopiedCells): string {
  return JSON.stringify({ ...copied, pieces: copied.pieces.map(rangeName) });
}

/** Reads a mark of this page or of another one; undefined for anything else. */
export function readMark(mark: string): CopiedCells | undefined {
  try {
    const { pieces: names, ...place } = JSON.parse(mark) as Omit<CopiedCells, 'pieces'> & {
      pieces: readonly string[];
    };
    const [first, ...others] = names.map(parseRange);
    const ranges: Pieces | undefined = first && [first, ...others.flatMap((one) => one ?? [])];
    const pieces = ranges && piecesOf(ranges);
    return pieces && { ...place, pieces, text: undefined };
  } catch {
    return undefined;
  }
}

/** Returns copied cells as lines of their sheet stand later; undefined where all are gone. */
export function shiftedCells(
  copied: CopiedCells | undefined,
  shifts: readonly Shift[],
): CopiedCells | undefined {
  const after = (range: Range) =>
    shifts.reduce<Range | undefined>((at, shift) => at && shiftedRange(at, shift), range);
  const [first, ...others] = copied?.pieces.flatMap((piece) => after(piece) ?? []) ?? [];
  return copied && first && { ...copied, pieces: [first, ...others] };
}

/** A copy of one piece: where it is and where it goes. */
export interface CopyStep {
  readonly source: Range;
  /** The cells that it comes to lie on. */
  readonly target: Range;
  readonly to: string;
}

/**
 * Returns the steps of a paste, in an order in which none writes over what a later one takes;
 * undefined where there is no such order. One piece fills all that is selected several times.
 */
export function copySteps(
  { pieces, isCut, sheet }: CopiedCells,
  selected: Range,
  toSheet: string,
): readonly CopyStep[] | undefined {
  const at = { row: selected.row0, column: selected.column0 };
  const [first, second] = pieces;
  if (!second && !isCut && isTiled(selected, first)) {
    return [{ source: first, target: selected, to: rangeName(selected) }];
  }
  const targets = gathered(pieces, at);
  const steps = pieces.map((source, index) => {
    const target = targets[index] ?? targets[0];
    return { source, target, to: cellName(target.row0, target.column0) };
  });
  const keeps = (order: readonly CopyStep[]) =>
    order.every(({ target }, index) =>
      order.slice(index + 1).every(({ source }) => !overlaps(target, source)),
    );
  return sheet === toSheet ? [steps, steps.toReversed()].find(keeps) : steps;
}

/** Returns the block of a copy, at its own place. */
export function spanOf({ pieces }: CopiedCells): Range {
  const [{ row0: row, column0: column }] = pieces;
  return spanAt(pieces, { row, column });
}

function isTiled(selected: Range, copied: Range): boolean {
  const [height, width] = sizeOf(copied);
  const [rows, columns] = sizeOf(selected);
  return rows % height === 0 && columns % width === 0;
}

function sizeOf({ row0, row1, column0, column1 }: Range): readonly [number, number] {
  return [row1 - row0 + 1, column1 - column0 + 1];
}
