import type { StatementRow } from '../tlog/statements/statement-row.ts';
import type { AddedRejections } from './rejections/store.ts';

/** A branch as the database has it. */
export interface BranchRow {
  readonly branchNo: number;
  readonly name: string;
  /** Sequence of the last operation; 0 for none. */
  readonly head: number;
  readonly headHash: Buffer;
  /** Fencing token: an append with an older one is refused. */
  readonly epoch: number;
  readonly archived: boolean;
  /** Otherwise by itself, or because it is deleted. */
  readonly isArchivedWithWorkbook: boolean;
  /** It is found by its number only, for the sake of branches that begin in it. */
  readonly isDeleted?: boolean;
  /** Position where the branch begins; undefined for one that begins with nothing. */
  readonly from: { readonly branchNo: number; readonly seq: number } | undefined;
  /** The hash that the first operation follows. */
  readonly baseHash: Buffer;
  /** Number of the last rejection that is kept; none are when left out. */
  readonly rejectedNo?: number;
  /** Operations up to here are in object storage too. */
  readonly sealedSeq: number;
  /** Position of the newest snapshot; 0 for none. */
  readonly snapshotSeq: number;
}

export interface StoredSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
  readonly body: Buffer;
}

export interface Append {
  readonly workbookId: string;
  readonly branchNo: number;
  readonly expectedHead: number;
  readonly epoch: number;
  /** At least one, each going on where the one before ends. */
  readonly segments: readonly StoredSegment[];
  readonly usage: readonly UsageDelta[];
  /** Commits among the operations. */
  readonly commits: readonly NamedPosition[];
  /** Merges among the operations. */
  readonly merges?: readonly MergedPosition[];
  /** Rejections that become durable with them; the number of the last one is not compared when left out. */
  readonly rejections?: AddedRejections;
  /** Time at which the operations were accepted, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Statements for the transparency log about segments and merges; written with them. */
  readonly statements?: readonly StatementRow[];
}

/** A merge, and the operations that the branch holds from it on. */
export interface MergedPosition {
  readonly seq: number;
  readonly mergeId: string;
  readonly sourceNo: number;
  readonly sourceSeq: number;
  /** The last operation of each branch, by its number; undefined if it was squashed. */
  readonly vector: Readonly<Record<string, number>> | undefined;
}

/** A position that a commit gave a name. */
export interface NamedPosition {
  readonly seq: number;
  readonly tag: string | undefined;
  readonly message: string;
  readonly principalId: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

export interface UsageDelta {
  readonly principalId: string;
  readonly operationCount: number;
  readonly byteCount: number;
}

export interface BranchAddress {
  readonly workbookId: string;
  readonly branchNo: number;
}

/** Returns the key of a branch in maps: `wb_…/0`. */
export function branchKey({ workbookId, branchNo }: BranchAddress): string {
  return `${workbookId}/${branchNo}`;
}

/** Returns the key of a position in maps: `wb_…/0@42`. */
export function positionKey(address: BranchAddress, seq: number): string {
  return `${branchKey(address)}@${seq}`;
}

/**
 * The store of journals.
 *
 * `append` answers true once all segments are durable, with head, hash, usage and commits. It
 * answers false, and has written nothing, when the branch's head or epoch is not the expected one
 * or the branch is archived. It may throw at any time, and then nobody knows yet whether the
 * segments will be durable, all of them or none: the caller reads the branch again. Two appends
 * with the same expected head never both succeed, whichever node they come from.
 *
 * Reads see every append that was answered true before they were called. They may also show what
 * nobody was answered yet, and what a failover could still undo: `confirm` resolves once all that
 * was read before is as safe as what was answered. An answer that rests on a read waits for it.
 *
 * No call waits without end for a database that does not answer.
 */
export interface JournalStore {
  /**
   * True when nothing was made durable for seconds though somebody waits: better not to try now.
   */
  readonly isStuck: boolean;
  append(append: Append): Promise<boolean>;
  branch(address: BranchAddress): Promise<BranchRow | undefined>;
  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined>;
  /**
   * Segments that reach beyond `after`, in order: none at the end, else as many as fit a page. Those
   * that begin after `through` may be left out.
   */
  segments(address: BranchAddress, after: number, through?: number): Promise<StoredSegment[]>;
  confirm(): Promise<void>;
}
