import type { Sql } from '../../storage/postgres.ts';
import type { GivenApproval } from '../../tlog/statements/write-statements.ts';

export interface SealedEntry {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly objectKey: string;
  readonly byteCount: number;
}

export interface SnapshotEntry {
  readonly seq: number;
  readonly root: Buffer;
  readonly objectKey: string;
}

export interface CommitEntry {
  readonly seq: number;
  readonly tag: string | null;
  readonly message: string;
  readonly committedBy: string;
  readonly stateHash: Buffer | null;
  readonly chainHash: Buffer | null;
}

/** A tag and its position. */
export interface TagEntry {
  readonly tag: string;
  readonly seq: number;
}

/** A merge and the position that it took. */
export interface MergeEntry {
  readonly seq: number;
  readonly sourceNo: number;
  readonly sourceSeq: number;
}

/** An approval of a merge into the branch. */
export interface ApprovalEntry {
  readonly mergeId: string;
  readonly given: GivenApproval;
}

/** A branch and all rows that say something of it, but for the journal itself. */
export interface StoredBranch {
  readonly branchNo: number;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly head: number;
  readonly headHash: Buffer;
  readonly sealedSeq: number;
  readonly parentNo: number | null;
  readonly forkSeq: number | null;
  readonly baseHash: Buffer;
  /** True when there was a transparency log when the branch was made. */
  readonly isLogged: boolean;
  /** Last operation of the journal's rows; 0 when there are none. */
  readonly hotLastSeq: number;
  readonly sealed: readonly SealedEntry[];
  readonly snapshots: readonly SnapshotEntry[];
  readonly commits: readonly CommitEntry[];
  readonly tags: readonly TagEntry[];
  readonly merges: readonly MergeEntry[];
  readonly approvals: readonly ApprovalEntry[];
}

export interface HotSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly previousHash: Buffer;
  readonly hash: Buffer;
  readonly body: Buffer;
}

export interface HotRange {
  readonly workbookId: string;
  readonly branchNo: number;
  /** Rows that reach beyond this operation … */
  readonly after: number;
  /** … and begin at this one at the latest. */
  readonly through: number;
}

type BranchColumns = Omit<
  StoredBranch,
  'sealed' | 'snapshots' | 'commits' | 'tags' | 'merges' | 'approvals'
>;
type Keyed<Entry> = Entry & { readonly branchNo: number };

/** The step of the schema that brought the log. */
const logMigration = 8;
const pageSegments = 500;
const pageBytes = 4 << 20;

/** Reads the data of a workbook in PostgreSQL, without caches. */
export class VerifyTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Reads the branches by number, all at one moment: nothing appended meanwhile shows in a part.
   */
  read(workbookId: string): Promise<StoredBranch[]> {
    return this.#sql.begin('isolation level repeatable read read only', async (sql) => {
      const branches = await sql<BranchColumns[]>`
        select b.branch_no as "branchNo", b.name, b.deleted_at is not null as "isDeleted", b.head,
               b.head_hash as "headHash", b.sealed_seq as "sealedSeq", b.parent_no as "parentNo",
               b.fork_seq as "forkSeq", b.base_hash as "baseHash",
               b.created_at >= (select applied_at from schema_migration
                                 where number = ${logMigration}) as "isLogged",
               coalesce((select s.last_seq from segment s
                          where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no
                          order by s.first_seq desc limit 1), 0) as "hotLastSeq"
          from branch b where b.workbook_id = ${workbookId}
         order by b.branch_no`;
      const sealed = await sql<Keyed<SealedEntry>[]>`
        select branch_no as "branchNo", first_seq as "firstSeq", last_seq as "lastSeq",
               object_key as "objectKey", byte_count as "byteCount"
          from sealed_segment where workbook_id = ${workbookId} order by branch_no, first_seq`;
      const snapshots = await sql<Keyed<SnapshotEntry>[]>`
        select branch_no as "branchNo", seq, root, object_key as "objectKey"
          from snapshot where workbook_id = ${workbookId} order by branch_no, seq`;
      const commits = await sql<Keyed<CommitEntry>[]>`
        select branch_no as "branchNo", seq, tag, message, committed_by as "committedBy",
               state_hash as "stateHash", chain_hash as "chainHash"
          from branch_commit where workbook_id = ${workbookId} order by branch_no, seq`;
      const tags = await sql<Keyed<TagEntry>[]>`
        select branch_no as "branchNo", tag, seq from commit_tag
         where workbook_id = ${workbookId} and seq is not null order by branch_no, seq`;
      const merges = await sql<Keyed<MergeEntry>[]>`
        select branch_no as "branchNo", seq, source_no as "sourceNo", source_seq as "sourceSeq"
          from branch_merge where workbook_id = ${workbookId} order by branch_no, seq`;
      const approvals = await sql<Keyed<ApprovalEntry>[]>`
        select target_no as "branchNo", merge_id as "mergeId", given
          from merge, jsonb_array_elements(approvals) as given
         where workbook_id = ${workbookId} and given ->> 'event' = 'approve'`;
      return branches.map((branch) => ({
        ...branch,
        sealed: ofBranch(sealed, branch),
        snapshots: ofBranch(snapshots, branch),
        commits: ofBranch(commits, branch),
        tags: ofBranch(tags, branch),
        merges: ofBranch(merges, branch),
        approvals: ofBranch(approvals, branch),
      }));
    });
  }

  /** A page of the journal's rows, in order; none at the end. */
  hotSegments({ workbookId, branchNo, after, through }: HotRange): Promise<HotSegment[]> {
    return this.#sql<HotSegment[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", previous_hash as "previousHash",
             hash, body
        from (
          select *, sum(octet_length(body)) over (order by first_seq) - octet_length(body) as ahead
            from segment
           where workbook_id = ${workbookId} and branch_no = ${branchNo}
             and first_seq >= coalesce((
               select max(first_seq) from segment
                where workbook_id = ${workbookId} and branch_no = ${branchNo}
                  and first_seq <= ${after + 1}), 1)
             and last_seq > ${after} and first_seq <= ${through}
           order by first_seq
           limit ${pageSegments}) as page
       where ahead < ${pageBytes}
       order by first_seq`;
  }
}

function ofBranch<Entry extends { readonly branchNo: number }>(
  entries: readonly Entry[],
  { branchNo }: { readonly branchNo: number },
): Entry[] {
  return entries.filter((entry) => entry.branchNo === branchNo);
}
