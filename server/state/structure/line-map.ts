import type { Order, Piece } from '../ids/order.ts';
import type { LineSpan } from './line-span.ts';
import { limitOf, orderOf, type Axis, type SheetOutline } from './structure.ts';

/** Lines that are searched first for a remaining one; each further step searches more. */
const lookWidth = 64;
const lookGrowth = 4;

/** Maps positions of rows or columns from one structure of a sheet to a later one. */
export class LineMap {
  readonly #base: Order;
  readonly #head: Order;
  readonly #limit: number;
  readonly #moved: LineSpan | undefined;

  /** `moved`: the lines of a single move that is all that happened in between. */
  constructor(base: SheetOutline, head: SheetOutline, axis: Axis, moved?: LineSpan) {
    this.#base = orderOf(base, axis);
    this.#head = orderOf(head, axis);
    this.#limit = limitOf(axis);
    this.#moved = moved;
  }

  get unchanged(): boolean {
    return this.#base === this.#head;
  }

  /** Returns the new positions of lines in their former order, without deleted ones. */
  pieces(from: number, count: number): Piece[] {
    if (this.unchanged || this.#isWhole(from, count)) {
      return [{ position: from, length: count, skipped: 0 }];
    }
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
    const position = this.#place(from);
    return position !== undefined && position < this.#limit ? position : undefined;
  }

  /** Returns the new position of a line, which may be outside the grid. */
  #place(from: number): number | undefined {
    const { branch, sequence, offset } = this.#base.idAt(from);
    return this.#head.positionOf(branch, sequence, offset);
  }

  /**
   * Maps a range of lines. An end that was deleted or moved away from the rest is replaced by the
   * next line inwards; undefined when nothing is left. All lines of the grid stay all lines.
   */
  range(from: number, to: number): readonly [number, number] | undefined {
    if (this.unchanged) return [from, to];
    if (this.parts(from, to)) return this.#parted(from, to);
    const count = to - from + 1;
    if (this.#isWhole(from, count)) return [from, to];
    const [first, last] = [this.#place(from), this.#place(to)];
    if (first !== undefined && last !== undefined) {
      const low = Math.min(first, last);
      // An end that was pushed off the grid still exists behind its last line.
      return low < this.#limit
        ? [low, Math.min(Math.max(first, last), this.#limit - 1)]
        : undefined;
    }
    const start = this.#firstPiece(from, count);
    const end = start && this.#lastPiece(from, count);
    if (!end) return undefined;
    const endPosition = end.position + end.length - 1;
    return start.position <= endPosition
      ? [start.position, endPosition]
      : [endPosition, start.position];
  }

  /** Returns whether the ends of a range swapped their order. */
  crosses(from: number, to: number): boolean {
    if (this.unchanged || from === to || this.parts(from, to)) return false;
    const [first, last] = [this.#place(from), this.#place(to)];
    return first !== undefined && last !== undefined && first > last;
  }

  /** Returns whether a move takes one end of a range and leaves the other. */
  parts(from: number, to: number): boolean {
    return this.#isMoved(from) !== this.#isMoved(to);
  }

  #isMoved(line: number): boolean {
    const moved = this.#moved;
    return moved !== undefined && line >= moved.from && line < moved.from + moved.count;
  }

  /**
   * Maps a range that a move divides. Moved lines belong to it if they adjoin those that stayed.
   */
  #parted(from: number, to: number): readonly [number, number] | undefined {
    const { from: start, count } = this.#moved ?? { from: 0, count: 0 };
    const isFirst = this.#isMoved(from);
    const stayed = isFirst ? [start + count, to] : [from, start - 1];
    const taken = isFirst ? [from, start + count - 1] : [start, to];
    const [first, last, takenFirst, takenLast] = [...stayed, ...taken].map((line) =>
      this.position(line),
    );
    if (first === undefined || last === undefined) return undefined;
    if (takenFirst === undefined || takenLast === undefined) return [first, last];
    const end = takenFirst <= last + 1 ? Math.max(last, takenLast) : last;
    return [takenLast + 1 >= first ? Math.min(first, takenFirst) : first, end];
  }

  /** Returns the position in front of a line, or of the next remaining one. */
  placeBefore(from: number): number {
    if (this.unchanged) return from;
    return this.#firstPiece(from, this.#limit - from)?.position ?? this.#limit;
  }

  /** Returns the position behind a line, or behind the last remaining one before it. */
  placeAfter(from: number): number {
    if (this.unchanged) return from + 1;
    const last = this.#lastPiece(0, from + 1);
    return last ? last.position + last.length : 0;
  }

  #isWhole(from: number, count: number): boolean {
    return from === 0 && count === this.#limit;
  }

  /**
   * Finds the first remaining line; searches few lines first, because mostly one of them remains.
   */
  #firstPiece(from: number, count: number): Piece | undefined {
    const end = from + count;
    for (let at = from, width = lookWidth; at < end; at += width, width *= lookGrowth) {
      const piece = this.pieces(at, Math.min(width, end - at))[0];
      if (piece) return piece;
    }
    return undefined;
  }

  #lastPiece(from: number, count: number): Piece | undefined {
    let end = from + count;
    for (let width = lookWidth; end > from; end -= width, width *= lookGrowth) {
      const start = Math.max(from, end - width);
      const piece = this.pieces(start, end - start).at(-1);
      if (piece) return piece;
    }
    return undefined;
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
