import type { Sql } from '../storage/postgres.ts';
import { stateLifeCycle } from '../tlog/statements/write-statements.ts';

/** A purge that has begun. */
export interface PurgeEntry {
  readonly workbookId: string;
  /** Time at which the last row was deleted; null until then. */
  readonly removedAt: Date | null;
  /** Opening of the transparency log's entry about it. */
  readonly receipt?: Buffer | null;
}

export interface PurgeRequest {
  readonly workbookId: string;
  readonly ownerId: string;
  readonly confirm: string;
}

/** Hours that an entry stays after its purge. */
const keptHours = 24;

/** Purges and how far they have come. */
export class PurgeTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Begins a purge, which hides the workbook; returns false if it is not archived under this token.
   */
  async begin({ workbookId, ownerId, confirm }: PurgeRequest): Promise<boolean> {
    return this.#sql.begin(async (sql) => {
      const [begun] = await sql<{ at: Date }[]>`
        with hidden as (
          update workbook set complete = false, updated_at = clock_timestamp()
           where workbook_id = ${workbookId} and owner_id = ${ownerId} and complete
             and archived and confirm = ${confirm}
          returning workbook_id, owner_id, confirm
        )
        insert into purge (workbook_id, owner_id, confirm) select * from hidden
        returning begun_at as at`;
      if (!begun) return false;
      const { opening } = await stateLifeCycle(sql, { workbookId, kind: 'purge', ...begun });
      await sql`update purge set receipt = ${opening} where workbook_id = ${workbookId}`;
      return true;
    });
  }

  /** The purge that the same request began before. */
  async find({ workbookId, ownerId, confirm }: PurgeRequest): Promise<PurgeEntry | undefined> {
    const [row] = await this.#sql<PurgeEntry[]>`
      select workbook_id as "workbookId", removed_at as "removedAt", receipt from purge
       where workbook_id = ${workbookId} and owner_id = ${ownerId} and confirm = ${confirm}`;
    return row;
  }

  /** Deletes all rows of the workbook, in one transaction with the note that they are gone. */
  async removeRows(workbookId: string): Promise<void> {
    await this.#sql.begin(async (sql) => {
      // Entries that are being given their index are waited for, and found in the log after that.
      for (const table of ['tlog_pending', 'tlog_entry']) {
        await sql`
          update ${sql(table)} as logged set tag = null from workbook w
           where w.workbook_id = ${workbookId} and not w.complete
             and logged.tag = substring(sha256('tlog-tag'::bytea || w.log_key) for 16)`;
      }
      await sql`delete from workbook where workbook_id = ${workbookId} and not complete`;
      await sql`
        update purge set removed_at = clock_timestamp()
         where workbook_id = ${workbookId} and removed_at is null`;
    });
  }

  /** Purges that are not done, and those whose entry has stayed long enough. */
  async due(): Promise<PurgeEntry[]> {
    return this.#sql<PurgeEntry[]>`
      select workbook_id as "workbookId", removed_at as "removedAt" from purge
       where removed_at is null
          or removed_at < clock_timestamp() - make_interval(hours => ${keptHours})
       order by begun_at`;
  }

  async forget(workbookId: string): Promise<void> {
    await this.#sql`
      delete from purge where workbook_id = ${workbookId} and removed_at is not null`;
  }
}

export interface BranchFacts {
  readonly branchNo: number;
  readonly branch: string;
  readonly head: number;
  readonly epoch: number;
}

/** The places that hold the history of a branch. */
export interface BranchHistory {
  /** First operation that PostgreSQL holds; null when it holds none. */
  readonly hotFromSeq: number | null;
  /** Rows of the journal in PostgreSQL. */
  readonly segments: number;
  /** Last operation in object storage; null when there is none. */
  readonly sealedSeq: number | null;
  /** Position of the newest snapshot; null when there is none. */
  readonly snapshotSeq: number | null;
}

/** Reads where a workbook is stored, and fences off its writers. */
export class TopologyTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the branches in the order of their making, without the reserved one. */
  branches(workbookId: string): Promise<BranchFacts[]> {
    return this.#sql<BranchFacts[]>`
      select branch_no as "branchNo", name as branch, head, epoch from branch
       where workbook_id = ${workbookId} and branch_no > 0
       order by branch_no`;
  }

  /** Reads the histories by branch number. */
  async histories(workbookId: string): Promise<ReadonlyMap<number, BranchHistory>> {
    const rows = await this.#sql<(BranchHistory & { branchNo: number })[]>`
      select b.branch_no as "branchNo", hot.first as "hotFromSeq",
             coalesce(hot.count, 0) as segments, nullif(b.sealed_seq, 0) as "sealedSeq",
             (select max(seq) from snapshot s
               where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no) as "snapshotSeq"
        from branch b
        left join (select branch_no, min(first_seq) as first, count(*) as count
                     from segment where workbook_id = ${workbookId} group by branch_no) as hot
          using (branch_no)
       where b.workbook_id = ${workbookId}`;
    return new Map(rows.map(({ branchNo, ...history }) => [branchNo, history]));
  }

  /** Fences the branches: appends under way meet another epoch, and their senders read again. */
  async fence(workbookId: string): Promise<void> {
    const sql = this.#sql;
    await sql`update branch set epoch = epoch + 1 where workbook_id = ${workbookId}`;
  }
}
