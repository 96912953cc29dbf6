import type { BranchAddress, StoredSegment } from '../../branches/journal-store.ts';
import type { Sql } from '../../storage/postgres.ts';

/** Facts about a branch for reading its journal backwards. */
export interface BranchOrigin {
  /** Name; null if deleted, as another branch may have the name by now. */
  readonly name: string | null;
  readonly head: number;
  readonly parentNo: number | null;
  readonly forkSeq: number | null;
  /** Sequence up to which operations are older than the transparency log. */
  readonly loggedAfter: number;
}

/** Size of a page, which grows with the distance. */
export interface PageSize {
  readonly segments: number;
  readonly bytes: number;
}

/** Reads journals from their end. */
export class BackwardTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async origin({ workbookId, branchNo }: BranchAddress): Promise<BranchOrigin | undefined> {
    const [row] = await this.#sql<BranchOrigin[]>`
      select case when deleted_at is null then name end as name, head, parent_no as "parentNo",
             fork_seq as "forkSeq", logged_after as "loggedAfter"
        from branch where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
    return row;
  }

  /**
   * Reads the segments that begin at or before an operation, the last first, back to the one with
   * the operation behind `after`.
   */
  segmentsBefore(
    { workbookId, branchNo }: BranchAddress,
    seq: number,
    { segments, bytes }: PageSize,
    after: number,
  ): Promise<StoredSegment[]> {
    const sql = this.#sql;
    return sql<StoredSegment[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", previous_hash as "previousHash",
             hash, body
        from (
          select *, sum(octet_length(body)) over (order by first_seq desc)
                      - octet_length(body) as ahead
            from (
              select * from segment
               where workbook_id = ${workbookId} and branch_no = ${branchNo}
                 and first_seq <= ${seq}
                 and first_seq >= coalesce((select max(first_seq) from segment
                       where workbook_id = ${workbookId} and branch_no = ${branchNo}
                         and first_seq <= ${after + 1}), 0)
               order by first_seq desc
               limit ${segments}) as latest) as page
       where ahead < ${bytes}
       order by first_seq desc`;
  }
}
