import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { isBlankArea, isFreeArea } from '../tables/table-cells.ts';
import { freshId } from '../references/table-follow.ts';
import { rangeOf, sameLine, sheetOfTable, type StoredColumn } from '../structure/tables.ts';
import { entryOf } from './carried-table.ts';
import { addLines, freshLines, placeBehind, positionIn, relocate, tableIn } from './relocation.ts';
import { deleteOwn } from './left-lines.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import type { Scope } from './scope.ts';

/** A column that theirs added, and the id and sheet column that it gets. */
interface Placed {
  readonly column: StoredColumn;
  readonly id: string;
  readonly line: LineId;
}

/**
 * Aligns columns that both sides added to a table. Two with one name become one column; two with
 * different names in the same column of the sheet are put side by side, ours first.
 */
export function* alignColumns(
  sides: AlignedSides,
  tableId: string,
  scope: Scope | undefined,
): Generator<void, void> {
  const [base, ours, theirs] = [sides.base, sides.ours, sides.theirs].map(({ state }) =>
    tableIn(state, tableId),
  );
  if (!base || !ours || !theirs) return;
  const place = { tableId, sheetId: theirs.sheetId };
  if (scope?.({ kind: 'table', place }) === false) return;
  const isNew = ({ id }: StoredColumn) => !base.columns.some((column) => column.id === id);
  const [mine, yours] = [ours.columns.filter(isNew), theirs.columns.filter(isNew)];
  const ids = new Set(ours.columns.map(({ id }) => id));
  const placed: Placed[] = [];
  let besideCount = 0;
  for (const column of yours) {
    const folded = foldName(column.name);
    const twin = mine.find(({ name }) => foldName(name) === folded);
    const isTaken = mine.some(({ line }) => sameLine(line, column.line));
    if (twin) placed.push({ column, id: twin.id, line: twin.line });
    else if (isTaken) {
      const line = yield* lineBeside(sides, tableId, besideCount++);
      // Ids derive from the line a column was added with, so both sides may have given the same id.
      placed.push({ column, id: ids.has(column.id) ? freshId(ours, line) : column.id, line });
    }
  }
  yield* placeColumns(sides, tableId, placed);
}

function* lineBeside(
  { ours, theirs }: AlignedSides,
  tableId: string,
  besideCount: number,
): Generator<void, LineId> {
  const { state } = ours;
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const beside = range.column1 + 1 + besideCount;
  const line = sheet.columns.idAt(beside);
  const area = { ...range, column0: beside, column1: beside };
  const isFree = isFreeArea(sheet, area, state.contextAt(state.structure));
  if (isFree && isBlankIn(theirs.state, tableId, line)) return line;
  const [fresh] = freshLines(state, [sheet.columns], 1);
  if (!fresh) throw new Error('a line was asked for');
  yield* addLines(ours, { tableId, axis: 'column' }, [fresh]);
  return fresh;
}

function isBlankIn(state: BranchState, tableId: string, line: LineId): boolean {
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const position = positionIn(sheet, 'column', line);
  if (position === undefined) return false;
  const area = { ...rangeOf(table, state.structure), column0: position, column1: position };
  return isBlankArea(sheet, area, state.cellsOf(sheet));
}

function* placeColumns(
  { base, theirs }: AlignedSides,
  tableId: string,
  placed: readonly Placed[],
): Generator<void, void> {
  if (placed.length === 0) return;
  const moved = placed.filter(({ column, line }) => !sameLine(column.line, line));
  const relocations = moved.map(({ column, line }) => ({ from: column.line, to: line }));
  const before = tableIn(theirs.state, tableId);
  const lines = { tableId, axis: 'column', base: base.state } as const;
  yield* relocate(theirs, lines, relocations);
  const byId = new Map(placed.map((one) => [one.column.id, one]));
  const columns = before.columns.map((column) => {
    const { id, line } = byId.get(column.id) ?? column;
    return { ...column, id, line };
  });
  const left = relocations.filter(({ from }) => !columns.some(({ line }) => sameLine(line, from)));
  yield* deleteOwn(
    theirs,
    lines,
    left.map(({ from }) => from),
  );
  for (const { from } of left) {
    yield* leaveColumn(theirs, { tableId, base: base.state, columns }, from);
  }
  const table = tableIn(theirs.state, tableId);
  const sheet = sheetOfTable(table, theirs.state.structure);
  columns.sort((a, b) => acrossOf(sheet, a) - acrossOf(sheet, b));
  const put = [entryOf({ ...table, columns })];
  yield* theirs.add({ kind: 'restore.tables', payload: { put, delete: [] } });
}

interface LeftTable {
  readonly tableId: string;
  readonly base: BranchState;
  /** The columns of the table after the alignment. */
  readonly columns: readonly StoredColumn[];
}

/**
 * Moves a column of the sheet that no longer belongs to the table out of it: back to its place in
 * the base, or behind the table.
 */
function* leaveColumn(
  parts: OperationParts,
  { tableId, base, columns }: LeftTable,
  line: LineId,
): Generator<void, void> {
  const sheet = sheetOfTable(tableIn(parts.state, tableId), parts.state.structure);
  const was = sheetOfTable(tableIn(base, tableId), base.structure);
  const [position, home] = [sheet, was].map((outline) => positionIn(outline, 'column', line));
  if (position === undefined) return;
  const across = columns.map((column) => acrossOf(sheet, column));
  const [first, last] = [Math.min(...across), Math.max(...across)];
  if (position < first || position > last) return;
  const behind =
    home === undefined
      ? last + 1
      : placeBehind(sheet, 'column', { order: was.columns, position: home });
  if (behind === position) return;
  const before = behind > first && behind <= last ? last + 1 : behind;
  const payload = { sheet: sheet.id, from: position + 1, count: 1, before: before + 1 };
  yield* parts.add({ kind: 'cols.move', payload });
}

function acrossOf(sheet: SheetOutline, { line }: StoredColumn): number {
  return positionIn(sheet, 'column', line) ?? 0;
}
