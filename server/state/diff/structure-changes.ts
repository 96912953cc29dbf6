import type { IdSpan } from '../ids/order.ts';
import { limitOf, orderOf, type Axis } from '../structure/structure.ts';
import { heaviestIncreasing } from './heaviest-increasing.ts';
import { lineDifferences, type LinesMoved } from './line-differences.ts';
import type { SheetPair, Sides } from './sides.ts';

/**
 * Rows or columns that were added or deleted. Positions are of the later state, for deleted ones of
 * the earlier.
 */
export interface LinesChange {
  readonly op: 'insert' | 'delete';
  readonly axis: Axis;
  readonly position: number;
  readonly count: number;
  readonly ids: readonly IdSpan[];
}

export interface LinesMove {
  readonly op: 'move';
  readonly axis: Axis;
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly ids: readonly IdSpan[];
}

/** A single entry for many moves, with the range of lines that they lie in. */
export interface LinesReordered {
  readonly op: 'reorder';
  readonly axis: Axis;
  readonly position: number;
  readonly count: number;
  /** Number of lines that moved. */
  readonly movedCount: number;
}

export type SheetChange =
  | { readonly op: 'add'; readonly index: number }
  | { readonly op: 'delete'; readonly index: number }
  | { readonly op: 'rename'; readonly from: string; readonly to: string }
  | { readonly op: 'place'; readonly from: number; readonly to: number };

export type StructureChange = SheetChange | LinesChange | LinesMove | LinesReordered;

/** More moves on one axis become a single entry. */
const movesMost = 20;

/** Changes of a sheet itself, and of its rows and columns. */
export function structureChanges(pair: SheetPair, moved: ReadonlySet<string>, sides: Sides) {
  const changes: StructureChange[] = sheetChanges(pair, moved, sides);
  const { was, is } = pair;
  if (!was || !is) return changes;
  for (const axis of ['row', 'column'] as const) {
    const limit = limitOf(axis);
    const found = lineDifferences(orderOf(was, axis), orderOf(is, axis), limit);
    for (const lines of found.deleted) changes.push({ op: 'delete', axis, ...lines });
    for (const lines of found.inserted) changes.push({ op: 'insert', axis, ...lines });
    for (const move of moves(found.moved, axis)) changes.push(move);
  }
  return changes;
}

function sheetChanges(
  { id, was, is }: SheetPair,
  moved: ReadonlySet<string>,
  { from, to }: Sides,
): SheetChange[] {
  const fromIndex = from.structure.sheets.findIndex((sheet) => sheet.id === id);
  const toIndex = to.structure.sheets.findIndex((sheet) => sheet.id === id);
  if (!was) return [{ op: 'add', index: toIndex }];
  if (!is) return [{ op: 'delete', index: fromIndex }];
  const changes: SheetChange[] = [];
  if (was.name !== is.name) changes.push({ op: 'rename', from: was.name, to: is.name });
  if (moved.has(id)) changes.push({ op: 'place', from: fromIndex, to: toIndex });
  return changes;
}

function moves(lines: readonly LinesMoved[], axis: Axis): StructureChange[] {
  if (lines.length <= movesMost) return lines.map((one) => ({ op: 'move', axis, ...one }));
  let [first, end, movedCount] = [Infinity, 0, 0];
  for (const { to, count } of lines) {
    first = Math.min(first, to);
    end = Math.max(end, to + count);
    movedCount += count;
  }
  return [{ op: 'reorder', axis, position: first, count: end - first, movedCount }];
}

/** Returns the smallest set of sheets whose moves explain the new order, by id. */
export function movedSheets({ from, to }: Sides): ReadonlySet<string> {
  const indexes = new Map(to.structure.sheets.map(({ id }, index) => [id, index]));
  const shared = from.structure.sheets.filter(({ id }) => indexes.has(id));
  const places = shared.map(({ id }) => indexes.get(id) ?? 0);
  const still = heaviestIncreasing(
    places,
    places.map(() => 1),
  );
  return new Set(shared.filter((_sheet, index) => !still.has(index)).map(({ id }) => id));
}
