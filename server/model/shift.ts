import { parseColumn, type Address } from './address.ts';
import type { Range } from './range.ts';

/** Lines that were inserted, deleted or moved; all numbers count from 0, before the operation. */
export interface Shift {
  readonly kind: 'insert' | 'delete' | 'move';
  readonly axis: 'row' | 'column';
  readonly at: number;
  readonly count: number;
  /** The line before which moved lines stand. */
  readonly to?: number;
}

interface LinePayload {
  readonly before?: number | string;
  readonly after?: number | string;
  readonly from?: number | string;
  readonly count?: number;
  readonly spans?: readonly { readonly from: number | string; readonly count?: number }[];
}

/**
 * Returns how an operation on whole lines shifts addresses, each step after the one before it;
 * undefined for an operation that shifts none, or moves several pieces at once.
 */
export function shiftsOf(kind: string, payload: unknown): readonly Shift[] | undefined {
  const [lines, verb] = kind.split('.');
  if (lines !== 'rows' && lines !== 'cols') return undefined;
  const axis = lines === 'rows' ? 'row' : 'column';
  const given = payload as LinePayload;
  if (verb === 'insert') return [insertion(axis, given)];
  const pieces = piecesOf(given);
  if (verb === 'delete') return pieces.map((piece) => ({ kind: 'delete', axis, ...piece }));
  const [piece, ...others] = pieces;
  if (verb !== 'move' || !piece || others.length > 0) return undefined;
  return [{ kind: 'move', axis, ...piece, to: lineOf(given.before) }];
}

function insertion(axis: Shift['axis'], { before, after, count = 1 }: LinePayload): Shift {
  const at = before === undefined ? lineOf(after) + 1 : lineOf(before);
  return { kind: 'insert', axis, at, count };
}

/** The last piece comes first, so that those before it keep their numbers. */
function piecesOf({ from = 1, count, spans }: LinePayload): Pick<Shift, 'at' | 'count'>[] {
  const given = spans ?? [{ from, ...(count !== undefined && { count }) }];
  const pieces = given.map((one) => ({ at: lineOf(one.from), count: one.count ?? 1 }));
  return pieces.toSorted((a, b) => b.at - a.at);
}

/** Returns where a cell is after a shift; undefined where its line is gone. */
export function shiftedCell(cell: Address, shift: Shift): Address | undefined {
  const line = shiftedLine(cell[shift.axis], shift);
  return line === undefined ? undefined : { ...cell, [shift.axis]: line };
}

/** Returns a range after a shift, clipped to its remaining lines; undefined if none remain. */
export function shiftedRange(range: Range, shift: Shift): Range | undefined {
  const [first, last] =
    shift.axis === 'row' ? [range.row0, range.row1] : [range.column0, range.column1];
  const ends = shiftedEnds(first, last, shift);
  if (!ends) return undefined;
  const [from, to] = ends;
  return shift.axis === 'row'
    ? { ...range, row0: from, row1: to }
    : { ...range, column0: from, column1: to };
}

/** Returns where a line is after a shift; undefined where it is gone. */
export function shiftedLine(line: number, shift: Shift): number | undefined {
  const { kind, at, count } = shift;
  if (kind === 'move') return movedLine(line, shift);
  if (line < at) return line;
  if (kind === 'insert') return line + count;
  return line < at + count ? undefined : line - count;
}

/** Lines between the old and the new place close up behind those that go. */
function movedLine(line: number, { at, count, to = at }: Shift): number {
  const end = at + count;
  if (line >= at && line < end) return line - at + (to > at ? to - count : to);
  if (line >= end && line < to) return line - count;
  return line >= to && line < at ? line + count : line;
}

/** A range of lines ends where those that are left of it end. */
function shiftedEnds(first: number, last: number, shift: Shift): [number, number] | undefined {
  const { kind, at, count } = shift;
  if (kind === 'delete') {
    const end = at + count;
    const from = first < at ? first : Math.max(first, end) - count;
    const to = last < at ? last : Math.max(last, end - 1) - count;
    return from <= to ? [from, to] : undefined;
  }
  const from = shiftedLine(first, shift) ?? first;
  const to = shiftedLine(last, shift) ?? last;
  return from <= to ? [from, to] : [to, from];
}

function lineOf(line: number | string | undefined): number {
  if (typeof line === 'number') return line - 1;
  return parseColumn(line ?? '') ?? 0;
}
