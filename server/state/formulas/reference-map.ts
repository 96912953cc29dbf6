import { rowLimit } from '../../model/address.ts';
import { holdsRange, overlaps, type Range } from '../../model/range.ts';
import { limitOf, type Axis } from '../structure/structure.ts';

/** A rectangle of one sheet, in the addresses of the head. */
export interface SheetArea {
  readonly sheetId: string;
  readonly range: Range;
}

/**
 * Maps ranges when cells move without their rows or columns. The result depends on the corners of a
 * range only, and between two breaks of an axis all corners move alike.
 */
export interface ReferenceMap {
  /** Areas of interest: only references with a corner in one of them can change. */
  readonly interest: readonly SheetArea[];
  /** Rows at which the movement of corners changes. */
  readonly rowBreaks: readonly number[];
  /** Maps an area; undefined when it does not change. */
  map(area: SheetArea): SheetArea | 'gone' | undefined;
}

export function shifted(range: Range, rows: number, columns: number): Range {
  return {
    row0: range.row0 + rows,
    row1: range.row1 + rows,
    column0: range.column0 + columns,
    column1: range.column1 + columns,
  };
}

type Span = readonly [from: number, to: number];

export function spanOf(range: Range, axis: Axis): Span {
  return axis === 'row' ? [range.row0, range.row1] : [range.column0, range.column1];
}

export function withSpan(range: Range, axis: Axis, [from, to]: Span): Range {
  return axis === 'row'
    ? { ...range, row0: from, row1: to }
    : { ...range, column0: from, column1: to };
}

function across(axis: Axis): Axis {
  return axis === 'row' ? 'column' : 'row';
}

function isInside([from, to]: Span, line: number): boolean {
  return line >= from && line <= to;
}

function isWithin(outer: Span, [from, to]: Span): boolean {
  return isInside(outer, from) && isInside(outer, to);
}

function isWhole(span: Span, axis: Axis): boolean {
  return span[0] === 0 && span[1] === limitOf(axis) - 1;
}

/** Names cells of `target` in the place of those of `source`, all of which stay where they are. */
export class NamingMap implements ReferenceMap {
  readonly interest: readonly SheetArea[];
  readonly rowBreaks: readonly number[];
  readonly #source: SheetArea;
  readonly #target: SheetArea;

  constructor(source: SheetArea, target: SheetArea) {
    this.interest = [source];
    this.rowBreaks = [1, rowLimit - 1, source.range.row0, source.range.row1 + 1];
    this.#source = source;
    this.#target = target;
  }

  map({ sheetId, range }: SheetArea): SheetArea | undefined {
    const [from, to] = [this.#source.range, this.#target.range];
    if (sheetId !== this.#source.sheetId || !holdsRange(from, range)) return undefined;
    const moved = shifted(range, to.row0 - from.row0, to.column0 - from.column0);
    return { sheetId: this.#target.sheetId, range: moved };
  }
}

/** Cut and paste: `source` moves to `target` of the same size, and replaces what is there. */
export class MoveMap implements ReferenceMap {
  readonly interest: readonly SheetArea[];
  readonly rowBreaks: readonly number[];
  readonly #source: SheetArea;
  readonly #target: SheetArea;
  readonly #rows: number;
  readonly #columns: number;

  constructor(source: SheetArea, target: SheetArea) {
    this.interest = [source, target];
    const [from, to] = [source.range, target.range];
    this.rowBreaks = [1, rowLimit - 1, from.row0, from.row1 + 1, to.row0, to.row1 + 1];
    this.#source = source;
    this.#target = target;
    this.#rows = to.row0 - from.row0;
    this.#columns = to.column0 - from.column0;
  }

  map({ sheetId, range }: SheetArea): SheetArea | 'gone' | undefined {
    const [source, target] = [this.#source, this.#target];
    const isAtSource = sheetId === source.sheetId;
    if (isAtSource && holdsRange(source.range, range)) {
      return { sheetId: target.sheetId, range: shifted(range, this.#rows, this.#columns) };
    }
    const isTouched = isAtSource && overlaps(source.range, range);
    if (sheetId === target.sheetId && holdsRange(target.range, range) && !isTouched) return 'gone';
    if (!isTouched || sheetId !== target.sheetId) return undefined;
    const stretched = this.#stretched(range);
    return stretched && { sheetId, range: stretched };
  }

  /**
   * Returns a range after one of its whole edges was moved along its axis, which extends or shrinks
   * the range, as in Excel; undefined when that is not the case.
   */
  #stretched(range: Range): Range | undefined {
    if (this.#columns !== 0 && this.#rows !== 0) return undefined;
    const axis = this.#columns === 0 ? 'row' : 'column';
    const source = this.#source.range;
    const span = spanOf(range, axis);
    if (!isWithin(spanOf(source, across(axis)), spanOf(range, across(axis)))) return undefined;
    if (isWhole(span, axis)) return undefined;
    const [from, to] = this.#movedEnds(span, axis);
    const isSame = from === span[0] && to === span[1];
    return from > to || isSame ? undefined : withSpan(range, axis, [from, to]);
  }

  #movedEnds([from, to]: Span, axis: Axis): Span {
    const by = axis === 'row' ? this.#rows : this.#columns;
    const moved = spanOf(this.#source.range, axis);
    return [isInside(moved, from) ? from + by : from, isInside(moved, to) ? to + by : to];
  }
}

export interface Shift {
  readonly area: SheetArea;
  /** The axis along which cells beyond the area move. */
  readonly axis: Axis;
  readonly type: 'insert' | 'delete';
}

/**
 * Inserted or deleted cells, with those beyond shifted. Ranges completely within the shifted band
 * change as if whole lines were inserted or deleted; others stay.
 */
export class ShiftMap implements ReferenceMap {
  readonly interest: readonly SheetArea[];
  readonly rowBreaks: readonly number[];
  readonly #shift: Shift;
  readonly #limit: number;

  constructor(shift: Shift) {
    const { area, axis } = shift;
    this.#shift = shift;
    this.#limit = limitOf(axis);
    const [at, last] = spanOf(area.range, axis);
    const band = withSpan(area.range, axis, [at, this.#limit - 1]);
    this.interest = [{ sheetId: area.sheetId, range: band }];
    const [low, high] = [area.range.row0, area.range.row1 + 1];
    const pushed = rowLimit - (last - at + 1);
    this.rowBreaks = [1, rowLimit - 1, low, high, ...(axis === 'row' ? [pushed] : [])];
  }

  map({ sheetId, range }: SheetArea): SheetArea | 'gone' | undefined {
    const { area, axis, type } = this.#shift;
    if (sheetId !== area.sheetId) return undefined;
    if (!isWithin(spanOf(area.range, across(axis)), spanOf(range, across(axis)))) return undefined;
    const span = spanOf(range, axis);
    if (isWhole(span, axis)) return undefined;
    const moved = type === 'insert' ? this.#inserted(span) : this.#deleted(span);
    if (moved === undefined) return 'gone';
    if (moved[0] === span[0] && moved[1] === span[1]) return undefined;
    return { sheetId, range: withSpan(range, axis, moved) };
  }

  #inserted([from, to]: Span): Span | undefined {
    const [at, last] = spanOf(this.#shift.area.range, this.#shift.axis);
    const count = last - at + 1;
    const start = from >= at ? from + count : from;
    if (start >= this.#limit) return undefined;
    return [start, Math.min(this.#limit - 1, to >= at ? to + count : to)];
  }

  #deleted([from, to]: Span): Span | undefined {
    const [at, last] = spanOf(this.#shift.area.range, this.#shift.axis);
    const count = last - at + 1;
    const start = from > last ? from - count : Math.min(from, at);
    const end = to > last ? to - count : Math.min(to, at - 1);
    return start > end ? undefined : [start, end];
  }
}
