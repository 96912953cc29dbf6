import { overlaps } from '../../model/range.ts';
import { foldName } from '../../model/names.ts';
import { columnLimit } from '../../model/address.ts';
import { plainColumn } from '../../model/table-column.ts';
import type { BranchState } from '../branch-state.ts';
import type { SheetOutline } from '../structure/structure.ts';
import {
  keyColumnOf,
  rangeOf,
  sameLine,
  type StoredColumn,
  type StoredTable,
} from '../structure/tables.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import { isSame, verdictOn, type Preference, type Sides } from '../compare/merged-members.ts';
import type { Side } from './judge.ts';
import { MergedEnds } from './merged-ends.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { makeRoom } from './record-overlaps.ts';
import { positionIn } from './relocation.ts';
import { isSameTable } from './table-edits.ts';
import { mergedRows, type TableEnds } from './table-ends.ts';
import { hasLostKey, keyVerdict } from './table-key.ts';
import { mergedColumns, type ContestedColumn } from './table-columns.ts';

/**
 * Merges the definitions of tables: names, rows, columns and keys. `mergeCells` merges their cells.
 */
export function* mergeTables(merging: Merging): Generator<void, void> {
  const { theirs, ours } = merging;
  yield* deleteNew(merging);
  const tables = [...theirs.tables.all, ...ours.tables.all];
  let waiting = new Map(tables.map(({ id, name }) => [id, name]));
  // A table may have to wait until another one frees its name or its place.
  for (let wasFewer = true; wasFewer;) {
    const left = new Map<string, string>();
    const faults: Misplaced[] = [];
    for (const [id, name] of waiting) {
      const fault = yield* mergeTable(merging, id);
      if (fault === undefined) continue;
      left.set(id, name);
      faults.push({ ...fault, text: `the table ${name}: ${fault.text}` });
    }
    wasFewer = left.size < waiting.size;
    if (!wasFewer) for (const misplaced of faults) yield* settlePlace(merging, misplaced);
    waiting = left;
  }
}

/** A table whose merged definition is not possible yet. */
interface Misplaced {
  readonly table: StoredTable;
  readonly text: string;
  /** Tables in its way. */
  readonly others: readonly StoredTable[];
}

/** Replaces the tables in the way if the judge decides so. */
function* settlePlace(
  { judge, parts }: Merging,
  { table, text, others }: Misplaced,
): Generator<void, void> {
  const ids = [table, ...others].map(({ id }) => id).toSorted();
  const choice = judge.decide({
    kind: 'table.schema',
    register: `table place ${ids.join(' ')}`,
    text,
    place: { tableId: table.id, sheetId: table.sheetId },
    sides: () => ({ base: undefined, ours: others.map(entryOf), theirs: [entryOf(table)] }),
  });
  if (choice !== 'theirs' || others.length === 0) return;
  const payload = { put: [entryOf(table)], delete: others.map(({ id }) => id) };
  yield* parts.add({ kind: 'restore.tables', payload });
}

/** Merges one table; returns why that is not possible, undefined when it is done. */
function* mergeTable(merging: Merging, id: string): Generator<void, Misplaced | undefined> {
  const held = stateOf(merging).tables.withId(id);
  const table = isConcerned(merging, id, held) ? targetOf(merging, id) : undefined;
  if (!table || isSame(entryOf(table), entryOf(held))) return undefined;
  const fault = faultOf(table, stateOf(merging));
  if (fault !== undefined) return fault;
  if (!(yield* makeRoom(merging, table))) return undefined;
  if (yield* renameTable(merging, held, table.name)) return yield* mergeTable(merging, id);
  const payload = { put: [entryOf(table)], delete: [] };
  yield* merging.parts.add({ kind: 'restore.tables', payload });
  return undefined;
}

/** Returns whether the merge may change a table: theirs did, or its lines were merged. */
function isConcerned(merging: Merging, id: string, held: StoredTable | undefined): boolean {
  const { theirs, base, ours } = merging;
  const [wanted, then, own] = [theirs, base, ours].map(({ tables }) => tables.withId(id));
  // Lines that theirs kept may now stand outside the table of ours.
  if (isSameTable(wanted, then)) return held !== own || !isSameTable(own, then);
  const sheetId = (wanted ?? then)?.sheetId;
  const place = { tableId: id, ...(sheetId !== undefined && { sheetId }) };
  return !isLeft(merging, { kind: 'table', place });
}

/** Renames a table, and so the formulas that name it. Returns whether the name changed. */
function* renameTable(
  { parts }: Merging,
  held: StoredTable | undefined,
  name: string,
): Generator<void, boolean> {
  if (!held || held.name === name) return false;
  yield* parts.add({ kind: 'table.rename', payload: { table: held.id, name } });
  return true;
}

/** Deletes the tables that theirs dropped; if ours changed one, the judge decides. */
function* deleteNew(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, parts, judge } = merging;
  for (const then of base.tables.all) {
    const own = { tableId: then.id, sheetId: then.sheetId };
    if (isLeft(merging, { kind: 'table', place: own })) continue;
    const held = ours.tables.withId(then.id);
    // It may have gone with its sheet.
    if (theirs.tables.withId(then.id) || !held || !parts.state.tables.withId(then.id)) continue;
    // When theirs deleted the sheet, the sheet was decided as a whole.
    if (!theirs.structure.withId(then.sheetId)) continue;
    const isDropped =
      isSame(entryOf(carriedTable(then, base, ours)), entryOf(held)) ||
      judge.decide({
        kind: 'table.edit_drop',
        register: `table edit_drop ${then.id}`,
        text: `the table ${held.name}`,
        place: { tableId: then.id, sheetId: held.sheetId },
        sides: () => ({ base: entryOf(then), ours: entryOf(held), theirs: undefined }),
      }) === 'theirs';
    const payload = { put: [], delete: [then.id] };
    if (isDropped) yield* parts.add({ kind: 'restore.tables', payload });
  }
}

/** Returns the merged definition of a table; undefined when it is deleted or stays as it is. */
function targetOf(merging: Merging, id: string): StoredTable | undefined {
  const { theirs, base, ours } = merging;
  const state = stateOf(merging);
  const [wanted, then, held] = [theirs, base, ours].map(({ tables }) => tables.withId(id));
  const moved = held && carriedTable(held, ours, state);
  if (!wanted) return then || !moved ? undefined : placed(moved, merging, 'ours');
  if (!state.structure.withId(wanted.sheetId)) return undefined;
  const to = carriedTable(wanted, theirs, state);
  if (!then) return moved ? undefined : placed(to, merging, 'theirs');
  if (!moved) return undefined;
  const sides = { theirs: to, base: carriedTable(then, base, state), ours: moved };
  return placed(mergedTable(merging, sides), merging);
}

/** The rows of a table that one side made, where the moves of the other side put its ends. */
function movedRows(table: StoredTable, merging: Merging, side: Side): TableEnds | undefined {
  const ends = new MergedEnds(merging, side, { sorts: true });
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  const range = rangeOf(table, ends.from);
  if (!sheet || !ends.areMoved(table.sheetId, range)) return undefined;
  const there = ends.range(table.sheetId, range);
  return there && { firstRow: sheet.rows.idAt(there.row0), lastRow: sheet.rows.idAt(there.row1) };
}

/**
 * Merges a table member by member: a conflict about one member leaves the others to either side.
 */
function mergedTable(merging: Merging, sides: Sides<StoredTable>): StoredTable {
  const { theirs, base, ours } = sides;
  if (theirs.sheetId !== base.sheetId) {
    // Theirs moved it to another sheet: rows and columns cannot be mixed.
    const isTheirs = isSame(entryOf(base), entryOf(ours)) || asks(merging, 'place', sides);
    return isTheirs ? theirs : ours;
  }
  const winner = (member: 'name' | 'headerRow' | 'totalsRow') => {
    const own = { theirs: theirs[member], base: base[member], ours: ours[member] };
    const verdict = verdictOn(own);
    const isTaken = verdict === 'set' || (verdict === 'contest' && asks(merging, 'name', sides));
    return isTaken ? theirs : ours;
  };
  const rows = mergedRows(merging, ours);
  // A header is the first row: that of the side which alone has this row for its first.
  const firsts = [ours, theirs].filter((side) => rows && sameLine(side.firstRow, rows.firstRow));
  const [header = ours] = firsts.length === 1 ? firsts : [winner('headerRow')];
  return {
    ...ours,
    ...rows,
    name: winner('name').name,
    headerRow: header.headerRow,
    totalsRow: winner('totalsRow').totalsRow,
    key: mergedKey(merging, sides),
    columns: mergedColumns(
      { theirs: theirs.columns, base: base.columns, ours: ours.columns },
      (column) => askColumn(merging, ours, column),
    ),
  };
}

function mergedKey(merging: Merging, sides: Sides<StoredTable>): StoredTable['key'] {
  const { theirs, base, ours } = sides;
  const verdict = keyVerdict(merging, sides);
  if (verdict === 'contest') return (asks(merging, 'key', sides) ? theirs : ours).key;
  const side = verdict === 'set' ? theirs : ours;
  // A key that vanished only with its column comes back with it.
  return hasLostKey(side, base) ? base.key : side.key;
}

/** Returns whether theirs wins a member that both sides changed. */
function asks(
  { judge }: Merging,
  member: 'name' | 'key' | 'place',
  { theirs, base, ours }: Sides<StoredTable>,
): boolean {
  const shown = (table: StoredTable) => {
    if (member === 'place') return entryOf(table);
    return member === 'key' ? keyColumnOf(table)?.name : table[member];
  };
  const choice = judge.decide({
    kind: member === 'key' ? 'table.key' : 'table.schema',
    ...(member === 'name' && { subtype: 'rename' as const }),
    register: `table ${member} ${ours.id}`,
    text: `the ${member} of the table ${ours.name}`,
    place: { tableId: ours.id, sheetId: ours.sheetId },
    sides: () => ({ base: shown(base), ours: shown(ours), theirs: shown(theirs) }),
  });
  return choice === 'theirs';
}

function askColumn(
  merging: Merging,
  table: StoredTable,
  { id, subtype, sides }: ContestedColumn,
): Preference {
  const held = sides.ours ?? sides.theirs;
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  // The fate of a column of the sheet was asked about when its lines were merged.
  const isThere = sheet && held && positionIn(sheet, 'column', held.line) !== undefined;
  if (!held || !isThere) return 'ours';
  const shown = (column: StoredColumn | undefined) => column && plainColumn(column);
  const choice = merging.judge.decide({
    kind: 'table.schema',
    subtype,
    // A column that both added has two ids, so its name identifies it.
    register: `table column ${table.id} ${subtype === 'add_add' ? `called ${foldName(held.name)}` : id}`,
    text: `${table.name}[${held.name}]`,
    place: { tableId: table.id, sheetId: table.sheetId, field: held.name },
    sides: () => ({
      base: shown(sides.base),
      ours: shown(sides.ours),
      theirs: shown(sides.theirs),
    }),
  });
  return choice === 'theirs' ? 'theirs' : 'ours';
}

/** The table on lines that are there, its columns from left to right; undefined if none are left. */
function placed(table: StoredTable, merging: Merging, maker?: Side): StoredTable | undefined {
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  const rows = sheet && rowsOf(table, merging, maker);
  if (!rows) return undefined;
  const columns = columnsOf(table, sheet);
  const isKeyed = columns.some(({ id }) => id === table.key);
  return { ...table, ...rows, columns, key: isKeyed ? table.key : undefined };
}

/** Where all of its rows went, a table ends where it slid to. */
function rowsOf(
  table: StoredTable,
  merging: Merging,
  maker: Side | undefined,
): TableEnds | undefined {
  const moved = maker && movedRows(table, merging, maker);
  const rows = moved ?? mergedRows(merging, table);
  if (rows) return rows;
  const now = stateOf(merging).tables.withId(table.id);
  if (now?.sheetId !== table.sheetId) return undefined;
  return { firstRow: now.firstRow, lastRow: now.lastRow };
}

/** Returns the columns whose sheet column exists, at most one for each. */
function columnsOf({ columns }: StoredTable, sheet: SheetOutline): StoredColumn[] {
  const byPosition = new Map<number, StoredColumn>();
  for (const column of columns) {
    const position = positionIn(sheet, 'column', column.line);
    if (position !== undefined) byPosition.set(position, column);
  }
  return [...byPosition].sort(([a], [b]) => a - b).map(([, column]) => column);
}

/** Finds why such a table cannot be there now; undefined when it can. */
function faultOf(table: StoredTable, { structure, names }: BranchState): Misplaced | undefined {
  const fault = (text: string, others: readonly StoredTable[] = []) => ({ table, text, others });
  const sheet = structure.withId(table.sheetId);
  if (!sheet || table.columns.length === 0) return fault('its cells are gone');
  const positions = table.columns.map(
    ({ line }) => positionIn(sheet, 'column', line) ?? columnLimit,
  );
  const [left = 0] = positions;
  if (positions.some((position, index) => position !== left + index)) {
    return fault('other columns stand among its own');
  }
  const range = rangeOf(table, structure);
  if (range.row1 < range.row0) return fault('its rows are gone');
  const folded = new Set(table.columns.map(({ name }) => foldName(name)));
  if (folded.size < table.columns.length) return fault('two of its columns have one name');
  if (names.get(table.name, undefined)) return fault('its name is taken');
  const others = structure.tables.all.filter(
    (other) =>
      other.id !== table.id &&
      (foldName(other.name) === foldName(table.name) ||
        (other.sheetId === table.sheetId && overlaps(rangeOf(other, structure), range))),
  );
  return others.length > 0 ? fault('another table has its name or its place', others) : undefined;
}
