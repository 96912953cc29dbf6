import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import type { LineId } from '../order.ts';
import { isBlankArea, isFreeArea } from '../table-cells.ts';
import { rangeOf, sameLine, sheetOfTable, type StoredColumn } from '../tables.ts';
import { entryOf } from './carried-table.ts';
import {
  addLines,
  freshLines,
  positionIn,
  relocate,
  tableIn,
  type AlignedSides,
} from './relocation.ts';
import type { Scope } from './scope.ts';

/** A column that theirs added, and the id and the line that it gets. */
interface Placed {
  readonly column: StoredColumn;
  readonly id: string;
  readonly line: LineId;
}

/**
 * A column of one name that both sides added to a table is one column; of others that both put into
 * the same column of the sheet, those of theirs go beside.
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
  const placed: Placed[] = [];
  for (const column of yours) {
    const folded = foldName(column.name);
    const twin = mine.find(({ name }) => foldName(name) === folded);
    const isTaken = mine.some(({ line }) => sameLine(line, column.line));
    if (twin) placed.push({ column, id: twin.id, line: twin.line });
    else if (isTaken) {
      placed.push({ column, id: column.id, line: yield* lineBeside(sides, tableId, placed) });
    }
  }
  yield* placeColumns(sides, tableId, placed);
}

function* lineBeside(
  { ours, theirs }: AlignedSides,
  tableId: string,
  placed: readonly Placed[],
): Generator<void, LineId> {
  const { state } = ours;
  const table = tableIn(state, tableId);
  const sheet = sheetOfTable(table, state.structure);
  const range = rangeOf(table, state.structure);
  const beside = range.column1 + 1 + placed.filter(({ column, id }) => column.id === id).length;
  const line = sheet.columns.idAt(beside);
  const area = { ...range, column0: beside, column1: beside };
  const isFree = isFreeArea(sheet, area, state.contextAt(state.structure));
  if (isFree && isBlankIn(theirs.state, tableId, line)) return line;
  const [fresh] = freshLines(state, sheet.columns, 1);
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
  yield* relocate(theirs, { tableId, axis: 'column' }, relocations);
  const was = sheetOfTable(tableIn(base.state, tableId), base.state.structure);
  const sheetId = was.id;
  for (const { from } of relocations) {
    const sheet = sheetOfTable(tableIn(theirs.state, tableId), theirs.state.structure);
    const position = positionIn(sheet, 'column', from);
    // Blank columns of the sheet that theirs took stay.
    if (position === undefined || positionIn(was, 'column', from) !== undefined) continue;
    const spans = [{ from: position + 1, count: 1 }];
    yield* theirs.add({ kind: 'cols.delete', payload: { sheet: sheetId, spans } });
  }
  const byId = new Map(placed.map((one) => [one.column.id, one]));
  const sheet = theirs.state.structure.withId(sheetId);
  if (!sheet) return;
  const columns = before.columns
    .map((column) => {
      const { id, line } = byId.get(column.id) ?? column;
      return { ...column, id, line };
    })
    .map((column) => ({ column, at: positionIn(sheet, 'column', column.line) ?? 0 }))
    .sort((a, b) => a.at - b.at)
    .map(({ column }) => column);
  const put = [entryOf({ ...tableIn(theirs.state, tableId), columns })];
  yield* theirs.add({ kind: 'restore.tables', payload: { put, delete: [] } });
}
