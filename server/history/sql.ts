import type { Sql } from '../storage/postgres.ts';

export interface BranchKey {
  readonly workbookId: string;
  readonly branchNo: number;
}

export interface SealedRow {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly objectKey: string;
  readonly byteCount: number;
}

export interface SnapshotRow {
  readonly seq: number;
  readonly root: Buffer;
  readonly objectKey: string;
}

const newestMost = 16;

/** The objects of the history; a cache of the listing of the object storage. */
export class HistoryTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns false if another node has sealed some of these operations meanwhile. */
  async noteSealed({ workbookId, branchNo }: BranchKey, sealed: SealedRow): Promise<boolean> {
    const { firstSeq, lastSeq, objectKey, byteCount } = sealed;
    const sql = this.#sql;
    const moved = await sql`
      with moved as (
        update branch set sealed_seq = ${lastSeq}
         where workbook_id = ${workbookId} and branch_no = ${branchNo}
           and sealed_seq = ${firstSeq - 1}
        returning 1
      )
      insert into sealed_segment
        (workbook_id, branch_no, first_seq, last_seq, object_key, byte_count)
      select ${workbookId}, ${branchNo}, ${firstSeq}, ${lastSeq}, ${objectKey}, ${byteCount}
        from moved
      returning 1`;
    return moved.length === 1;
  }

  /** The object that holds an operation. */
  async sealedAt({ workbookId, branchNo }: BranchKey, seq: number): Promise<SealedRow | undefined> {
    const [row] = await this.#sql<SealedRow[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", object_key as "objectKey",
             byte_count as "byteCount"
        from sealed_segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and first_seq <= ${seq}
       order by first_seq desc
       limit 1`;
    return row && row.lastSeq >= seq ? row : undefined;
  }

  /** Objects that were noted last, as far as the ends of the tables tell. */
  async newestObjects(): Promise<(BranchKey & { readonly objectKey: string })[]> {
    const sql = this.#sql;
    const lastOf = (table: string) => sql`
      (select workbook_id as "workbookId", branch_no as "branchNo", object_key as "objectKey"
         from ${sql(table)}
        where ctid >= (select format('(%s,0)', greatest(0, blocks - 2))::tid
                         from (select pg_relation_size(${table}::regclass)
                                      / current_setting('block_size')::int as blocks) size)
        order by ctid desc
        limit ${newestMost})`;
    return sql`${lastOf('sealed_segment')} union all ${lastOf('snapshot')}`;
  }

  async sealedRows({ workbookId, branchNo }: BranchKey): Promise<SealedRow[]> {
    return this.#sql<SealedRow[]>`
      select first_seq as "firstSeq", last_seq as "lastSeq", object_key as "objectKey",
             byte_count as "byteCount"
        from sealed_segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo}
       order by first_seq`;
  }

  /** Bytes of the objects that hold operations after this one. */
  async sealedBytesAfter({ workbookId, branchNo }: BranchKey, seq: number): Promise<number> {
    const [row] = await this.#sql<{ byteCount: number }[]>`
      select coalesce(sum(byte_count), 0)::bigint as "byteCount" from sealed_segment
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and last_seq > ${seq}`;
    return row?.byteCount ?? 0;
  }

  async noteSnapshot({ workbookId, branchNo }: BranchKey, snapshot: SnapshotRow): Promise<void> {
    const { seq, root, objectKey } = snapshot;
    await this.#sql`
      with moved as (
        update branch set snapshot_seq = ${seq}
         where workbook_id = ${workbookId} and branch_no = ${branchNo} and snapshot_seq < ${seq}
      )
      insert into snapshot (workbook_id, branch_no, seq, root, object_key)
      values (${workbookId}, ${branchNo}, ${seq}, ${root}, ${objectKey})
      on conflict do nothing`;
  }

  /** The latest snapshot at or before an operation. */
  async snapshotBefore(
    { workbookId, branchNo }: BranchKey,
    seq: number,
  ): Promise<SnapshotRow | undefined> {
    const [row] = await this.#sql<SnapshotRow[]>`
      select seq, root, object_key as "objectKey"
        from snapshot
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and seq <= ${seq}
       order by seq desc
       limit 1`;
    return row;
  }

  async snapshotRows({ workbookId, branchNo }: BranchKey): Promise<SnapshotRow[]> {
    return this.#sql<SnapshotRow[]>`
      select seq, root, object_key as "objectKey"
        from snapshot
       where workbook_id = ${workbookId} and branch_no = ${branchNo}
       order by seq`;
  }
}
