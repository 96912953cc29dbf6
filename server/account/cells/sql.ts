import type { Sql } from '../../storage/postgres.ts';

interface CellAddress {
  readonly workbookId: string;
  readonly branchNo: number;
}

/** Cells that hold something: at the head of a branch, and where the branch begins. */
export interface CellCount {
  readonly cells: number;
  readonly baseCells: number;
}

export interface Owner {
  readonly userId: string;
  /** An agent that nobody claimed. */
  readonly isAnonymous: boolean;
}

export interface OwnedBranch extends CellAddress, CellCount {}

/** Filled cells by branch: cells that branches share with their parents count once. */
export class CellTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async ownerOf(workbookId: string): Promise<Owner | undefined> {
    const sql = this.#sql;
    const [row] = await sql<Owner[]>`
      select u.user_id as "userId",
             u.kind = 'agent' and u.claimed_at is null and u.linked_to is null
               and u.merged_into is null as "isAnonymous"
        from workbook w join identity_user u on u.user_id = w.owner_id
       where w.workbook_id = ${workbookId}`;
    return row;
  }

  /** Branches of these users that were counted. */
  branchesOf(userIds: readonly string[]): Promise<OwnedBranch[]> {
    return this.#sql<OwnedBranch[]>`
      select b.workbook_id as "workbookId", b.branch_no as "branchNo", b.cells,
             b.base_cells as "baseCells"
        from branch b join workbook w using (workbook_id)
       where w.owner_id = any(${[...userIds]}) and b.deleted_at is null and b.cells is not null`;
  }

  async note({ workbookId, branchNo }: CellAddress, count: CellCount): Promise<void> {
    await this.#sql`
      update branch set cells = ${count.cells}, base_cells = ${count.baseCells}
       where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
  }
}
