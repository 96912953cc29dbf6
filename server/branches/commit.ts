import type { Mutation } from '../model/mutation.ts';
import type { JournalRecord } from './record.ts';

/** A durable batch as listeners get it: in order and without gaps. */
export interface Commit {
  readonly workbookId: string;
  readonly branchNo: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly JournalRecord[];
  /** Changes of the grid, which keep a kernel model up to date if applied in order. */
  readonly mutations: readonly Mutation[];
  /** Sender of each record from this process; undefined for others. */
  readonly senders?: readonly (object | undefined)[];
  /** The journal's hash chain after the last record. */
  readonly hash?: Buffer;
  /** True if the batch is one submission whose sender asks for the changed cells. */
  readonly isWatched?: boolean;
  /** True if another process wrote it and it was read from the journal. */
  readonly isForeign?: boolean;
}

/** Called between two batches; must not throw, and must return soon. */
export type CommitListener = (commit: Commit) => void;
