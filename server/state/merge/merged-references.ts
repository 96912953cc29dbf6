import { referenceFlags, type FormulaReference } from '../../model/formula-service.ts';
import { rowLimit, columnLimit } from '../../model/address.ts';
import { plainFormula } from '../../model/input.ts';
import type { Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { isSameFormula } from '../cells/formula-identity.ts';
import type { Sides } from '../compare/merged-members.ts';
import { inputOf, type StatedCell } from '../compare/same-lanes.ts';
import { nameSameLines } from '../diff/same-references.ts';
import { moveFormula, referenceText, respelled, sheetAt } from '../formulas/formula-text.ts';
import type { IdSpan, Order, Piece } from '../ids/order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import type { Side } from './judge.ts';
import { stateOf, type Merging } from './merging.ts';
import { isSingle, spotOf } from './side-cells.ts';

const { wholeColumns, wholeRows } = referenceFlags;

/** Returns whether a cell holds the same by identity. */
export function isSameCoded(
  a: CodedCell,
  b: CodedCell,
  place: CellPlace,
  side: StatedCell,
): boolean {
  if (a.tag !== b.tag) return false;
  if (a.tag !== cellTag.formula) return a.number === b.number;
  return isSameFormula(side.state.coding.dictionary, [a.number, b.number], place);
}

/**
 * Returns whether a side did not edit a formula since the base: it names the same lines, though
 * moves may have put other lines at the ends of its ranges.
 */
export function isUnwritten(base: StatedCell, side: StatedCell, place: CellPlace): boolean {
  if (isSameCoded(base.cell, side.cell, place, side)) return true;
  const isFormula = [base, side].every(({ cell }) => cell.tag === cellTag.formula);
  return isFormula && nameSameLines(base, side, place);
}

/**
 * Returns the side that wrote a cell whose formula the other one only sorted: there it reads from
 * its place as in the base, and so names what stands there by now. Undefined for all other cells.
 */
export function soleWriter(
  merging: Merging,
  place: CellPlace,
  { base, ...sides }: Sides<StatedCell>,
): Side | undefined {
  const isSorted = (side: Side) =>
    hasSorted(merging, side) && relativeText(base, place) === relativeText(sides[side], place);
  const [mine, yours] = [isSorted('ours'), isSorted('theirs')];
  if (relativeText(base, place) === undefined || mine === yours) return undefined;
  return mine ? 'theirs' : 'ours';
}

function hasSorted({ moves }: Merging, side: Side): boolean {
  return moves?.lines?.[side].some(({ isSort }) => isSort) === true;
}

/** A formula with its references as they read from its cell; undefined where there is none. */
function relativeText(side: StatedCell, place: CellPlace): string | undefined {
  const sheet = side.state.structure.withId(place.sheetId);
  const at = sheet && spotOf(sheet, place);
  const text = at && plainFormula(inputOf(side, place));
  return at && text && side.state.coding.formulas.toR1C1(text, at.row, at.column);
}

/**
 * Merges a formula that neither side edited while both moved lines. Its ranges cover the lines that
 * both sides leave in them, and new lines in between. Undefined when it has no ranges.
 */
export function mergedFormula(
  merging: Merging,
  place: CellPlace,
  { ours, theirs }: Pick<Sides<StatedCell>, 'ours' | 'theirs'>,
): string | undefined {
  const [mine, their] = [ours, theirs].map((side) => plainFormula(inputOf(side, place)));
  return mine && their ? mergedText(merging, [mine, their], place.sheetId) : undefined;
}

/** As `mergedFormula`, for the text that each side has of a formula. */
export function mergedText(
  merging: Merging,
  [mine, their]: readonly [ours: string, theirs: string],
  sheetId: string | undefined,
): string | undefined {
  const { coding, structure } = stateOf(merging);
  const { formulas } = coding;
  const [own, others] = [formulas.references(mine), formulas.references(their)];
  const isCell = (reference: FormulaReference, at: number) =>
    isSingle(reference) && isSingle(others[at] ?? reference);
  if (own.length !== others.length || own.every(isCell)) return undefined;
  const move = { from: merging.ours.structure, to: structure, sheetId };
  return respelled(mine, own, (reference, index) => {
    const other = others[index];
    const written = mine.slice(reference.start, reference.end);
    const sheet = sheetAt(reference, move);
    if (isCell(reference, index) || !sheet || !other || !structure.withId(sheet.id)) {
      return moveFormula(`=${written}`, move, formulas).slice(1);
    }
    const prefix = written.slice(0, written.lastIndexOf('!') + 1);
    return prefix + mergedRange(merging, sheet.id, [reference, other]);
  });
}

function mergedRange(
  merging: Merging,
  sheetId: string,
  ranges: readonly [FormulaReference, FormulaReference],
): string {
  const { flags } = ranges[0];
  const rows =
    (flags & wholeColumns) === 0 ? mergedEnds(merging, { sheetId, axis: 'row' }, ranges) : all.row;
  const columns =
    (flags & wholeRows) === 0
      ? mergedEnds(merging, { sheetId, axis: 'column' }, ranges)
      : all.column;
  if (!rows || !columns) return '#REF!';
  const [row0, row1] = rows;
  const [column0, column1] = columns;
  return referenceText({ row0, row1, column0, column1, flags });
}

/** Returns a range of cells that neither side moved by itself; undefined when no cell is left. */
export function mergedArea(
  merging: Merging,
  sheetId: string,
  ranges: readonly [ours: Range, theirs: Range],
): Range | undefined {
  const rows = mergedEnds(merging, { sheetId, axis: 'row' }, ranges);
  const columns = mergedEnds(merging, { sheetId, axis: 'column' }, ranges);
  if (!rows || !columns) return undefined;
  return { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
}

type Ends = readonly [first: number, last: number];

const all: Readonly<Record<Axis, Ends>> = {
  row: [0, rowLimit - 1],
  column: [0, columnLimit - 1],
};

/** Returns the first and last line of a merged range; undefined when no line is left. */
function mergedEnds(
  merging: Merging,
  { sheetId, axis }: { readonly sheetId: string; readonly axis: Axis },
  [mine, their]: readonly [Range, Range],
): Ends | undefined {
  const orderIn = (state: BranchState): Order | undefined => {
    const sheet: SheetOutline | undefined = state.structure.withId(sheetId);
    return sheet && orderOf(sheet, axis);
  };
  const [base, merged] = [orderIn(merging.base), orderIn(stateOf(merging))];
  const sides = [
    { order: orderIn(merging.ours), ends: endsOf(mine, axis) },
    { order: orderIn(merging.theirs), ends: endsOf(their, axis) },
  ] as const;
  const pairs = [sides, [sides[1], sides[0]]] as const;
  const pieces: Piece[] = [];
  for (const [{ order, ends }, other] of pairs) {
    if (!order || !other.order || !merged) return undefined;
    const seen = { base, other: other.order, ends: other.ends };
    for (const span of order.spansAt(ends[0], ends[1] - ends[0] + 1)) {
      for (const kept of keptOf(span, seen)) pieces.push(...merged.piecesOf(kept));
    }
  }
  if (pieces.length === 0) return undefined;
  const first = pieces.reduce((least, { position }) => Math.min(least, position), Infinity);
  const last = pieces.reduce((most, { position, length }) => Math.max(most, position + length), 0);
  return [first, last - 1];
}

function endsOf({ row0, row1, column0, column1 }: Range, axis: Axis): Ends {
  return axis === 'row' ? [row0, row1] : [column0, column1];
}

/** The lines of a span that are in the range of the other side too, or new. */
function* keptOf(
  span: IdSpan,
  { base, other, ends }: { base: Order | undefined; other: Order; ends: Ends },
): Generator<IdSpan> {
  let next = 0;
  const pieces = other.piecesOf(span).toSorted((a, b) => a.skipped - b.skipped);
  for (const { position, length, skipped } of [...pieces, { ...atEnd, skipped: span.length }]) {
    const rest = { ...span, offset: span.offset + next, length: skipped - next };
    const isNew = rest.length > 0 && (base?.piecesOf(rest).length ?? 0) === 0;
    if (isNew) yield rest;
    const from = Math.max(position, ends[0]);
    const to = Math.min(position + length, ends[1] + 1);
    if (from < to)
      yield { ...span, offset: span.offset + skipped + from - position, length: to - from };
    next = skipped + length;
  }
}

const atEnd = { position: 0, length: 0 };
