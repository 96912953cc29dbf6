import type { Order, Piece } from '../ids/order.ts';
import type { LineSpan } from './line-span.ts';
import { limitOf, orderOf, type Axis, type SheetOutline } from './structure.ts';

/** Lines that are looked at first for one that is still there, and how many times more then. */
const lookWidth = 64;
const lookGrowth = 4;

/** Carries positions of a sheet's rows or columns from the state a client saw to the head. */
export class LineMap {
  readonly #base: Order;
  readonly #head: Order;
  readonly #limit: number;
  readonly #moved: LineSpan | undefined;

  /** `moved` are lines of the base that one move took away; it alone led to the head then. */
  constructor(base: SheetOutline, head: SheetOutline, axis: Axis, moved?: LineSpan) {
    this.#base = orderOf(base, axis);
    this.#head = orderOf(head, axis);
    this.#limit = limitOf(axis);
    this.#moved = moved;
  }

  get unchanged(): boolean {
    return this.#base === this.#head;
  }

  /** Positions of these lines now, in their order at the base; deleted ones are absent. */
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

  /** The position of a line that may be beyond the grid. */
  #place(from: number): number | undefined {
    const { branch, sequence, offset } = this.#base.idAt(from);
    return this.#head.positionOf(branch, sequence, offset);
  }

  /**
   * A range of a reference: ends that were deleted, or moved away from the rest, slide inwards;
   * undefined when nothing is left. All lines of a grid are all of them, whatever comes and goes.
   */
  range(from: number, to: number): readonly [number, number] | undefined {
    if (this.unchanged) return [from, to];
    if (this.parts(from, to)) return this.#parted(from, to);
    const count = to - from + 1;
    if (this.#isWhole(from, count)) return [from, to];
    const [first, last] = [this.#place(from), this.#place(to)];
    if (first !== undefined && last !== undefined) {
      const low = Math.min(first, last);
      // An end that was pushed out of the grid is still there, behind the last line of it.
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

  /** Returns whether the ends of a range stand the other way round now. */
  crosses(from: number, to: number): boolean {
    if (this.unchanged || from === to || this.parts(from, to)) return false;
    const [first, last] = [this.#place(from), this.#place(to)];
    return first !== undefined && last !== undefined && first > last;
  }

  /** Returns whether the move takes one end of a range along and leaves the other. */
  parts(from: number, to: number): boolean {
    return this.#isMoved(from) !== this.#isMoved(to);
  }

  #isMoved(line: number): boolean {
    const moved = this.#moved;
    return moved !== undefined && line >= moved.from && line < moved.from + moved.count;
  }

  /** Lines moved along are still of the range if they stand beside those that stayed. */
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

  /** The place before this line, or before the next one that is still there. */
  placeBefore(from: number): number {
    if (this.unchanged) return from;
    return this.#firstPiece(from, this.#limit - from)?.position ?? this.#limit;
  }

  /** The place after this line, or after the last one before it that is still there. */
  placeAfter(from: number): number {
    if (this.unchanged) return from + 1;
    const last = this.#lastPiece(0, from + 1);
    return last ? last.position + last.length : 0;
  }

  #isWhole(from: number, count: number): boolean {
    return from === 0 && count === this.#limit;
  }

  /** Looks at few lines first: mostly one of them is still there. */
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
