import type { SheetOutline } from '../structure/structure.ts';
import type { Side } from './judge.ts';
import type { Merging } from './merging.ts';
import type { MergedEnds } from './merged-ends.ts';
import type { RestoredRecord } from './restoration.ts';

/** The merge of the records of one sheet, with the changes collected so far. */
export interface SheetMerging {
  readonly merging: Merging;
  /** The sheet in theirs. */
  readonly was: SheetOutline;
  /** The sheet with merged lines. */
  readonly sheet: SheetOutline;
  readonly put: RestoredRecord[];
  readonly deletes: string[];
  /** Carries areas of each side into the merged state. */
  readonly ends: Readonly<Record<Side, MergedEnds>>;
}
