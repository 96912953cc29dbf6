import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import { keyColumnOf, rangeOf, sheetOfTable, type StoredTable } from '../structure/tables.ts';
import { isFreeArea } from '../tables/table-cells.ts';
import { alignColumns } from './column-alignment.ts';
import { alignKeyTypes } from './converted-cells.ts';
import type { Side } from './judge.ts';
import { deleteOwn } from './left-lines.ts';
import { keyChanges, rowsByKey, type KeyChanges, type KeyedRow } from './keyed-rows.ts';
import { followReturned } from './returned-keys.ts';
import { relocateRows, unknownLines } from './row-lines.ts';
import type { AlignedSides } from './parts.ts';
import {
  addLines,
  positionIn,
  relocated,
  rowContents,
  tableIn,
  type Relocation,
} from './relocation.ts';
import type { Asked } from './scope.ts';
import { settleRows } from './settled-rows.ts';
import { placeTwins } from './twin-lines.ts';
import { joinTwins, type Twin } from './twin-rows.ts';

/**
 * Aligns the columns and rows of keyed tables in all three states. New rows of both sides are
 * identified by key: two with the same key come to one line, and two with different keys in the
 * same line of the sheet are put apart. The rest of the merge works on the aligned states.
 */
export function* alignTables(sides: AlignedSides, asked: Asked): Generator<void, void> {
  const { base, ours, theirs } = sides;
  const shared = theirs.state.tables.all.filter(
    (table) => isShared(table, base.state) && isShared(table, ours.state),
  );
  for (const { id } of shared) {
    yield* alignColumns(sides, id, asked.scope);
    if (!asked.scope) yield* alignKeyTypes(sides, id);
    yield* alignRows(sides, id, asked);
  }
}

function isShared({ id, sheetId }: StoredTable, { tables }: BranchState): boolean {
  return tables.withId(id)?.sheetId === sheetId;
}

/** Returns the lines of rows that are in the base and deleted on the other side. */
function deletedLines(
  rows: readonly KeyedRow[],
  { sheetId }: StoredTable,
  { base, other }: { readonly base: BranchState; readonly other: BranchState },
): LineId[] {
  const [was, is] = [base, other].map(({ structure }) => structure.withId(sheetId));
  if (!was || !is) return [];
  return rows.flatMap(({ id }) => {
    const isThere = positionIn(was, 'row', id) !== undefined;
    return isThere && positionIn(is, 'row', id) === undefined ? [id] : [];
  });
}

function* alignRows(
  sides: AlignedSides,
  tableId: string,
  { judge, scope }: Asked,
): Generator<void, void> {
  if (!scope && (yield* settleRows(sides, tableId, judge))) return;
  yield* followReturned(sides, tableId, scope ? ['ours'] : ['ours', 'theirs']);
  for (const side of ['ours', 'theirs'] as const) yield* leaveDeleted(sides, tableId, side);
  const [mine, yours] = [changesOf(sides, 'ours', tableId), changesOf(sides, 'theirs', tableId)];
  const table = tableIn(sides.theirs.state, tableId);
  const { sheetId } = table;
  const isTaken = ({ id: row }: KeyedRow) =>
    scope?.({ kind: 'cell.input', place: { sheetId, row, ...keyLine(table) } }) !== false;
  const added = yours.added.filter(isTaken);
  if (mine.added.length === 0 || added.length === 0) return;
  const twins = twinsOf(mine.added, added);
  const apart = yield* joinTwins(sides, { tableId, twins }, judge);
  const joined = twins.filter((twin) => !apart.has(twin));
  const known = new Set(joined.map(({ theirs }) => theirs));
  const single = added.filter((row) => !known.has(row));
  const relocations = [
    ...(yield* placeTwins(sides, { tableId, twins: joined, leaving: added })),
    ...(yield* besideOurs(sides, { tableId, mine: mine.added, single })),
  ];
  const left = { tableId, axis: 'row', known: sides.ours.state, base: sides.base.state } as const;
  yield* relocateRows(sides.theirs, left, relocations);
  const taken = new Set(relocations.map(({ to }) => lineText(to)));
  const lines = relocations.map(({ from }) => from).filter((from) => !taken.has(lineText(from)));
  yield* deleteOwn(sides.theirs, left, lines);
}

/**
 * Moves new rows of one side to new lines when they use lines that were blank in the base and that
 * the other side deleted: that deletion was not about these rows.
 */
function* leaveDeleted(sides: AlignedSides, tableId: string, side: Side): Generator<void, void> {
  const other = sides[side === 'ours' ? 'theirs' : 'ours'].state;
  const table = tableIn(other, tableId);
  const { added } = changesOf(sides, side, tableId);
  const lines = deletedLines(added, table, { base: sides.base.state, other });
  if (lines.length === 0) return;
  const fresh = unknownLines(sides, tableId, lines.length);
  yield* relocateRows(sides[side], { tableId, known: other }, relocated(lines, fresh));
}

function keyLine(table: StoredTable): { column?: LineId } {
  const column = keyColumnOf(table)?.line;
  return column ? { column } : {};
}

function changesOf(sides: AlignedSides, side: Side, tableId: string): KeyChanges {
  return keyChanges(sides[side].state, sides.base.state, tableId);
}

/** Pairs new rows of both sides with the same key, first those on the same line. */
function twinsOf(mine: readonly KeyedRow[], yours: readonly KeyedRow[]): Twin[] {
  const onLine = new Map(mine.map((row) => [lineText(row.id), row]));
  const same = yours.flatMap((theirs): Twin[] => {
    const ours = onLine.get(lineText(theirs.id));
    return ours?.key === theirs.key ? [{ ours, theirs }] : [];
  });
  const known = new Set(same.flatMap(({ ours, theirs }) => [ours, theirs]));
  const next = rowsByKey(mine.filter((row) => !known.has(row)));
  const others = yours.flatMap((theirs): Twin[] => {
    const ours = known.has(theirs) ? undefined : next(theirs.key);
    return ours ? [{ ours, theirs }] : [];
  });
  return [...same, ...others];
}

interface Singles {
  readonly tableId: string;
  readonly mine: readonly KeyedRow[];
  /** New rows of theirs that ours has no row for. */
  readonly single: readonly KeyedRow[];
}

/** Finds other lines, behind the rows of ours, for rows of theirs whose lines ours used too. */
function* besideOurs(
  sides: AlignedSides,
  { tableId, mine, single }: Singles,
): Generator<void, Relocation[]> {
  const taken = new Set(mine.map(({ id }) => lineText(id)));
  const meeting = single.filter(({ id }) => taken.has(lineText(id))).map(({ id }) => id);
  if (meeting.length === 0) return [];
  const below = blankBelow(sides, tableId, meeting);
  if (below) return relocated(meeting, below);
  const fresh = unknownLines(sides, tableId, meeting.length);
  yield* addLines(sides.ours, { tableId, axis: 'row' }, fresh);
  return relocated(meeting, fresh);
}

/** Returns as many lines below the table as there are rows, if they are blank on both sides. */
function blankBelow(
  { ours, theirs }: AlignedSides,
  tableId: string,
  rows: readonly LineId[],
): LineId[] | undefined {
  const { state } = ours;
  const table = tableIn(state, tableId);
  if (table.totalsRow) return undefined;
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const below = { ...range, row0: range.row1 + 1, row1: range.row1 + rows.length };
  const lines = rows.map((_, at) => sheet.rows.idAt(below.row0 + at));
  const going = new Set(rows.map(lineText));
  const others = lines.filter((id) => !going.has(lineText(id)));
  if (!isFreeArea(sheet, below, state.contextAt(state.structure))) return undefined;
  const contentOf = rowContents(theirs.state, { tableId, known: state });
  return others.every((id) => contentOf(id) === 'blank') ? lines : undefined;
}
