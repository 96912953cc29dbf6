import type { StatementRow } from '../tlog/statements/statement-row.ts';
import type { AddedRejections } from './rejections/store.ts';

/** The row of a branch in the database. */
export interface BranchRow {
  readonly branchNo: number;
  readonly name: string;
  /** Sequence of the last operation; 0 for none. */
  readonly head: number;
  readonly headHash: Buffer;
  /** Fencing token: an append with an older token is refused. */
  readonly epoch: number;
  readonly archived: boolean;
  /** True if archived with its workbook, not by itself or because it is deleted. */
  readonly isArchivedWithWorkbook: boolean;
  /** True if deleted; it is found by number only, for the branches that begin in it. */
  readonly isDeleted?: boolean;
  /** Position where the branch begins; undefined for one that begins empty. */
  readonly from: { readonly branchNo: number; readonly seq: number } | undefined;
  /** Hash before the first operation. */
  readonly baseHash: Buffer;
  /** Number of the last stored rejection; none if left out. */
  readonly rejectedNo?: number;
  /** Sequence up to which operations are in object storage too. */
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
  /** At least one segment, each beginning where the one before ends. */
  readonly segments: readonly StoredSegment[];
  readonly usage: readonly UsageDelta[];
  /** Commits among the operations. */
  readonly commits: readonly NamedPosition[];
  /** Merges among the operations. */
  readonly merges?: readonly MergedPosition[];
  /**
   * Rejections that become durable with them; if left out, the number of the last one is not
   * compared.
   */
  readonly rejections?: AddedRejections;
  /** Time at which the operations were accepted, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Statements for the transparency log about segments and merges, written with them. */
  readonly statements?: readonly StatementRow[];
}

/** A merge, and the operations that the branch holds from then on. */
export interface MergedPosition {
  readonly seq: number;
  readonly mergeId: string;
  readonly sourceNo: number;
  readonly sourceSeq: number;
  /** Last operation of each branch by number; undefined for a squashed merge. */
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
 * `append` returns true once all segments are durable, with head, hash, usage and commits. It
 * returns false, and has written nothing, if the head or epoch of the branch is not the expected
 * one or the branch is archived. It may throw at any time; whether the segments will be durable,
 * all or none, is then unknown, and the caller reads the branch again. Two appends with the same
 * expected head never both succeed, from any process.
 *
 * Reads see every append that returned true before the call. They may also see appends that were
 * not answered yet and that a failover could still undo: `confirm` resolves once all that was read
 * before is as safe as what was acknowledged. An answer that depends on a read waits for it.
 *
 * No call waits forever for a database that does not answer.
 */
export interface JournalStore {
  /**
   * True if nothing became durable for seconds while somebody waits, so that an attempt is
   * pointless.
   */
  readonly isStuck: boolean;
  append(append: Append): Promise<boolean>;
  branch(address: BranchAddress): Promise<BranchRow | undefined>;
  branchNamed(workbookId: string, name: string): Promise<BranchRow | undefined>;
  /**
   * Reads the segments that reach beyond `after`, in order: none at the end, else as many as fit a
   * page. Those that begin after `through` may be left out.
   */
  segments(address: BranchAddress, after: number, through?: number): Promise<StoredSegment[]>;
  confirm(): Promise<void>;
}
