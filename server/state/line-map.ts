import { columnLimit, rowLimit } from '../model/address.ts';
import type { Order, Piece } from './order.ts';
import { orderOf, type Axis, type SheetOutline } from './structure.ts';

/** Carries positions of a sheet's rows or columns from the state a client saw to the head. */
export class LineMap {
  readonly #base: Order;
  readonly #head: Order;
  readonly #limit: number;

  constructor(base: SheetOutline, head: SheetOutline, axis: Axis) {
    this.#base = orderOf(base, axis);
    this.#head = orderOf(head, axis);
    this.#limit = axis === 'row' ? rowLimit : columnLimit;
  }

  get unchanged(): boolean {
    return this.#base === this.#head;
  }

  /** Where these lines stand now, in their order at the base; deleted ones are absent. */
  pieces(from: number, count: number): Piece[] {
    const isWhole = from === 0 && count === this.#limit;
    if (this.unchanged || isWhole) return [{ position: from, length: count, skipped: 0 }];
    const found: Piece[] = [];
    let skipped = 0;
    for (const span of this.#base.spansAt(from, count)) {
      for (const piece of this.#head.piecesOf(span)) {
        const length = Math.min(piece.length, this.#limit - piece.position);
        if (length > 0) pushPiece(found, { ...piece, length, skipped: skipped + piece.skipped });
      }
      skipped += span.length;
    }
    return found;
  }

  position(from: number): number | undefined {
    if (this.unchanged) return from;
    const { branch, sequence, offset } = this.#base.idAt(from);
    const position = this.#head.positionOf(branch, sequence, offset);
    return position !== undefined && position < this.#limit ? position : undefined;
  }

  /** A range of a reference: deleted ends slide inwards; undefined when nothing is left. */
  range(from: number, to: number): readonly [number, number] | undefined {
    if (this.unchanged) return [from, to];
    const first = this.position(from);
    const last = this.position(to);
    if (first !== undefined && last !== undefined) {
      return first <= last ? [first, last] : [last, first];
    }
    const pieces = this.pieces(from, to - from + 1);
    const start = pieces[0];
    const end = pieces.at(-1);
    if (!start || !end) return undefined;
    const endPosition = end.position + end.length - 1;
    return start.position <= endPosition
      ? [start.position, endPosition]
      : [endPosition, start.position];
  }

  /** The place before this line, or before the next one that is still there. */
  placeBefore(from: number): number {
    if (this.unchanged) return from;
    return this.pieces(from, this.#limit - from)[0]?.position ?? this.#limit;
  }

  /** The place after this line, or after the last one before it that is still there. */
  placeAfter(from: number): number {
    if (this.unchanged) return from + 1;
    const last = this.pieces(0, from + 1).at(-1);
    return last ? last.position + last.length : 0;
  }
}

function pushPiece(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  const continues =
    last !== undefined &&
    last.position + last.length === piece.position &&
    last.skipped + last.length === piece.skipped;
  if (continues) pieces[pieces.length - 1] = { ...last, length: last.length + piece.length };
  else pieces.push(piece);
}
