import { lineText } from '../area.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../order.ts';
import { rangeOf, sheetOfTable, type StoredTable } from '../tables.ts';
import { isBlankArea, isFreeArea } from '../table-cells.ts';
import { spansOfPositions } from '../table-draft.ts';
import { alignColumns } from './column-alignment.ts';
import type { Judge } from './judge.ts';
import { keyChanges, type KeyChanges, type KeyedRow } from './keyed-rows.ts';
import type { Change } from './merging.ts';
import { partsOn, type OperationParts } from './parts.ts';
import {
  addLines,
  fitRows,
  freshLines,
  positionIn,
  relocate,
  tableIn,
  type AlignedSides,
  type Relocation,
} from './relocation.ts';
import type { Scope } from './scope.ts';
import { joinTwins, type Twin } from './twin-rows.ts';

type States = Pick<Change, 'base' | 'theirs'>;

/**
 * Rows of a keyed table are known by their keys where both sides added some: one that both added is
 * on one line, and others are apart, although both took the next blank line of the sheet. What is
 * merged then are states that have them so.
 */
export function* alignTables(
  { base, theirs }: States,
  ours: OperationParts,
  { judge, scope }: { readonly judge: Judge; readonly scope: Scope | undefined },
): Generator<void, States> {
  if (!judge.isBetweenBranches) return { base, theirs };
  const shared = theirs.tables.all.filter(
    (table) =>
      isShared(table, base) &&
      isShared(table, ours.state) &&
      (isChanged(table, base, ours.state) || hasMoved(keyChanges(theirs, base, table.id))),
  );
  if (shared.length === 0) return { base, theirs };
  const sides = { base: partsOn(base), ours, theirs: partsOn(theirs) };
  for (const { id } of shared) {
    yield* alignColumns(sides, id, scope);
    yield* alignRows(sides, id, { judge, scope });
  }
  return {
    base: sides.base.parts.length > 0 ? sides.base.state : base,
    theirs: sides.theirs.parts.length > 0 ? sides.theirs.state : theirs,
  };
}

function isShared({ id, sheetId }: StoredTable, { tables }: BranchState): boolean {
  return tables.withId(id)?.sheetId === sheetId;
}

/** What only theirs changed needs no aligning. */
function isChanged({ id }: StoredTable, base: BranchState, ours: BranchState): boolean {
  const isSameTable = base.tables.withId(id) === ours.tables.withId(id);
  return !isSameTable || keyChanges(ours, base, id).added.length > 0;
}

/** Whether rows may be on other lines than before, because an earlier merge put them there. */
function hasMoved({ added, replaced }: KeyChanges): boolean {
  return added.length > 0 && replaced.length > 0;
}

interface Judged {
  readonly judge: Judge;
  readonly scope: Scope | undefined;
}

function* alignRows(
  sides: AlignedSides,
  tableId: string,
  { judge, scope }: Judged,
): Generator<void, void> {
  const base = sides.base.state;
  for (const side of ['ours', 'theirs'] as const) {
    const other = side === 'ours' ? sides.theirs : sides.ours;
    const moved = movedAway(changesOf(sides, side, tableId));
    for (const parts of moved.length > 0 ? [sides.base, other] : []) {
      yield* relocateRows(parts, { tableId, base }, moved);
    }
  }
  const [mine, yours] = [changesOf(sides, 'ours', tableId), changesOf(sides, 'theirs', tableId)];
  const table = tableIn(sides.theirs.state, tableId);
  const { sheetId } = table;
  const isTaken = ({ id: row }: KeyedRow) =>
    scope?.({ kind: 'cell.input', place: { sheetId, row, ...keyLine(table) } }) !== false;
  const added = yours.added.filter(isTaken);
  if (mine.added.length === 0 || added.length === 0) return;
  const byKey = new Map(mine.added.map((row) => [row.key, row]));
  const twins = added.flatMap((theirs): Twin[] => {
    const ours = byKey.get(theirs.key);
    return ours ? [{ ours, theirs }] : [];
  });
  const apart = yield* joinTwins(sides, { tableId, twins }, judge);
  const joined = twins.filter((twin) => !apart.has(twin));
  const known = new Set(joined.map(({ theirs }) => theirs));
  const single = added.filter((row) => !known.has(row));
  const relocations = [
    ...joined.map(({ ours, theirs }) => ({ from: theirs.id, to: ours.id })),
    ...(yield* besideOurs(sides, { tableId, mine: mine.added, single })),
  ];
  yield* relocateRows(sides.theirs, { tableId, base }, relocations);
  yield* deleteLeft(sides, tableId, relocations);
}

function keyLine({ columns, key }: StoredTable): { column?: LineId } {
  const column = columns.find(({ id }) => id === key)?.line;
  return column ? { column } : {};
}

function changesOf(sides: AlignedSides, side: 'ours' | 'theirs', tableId: string): KeyChanges {
  return keyChanges(sides[side].state, sides.base.state, tableId);
}

/** Rows that an earlier merge put on other lines, because theirs were taken. */
function movedAway({ added, replaced }: KeyChanges): Relocation[] {
  const byKey = new Map(added.map(({ key, id }) => [key, id]));
  return replaced.flatMap(({ id: from, key }) => {
    const to = byKey.get(key);
    return to ? [{ from, to }] : [];
  });
}

function* relocateRows(
  parts: OperationParts,
  { tableId, base }: { readonly tableId: string; readonly base: BranchState },
  relocations: readonly Relocation[],
): Generator<void, void> {
  yield* relocate(parts, { tableId, axis: 'row', base }, relocations);
  yield* fitRows(parts, tableId, relocations);
}

interface Singles {
  readonly tableId: string;
  readonly mine: readonly KeyedRow[];
  /** Rows that only theirs added. */
  readonly single: readonly KeyedRow[];
}

/** Puts rows of theirs behind those of ours, where ours took a line of one of them. */
function* besideOurs(
  sides: AlignedSides,
  { tableId, mine, single }: Singles,
): Generator<void, Relocation[]> {
  const taken = new Set(mine.map(({ id }) => lineText(id)));
  if (!single.some(({ id }) => taken.has(lineText(id)))) return [];
  const base = sheetOfTable(tableIn(sides.base.state, tableId), sides.base.state.structure);
  // Lines that theirs inserted are nobody else's.
  const moving = single.filter(({ id }) => positionIn(base, 'row', id) !== undefined);
  const lines = yield* linesBelow(sides, tableId, moving);
  return moving.flatMap(({ id: from }, at) => {
    const to = lines[at];
    return to ? [{ from, to }] : [];
  });
}

/** Blank lines below the table where there are as many on both sides, else new ones. */
function* linesBelow(
  { ours, theirs }: AlignedSides,
  tableId: string,
  rows: readonly KeyedRow[],
): Generator<void, LineId[]> {
  const { state } = ours;
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const below = { ...range, row0: range.row1 + 1, row1: range.row1 + rows.length };
  const lines = rows.map((_, at) => sheet.rows.idAt(below.row0 + at));
  const isFree =
    !table.totalsRow &&
    isFreeArea(sheet, below, state.contextAt(state.structure)) &&
    areBlank(theirs.state, { tableId, lines }, rows);
  if (isFree) return lines;
  const fresh = freshLines(state, sheet.rows, rows.length);
  yield* addLines(ours, { tableId, axis: 'row' }, fresh);
  return fresh;
}

/** Whether lines hold nothing of a table but rows that are to go elsewhere. */
function areBlank(
  state: BranchState,
  { tableId, lines }: { readonly tableId: string; readonly lines: readonly LineId[] },
  rows: readonly KeyedRow[],
): boolean {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const going = new Set(rows.map(({ id }) => lineText(id)));
  const cells = state.cellsOf(sheet);
  return lines.every((line) => {
    const row = positionIn(sheet, 'row', line);
    if (row === undefined) return false;
    return (
      going.has(lineText(line)) || isBlankArea(sheet, { ...range, row0: row, row1: row }, cells)
    );
  });
}

/** Lines that theirs inserted for rows which are on lines of ours now. */
function* deleteLeft(
  { base, theirs }: AlignedSides,
  tableId: string,
  relocations: readonly Relocation[],
): Generator<void, void> {
  const { sheetId } = tableIn(theirs.state, tableId);
  const taken = new Set(relocations.map(({ to }) => lineText(to)));
  const [was, is] = [base, theirs].map(({ state }) => state.structure.withId(sheetId));
  if (!was || !is) return;
  const rows = relocations.flatMap(({ from }) => {
    const isOwn = positionIn(was, 'row', from) === undefined && !taken.has(lineText(from));
    return isOwn ? (positionIn(is, 'row', from) ?? []) : [];
  });
  if (rows.length === 0) return;
  const spans = spansOfPositions(rows.sort((a, b) => a - b)).map(({ from, count }) => ({
    from: from + 1,
    count,
  }));
  yield* theirs.add({ kind: 'rows.delete', payload: { sheet: sheetId, spans } });
}
