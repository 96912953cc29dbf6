import { referenceFlags, type FormulaReference } from '../../model/formula-service.ts';
import type { Range } from '../../model/range.ts';
import { moveFormula, referenceText, respelled, sheetAt } from '../formulas/formula-text.ts';
import type { IdSpan, Order } from '../ids/order.ts';
import { LineMap } from '../structure/line-map.ts';
import { orderOf, type Axis, type Structure } from '../structure/structure.ts';
import type { Side } from './judge.ts';
import { movesOn, type LastMoves, type LineMove } from './line-moves.ts';
import { stateOf, type Merging } from './merging.ts';
import { isSingle } from './side-cells.ts';

const { wholeColumns, wholeRows } = referenceFlags;

type Stretch = readonly [from: number, to: number];

/**
 * One axis of a sheet: in the base, on the side whose ranges are carried (`was`) and in the merged
 * state (`is`), with the moves of the other side.
 */
interface Lines {
  readonly base: Order | undefined;
  readonly was: Order;
  readonly is: Order;
  readonly map: LineMap;
  readonly moves: LastMoves | undefined;
}

/** Lines of an axis of a sheet that one side moved. */
export interface MovedLines {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly moves: LastMoves;
}

/**
 * Carries ranges of one side into the merged state, where the other side moved lines: one rule for
 * formulas, names, tables and records. When an end of a range was moved away from the rest, the
 * range ends at the next line inwards, as if that line had been deleted. Valid while the lines of
 * the merged state do not change.
 */
export class MergedEnds {
  readonly #merging: Merging;
  readonly #side: Side;
  /** True to follow sorts too: records and tables do, while formulas keep their ends. */
  readonly #sorts: boolean;
  readonly #lines = new Map<string, Lines | undefined>();
  #moved: readonly MovedLines[] | undefined;

  constructor(merging: Merging, side: Side, { sorts }: { readonly sorts: boolean }) {
    this.#merging = merging;
    this.#side = side;
    this.#sorts = sorts;
  }

  /** The structure of the side whose ranges are carried. */
  get from(): Structure {
    return this.#merging[this.#side].structure;
  }

  /** Moves of the other side, by sheets that are still there and by axes. */
  get moved(): readonly MovedLines[] {
    this.#moved ??= this.#readMoved();
    return this.#moved;
  }

  #readMoved(): readonly MovedLines[] {
    const places = new Map(
      (this.#counted ?? []).map((move) => [`${move.sheetId} ${move.axis}`, move]),
    );
    return [...places.values()].flatMap(({ sheetId, axis }) => {
      const moves = this.#linesOf(sheetId, axis)?.moves;
      return moves ? [{ sheetId, axis, moves }] : [];
    });
  }

  /** Moves of the other side that count. */
  get #counted(): readonly LineMove[] | undefined {
    const others = this.#merging.moves?.lines?.[this.#side === 'ours' ? 'theirs' : 'ours'];
    return this.#sorts ? others : others?.filter(({ isSort }) => !isSort);
  }

  /** Returns whether the other side moved a line at which a range begins or ends. */
  areMoved(sheetId: string, range: Range, axes: readonly Axis[] = ['row', 'column']): boolean {
    return axes.some((axis) => {
      const lines = this.#linesOf(sheetId, axis);
      return lines?.moves !== undefined && hasMoved(stretchOf(range, axis), lines);
    });
  }

  /** Returns a range in the merged state; undefined when nothing of it is left. */
  range(sheetId: string, range: Range): Range | undefined {
    const [rows, columns] = (['row', 'column'] as const).map((axis) => {
      const lines = this.#linesOf(sheetId, axis);
      return lines && carried(stretchOf(range, axis), lines);
    });
    if (!rows || !columns) return undefined;
    return { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
  }

  /**
   * Returns a formula in the addresses of the merged state; undefined when none of its ends was
   * moved.
   */
  text(text: string, sheetId: string | undefined): string | undefined {
    if (this.moved.length === 0) return undefined;
    const to = stateOf(this.#merging);
    const { formulas } = to.coding;
    const move = { from: this.from, to: to.structure, sheetId };
    const meant = (reference: FormulaReference) => {
      const sheet = !isSingle(reference) ? sheetAt(reference, move) : undefined;
      return sheet &&
        to.structure.withId(sheet.id) &&
        this.areMoved(sheet.id, reference, axesOf(reference.flags))
        ? sheet.id
        : undefined;
    };
    const references = formulas.references(text);
    if (references.every((reference) => meant(reference) === undefined)) return undefined;
    return respelled(text, references, (reference) => {
      const on = meant(reference);
      const written = text.slice(reference.start, reference.end);
      const plain = moveFormula(`=${written}`, move, formulas).slice(1);
      return on === undefined ? plain : this.#spelled(on, reference, plain);
    });
  }

  #spelled(sheetId: string, reference: FormulaReference, plain: string): string {
    const { flags } = reference;
    const ends = { ...reference };
    for (const axis of axesOf(flags)) {
      const lines = this.#linesOf(sheetId, axis);
      const place = lines && carried(stretchOf(reference, axis), lines);
      if (!place) return '#REF!';
      if (axis === 'row') [ends.row0, ends.row1] = place;
      else [ends.column0, ends.column1] = place;
    }
    return plain.slice(0, plain.lastIndexOf('!') + 1) + referenceText(ends);
  }

  #linesOf(sheetId: string, axis: Axis): Lines | undefined {
    const key = `${axis} ${sheetId}`;
    if (!this.#lines.has(key)) this.#lines.set(key, this.#read(sheetId, axis));
    return this.#lines.get(key);
  }

  #read(sheetId: string, axis: Axis): Lines | undefined {
    const { base } = this.#merging;
    const was = this.from.withId(sheetId);
    const is = stateOf(this.#merging).structure.withId(sheetId);
    if (!was || !is) return undefined;
    const then = base.structure.withId(sheetId);
    return {
      base: then && orderOf(then, axis),
      was: orderOf(was, axis),
      is: orderOf(is, axis),
      map: new LineMap(was, is, axis),
      moves: movesOn(this.#counted, sheetId, axis),
    };
  }
}

function axesOf(flags: number): readonly Axis[] {
  if ((flags & wholeColumns) !== 0) return ['column'];
  return (flags & wholeRows) === 0 ? ['row', 'column'] : ['row'];
}

function stretchOf({ row0, row1, column0, column1 }: Range, axis: Axis): Stretch {
  const [one, other] = axis === 'row' ? [row0, row1] : [column0, column1];
  return [Math.min(one, other), Math.max(one, other)];
}

function hasMoved([from, to]: Stretch, { was, moves }: Lines): boolean {
  return [from, to].some((position) => moves?.of(was.idAt(position)) !== undefined);
}

/** Positions in the merged state of lines of a range that the same operation moved last. */
interface CarriedPart {
  readonly from: number;
  readonly to: number;
  /** Index of that operation among the moves of the other side; -1 for lines that stayed. */
  readonly rank: number;
}

/**
 * Carries a stretch of lines. Lines moved earliest, or never, define where the range is; the others
 * count as moved away, unless they adjoin it in the merged state.
 */
function carried([from, to]: Stretch, lines: Lines): Stretch | undefined {
  const { map, moves, was, is } = lines;
  const isThere = [from, to].every((position) => {
    const { branch, sequence, offset } = was.idAt(position);
    return is.positionOf(branch, sequence, offset) !== undefined;
  });
  const isPlain = !moves || map.unchanged || (isThere && !hasMoved([from, to], lines));
  if (isPlain) return map.range(from, to);
  const parts = partsOf([from, to], { ...lines, moves });
  const least = Math.min(...parts.map(({ rank }) => rank));
  const stayed = parts.filter(({ rank }) => rank === least);
  return stayed.length === 0 ? undefined : joined(hullOf(stayed), parts);
}

function hullOf(parts: readonly CarriedPart[]): Stretch {
  let [first, last] = [Infinity, -Infinity];
  for (const { from, to } of parts) {
    first = Math.min(first, from);
    last = Math.max(last, to);
  }
  return [first, last];
}

/** Extends a stretch by all parts that adjoin it, directly or through others. */
function joined([first, last]: Stretch, parts: readonly CarriedPart[]): Stretch {
  let [start, end] = [first, last];
  const sorted = parts.toSorted((a, b) => a.from - b.from);
  for (const { from, to } of sorted) if (from <= end + 1 && to > end) end = to;
  for (const { from, to } of sorted.toReversed()) {
    if (to + 1 >= start && from < start) start = from;
  }
  return [start, end];
}

function partsOf(
  [from, to]: Stretch,
  { base, was, map, moves }: Lines & { readonly moves: LastMoves },
): CarriedPart[] {
  const parts: CarriedPart[] = [];
  let position = from;
  let rank = -1;
  for (const span of was.spansAt(from, to - from + 1)) {
    for (const cut of cutsOf(span, moves)) {
      // A new line counts as moved with the line in front of it.
      const isNew = base?.piecesOf(cut).length === 0;
      rank = isNew ? rank : moves.rankOf(cut);
      for (const piece of map.pieces(position, cut.length)) {
        parts.push({ from: piece.position, to: piece.position + piece.length - 1, rank });
      }
      position += cut.length;
    }
  }
  return parts;
}

/** Cuts a span so that each part was moved last by one operation, or by none. */
function cutsOf(span: IdSpan, moves: LastMoves): IdSpan[] {
  const end = span.offset + span.length;
  let { offset } = span;
  const cuts = [...new Set([...moves.cutsOf(span), end])].toSorted((a, b) => a - b);
  return cuts.map((cut) => {
    const part = { ...span, offset, length: cut - offset };
    offset = cut;
    return part;
  });
}
