import type { Address } from '../../../server/model/address.ts';
import { overlaps, type Range } from '../../../server/model/range.ts';

/** Ranges with the same rows or the same columns, in order, which are copied as one block. */
export type Pieces = readonly [Range, ...Range[]];

/** Returns ranges as pieces of one block; undefined if they are not aligned or overlap. */
export function piecesOf(ranges: Pieces): Pieces | undefined {
  const [first, ...others] = ranges.toSorted(
    (one, other) => one.row0 - other.row0 || one.column0 - other.column0,
  ) as [Range, ...Range[]];
  const pieces: Pieces = [first, ...others];
  const areAcross = others.every(({ row0, row1 }) => row0 === first.row0 && row1 === first.row1);
  const areDown = others.every(
    ({ column0, column1 }) => column0 === first.column0 && column1 === first.column1,
  );
  const areApart = others.every((piece, index) => !overlaps(piece, pieces[index] ?? first));
  return (areAcross || areDown) && areApart ? pieces : undefined;
}

/** Returns where the pieces lie when they are joined at a cell. */
export function gathered(pieces: Pieces, { row, column }: Address): Pieces {
  const isAcross = lieAcross(pieces);
  let [down, right] = [0, 0];
  const place = ({ row0, row1, column0, column1 }: Range): Range => {
    const [top, left] = [row + down, column + right];
    if (isAcross) right += column1 - column0 + 1;
    else down += row1 - row0 + 1;
    return { row0: top, column0: left, row1: top + row1 - row0, column1: left + column1 - column0 };
  };
  const [first, ...others] = pieces;
  return [place(first), ...others.map(place)];
}

/** Returns the block of pieces that are joined at a cell. */
export function spanAt(pieces: Pieces, at: Address): Range {
  const placed = gathered(pieces, at);
  const { row1, column1 } = placed.at(-1) ?? placed[0];
  return { row0: at.row, column0: at.column, row1, column1 };
}

/** Joins the rows of pieces to those of their block. */
export function joined<Cell>(
  pieces: Pieces,
  blocks: readonly (readonly (readonly Cell[])[])[],
): readonly (readonly Cell[])[] {
  if (!lieAcross(pieces)) return blocks.flat();
  return (blocks[0] ?? []).map((_, row) => blocks.flatMap((block) => block[row] ?? []));
}

function lieAcross([first, second]: Pieces): boolean {
  return second !== undefined && second.row0 === first.row0;
}
