import type { BranchAddress } from './journal-store.ts';

interface TaggedPosition {
  readonly branchNo: number;
  readonly branch: string;
  readonly seq: number;
}

/** Finds positions by name: a tag, or the id of an applied merge. */
export interface Tags {
  find(workbookId: string, tag: string): Promise<TaggedPosition | undefined>;
  findMerge(workbookId: string, mergeId: string): Promise<TaggedPosition | undefined>;
  /** Returns whether the branch is the first of its name in the workbook. */
  isFirstOfName(address: BranchAddress): Promise<boolean>;
}
