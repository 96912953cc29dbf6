import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { ColumnNames } from '../references/table-follow.ts';
import type { StoredColumn } from '../structure/tables.ts';
import type { AlignedSides } from './parts.ts';
import { positionIn } from './relocation.ts';
import type { Scope } from './scope.ts';

/**
 * Gives another name to a column that one side added under the name of one which it dropped, and
 * which stays all the same: formulas that name it go along. `common` is the base with what is kept
 * of deletions.
 */
export function* nameColumnsApart(
  sides: AlignedSides,
  common: BranchState,
  scope: Scope | undefined,
): Generator<void, void> {
  for (const { id, sheetId } of common.tables.all) {
    if (scope?.({ kind: 'table', place: { tableId: id, sheetId } }) === false) continue;
    const [mine = [], yours = []] = [sides.ours, sides.theirs].map(
      ({ state }) => state.tables.withId(id)?.columns,
    );
    const names = new ColumnNames([...mine, ...yours].map(({ name }) => name));
    const staying = stayingColumns(sides, common, id);
    for (const [columns, side] of [
      [mine, sides.ours],
      [yours, sides.theirs],
    ] as const) {
      for (const { name: column } of columns.filter((one) => isTwin(one, staying))) {
        const payload = { table: id, column, name: names.fresh(column) };
        yield* side.add({ kind: 'table.column.rename', payload });
      }
    }
  }
}

function isTwin({ id, name }: StoredColumn, staying: readonly StoredColumn[]): boolean {
  if (staying.some((column) => column.id === id)) return false;
  return staying.some((column) => foldName(column.name) === foldName(name));
}

/** Columns of the base that only one side has, and that the merge keeps. */
function stayingColumns(
  { base, ours, theirs }: AlignedSides,
  common: BranchState,
  id: string,
): StoredColumn[] {
  const table = common.tables.withId(id);
  const sheet = table && base.state.structure.withId(table.sheetId);
  if (!sheet) return [];
  const sides = [ours, theirs].map(({ state }) => state.tables.withId(id)?.columns ?? []);
  return table.columns.flatMap((column) => {
    const held = sides.flatMap((columns) => columns.find((one) => one.id === column.id) ?? []);
    const isKept = positionIn(sheet, 'column', column.line) === undefined;
    return held.length === 1 && isKept ? held : [];
  });
}
