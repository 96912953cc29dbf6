import type { Mutation } from '../model/mutation.ts';
import type { JournalRecord } from './record.ts';

/** A durable batch, as listeners hear of it: in order and without holes. */
export interface Commit {
  readonly workbookId: string;
  readonly branchNo: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly records: readonly JournalRecord[];
  /** Changes of the grid by the batch; replayed in order they keep a kernel model up to date. */
  readonly mutations: readonly Mutation[];
  /** The sender of each record on this process, as it named itself; undefined for others. */
  readonly senders?: readonly (object | undefined)[];
  /** The journal's hash chain after the last record. */
  readonly hash?: Buffer;
  /** True when the batch is one submission whose sender asks for the changed cells. */
  readonly isWatched?: boolean;
  /** True when another process wrote it, and it was read from the journal. */
  readonly isForeign?: boolean;
}

/** Called between two batches: must not throw, and returns soon. */
export type CommitListener = (commit: Commit) => void;
