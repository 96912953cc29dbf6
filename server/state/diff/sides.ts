import type { BranchState } from '../branch-state.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** The two states of a workbook that are compared. */
export interface Sides {
  readonly from: BranchState;
  readonly to: BranchState;
}

/** A sheet on both sides; undefined on a side without it. */
export interface SheetPair {
  readonly id: string;
  readonly was: SheetOutline | undefined;
  readonly is: SheetOutline | undefined;
}

export type Change = 'added' | 'modified' | 'removed';

/** Pairs the sheets: those of `to` in their order, then deleted ones in the order of `from`. */
export function sheetPairs({ from, to }: Sides): SheetPair[] {
  const here = to.structure.sheets.map((is) => {
    return { id: is.id, was: from.structure.withId(is.id), is };
  });
  const gone = from.structure.sheets.filter(({ id }) => !to.structure.withId(id));
  return [...here, ...gone.map((was) => ({ id: was.id, was, is: undefined }))];
}

export function changeOf(was: unknown, is: unknown): Change {
  if (was === undefined) return 'added';
  return is === undefined ? 'removed' : 'modified';
}
