import type { BranchState } from '../branch-state.ts';
import { sameCell, sameCells, sideAt } from '../compare/same-lanes.ts';
import type { LineId } from '../ids/order.ts';
import { lineText } from '../structure/area.ts';
import {
  columnWithId,
  dataRange,
  keyColumnOf,
  rangeOf,
  sameLine,
  sheetOfTable,
  type StoredTable,
} from '../structure/tables.ts';
import { writeInput } from '../../model/input.ts';
import { isFreeArea } from '../tables/table-cells.ts';
import { entryOf } from './carried-table.ts';
import type { Judge, Side } from './judge.ts';
import { deleteOwn } from './left-lines.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { columnRanges, relocate, tableIn, positionIn } from './relocation.ts';
import { keyChanges } from './keyed-rows.ts';
import { unknownLines } from './row-lines.ts';
import {
  isTaken,
  keyedRows,
  leaderOf,
  rowsBetweenPauses,
  totalsKey,
  type Keyed,
  type Leader,
  type RowsByKey,
} from './rows-by-key.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { joinTwins, type Twin } from './twin-rows.ts';
import { flatten } from '../plan/resolved.ts';
import { rangeName, type Range } from '../../model/range.ts';

// When other cells stand beside a keyed table, inserting or deleting table rows shifts its cells
// while the lines of the sheet stay, so the key identifies a row, not the line. Here, the rows of
// all three states are put on the lines that they have in the merged table.

/**
 * Aligns the rows of a table by key; returns false, and changes nothing, when that is not needed or
 * not possible.
 */
export function* settleRows(
  sides: AlignedSides,
  tableId: string,
  judge: Judge,
): Generator<void, boolean> {
  if (!mayBeTaken(sides, tableId) || areColumnsMoved(sides, tableId)) return false;
  if (isUntouched(sides, tableId)) return false;
  const keyed = yield* keyedRows(sides, tableId);
  const leader = keyed && isTaken(keyed) ? leaderOf(keyed) : undefined;
  if (!keyed || leader === undefined) return false;
  const rows = yield* joined(sides, { tableId, rows: keyed }, judge);
  const kept = keptKeys(sides, { tableId, rows }, judge);
  const merged = mergedKeys(sides, { tableId, rows, leader }, kept);
  const lines = yield* linesOf(sides, tableId, merged.length);
  const was = sides.base.state;
  const isShared = (key: string) => rows.ours.has(key) && rows.theirs.has(key);
  for (const side of ['base', 'ours', 'theirs'] as const) {
    const held = linesIn(sides[side], tableId);
    // A row that is kept although one side deleted it is left out of the base, so it counts as new.
    const own = side === 'base' ? new Set([...kept].filter(isShared)) : undefined;
    yield* place(sides[side], {
      tableId,
      rows: rows[side],
      own,
      merged,
      lines,
      known: sides[side === 'theirs' ? 'ours' : 'theirs'].state,
    });
    const staying = new Set(lines.map(lineText));
    const left = held.filter((line) => !staying.has(lineText(line)));
    yield* deleteOwn(sides[side], { tableId, axis: 'row', base: was }, left);
  }
  return true;
}

/** Joins rows that both sides added under one key; returns the rows after that. */
function* joined(
  sides: AlignedSides,
  { tableId, rows }: Rows,
  judge: Judge,
): Generator<void, Keyed> {
  const twins = [...rows.ours].flatMap(([key, ours]): Twin[] => {
    const theirs = rows.base.has(key) ? undefined : rows.theirs.get(key);
    return theirs ? [{ ours: { id: ours, key }, theirs: { id: theirs, key } }] : [];
  });
  const apart = yield* joinTwins(sides, { tableId, twins }, judge);
  return apart.size === 0 ? rows : ((yield* keyedRows(sides, tableId)) ?? rows);
}

/**
 * Returns whether a line may hold different rows in two states; a cheap test that most tables fail,
 * because their rows came and went with lines of the sheet.
 */
function mayBeTaken({ base, ours, theirs }: AlignedSides, tableId: string): boolean {
  const was = sheetOf(base, tableId);
  const [mine, yours] = [ours, theirs].map((side) => {
    const { added, moved, gone } = keyChanges(side.state, base.state, tableId);
    const is = sheetOf(side, tableId);
    const lines = [...added.map(({ id }) => id), ...gone];
    const isThere = (line: LineId) =>
      [was, is].every((sheet) => positionIn(sheet, 'row', line) !== undefined);
    return { added, isTaken: moved.length > 0 || lines.some(isThere) };
  });
  if (!mine || !yours) return false;
  const taken = new Set(mine.added.map(({ id }) => lineText(id)));
  return mine.isTaken || yours.isTaken || yours.added.some(({ id }) => taken.has(lineText(id)));
}

/** Returns whether a side moved a column of the table, or took one out of it and left its cells. */
function areColumnsMoved({ base, ours, theirs }: AlignedSides, tableId: string): boolean {
  return [ours, theirs].some((side) => {
    const sheet = sheetOf(side, tableId);
    const { columns } = tableIn(side.state, tableId);
    return tableIn(base.state, tableId).columns.some(({ id, line }) => {
      const isThere = columns.some((column) => column.id === id && sameLine(column.line, line));
      return !isThere && positionIn(sheet, 'column', line) !== undefined;
    });
  });
}

/** Returns whether one side did not change cells of the table's sheet. */
function isUntouched({ base, ours, theirs }: AlignedSides, tableId: string): boolean {
  const [was, mine, yours] = [base, ours, theirs].map((parts) => ({
    state: parts.state,
    sheet: sheetOf(parts, tableId),
  }));
  return !was || !mine || !yours || sameCells(was, mine) || sameCells(was, yours);
}

/**
 * Returns lines for the merged rows: those that all states have, one after the other, and free,
 * without the lines that a side deleted; from the first line of one side alone on new ones.
 */
function* linesOf(
  sides: AlignedSides,
  tableId: string,
  count: number,
): Generator<void, readonly LineId[]> {
  const base = placesIn(sides.base.state, tableId);
  const others = [sides.ours, sides.theirs].map(({ state }) => placesIn(state, tableId));
  const places = [base, ...others];
  const found: LineId[] = [];
  while (found.length < count) {
    const line = base.sheet.rows.idAt(base.next);
    const having = places.filter(({ sheet }) => positionIn(sheet, 'row', line) !== undefined);
    const isNext = (one: TablePlaces) => positionIn(one.sheet, 'row', line) === one.next;
    if (!having.every((one) => isNext(one) && isRoom(one))) break;
    for (const one of having) one.next++;
    if (having.length === places.length) found.push(line);
    if (base.next % rowsBetweenPauses === 0) yield;
  }
  return [...found, ...unknownLines(sides, tableId, count - found.length)];
}

/** The rows of a table in one state, and the next one to look at. */
interface TablePlaces {
  readonly state: BranchState;
  readonly sheet: SheetOutline;
  readonly last: number;
  /** The columns of the table. */
  readonly ranges: readonly Range[];
  next: number;
}

function placesIn(state: BranchState, tableId: string): TablePlaces {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const ranges = columnRanges(state, { tableId });
  return { state, sheet, last: range.row1, ranges, next: dataRange(table, range).row0 };
}

/** Returns whether the next row is in the table, or free below it. */
function isRoom({ state, sheet, last, ranges, next: row }: TablePlaces): boolean {
  if (row <= last) return true;
  const context = state.contextAt(state.structure);
  return ranges.every((own) => isFreeArea(sheet, { ...own, row0: row, row1: row }, context));
}

interface Rows {
  readonly tableId: string;
  readonly rows: Keyed;
}

/**
 * Returns the keys of the merged table: first in the order of the leader, then new ones sorted by
 * text.
 */
function mergedKeys(
  sides: AlignedSides,
  { tableId, rows, leader }: Rows & { readonly leader: Leader },
  kept: ReadonlySet<string>,
): string[] {
  const { base } = rows;
  const added = (['ours', 'theirs'] as const).flatMap((side) => {
    const keys = [...rows[side]].filter(([key]) => !base.has(key));
    return keys.map(([key, line]) => ({ key, said: saidOf(sides[side].state, tableId, line) }));
  });
  added.sort((a, b) => (a.said === b.said ? 0 : a.said < b.said ? -1 : 1));
  const all = new Set([...rows[leader].keys(), ...base.keys(), ...added.map(({ key }) => key)]);
  const keys = [...all].filter((key) => (kept.has(key) || !base.has(key)) && key !== totalsKey);
  // A table that has no row left has a blank one.
  return [...(keys.length > 0 ? keys : ['']), ...(base.has(totalsKey) ? [totalsKey] : [])];
}

/** Returns a text of a key that is the same in every process. */
function saidOf(state: BranchState, tableId: string, line: LineId): string {
  return JSON.stringify(shownKey(state, tableIn(state, tableId), line));
}

/** Returns the keys of the base that the merged table keeps. */
function keptKeys(sides: AlignedSides, rows: Rows, judge: Judge): Set<string> {
  return new Set([...rows.rows.base.keys()].filter((key) => isKept(sides, rows, key, judge)));
}

function isKept(sides: AlignedSides, { tableId, rows }: Rows, key: string, judge: Judge): boolean {
  const [was, mine, yours] = [rows.base.get(key), rows.ours.get(key), rows.theirs.get(key)];
  if (mine && yours) return true;
  const editor = mine ? 'ours' : 'theirs';
  const line = mine ?? yours;
  if (!line || !was) return false;
  if (isSameRow(sides, { tableId, editor }, { was, line })) return false;
  const { state } = sides[editor];
  const table = tableIn(state, tableId);
  const shown = shownKey(state, table, line);
  const change = (side: Side) => (side === editor ? 'modified' : 'removed');
  const choice = judge.decide({
    kind: 'tablerow.edit_delete',
    register: `table row edit_delete ${tableId} ${saidOf(state, tableId, line)}`,
    text: `${table.name}[${JSON.stringify(shown)}]`,
    place: { tableId, sheetId: table.sheetId, row: line, key: shown },
    sides: () => ({ base: 'there', ours: change('ours'), theirs: change('theirs') }),
  });
  return choice === editor;
}

function shownKey(state: BranchState, table: StoredTable, line: LineId) {
  const sheet = sheetOfTable(table, state.structure);
  const column = keyColumnOf(table)?.line;
  const down = positionIn(sheet, 'row', line);
  const across = column && positionIn(sheet, 'column', column);
  return down === undefined || across === undefined
    ? null
    : writeInput(state.inputAt(sheet, down, across));
}

/** Returns whether a row is unchanged; calculated cells do not count. */
function isSameRow(
  sides: AlignedSides,
  { tableId, editor }: { readonly tableId: string; readonly editor: Side },
  { was, line }: { readonly was: LineId; readonly line: LineId },
): boolean {
  const [before, after] = [sides.base.state, sides[editor].state];
  const table = tableIn(before, tableId);
  return tableIn(after, tableId).columns.every(({ id, line: column, formula }) => {
    const known = columnWithId(table, id);
    if (!known || formula !== undefined) return true;
    const { sheetId } = table;
    const a = sideAt(before, { sheetId, row: was, column: known.line });
    const b = sideAt(after, { sheetId, row: line, column });
    if (sameLine(was, line)) return sameCell(a, b, { sheetId, row: line, column });
    return a.cell.tag === b.cell.tag && a.cell.number === b.cell.number;
  });
}

function linesIn({ state }: OperationParts, tableId: string): LineId[] {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const { row0, row1 } = dataRange(table, rangeOf(table, state.structure));
  return Array.from({ length: row1 - row0 + 1 }, (_, at) => sheet.rows.idAt(row0 + at));
}

function sheetOf({ state }: OperationParts, tableId: string) {
  return sheetOfTable(tableIn(state, tableId), state.structure);
}

/** Adds those of the lines that the state has not, behind the last one that it has. */
function* addBehind(
  parts: OperationParts,
  tableId: string,
  lines: readonly LineId[],
): Generator<void, void> {
  const sheet = sheetOf(parts, tableId);
  const table = tableIn(parts.state, tableId);
  const { row0 } = dataRange(table, rangeOf(table, parts.state.structure));
  const missing = lines.filter((line) => positionIn(sheet, 'row', line) === undefined);
  if (missing.length === 0) return;
  const ids = flatten(missing.map((line) => ({ ...line, length: 1 })));
  // New lines are the last of all.
  const last = lines.at(-missing.length - 1);
  const before = (last ? (positionIn(sheet, 'row', last) ?? row0) + 1 : row0) + 1;
  yield* parts.add({
    kind: 'restore.lines',
    payload: { sheet: sheet.id, axis: 'row', before, ids },
  });
}

interface Placing {
  readonly tableId: string;
  readonly rows: RowsByKey;
  /** The keys that this state keeps; undefined for all merged ones. */
  readonly own: ReadonlySet<string> | undefined;
  readonly merged: readonly string[];
  readonly lines: readonly LineId[];
  readonly known: BranchState;
}

function* place(
  parts: OperationParts,
  { tableId, rows, own, merged, lines, known }: Placing,
): Generator<void, void> {
  yield* addBehind(parts, tableId, lines);
  const placed = merged.map((key, at) => [key, lines[at]] as const);
  const targets = new Map(placed.filter(([key]) => !own || own.has(key)));
  const gone = [...rows].flatMap(([key, line]) => (targets.has(key) ? [] : [line]));
  const sheet = sheetOfTable(tableIn(parts.state, tableId), parts.state.structure);
  const areas = gone.flatMap((line) => {
    const row = positionIn(sheet, 'row', line) ?? 0;
    return columnRanges(parts.state, { tableId, known }).map((range) =>
      rangeName({ ...range, row0: row, row1: row }),
    );
  });
  for (let at = 0; at < areas.length; at += 100) {
    const range = areas.slice(at, at + 100).join(',');
    yield* parts.add({
      kind: 'range.clear',
      payload: { sheet: sheet.id, range, what: ['values'] },
    });
  }
  const relocations = [...rows].flatMap(([key, from]) => {
    const to = targets.get(key);
    return to && !sameLine(from, to) ? [{ from, to }] : [];
  });
  yield* relocate(parts, { tableId, axis: 'row', known }, relocations);
  const table = tableIn(parts.state, tableId);
  const lastRow = lines.at(-1);
  if (!lastRow) return;
  const put = [entryOf({ ...table, lastRow })];
  yield* parts.add({ kind: 'restore.tables', payload: { put, delete: [] } });
}
