import { foldName } from '../../model/names.ts';
import { columnLimit } from '../../model/address.ts';
import type { BranchState } from '../branch-state.ts';
import { LineMap } from '../line-map.ts';
import type { LineId } from '../order.ts';
import { overlap } from '../range-index.ts';
import type { SheetOutline } from '../structure.ts';
import { rangeOf, type StoredColumn, type StoredTable } from '../tables.ts';
import { carriedTable, entryOf } from './carried-table.ts';
import { isSame, verdictOn, type Preference } from './merged-members.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';

/** Tables as they are in theirs: their names, ends, columns and keys. Their cells are cells of sheets. */
export function* mergeTables(merging: Merging): Generator<void, void> {
  const { theirs, ours } = merging;
  yield* deleteNew(merging);
  const tables = [...theirs.tables.all, ...ours.tables.all];
  let waiting = new Map(tables.map(({ id, name }) => [id, name]));
  // One may be in the place, or have the name, of another that is to go elsewhere itself.
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

/** A table that cannot lie where it should. */
interface Misplaced {
  readonly table: StoredTable;
  readonly text: string;
  /** Tables that are in its way. */
  readonly others: readonly StoredTable[];
}

/** Puts a table in the place of those in its way, if the judge says so. */
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

/** Answers what is in the way. */
function* mergeTable(merging: Merging, id: string): Generator<void, Misplaced | undefined> {
  const { theirs, base, ours } = merging;
  const held = stateOf(merging).tables.withId(id);
  const isTouched = theirs.tables.withId(id) !== base.tables.withId(id);
  if (!isTouched && held === ours.tables.withId(id)) return undefined;
  const sheetId = (theirs.tables.withId(id) ?? base.tables.withId(id))?.sheetId;
  const place = { tableId: id, ...(sheetId !== undefined && { sheetId }) };
  if (isTouched && isLeft(merging, { kind: 'table', place })) return undefined;
  const table = targetOf(merging, id);
  if (!table || isSame(entryOf(table), entryOf(held))) return undefined;
  const fault = faultOf(table, stateOf(merging));
  if (fault !== undefined) return fault;
  const payload = { put: [entryOf(table)], delete: [] };
  yield* merging.parts.add({ kind: 'restore.tables', payload });
  return undefined;
}

/** Those that ours has done nothing to, and others where the judge says so. */
function* deleteNew(merging: Merging): Generator<void, void> {
  const { theirs, base, ours, parts, judge } = merging;
  for (const then of base.tables.all) {
    const own = { tableId: then.id, sheetId: then.sheetId };
    if (isLeft(merging, { kind: 'table', place: own })) continue;
    const held = ours.tables.withId(then.id);
    // Its sheet may have taken it along.
    if (theirs.tables.withId(then.id) || !held || !parts.state.tables.withId(then.id)) continue;
    // Where the sheet was kept it was asked about as a whole.
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

/** What a table shall be; undefined when there shall be none, or it is left as it is. */
function targetOf(merging: Merging, id: string): StoredTable | undefined {
  const { theirs, base, ours } = merging;
  const state = stateOf(merging);
  const [wanted, then, held] = [theirs, base, ours].map(({ tables }) => tables.withId(id));
  const moved = held && carriedTable(held, ours, state);
  if (!wanted) return then || !moved ? undefined : placed(moved, merging);
  if (!state.structure.withId(wanted.sheetId)) return undefined;
  const to = carriedTable(wanted, theirs, state);
  if (!then) return moved ? undefined : placed(to, merging);
  if (!moved) return keepsDropped(merging, wanted, then) ? placed(to, merging) : undefined;
  const sides = { to, from: carriedTable(then, base, state), held: moved };
  const merged = mergedTable(sides, 'ours');
  const isTheirs =
    merged.isContested &&
    merging.judge.decide({
      kind: 'table.schema',
      register: `table schema ${id}`,
      text: `the table ${moved.name}`,
      place: { tableId: id, sheetId: moved.sheetId },
      sides: () => ({
        base: entryOf(sides.from),
        ours: entryOf(sides.held),
        theirs: entryOf(sides.to),
      }),
    }) === 'theirs';
  return placed(isTheirs ? mergedTable(sides, 'theirs').table : merged.table, merging);
}

/** Whether a table that ours dropped comes back because theirs changed it. */
function keepsDropped(
  { base, theirs, judge }: Merging,
  wanted: StoredTable,
  then: StoredTable,
): boolean {
  if (!judge.isBetweenBranches) return false;
  if (isSame(entryOf(carriedTable(then, base, theirs)), entryOf(wanted))) return false;
  const choice = judge.decide({
    kind: 'table.edit_drop',
    register: `table edit_drop ${wanted.id}`,
    text: `the table ${wanted.name}`,
    place: { tableId: wanted.id, sheetId: wanted.sheetId },
    sides: () => ({ base: entryOf(then), ours: undefined, theirs: entryOf(wanted) }),
  });
  return choice === 'theirs';
}

interface TableSides {
  readonly to: StoredTable;
  readonly from: StoredTable;
  readonly held: StoredTable;
}

const members = ['name', 'firstRow', 'lastRow', 'key', 'headerRow', 'totalsRow'] as const;

function mergedTable(
  { to, from, held }: TableSides,
  preference: Preference,
): {
  readonly table: StoredTable;
  readonly isContested: boolean;
} {
  if (to.sheetId !== from.sheetId) {
    // All of its places are those of one sheet or of the other.
    const isContested = !isSame(entryOf(from), entryOf(held));
    return { table: isContested && preference === 'ours' ? held : to, isContested };
  }
  const merged: Record<string, unknown> = {};
  let isContested = false;
  for (const member of members) {
    const sides = { theirs: to[member], base: from[member], ours: held[member] };
    const verdict = verdictOn(sides);
    if (verdict === 'contest') isContested = true;
    if (isTaken(verdict, preference)) merged[member] = to[member];
  }
  const columns = mergedColumns({ to, from, held }, preference);
  const table = { ...held, ...(merged as Partial<StoredTable>), columns: columns.columns };
  return { table, isContested: isContested || columns.isContested };
}

function isTaken(verdict: ReturnType<typeof verdictOn>, preference: Preference): boolean {
  return verdict === 'set' || (verdict === 'contest' && preference === 'theirs');
}

function mergedColumns(
  { to, from, held }: TableSides,
  preference: Preference,
): {
  readonly columns: StoredColumn[];
  readonly isContested: boolean;
} {
  const of = (table: StoredTable) => new Map(table.columns.map((column) => [column.id, column]));
  const [wanted, then, ours] = [of(to), of(from), of(held)];
  const columns = of(held);
  let isContested = false;
  for (const id of new Set([...wanted.keys(), ...then.keys()])) {
    const toBe = wanted.get(id);
    const verdict = verdictOn({ theirs: toBe, base: then.get(id), ours: ours.get(id) });
    if (verdict === 'contest') isContested = true;
    if (!isTaken(verdict, preference)) continue;
    if (toBe) columns.set(id, toBe);
    else columns.delete(id);
  }
  return { columns: [...columns.values()], isContested };
}

/** The table on lines that are there, its columns from left to right; undefined if none are left. */
function placed(table: StoredTable, merging: Merging): StoredTable | undefined {
  const sheet = stateOf(merging).structure.withId(table.sheetId);
  const rows = sheet && rowsOf(table, sheet, merging);
  if (!rows) return undefined;
  const columns = columnsOf(table, sheet);
  const isKeyed = columns.some(({ id }) => id === table.key);
  return { ...table, ...rows, columns, key: isKeyed ? table.key : undefined };
}

/** An end that is gone is where it slid to. */
function rowsOf(table: StoredTable, sheet: SheetOutline, merging: Merging) {
  const isThere = (line: LineId) => positionIn(sheet, 'rows', line) !== undefined;
  if (isThere(table.firstRow) && isThere(table.lastRow)) return {};
  const now = stateOf(merging).tables.withId(table.id);
  if (now) return { firstRow: now.firstRow, lastRow: now.lastRow };
  const was = merging.theirs.structure.withId(table.sheetId);
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
        (other.sheetId === table.sheetId && overlap(rangeOf(other, structure), range))),
  );
  return others.length > 0 ? fault('another table has its name or its place', others) : undefined;
}
