import { isUniqueViolation } from '../../model/error-code.ts';
import type { Settle } from '../../model/idempotency.ts';
import type { Sql, Statements } from '../../storage/postgres.ts';
import { stateFork } from '../../tlog/statements/write-statements.ts';
import { mainBranch } from '../../workbooks/workbook.ts';
import type { BranchAddress } from '../journal-store.ts';

export interface NewBranch {
  readonly workbookId: string;
  readonly name: string;
  readonly from: { readonly branchNo: number; readonly seq: number };
  /** The parent's hash chain after the operation it begins at. */
  readonly baseHash: Buffer;
  readonly description: string | undefined;
  readonly createdBy: string;
  /** Archived when nobody wrote to it for so long. */
  readonly ttlDays: number | null;
  /** The workbook may have so many. */
  readonly branchesMost: number;
}

/** The reason why no branch was made. */
export type Refusal = 'nameTaken' | 'full' | Absence;

/** A change since the request was let in: the workbook or branch was archived, or is gone. */
export type Absence = 'archived' | 'gone';

export interface ListedBranch {
  readonly branchNo: number;
  readonly name: string;
  readonly head: number;
  readonly parentNo: number | null;
  readonly forkSeq: number | null;
  readonly description: string | null;
  readonly createdBy: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly ttlDays: number | null;
  /** True when it was archived by itself, not with its workbook. */
  readonly isArchived: boolean;
}

/** A branch that may be archived. */
export interface IdleBranch extends BranchAddress {
  readonly name: string;
  readonly updatedAt: Date;
  readonly ttlDays: number | null;
  /** True when all of it was merged, into whichever branch. */
  readonly isMerged: boolean;
}

/** The branches of workbooks, in PostgreSQL. */
export class ForkTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Makes a branch: one row, whatever the branch holds, and its statement for the transparency log.
   */
  async create(branch: NewBranch, settle?: Settle<ListedBranch>): Promise<ListedBranch | Refusal> {
    const { workbookId, from, baseHash } = branch;
    try {
      const created = await this.#sql.begin(async (sql) => {
        const row = await this.#insert(sql, branch);
        if (!row) return undefined;
        const { branchNo, createdAt } = row;
        const begun = { parent: from, chainHash: baseHash, timeMilliseconds: createdAt.getTime() };
        await stateFork(sql, { workbookId, branchNo, ...begun });
        await settle?.(sql, row);
        return row;
      });
      return created ?? (await this.#refusal(workbookId));
    } catch (error) {
      if (isUniqueViolation(error)) {
        return 'nameTaken';
      }
      throw error;
    }
  }

  async #insert(sql: Statements, branch: NewBranch): Promise<ListedBranch | undefined> {
    const { workbookId, name, from, baseHash, description, createdBy } = branch;
    const { ttlDays, branchesMost } = branch;
    const [row] = await sql<ListedBranch[]>`
        with numbered as (
          update workbook
             set last_branch_no = last_branch_no + 1, branch_count = branch_count + 1
           where workbook_id = ${workbookId} and complete and not archived
             and branch_count < ${branchesMost}
          returning last_branch_no
        )
        insert into branch (workbook_id, branch_no, name, head_hash, base_hash, parent_no, fork_seq,
                            description, created_by, ttl_days)
        select ${workbookId}, last_branch_no, ${name}, ${baseHash}, ${baseHash}, ${from.branchNo},
               ${from.seq}, ${description ?? null}, ${createdBy}, ${ttlDays}
          from numbered
        returning ${this.#columns()}`;
    return row;
  }

  async #refusal(workbookId: string): Promise<Refusal> {
    const [workbook] = await this.#sql<{ archived: boolean }[]>`
      select archived from workbook where workbook_id = ${workbookId} and complete`;
    if (!workbook) return 'gone';
    return workbook.archived ? 'archived' : 'full';
  }

  /** Lists the branches by number, without deleted ones. */
  async list(workbookId: string): Promise<ListedBranch[]> {
    return this.#sql<ListedBranch[]>`
      select ${this.#columns()} from branch
       where workbook_id = ${workbookId} and deleted_at is null
       order by branch_no`;
  }

  /** Names of the branches that others were merged into, by the number of those. */
  async mergedInto(workbookId: string): Promise<ReadonlyMap<number, readonly string[]>> {
    const rows = await this.#sql<{ branchNo: number; names: string[] }[]>`
      select m.source_no as "branchNo", array_agg(distinct b.name order by b.name) as names
        from branch_merge m
        join branch b on b.workbook_id = m.workbook_id and b.branch_no = m.branch_no
       where m.workbook_id = ${workbookId} and m.branch_no <> m.source_no
         and b.deleted_at is null
       group by m.source_no`;
    return new Map(rows.map(({ branchNo, names }) => [branchNo, names]));
  }

  /** A branch and those it comes from, up to one that was deleted. */
  async lineage({ workbookId, branchNo }: BranchAddress): Promise<ListedBranch[]> {
    // Asked of `branch` itself, "not deleted" makes the planner take the index of names, of which it
    // has to read all: it cannot know yet how many branches the workbook has.
    return this.#sql<ListedBranch[]>`
      with recursive line as (
        select * from branch where workbook_id = ${workbookId} and branch_no = ${branchNo}
        union all
        select branch.* from branch join line on branch.branch_no = line.parent_no
         where branch.workbook_id = ${workbookId} and line.deleted_at is null
      )
      select ${this.#columns()} from line where deleted_at is null`;
  }

  /** Takes the name off a branch and its writers' ground; forks of it go on. */
  async delete(
    { workbookId, branchNo }: BranchAddress,
    settle?: Settle<undefined>,
  ): Promise<'deleted' | Absence> {
    return this.#sql.begin(async (sql) => {
      // As who archives it: the workbook first, then its branches.
      const [workbook] = await sql<{ archived: boolean }[]>`
        select archived from workbook where workbook_id = ${workbookId} for update`;
      if (workbook?.archived === true) return 'archived';
      const done = await sql`
        update branch
           set deleted_at = clock_timestamp(), archived = true, epoch = epoch + 1
         where workbook_id = ${workbookId} and branch_no = ${branchNo} and deleted_at is null`;
      if (done.count === 0) return 'gone';
      await sql`
        update workbook set branch_count = branch_count - 1 where workbook_id = ${workbookId}`;
      await settle?.(sql, undefined);
      return 'deleted';
    });
  }

  /**
   * Lists branches that nobody wrote to for a day, and that have an end or are merged as they are.
   * A branch in an open merge is not idle.
   */
  async idle(now: Date): Promise<IdleBranch[]> {
    return this.#sql<IdleBranch[]>`
      select * from (
        select b.workbook_id as "workbookId", b.branch_no as "branchNo", b.name,
               b.updated_at as "updatedAt", b.ttl_days as "ttlDays",
               exists (
                 select from branch_merge m
                  where m.workbook_id = b.workbook_id and m.source_no = b.branch_no
                    and m.branch_no <> b.branch_no and m.source_seq >= b.head
               ) as "isMerged"
          from branch b
          join workbook w on w.workbook_id = b.workbook_id and w.complete and not w.archived
         where not b.archived and b.branch_no > 0 and b.name <> ${mainBranch}
           and b.updated_at <= ${now}::timestamptz - interval '1 day'
           and not exists (
             select from merge o
              where o.workbook_id = b.workbook_id and o.state = 'open'
                and b.branch_no in (o.source_no, o.target_no)
           )
      ) as untouched
       where "ttlDays" is not null or "isMerged"
       order by "updatedAt"`;
  }

  /** Returns false if somebody wrote to it or archived it meanwhile. */
  async archive({ workbookId, branchNo, updatedAt }: IdleBranch): Promise<boolean> {
    const done = await this.#sql`
      update branch set archived = true, epoch = epoch + 1
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and not archived
         and date_trunc('milliseconds', updated_at) = ${updatedAt}::timestamptz`;
    return done.count === 1;
  }

  /**
   * Makes an archived branch active, as one that was just written to, so that it is not archived at
   * once.
   */
  async restore(
    { workbookId, branchNo }: BranchAddress,
    settle?: Settle<undefined>,
  ): Promise<'active' | Absence> {
    return this.#sql.begin(async (sql) => {
      await sql`
        update branch set archived = false, epoch = epoch + 1, updated_at = clock_timestamp()
         where workbook_id = ${workbookId} and branch_no = ${branchNo}
           and archived and not archived_with_workbook and deleted_at is null`;
      const [branch] = await sql<{ archived: boolean }[]>`
        select archived from branch
         where workbook_id = ${workbookId} and branch_no = ${branchNo} and deleted_at is null`;
      if (!branch) return 'gone';
      if (branch.archived) return 'archived';
      await settle?.(sql, undefined);
      return 'active';
    });
  }

  #columns() {
    return this.#sql`
      branch_no as "branchNo", name, head, parent_no as "parentNo", fork_seq as "forkSeq",
      description, created_by as "createdBy", created_at as "createdAt",
      updated_at as "updatedAt", ttl_days as "ttlDays",
      archived and not archived_with_workbook as "isArchived"`;
  }
}
