import type { Sql } from '../../storage/postgres.ts';
import type { BranchAddress } from '../journal-store.ts';

export interface DueOptions {
  /** Branches are looked through in their order; undefined begins with the first. */
  readonly after: BranchAddress | undefined;
  readonly limit: number;
  /** Since the last write; a branch with many operations to be sealed is due at once. */
  readonly idleMilliseconds: number;
  readonly sealOperations: number;
  readonly snapshotOperations: number;
  readonly hotOperations: number;
  /** Operations that are deleted at once, at the least. */
  readonly trimOperations: number;
}

/** Finds branches that have something to be sealed, stored, hashed or trimmed. */
export class KeeperTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** The time is the database's, which is the same for all nodes. */
  async due(options: DueOptions): Promise<BranchAddress[]> {
    const { after, limit, idleMilliseconds, sealOperations } = options;
    const { snapshotOperations, hotOperations, trimOperations } = options;
    const sql = this.#sql;
    const most = sql`least(b.sealed_seq, b.snapshot_seq, b.head - ${hotOperations}::bigint)`;
    const own = sql`s.workbook_id = b.workbook_id and s.branch_no = b.branch_no`;
    const [workbookId, branchNo] = [after?.workbookId ?? '', after?.branchNo ?? 0];
    return sql<BranchAddress[]>`
      select b.workbook_id as "workbookId", b.branch_no as "branchNo"
        from branch b join workbook w on w.workbook_id = b.workbook_id
       where (b.workbook_id, b.branch_no) > (${workbookId}, ${branchNo}::int) and w.complete
         and (b.head - b.sealed_seq >= ${sealOperations}
           or b.updated_at <= clock_timestamp() - make_interval(secs => ${idleMilliseconds / 1000})
             and (b.sealed_seq < b.head
               or b.head - b.snapshot_seq >= ${snapshotOperations}
               or exists (select from branch_commit c
                           where c.workbook_id = b.workbook_id and c.branch_no = b.branch_no
                             and c.state_hash is null)
               or (exists (select from segment s where ${own} and s.last_seq <= ${most})
                 and (select min(s.first_seq) from segment s where ${own})
                     <= ${most} + 1 - ${trimOperations}::bigint)))
       order by b.workbook_id, b.branch_no
       limit ${limit}`;
  }
}
