import { columnLimit, rowLimit } from '../../../model/address.ts';
import { foldName } from '../../../model/names.ts';
import { fitsPattern } from '../../../model/protection.ts';
import { parseRange, type Range } from '../../../model/range.ts';
import type { BranchState } from '../../branch-state.ts';
import type { ContestPlace } from '../../merge/judge.ts';
import type { Scope, ScopedChange } from '../../merge/scope.ts';
import type { LineId } from '../../ids/order.ts';
import type { SheetOutline } from '../../structure/structure.ts';
import { dataRange, rangeOf, sameLine, type StoredTable } from '../../structure/tables.ts';
import {
  decidedUnits,
  isLeftOut,
  restId,
  type Selector,
  type UnitGroup,
  type UnitSides,
} from './unit.ts';

type Fits = (change: ScopedChange) => boolean;

interface FittingMember {
  readonly unit: string;
  /** Number of its move; 0 where it was not moved. */
  readonly moved: number;
  readonly fits: Fits;
}

/** Tells which unit a change of the source is in: the one it was moved to, or the first that has it. */
export class Membership {
  /** Members that were moved last come first, and the others in the order of their units. */
  readonly #members: readonly FittingMember[];
  readonly #restId: string;

  constructor(groups: readonly UnitGroup[], sides: UnitSides) {
    this.#restId = groups.find(({ members }) => members.includes('*'))?.id ?? restId;
    const fittingMembers = groups.flatMap(({ id: unit, members }) =>
      members.flatMap((member) => {
        if (member === '*') return [];
        return [{ unit, moved: member.moved ?? 0, fits: fitting(member, sides) }];
      }),
    );
    this.#members = fittingMembers.toSorted((a, b) => b.moved - a.moved);
  }

  unitOf(change: ScopedChange): string {
    return this.#members.find(({ fits }) => fits(change))?.unit ?? this.#restId;
  }
}

/** The changes of theirs that a merge takes; undefined for all of them. */
export function scopeOf(groups: readonly UnitGroup[], sides: UnitSides): Scope | undefined {
  const decided = decidedUnits(groups);
  if (![...decided.values()].some(isLeftOut)) return undefined;
  const membership = new Membership(groups, sides);
  return (change) => !isLeftOut(decided.get(membership.unitOf(change)));
}

function fitting(selector: Selector, sides: UnitSides): Fits {
  const { kind, place, table } = selector;
  const parts: Fits[] = [];
  if (kind !== undefined) parts.push((change) => isOfKind(change.kind, kind));
  if (place) parts.push((change) => isSamePlace(change.place, place));
  if (table !== undefined) parts.push(inTable(table, selector, sides));
  const { writer, group } = selector;
  if (writer !== undefined) parts.push((change) => sides.authors.of(change)?.writer === writer);
  if (group !== undefined) parts.push((change) => sides.authors.of(change)?.group === group);
  if (selector.sheet !== undefined) parts.push(onSheet(selector.sheet, selector.range, sides));
  return (change) => parts.length > 0 && parts.every((fits) => fits(change));
}

/** `structure` and `structure.*` are all of `structure.rows` and `structure.cols`. */
export function isOfKind(kind: string, pattern: string): boolean {
  return fitsPattern(kind, pattern) || kind.startsWith(`${pattern}.`);
}

function isSamePlace(a: ContestPlace, b: ContestPlace): boolean {
  if (a.sheetId !== b.sheetId || a.tableId !== b.tableId || a.record !== b.record) return false;
  return a.name === b.name && isSameLine(a.row, b.row) && isSameLine(a.column, b.column);
}

function isSameLine(a: LineId | undefined, b: LineId | undefined): boolean {
  return a && b ? sameLine(a, b) : a === b;
}

function onSheet(idOrName: string, rangeText: string | undefined, sides: UnitSides): Fits {
  const found = [sides.theirs, sides.base].flatMap(({ structure }) => {
    return structure.withId(idOrName) ?? structure.named(idOrName) ?? [];
  });
  const id = found[0]?.id;
  const range = rangeText === undefined ? undefined : parseRange(rangeText);
  const outlines = found.filter((sheet) => sheet.id === id);
  return ({ place }) => {
    if (id === undefined || (place.sheetId ?? place.scopeId) !== id) return false;
    return rangeText === undefined || (range !== undefined && isWithin(place, range, outlines));
  };
}

/** A line is within where it stands, or stood if it is gone. */
function isWithin(
  { row, column }: ContestPlace,
  range: Range,
  outlines: readonly SheetOutline[],
): boolean {
  if (!row && !column) return false;
  const { row0, row1, column0, column1 } = range;
  const orders = (axis: 'rows' | 'columns') => outlines.map((outline) => outline[axis]);
  const isInRows = isBetween(orders('rows'), row, { first: row0, last: row1, most: rowLimit });
  const ends = { first: column0, last: column1, most: columnLimit };
  return isInRows && isBetween(orders('columns'), column, ends);
}

interface LineRange {
  readonly first: number;
  readonly last: number;
  /** Lines that there are. */
  readonly most: number;
}

/** Without a line, whether the range has all there are. */
function isBetween(
  orders: readonly Order[],
  line: LineId | undefined,
  { first, last, most }: LineRange,
): boolean {
  if (!line) return first === 0 && last === most - 1;
  const position = positionIn(orders, line);
  return position !== undefined && position >= first && position <= last;
}

type Order = SheetOutline['rows'];

function positionIn(orders: readonly Order[], line: LineId): number | undefined {
  for (const order of orders) {
    const position = order.positionOf(line.branch, line.sequence, line.offset);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** The table itself, and its rows and cells; with keys or a column, only those. */
function inTable(idOrName: string, { keys, column }: Selector, { theirs, base }: UnitSides): Fits {
  const tables = [theirs, base].flatMap((state) => {
    const table = state.tables.withId(idOrName) ?? state.tables.named(idOrName);
    return table ? [{ state, table }] : [];
  });
  const wanted = keys && new Set(keys.map(keyName));
  const isPart = keys !== undefined || column !== undefined;
  return ({ kind, place }) => {
    if (!isPart && tables.some(({ table }) => place.tableId === table.id)) return true;
    if (kind === 'table') return false;
    return tables.some(({ state, table }) => {
      const at = placeInTable(place, table, state);
      if (!at) return false;
      const isColumn = column === undefined || foldName(at.column ?? '') === foldName(column);
      return isColumn && (wanted === undefined || wanted.has(keyName(at.key)));
    });
  };
}

function keyName(key: unknown): string {
  return foldName(String(key));
}

function placeInTable(
  { sheetId, row, column }: ContestPlace,
  table: StoredTable,
  state: BranchState,
): { readonly column: string | undefined; readonly key: unknown } | undefined {
  const sheet = sheetId === table.sheetId ? state.structure.withId(sheetId) : undefined;
  const { row0, row1 } = dataRange(table, rangeOf(table, state.structure));
  const down = sheet && row && positionIn([sheet.rows], row);
  if (!sheet || down === undefined || down < row0 || down > row1) return undefined;
  const own = column && table.columns.find(({ line }) => sameLine(line, column));
  if (column && !own) return undefined;
  return { column: own?.name, key: keyAt(table, down, { sheet, state }) };
}

function keyAt(
  { columns, key }: StoredTable,
  row: number,
  { sheet, state }: { readonly sheet: SheetOutline; readonly state: BranchState },
): unknown {
  const column = columns.find(({ id }) => id === key);
  const across = column && positionIn([sheet.columns], column.line);
  return across === undefined ? undefined : state.inputAt(sheet, row, across);
}
