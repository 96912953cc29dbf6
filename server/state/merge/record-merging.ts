import type { SheetOutline } from '../structure/structure.ts';
import type { Merging } from './merging.ts';
import type { MergedEnds } from './merged-ends.ts';
import type { RestoredRecord } from './restoration.ts';

/** The records of one sheet under way. */
export interface SheetMerging {
  readonly merging: Merging;
  /** The sheet as it is in theirs. */
  readonly was: SheetOutline;
  /** The sheet once its lines are merged. */
  readonly sheet: SheetOutline;
  readonly put: RestoredRecord[];
  readonly deletes: string[];
  /** Where the areas of each side come to. */
  readonly ends: Readonly<Record<'ours' | 'theirs', MergedEnds>>;
}
