import type { Mutation } from '../model/mutation.ts';
import type { JournalRecord } from './record.ts';

/** A durable batch, as listeners hear of it: in order and without holes. */
export interface Commit {
  readonly workbookId: string;
  readonly branchNo: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly JournalRecord[];
  /** What the batch did to the grid; replayed in order it keeps a kernel model up to date. */
  readonly mutations: readonly Mutation[];
  /** It is one submission, whose sender asks which cells come to another value by it. */
  readonly isWatched?: boolean;
}

/** Called between two batches: must not throw, and returns soon. */
export type CommitListener = (commit: Commit) => void;
