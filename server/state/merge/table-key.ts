import { verdictOn, type Sides } from '../compare/merged-members.ts';
import type { StoredTable } from '../structure/tables.ts';
import type { Merging } from './merging.ts';
import { hasChangedRows } from './table-edits.ts';

/** Returns whether a table has no key because the column of its key was dropped. */
export function hasLostKey({ key, columns }: StoredTable, base: StoredTable): boolean {
  return key === undefined && columns.every(({ id }) => id !== base.key);
}

/**
 * Returns the verdict on the key column. It is a contest also when one side changed the key and the
 * other wrote rows under the old one.
 */
export function keyVerdict(
  { base, theirs, ours, judge }: Merging,
  tables: Sides<StoredTable>,
): ReturnType<typeof verdictOn> {
  const { id, key } = tables.base;
  const verdict = verdictOn({ theirs: tables.theirs.key, base: key, ours: tables.ours.key });
  const [isTheirs, isOurs] = [tables.theirs, tables.ours].map((side) => side.key !== key);
  if (!judge.isBetweenBranches || key === undefined || isTheirs === isOurs) return verdict;
  return hasChangedRows(id, { base, side: isOurs ? theirs : ours }) ? 'contest' : verdict;
}
