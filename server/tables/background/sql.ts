import type { PortableFailure } from '../../model/portable-failure.ts';
import type { Sql } from '../../storage/postgres.ts';
import type { RowsWritten } from '../writing/run.ts';
import { rowWriteLimits, type RowWriteRecord } from './row-write.ts';

export type NewRowWrite = Pick<
  RowWriteRecord,
  'id' | 'workbookId' | 'branch' | 'branchNo' | 'tableId' | 'createdBy' | 'ownerId' | 'request'
>;

/** The outcome of a write that has ended. */
type Outcome = { readonly result: RowsWritten } | { readonly error: PortableFailure };

/** The table of background writes. */
export class RowWriteTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Stores a write; returns false if the account has too many unfinished ones. */
  async create(write: NewRowWrite): Promise<boolean> {
    const { unfinishedPerAccount } = rowWriteLimits;
    return this.#sql.begin(async (sql) => {
      // Concurrent creations for one account wait for each other.
      const lock = `row write ${write.ownerId}`;
      await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`;
      const made = await sql`
        insert into row_write (write_id, workbook_id, branch, branch_no, table_id, created_by,
                               owner_id, request)
        select ${write.id}, ${write.workbookId}, ${write.branch}, ${write.branchNo},
               ${write.tableId}, ${write.createdBy}, ${write.ownerId},
               ${JSON.stringify(write.request)}::text::jsonb
         where (select count(*) from row_write
                 where owner_id = ${write.ownerId} and status in ('queued', 'running'))
               < ${unfinishedPerAccount}`;
      return made.count === 1;
    });
  }

  async find(workbookId: string, id: string): Promise<RowWriteRecord | undefined> {
    const [row] = await this.#sql<RowWriteRecord[]>`
      select ${this.#columns()} from row_write
       where write_id = ${id} and workbook_id = ${workbookId}`;
    return row;
  }

  /** Lists unfinished writes, the oldest first. */
  async due(): Promise<Pick<RowWriteRecord, 'id' | 'workbookId' | 'ownerId'>[]> {
    return this.#sql`
      select write_id as id, workbook_id as "workbookId", owner_id as "ownerId" from row_write
       where status in ('queued', 'running') order by write_id`;
  }

  /** Claims a write for a worker; undefined if it ended meanwhile. */
  async claim(workbookId: string, id: string): Promise<RowWriteRecord | undefined> {
    const [row] = await this.#sql<RowWriteRecord[]>`
      update row_write set status = 'running', attempts = attempts + 1
       where write_id = ${id} and workbook_id = ${workbookId} and status in ('queued', 'running')
      returning ${this.#columns()}`;
    return row;
  }

  /** Notes the progress, which renews the attempts; returns false if the write ended meanwhile. */
  async advance(id: string, rowCount: number, byteCount: number): Promise<boolean> {
    const moved = await this.#sql`
      update row_write
         set attempts = case when ${rowCount}::bigint > row_count then 1 else attempts end,
             row_count = greatest(row_count, ${rowCount}::bigint),
             byte_count = greatest(byte_count, ${byteCount}::bigint)
       where write_id = ${id} and status = 'running'`;
    return moved.count === 1;
  }

  async end(id: string, outcome: Outcome): Promise<void> {
    const isDone = 'result' in outcome;
    const text = JSON.stringify(isDone ? outcome.result : outcome.error);
    await this.#sql`
      update row_write
         set status = ${isDone ? 'done' : 'failed'},
             result = case when ${isDone}::boolean then ${text}::text::jsonb end,
             error = case when ${isDone}::boolean then null else ${text}::text::jsonb end,
             finished_at = clock_timestamp()
       where write_id = ${id} and status in ('queued', 'running')`;
  }

  async cancel(id: string): Promise<void> {
    await this.#sql`
      update row_write set status = 'cancelled', finished_at = clock_timestamp()
       where write_id = ${id} and status in ('queued', 'running')`;
  }

  /** Lists the bodies of ended writes that are not deleted yet. */
  async undropped(): Promise<{ id: string; bodyId: string }[]> {
    return this.#sql`
      select write_id as id, request -> 'body' ->> 'id' as "bodyId" from row_write
       where not is_dropped and status not in ('queued', 'running')
       order by write_id limit 100`;
  }

  async dropped(id: string): Promise<void> {
    await this.#sql`update row_write set is_dropped = true where write_id = ${id}`;
  }

  /** Deletes writes that ended long ago. */
  async expire(): Promise<void> {
    await this.#sql`
      delete from row_write
       where is_dropped and
             finished_at < clock_timestamp() - make_interval(days => ${rowWriteLimits.retentionDays})`;
  }

  #columns() {
    const sql = this.#sql;
    return sql`
      write_id as id, workbook_id as "workbookId", branch, branch_no as "branchNo",
      table_id as "tableId", created_by as "createdBy", owner_id as "ownerId", request, status,
      attempts, row_count::float8 as "rowCount", byte_count::float8 as "byteCount", result, error,
      created_at as "createdAt", finished_at as "finishedAt"`;
  }
}
