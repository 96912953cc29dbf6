import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { ColumnNames } from '../references/table-follow.ts';
import type { StoredColumn } from '../structure/tables.ts';
import type { Sides } from '../compare/merged-members.ts';
import { partsOn, type OperationParts } from './parts.ts';
import { positionIn } from './relocation.ts';
import type { Scope } from './scope.ts';

/**
 * The sides of a merge: `common` is the common ancestor, `base` is that without the deleted columns
 * that the merge keeps.
 */
interface ApartSides extends Sides<BranchState> {
  readonly common: BranchState;
}

/**
 * Renames a new column when its side dropped a column of the same name and the merge keeps the
 * dropped one. Formulas that name the new column follow. Returns theirs, renamed.
 */
export function* nameColumnsApart(
  sides: ApartSides,
  parts: OperationParts,
  scope: Scope | undefined,
): Generator<void, BranchState> {
  const theirs = partsOn(sides.theirs);
  for (const { id, sheetId } of sides.common.tables.all) {
    if (scope?.({ kind: 'table', place: { tableId: id, sheetId } }) === false) continue;
    const [mine = [], yours = []] = [sides.ours, sides.theirs].map(
      ({ tables }) => tables.withId(id)?.columns,
    );
    const names = new ColumnNames([...mine, ...yours].map(({ name }) => name));
    const staying = stayingColumns(sides, id);
    for (const [columns, side] of [
      [mine, parts],
      [yours, theirs],
    ] as const) {
      for (const { name: column } of columns.filter((one) => isTwin(one, staying))) {
        const payload = { table: id, column, name: names.fresh(column) };
        yield* side.add({ kind: 'table.column.rename', payload });
      }
    }
  }
  return theirs.parts.length > 0 ? theirs.state : sides.theirs;
}

function isTwin({ id, name }: StoredColumn, staying: readonly StoredColumn[]): boolean {
  if (staying.some((column) => column.id === id)) return false;
  return staying.some((column) => foldName(column.name) === foldName(name));
}

/** Columns that one side dropped and the merge keeps. */
function stayingColumns({ base, common, ours, theirs }: ApartSides, id: string): StoredColumn[] {
  const table = common.tables.withId(id);
  const sheet = table && base.structure.withId(table.sheetId);
  if (!sheet) return [];
  const sides = [ours, theirs].map(({ tables }) => tables.withId(id)?.columns ?? []);
  return table.columns.flatMap((column) => {
    const held = sides.flatMap((columns) => columns.find((one) => one.id === column.id) ?? []);
    const isKept = positionIn(sheet, 'column', column.line) === undefined;
    return held.length === 1 && isKept ? held : [];
  });
}
