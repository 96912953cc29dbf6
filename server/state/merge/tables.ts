import { overlaps } from '../../model/range.ts';
import { foldName } from '../../model/names.ts';
import { columnLimit } from '../../model/address.ts';
import { plainColumn } from '../../model/table-column.ts';
import type { BranchState } from '../branch-state.ts';
import { LineMap } from '../structure/line-map.ts';
import type { LineId } from '../ids/order.ts';
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
import { isSameTable } from './table-edits.ts';
import { firstRowOf, lastRowOf } from './table-ends.ts';
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
  if (!wanted)
    return then || !moved ? undefined : placed(newTable(moved, merging, 'ours'), merging);
  if (!state.structure.withId(wanted.sheetId)) return undefined;
  const to = carriedTable(wanted, theirs, state);
  if (!then) return moved ? undefined : placed(newTable(to, merging, 'theirs'), merging);
  if (!moved) return undefined;
  const sides = { theirs: to, base: carriedTable(then, base, state), ours: moved };
  return placed(mergedTable(merging, sides), merging);
}

/** Returns a new table of one side with its rows carried along the moves of the other. */
function newTable(table: StoredTable, merging: Merging, side: Side): StoredTable {
  const ends = new MergedEnds(merging, side, { sorts: true });
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  const range = rangeOf(table, ends.from);
  if (!sheet || !ends.areMoved(table.sheetId, range)) return table;
  const there = ends.range(table.sheetId, range);
  if (!there) return table;
  return {
    ...table,
    firstRow: sheet.rows.idAt(there.row0),
    lastRow: sheet.rows.idAt(there.row1),
  };
}

const members = ['name', 'headerRow', 'totalsRow'] as const;
const placeless = ['name'] as const;

/** Merges a table member by member, each decided on its own. */
function mergedTable(merging: Merging, sides: Sides<StoredTable>): StoredTable {
  const { theirs, base, ours } = sides;
  if (theirs.sheetId !== base.sheetId) {
    // Theirs moved it to another sheet: rows and columns cannot be mixed.
    const isTheirs = isSame(entryOf(base), entryOf(ours)) || asks(merging, 'place', sides);
    return isTheirs ? theirs : ours;
  }
  const merged: Record<string, unknown> = {};
  const mover = moverOf(merging, sides);
  for (const member of mover ? placeless : members) {
    const own = { theirs: theirs[member], base: base[member], ours: ours[member] };
    const verdict = verdictOn(own);
    const isTaken = verdict === 'set' || (verdict === 'contest' && asks(merging, member, sides));
    if (isTaken) merged[member] = theirs[member];
  }
  const key = mergedKey(merging, sides);
  const columns = mergedColumns(
    { theirs: theirs.columns, base: base.columns, ours: ours.columns },
    (column) => askColumn(merging, ours, column),
  );
  const ends = mover ? placeOf(sides[mover]) : endsOf(merging, sides);
  return { ...ours, ...(merged as Partial<StoredTable>), ...ends, key, columns };
}

function mergedKey(merging: Merging, sides: Sides<StoredTable>): StoredTable['key'] {
  const { theirs, base, ours } = sides;
  const verdict = keyVerdict(merging, sides);
  if (verdict === 'contest') return (asks(merging, 'key', sides) ? theirs : ours).key;
  const side = verdict === 'set' ? theirs : ours;
  // A key that vanished only with its column comes back with it.
  return hasLostKey(side, base) ? base.key : side.key;
}

/**
 * Finds a side that moved the table to other rows while the other side removed its header: then the
 * rows of the mover count as a whole.
 */
function moverOf(
  { theirs, ours }: Merging,
  tables: Sides<StoredTable>,
): 'theirs' | 'ours' | undefined {
  const { base } = tables;
  const isMoved = (side: StoredTable, { structure }: BranchState) => {
    const sheet = structure.withId(base.sheetId);
    if (!sheet || side.headerRow !== base.headerRow) return false;
    return (['firstRow', 'lastRow'] as const).every((row) => {
      return !sameLine(side[row], base[row]) && positionIn(sheet, 'rows', base[row]) !== undefined;
    });
  };
  const hasLost = (side: StoredTable) => base.headerRow && !side.headerRow;
  if (isMoved(tables.theirs, theirs) && hasLost(tables.ours)) return 'theirs';
  return isMoved(tables.ours, ours) && hasLost(tables.theirs) ? 'ours' : undefined;
}

function placeOf({ firstRow, lastRow, headerRow, totalsRow }: StoredTable): Partial<StoredTable> {
  return { firstRow, lastRow, headerRow, totalsRow };
}

/** Asks the judge about a member that both sides changed; returns whether theirs wins. */
function asks(
  { judge }: Merging,
  member: (typeof members)[number] | 'key' | 'place',
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
    text: `the ${memberNames[member]} of the table ${ours.name}`,
    place: { tableId: ours.id, sheetId: ours.sheetId },
    sides: () => ({ base: shown(base), ours: shown(ours), theirs: shown(theirs) }),
  });
  return choice === 'theirs';
}

const memberNames = {
  name: 'name',
  key: 'key',
  headerRow: 'header',
  totalsRow: 'totals',
  place: 'place',
} as const;

function askColumn(
  merging: Merging,
  table: StoredTable,
  { id, subtype, sides }: ContestedColumn,
): Preference {
  const held = sides.ours ?? sides.theirs;
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  // The existence of the sheet column was decided when its lines were merged.
  const isThere = sheet && held && positionIn(sheet, 'columns', held.line) !== undefined;
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

function endsOf(merging: Merging, sides: Sides<StoredTable>): Partial<StoredTable> {
  const firstRow = firstRowOf(merging, sides, beginningOf(merging, sides).firstRow);
  const lastRow = lastRowOf(merging, sides, firstRow);
  return { firstRow, ...(lastRow && { lastRow }) };
}

/** Returns the side whose first row counts: the one that changed it, and of two the higher one. */
function beginningOf(
  merging: Merging,
  { theirs, base, ours }: Sides<StoredTable>,
): Pick<StoredTable, 'firstRow'> {
  const verdict = verdictOn({ theirs: theirs.firstRow, base: base.firstRow, ours: ours.firstRow });
  if (verdict !== 'contest') return verdict === 'set' ? theirs : ours;
  const sheet = stateOf(merging).structure.withId(ours.sheetId);
  const at = (table: StoredTable) => sheet && positionIn(sheet, 'rows', table.firstRow);
  const [mine = Infinity, yours = Infinity] = [at(ours), at(theirs)];
  return yours < mine ? theirs : ours;
}

/**
 * Fits a table to the merged lines, with its columns from left to right; undefined when no row is
 * left.
 */
function placed(table: StoredTable, merging: Merging): StoredTable | undefined {
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  const rows = sheet && rowsOf(table, sheet, merging);
  if (!rows) return undefined;
  const columns = columnsOf(table, sheet);
  const isKeyed = columns.some(({ id }) => id === table.key);
  return { ...table, ...rows, columns, key: isKeyed ? table.key : undefined };
}

/** Returns first and last row of a table, with deleted ones replaced by the next inwards. */
function rowsOf(table: StoredTable, sheet: SheetOutline, merging: Merging) {
  const isThere = (line: LineId) => positionIn(sheet, 'rows', line) !== undefined;
  if (isThere(table.firstRow) && isThere(table.lastRow)) return {};
  const now = stateOf(merging).tables.withId(table.id);
  if (now?.sheetId === table.sheetId) return slidRows(table, now, merging);
  const was = merging.theirs.structure.withId(table.sheetId);
  const [first, last] = [table.firstRow, table.lastRow].map(
    (line) => was && positionIn(was, 'rows', line),
  );
  if (!was || first === undefined || last === undefined) return undefined;
  const range = new LineMap(was, sheet, 'row').range(first, last);
  return range && { firstRow: sheet.rows.idAt(range[0]), lastRow: sheet.rows.idAt(range[1]) };
}

/** Takes deleted ends from the state merged so far, where they slid inwards; an undo takes both. */
function slidRows(table: StoredTable, now: StoredTable, merging: Merging) {
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  if (!sheet || !merging.judge.isBetweenBranches) {
    return { firstRow: now.firstRow, lastRow: now.lastRow };
  }
  const [firstRow, lastRow] = (['firstRow', 'lastRow'] as const).map((end) => {
    return positionIn(sheet, 'rows', table[end]) === undefined ? now[end] : table[end];
  });
  const [top, bottom] = [firstRow, lastRow].map((line) => line && positionIn(sheet, 'rows', line));
  const isOrdered = top !== undefined && bottom !== undefined && top <= bottom;
  if (!firstRow || !lastRow || !isOrdered) return { firstRow: now.firstRow, lastRow: now.lastRow };
  return { firstRow, lastRow };
}

/** Returns the columns whose sheet column exists, at most one for each. */
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

/** Returns why a table is not possible in a state; undefined when it is. */
function faultOf(table: StoredTable, { structure, names }: BranchState): Misplaced | undefined {
  const fault = (text: string, others: readonly StoredTable[] = []) => ({ table, text, others });
  const sheet = structure.withId(table.sheetId);
  if (!sheet || table.columns.length === 0) return fault('its cells are gone');
  const positions = table.columns.map(
    ({ line }) => positionIn(sheet, 'columns', line) ?? columnLimit,
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
