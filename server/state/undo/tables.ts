import { foldName } from '../../model/names.ts';
import { columnLimit } from '../../model/address.ts';
import type { BranchState } from '../branch-state.ts';
import { LineMap } from '../line-map.ts';
import type { LineId } from '../order.ts';
import { overlap } from '../range-index.ts';
import type { SheetOutline } from '../structure.ts';
import { rangeOf, type StoredColumn, type StoredTable } from '../tables.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import { isSame, verdictOn } from './merged-members.ts';
import { stateOf, type SpanUndo } from './span-undo.ts';

/** Tables as they were: their names, ends, columns and keys. Their cells are cells of sheets. */
export function* undoTables(undo: SpanUndo): Generator<void, void> {
  const { before, ours, skipped } = undo;
  yield* deleteNew(undo);
  const tables = [...before.tables.all, ...ours.tables.all];
  let waiting = new Map(tables.map(({ id, name }) => [id, name]));
  // One may be in the place, or have the name, of another that is to go elsewhere itself.
  for (let wasFewer = true; wasFewer;) {
    const left = new Map<string, string>();
    const faults: string[] = [];
    for (const [id, name] of waiting) {
      const fault = yield* undoTable(undo, id);
      if (fault === undefined) continue;
      left.set(id, name);
      faults.push(`the table ${name}: ${fault}`);
    }
    wasFewer = left.size < waiting.size;
    if (!wasFewer) for (const fault of faults) skipped.add(fault);
    waiting = left;
  }
}

/** Answers what is in the way. */
function* undoTable(undo: SpanUndo, id: string): Generator<void, string | undefined> {
  const { before, after, ours } = undo;
  const held = stateOf(undo).tables.withId(id);
  const isTouched = before.tables.withId(id) !== after.tables.withId(id);
  if (!isTouched && held === ours.tables.withId(id)) return undefined;
  const table = targetOf(undo, id);
  if (!table || isSame(entryOf(table), entryOf(held))) return undefined;
  const fault = faultOf(table, stateOf(undo));
  if (fault !== undefined) return fault;
  const payload = { put: [entryOf(table)], delete: [] };
  yield* undo.parts.add({ kind: 'restore.tables', payload });
  return undefined;
}

/** Those that nobody has done anything to. */
function* deleteNew({ before, after, ours, parts, skipped }: SpanUndo): Generator<void, void> {
  for (const then of after.tables.all) {
    const held = ours.tables.withId(then.id);
    // Its sheet may have taken it along.
    if (before.tables.withId(then.id) || !held || !parts.state.tables.withId(then.id)) continue;
    if (isSame(entryOf(carriedTable(then, after, ours)), entryOf(held))) {
      yield* parts.add({ kind: 'restore.tables', payload: { put: [], delete: [then.id] } });
    } else {
      skipped.add(`the table ${held.name}`);
    }
  }
}

/** What a table shall be; undefined when there shall be none, or it is left as it is. */
function targetOf(undo: SpanUndo, id: string): StoredTable | undefined {
  const { before, after, ours, skipped } = undo;
  const state = stateOf(undo);
  const [wanted, then, held] = [before, after, ours].map(({ tables }) => tables.withId(id));
  const moved = held && carriedTable(held, ours, state);
  if (!wanted) return then || !moved ? undefined : placed(moved, undo);
  if (!state.structure.withId(wanted.sheetId)) return undefined;
  const to = carriedTable(wanted, before, state);
  if (!then) return moved ? undefined : placed(to, undo);
  if (!moved) return undefined;
  const merged = mergeTable({ to, from: carriedTable(then, after, state), held: moved });
  if (merged.isSkipped) skipped.add(`the table ${moved.name}`);
  return placed(merged.table, undo);
}

interface TableSides {
  readonly to: StoredTable;
  readonly from: StoredTable;
  readonly held: StoredTable;
}

const members = ['name', 'firstRow', 'lastRow', 'key', 'headerRow', 'totalsRow'] as const;

function mergeTable({ to, from, held }: TableSides): {
  readonly table: StoredTable;
  readonly isSkipped: boolean;
} {
  if (to.sheetId !== from.sheetId) {
    // All of its places are those of one sheet or of the other.
    const isSkipped = !isSame(entryOf(from), entryOf(held));
    return { table: isSkipped ? held : to, isSkipped };
  }
  const merged: Record<string, unknown> = {};
  let isSkipped = false;
  for (const member of members) {
    const sides = { before: to[member], after: from[member], ours: held[member] };
    const verdict = verdictOn(sides);
    if (verdict === 'set') merged[member] = to[member];
    if (verdict === 'skip') isSkipped = true;
  }
  const columns = mergeColumns({ to, from, held });
  const table = { ...held, ...(merged as Partial<StoredTable>), columns: columns.columns };
  return { table, isSkipped: isSkipped || columns.isSkipped };
}

function mergeColumns({ to, from, held }: TableSides): {
  readonly columns: StoredColumn[];
  readonly isSkipped: boolean;
} {
  const of = (table: StoredTable) => new Map(table.columns.map((column) => [column.id, column]));
  const [wanted, then, ours] = [of(to), of(from), of(held)];
  const columns = of(held);
  let isSkipped = false;
  for (const id of new Set([...wanted.keys(), ...then.keys()])) {
    const toBe = wanted.get(id);
    const verdict = verdictOn({ before: toBe, after: then.get(id), ours: ours.get(id) });
    if (verdict === 'skip') isSkipped = true;
    if (verdict !== 'set') continue;
    if (toBe) columns.set(id, toBe);
    else columns.delete(id);
  }
  return { columns: [...columns.values()], isSkipped };
}

/** The table on lines that are there, its columns from left to right; undefined if none are left. */
function placed(table: StoredTable, undo: SpanUndo): StoredTable | undefined {
  const sheet = stateOf(undo).structure.withId(table.sheetId);
  const rows = sheet && rowsOf(table, sheet, undo);
  if (!rows) return undefined;
  const columns = columnsOf(table, sheet);
  const isKeyed = columns.some(({ id }) => id === table.key);
  return { ...table, ...rows, columns, key: isKeyed ? table.key : undefined };
}

/** An end that is gone is where it slid to. */
function rowsOf(table: StoredTable, sheet: SheetOutline, undo: SpanUndo) {
  const isThere = (line: LineId) => positionIn(sheet, 'rows', line) !== undefined;
  if (isThere(table.firstRow) && isThere(table.lastRow)) return {};
  const now = stateOf(undo).tables.withId(table.id);
  if (now) return { firstRow: now.firstRow, lastRow: now.lastRow };
  const was = undo.before.structure.withId(table.sheetId);
  const [first, last] = [table.firstRow, table.lastRow].map(
    (line) => was && positionIn(was, 'rows', line),
  );
  if (!was || first === undefined || last === undefined) return undefined;
  const range = new LineMap(was, sheet, 'row').range(first, last);
  return range && { firstRow: sheet.rows.idAt(range[0]), lastRow: sheet.rows.idAt(range[1]) };
}

/** Those whose column of the sheet is there, each column of the sheet once. */
function columnsOf({ columns }: StoredTable, sheet: SheetOutline): StoredColumn[] {
  const byPosition = new Map<number, StoredColumn>();
  for (const column of columns) {
    const position = positionIn(sheet, 'columns', column.line);
    if (position !== undefined) byPosition.set(position, column);
  }
  return [...byPosition].sort(([a], [b]) => a - b).map(([, column]) => column);
}

function positionIn(
  sheet: SheetOutline,
  axis: 'rows' | 'columns',
  { branch, sequence, offset }: LineId,
): number | undefined {
  return sheet[axis].positionOf(branch, sequence, offset);
}

/** Why there cannot be such a table now; undefined when there can. */
function faultOf(table: StoredTable, { structure, names }: BranchState): string | undefined {
  const sheet = structure.withId(table.sheetId);
  if (!sheet || table.columns.length === 0) return 'its cells are gone';
  const positions = table.columns.map(
    ({ line }) => positionIn(sheet, 'columns', line) ?? columnLimit,
  );
  const [left = 0] = positions;
  if (positions.some((position, index) => position !== left + index)) {
    return 'other columns stand among its own';
  }
  const range = rangeOf(table, structure);
  if (range.row1 < range.row0) return 'its rows are gone';
  const folded = new Set(table.columns.map(({ name }) => foldName(name)));
  if (folded.size < table.columns.length) return 'two of its columns have one name';
  const named = structure.tables.named(table.name);
  if ((named && named.id !== table.id) || names.get(table.name, undefined))
    return 'its name is taken';
  const others = structure.tables.onSheet(table.sheetId).filter(({ id }) => id !== table.id);
  const isFree = others.every((other) => !overlap(rangeOf(other, structure), range));
  return isFree ? undefined : 'another table lies there';
}
