import type { BranchAddress } from './journal-store.ts';

interface TaggedPosition {
  readonly branchNo: number;
  readonly branch: string;
  readonly seq: number;
}

/** Looks up positions that have a name: a tag, or the id of a merge that was applied. */
export interface Tags {
  find(workbookId: string, tag: string): Promise<TaggedPosition | undefined>;
  findMerge(workbookId: string, mergeId: string): Promise<TaggedPosition | undefined>;
  /** Returns whether no branch of the workbook had the name of this one before it. */
  isFirstOfName(address: BranchAddress): Promise<boolean>;
}
