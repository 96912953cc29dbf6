import { columnLimit, rowLimit } from '../../model/address.ts';
import { blockLanes } from '../cells/block.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import type { LineId, Piece } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Positions of the rows of a block on one side. */
export class LanePositions {
  readonly #pieces: readonly Piece[];
  #at = 0;

  constructor({ branch, sequence, index }: BlockPlace, sheet: SheetOutline | undefined) {
    const span = { branch, sequence, offset: index * blockLanes, length: blockLanes };
    const pieces = sheet?.rows.piecesOf(span) ?? [];
    this.#pieces = pieces.toSorted((a, b) => a.skipped - b.skipped);
  }

  /** Returns the position of a lane's row; -1 outside the grid. Fast for ascending lanes. */
  of(lane: number): number {
    if (lane < (this.#pieces[this.#at]?.skipped ?? 0)) this.#at = 0;
    for (; this.#at < this.#pieces.length; this.#at++) {
      const { position, skipped, length } = this.#pieces[this.#at] ?? noPiece;
      if (lane >= skipped + length) continue;
      const row = position + (lane - skipped);
      return lane >= skipped && row < rowLimit ? row : -1;
    }
    this.#at = 0;
    return -1;
  }
}

const noPiece: Piece = { position: 0, length: 0, skipped: 0 };

/** Returns the position of a column; -1 outside the grid. */
export function columnPosition(
  { branch, sequence, offset }: LineId,
  sheet: SheetOutline | undefined,
): number {
  const position = sheet?.columns.positionOf(branch, sequence, offset) ?? -1;
  return position < columnLimit ? position : -1;
}

/** Caches the positions of each block's rows on both sides, which all columns share. */
export class BlockRows {
  readonly #sheet: SheetOutline | undefined;
  readonly #known = new Map<string, LanePositions>();

  constructor(sheet: SheetOutline | undefined) {
    this.#sheet = sheet;
  }

  of(place: BlockPlace): LanePositions {
    const key = `${place.branch}.${place.sequence}.${place.index}`;
    let known = this.#known.get(key);
    if (!known) {
      known = new LanePositions(place, this.#sheet);
      this.#known.set(key, known);
    }
    return known;
  }
}
