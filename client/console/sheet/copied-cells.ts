import { cellName } from '../../../server/model/address.ts';
import { overlaps, parseRange, rangeName, type Range } from '../../../server/model/range.ts';
import { shiftedRange, type Shift } from '../../../server/model/shift.ts';
import { gathered, piecesOf, spanAt, type Pieces } from '../grid/pieces.ts';

/** Copied or cut cells: their sheet, branch and position. */
export interface CopiedCells {
  readonly id: string;
  readonly workbookId: string;
  readonly branch: string;
  /** Id of the sheet. */
  readonly sheet: string;
  readonly pieces: Pieces;
  readonly isCut: boolean;
  /** Position of the addresses. */
  readonly seq: number;
  /** Text in the clipboard; undefined until it is there. */
  readonly text: string | undefined;
}

/** Returns the mark for the clipboard, by which another page recognises the cells. */
export function markOf(copied: CopiedCells): string {
  return JSON.stringify({ ...copied, pieces: copied.pieces.map(rangeName) });
}

/** Reads a mark; undefined for any other text. */
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

/** Returns copied cells after lines of their sheet have moved; undefined if all are deleted. */
export function shiftedCells(
  copied: CopiedCells | undefined,
  shifts: readonly Shift[],
): CopiedCells | undefined {
  const after = (range: Range) =>
    shifts.reduce<Range | undefined>((at, shift) => at && shiftedRange(at, shift), range);
  const [first, ...others] = copied?.pieces.flatMap((piece) => after(piece) ?? []) ?? [];
  return copied && first && { ...copied, pieces: [first, ...others] };
}

/** A step of a copy: where a piece is and where it goes. */
export interface CopyStep {
  readonly source: Range;
  /** Cells that the copy overwrites. */
  readonly target: Range;
  readonly to: string;
}

/**
 * Returns the steps of a paste, in an order in which none overwrites what a later one reads;
 * undefined if there is no such order. One piece fills a larger selection repeatedly.
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
