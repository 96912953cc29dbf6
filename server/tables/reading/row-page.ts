import { Failure } from '../../model/failure.ts';
import { pages } from '../../model/limits.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { keyColumnOf, type StoredTable } from '../../state/structure/tables.ts';
import { extentOf, type TableExtent } from '../../state/tables/table-extent.ts';
import { tableIn } from '../table-looks.ts';
import { readRowCells, type RowCells, type RowChoice } from './row-cells.ts';
import { findKeys, keySpelling, noSuchKey } from './row-keys.ts';
import { chosenColumns, type RowQuery } from './row-query.ts';

/** The rows of a page from the state, without values of formulas. */
export interface Page {
  readonly seq: number;
  readonly date1904: boolean;
  readonly sheetName: string | undefined;
  readonly choice: RowChoice;
  readonly cells: RowCells;
  readonly total: number;
  readonly lastKey: string | undefined;
  readonly end: number;
  readonly hasMore: boolean;
}

export function* readPage(
  state: BranchState,
  idOrName: string,
  query: RowQuery,
): Generator<void, Page> {
  const table = tableIn(state, idOrName);
  const extent = extentOf(table, state);
  const columns = chosenColumns(table, query.columns);
  const { positions, ...more } = yield* positionsOf(state, { table, extent }, query);
  checkSize(positions.length, columns.length);
  const choice: RowChoice = { table, extent, positions, columns, lens: query.lens };
  const cells = yield* readRowCells(state, choice);
  const last = positions.at(-1);
  const isByKey = query.after !== undefined && last !== undefined;
  const lastKey = isByKey ? yield* keyAt(state, choice, last) : undefined;
  const end = last === undefined ? query.offset : last + 1 - extent.data.row0;
  const sheetName = nameOf(extent, state);
  const at = { seq: state.head, date1904: isOf1904(state), sheetName };
  return { ...at, choice, cells, lastKey, end, ...more };
}

function* positionsOf(
  state: BranchState,
  found: { table: StoredTable; extent: TableExtent },
  { keys, after, offset, limit }: RowQuery,
): Generator<void, { positions: number[]; total: number; hasMore: boolean }> {
  const { data, rowCount } = found.extent;
  if (keys.length > 0) {
    const all = yield* findKeys(state, found, keys);
    const there = all.filter((position) => position !== undefined);
    const positions = there.slice(offset, offset + limit);
    const total = there.length;
    return { positions, total, hasMore: offset + positions.length < total };
  }
  let from = data.row0 + offset;
  if (after !== undefined) {
    const [position] = yield* findKeys(state, found, [after]);
    if (position === undefined) throw noSuchKey(found.table, after);
    from = position + 1;
  }
  const end = Math.min(data.row0 + rowCount, from + limit);
  const length = Math.max(0, end - from);
  const positions = Array.from({ length }, (_, at) => from + at);
  return { positions, total: rowCount, hasMore: end < data.row0 + rowCount };
}

/** Returns the key of a row for the next page; undefined if it could find another row. */
function* keyAt(
  state: BranchState,
  choice: RowChoice,
  position: number,
): Generator<void, string | undefined> {
  const column = keyColumnOf(choice.table);
  if (!column) return undefined;
  const asked: RowChoice = { ...choice, positions: [position], columns: [column], lens: 'value' };
  const [[key = null] = []] = (yield* readRowCells(state, asked)).rows;
  if (typeof key !== 'string' && typeof key !== 'number') return undefined;
  const spelled = keySpelling(key);
  const [found] = yield* findKeys(state, choice, [spelled]);
  return found === position ? spelled : undefined;
}

export function isOf1904({ settings }: BranchState): boolean {
  return settings.get('dateSystem') === 1904;
}

export function nameOf({ sheet }: TableExtent, { structure }: BranchState): string | undefined {
  return structure.withId(sheet.id)?.name;
}

export function checkSize(rowCount: number, columnCount: number): void {
  if (rowCount * columnCount <= pages.sliceCellsMost) return;
  throw new Failure('rangeTooLarge', {
    detail: `A page has at most ${pages.sliceCellsMost} cells.`,
    hint: 'Ask for fewer rows with limit, or for fewer columns; whole=true has all rows.',
  });
}
