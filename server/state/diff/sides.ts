import type { BranchState } from '../branch-state.ts';
import type { SheetOutline } from '../structure/structure.ts';

/** Two states of one workbook that are compared. */
export interface Sides {
  readonly from: BranchState;
  readonly to: BranchState;
}

/** One sheet on both sides; undefined where it is not there. */
export interface SheetPair {
  readonly id: string;
  readonly was: SheetOutline | undefined;
  readonly is: SheetOutline | undefined;
}

export type Change = 'added' | 'modified' | 'removed';

/** Sheets in the order of `to`; behind them those that are gone, in the order of `from`. */
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
