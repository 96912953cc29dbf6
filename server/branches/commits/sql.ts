import type { Sql } from '../../storage/postgres.ts';
import { stateCommit, type StatementReceipt } from '../../tlog/statements/write-statements.ts';
import type { BranchAddress } from '../journal-store.ts';

/** A tag that was taken for a commit which never came is free again after this. */
const reservedSeconds = 60;

export interface CommitHashes {
  readonly seq: number;
  readonly stateHash: Buffer;
  readonly chainHash: Buffer;
}

export interface ListedCommit {
  readonly branch: string | null;
  readonly seq: number;
  readonly tag: string | null;
  readonly message: string;
  readonly committedBy: string;
  readonly committedAt: Date;
  readonly stateHash: Buffer | null;
  readonly chainHash: Buffer | null;
}

/** Named positions; the append of their operations writes them. */
export class CommitTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Takes a tag. False: another commit has it, or is about to. Of a request that is sent again the
   * earlier try may have taken it, and even have made the commit.
   */
  async reserve(workbookId: string, tag: string, runId: string | undefined): Promise<boolean> {
    const sql = this.#sql;
    const own = runId ?? null;
    const reserved = await sql`
      insert into commit_tag (workbook_id, tag, reserved_for)
      values (${workbookId}, ${tag}, ${own})
      on conflict (workbook_id, tag) do update
        set reserved_at = clock_timestamp(), reserved_for = excluded.reserved_for
       where commit_tag.reserved_for = ${own}
          or (commit_tag.seq is null
              and commit_tag.reserved_at
                  < clock_timestamp() - make_interval(secs => ${reservedSeconds}))`;
    return reserved.count === 1;
  }

  /** Gives back a tag whose commit was refused. */
  async release(workbookId: string, tag: string): Promise<void> {
    await this.#sql`
      delete from commit_tag where workbook_id = ${workbookId} and tag = ${tag} and seq is null`;
  }

  /** Notes the hashes of a commit; returns the receipt that proves it by the transparency log. */
  noteHashes(
    { workbookId, branchNo }: BranchAddress,
    hashes: CommitHashes,
  ): Promise<StatementReceipt | undefined> {
    const { seq, stateHash, chainHash } = hashes;
    return this.#sql.begin(async (sql) => {
      const [noted] = await sql<{ at: Date }[]>`
        update branch_commit set state_hash = ${stateHash}, chain_hash = ${chainHash}
         where workbook_id = ${workbookId} and branch_no = ${branchNo} and seq = ${seq}
        returning committed_at as at`;
      if (!noted) return undefined;
      const timeMilliseconds = noted.at.getTime();
      return stateCommit(sql, { workbookId, branchNo, ...hashes, timeMilliseconds });
    });
  }

  /** Commits whose hashes nobody noted yet. */
  async unhashed({ workbookId, branchNo }: BranchAddress): Promise<number[]> {
    const rows = await this.#sql<{ seq: number }[]>`
      select seq from branch_commit
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and state_hash is null
       order by seq`;
    return rows.map(({ seq }) => seq);
  }

  async find(
    workbookId: string,
    tag: string,
  ): Promise<{ branchNo: number; branch: string; seq: number } | undefined> {
    const [row] = await this.#sql<{ branchNo: number; branch: string; seq: number }[]>`
      select t.branch_no as "branchNo", b.name as branch, t.seq
        from commit_tag t
        join branch b on b.workbook_id = t.workbook_id and b.branch_no = t.branch_no
       where t.workbook_id = ${workbookId} and t.tag = ${tag} and t.seq is not null`;
    return row;
  }

  /** Finds the position at which a merge was applied. */
  async findMerge(
    workbookId: string,
    mergeId: string,
  ): Promise<{ branchNo: number; branch: string; seq: number } | undefined> {
    const [row] = await this.#sql<{ branchNo: number; branch: string; seq: number }[]>`
      select m.branch_no as "branchNo", b.name as branch, m.seq
        from branch_merge m
        join branch b on b.workbook_id = m.workbook_id and b.branch_no = m.branch_no
       where m.workbook_id = ${workbookId} and m.merge_id = ${mergeId}
         and b.deleted_at is null`;
    return row;
  }

  async isFirstOfName({ workbookId, branchNo }: BranchAddress): Promise<boolean> {
    const earlier = await this.#sql`
      select from branch b join branch e using (workbook_id, name)
       where b.workbook_id = ${workbookId} and b.branch_no = ${branchNo}
         and e.branch_no < b.branch_no
       limit 1`;
    return earlier.length === 0;
  }

  /** Newest first. */
  async list(
    workbookId: string,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<ListedCommit[]> {
    return this.#sql<ListedCommit[]>`
      select b.name as branch, c.seq, c.tag, c.message, c.committed_by as "committedBy",
             c.committed_at as "committedAt", c.state_hash as "stateHash",
             c.chain_hash as "chainHash"
        from branch_commit c
        join branch b on b.workbook_id = c.workbook_id and b.branch_no = c.branch_no
       where c.workbook_id = ${workbookId}
       order by c.committed_at desc, c.branch_no, c.seq desc
      offset ${offset} limit ${limit}`;
  }

  async count(workbookId: string): Promise<number> {
    const [row] = await this.#sql<{ count: number }[]>`
      select count(*) as count from branch_commit where workbook_id = ${workbookId}`;
    return row?.count ?? 0;
  }
}
