import type { RejectionError } from '../../model/rejection.ts';
import { companions, type PoolCompanions, type Sql } from '../../storage/postgres.ts';
import type { BranchAddress } from '../journal-store.ts';
import type { AddedRejections, Refusal, RejectionStore, StoredRejection } from './store.ts';

const keyBytes = 16;

/** The rejections of all branches in PostgreSQL. */
export class RejectionTable implements RejectionStore {
  readonly #sql: Sql;
  readonly #appends: Pick<PoolCompanions['appends'], 'run'>;

  /** Writes go over the connections of the pool that are for appends. */
  constructor(sql: Sql) {
    this.#sql = sql;
    this.#appends = companions(sql).appends;
  }

  reject({ expectedHead, epoch, rejections, ...address }: Refusal): Promise<boolean> {
    const { workbookId, branchNo } = address;
    const { after, kept } = rejections;
    return this.#appends.run(async (sql) => {
      const moved = await sql`
        with moved as (
          update branch set rejected_no = rejected_no + ${kept.length}::int
           where workbook_id = ${workbookId} and branch_no = ${branchNo}
             and head = ${expectedHead} and epoch = ${epoch} and rejected_no = ${after}
             and not archived
          returning head
        )${rejectedWith(sql, address, rejections)}
        select head from moved`;
      return moved.length === 1;
    });
  }

  async rejections(
    { workbookId, branchNo }: BranchAddress,
    { after, oldest }: { after: number; oldest: number },
  ): Promise<StoredRejection[]> {
    const sql = this.#sql;
    const rows = await sql<{ number: number; key: Buffer; error: string; at: Date }[]>`
      select number, key, error, rejected_at as at from rejected_operation
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and number > ${after}
         and rejected_at >= ${new Date(oldest).toISOString()}
       order by number`;
    return rows.map(({ number, key, error, at }) => ({
      number,
      key: key.toString('latin1'),
      error: JSON.parse(error) as RejectionError,
      at: at.getTime(),
    }));
  }
}

/** SQL behind a `moved` that stores rejections with it; nothing where there are none. */
export function rejectedWith(
  sql: Sql,
  { workbookId, branchNo }: BranchAddress,
  { after, kept, forgetThrough, at }: AddedRejections,
) {
  if (kept.length === 0) return sql``;
  const keys = Buffer.from(kept.map(({ key }) => key).join(''), 'latin1');
  const errors = kept.map(({ error }) => JSON.stringify(error));
  return sql`, forgotten as (
      delete from rejected_operation
       where workbook_id = ${workbookId} and branch_no = ${branchNo}
         and number <= ${forgetThrough}
    ), rejected as (
      insert into rejected_operation (workbook_id, branch_no, number, key, error, rejected_at)
      select ${workbookId}, ${branchNo}::int, ${after}::bigint + nth,
             substring(${keys}::bytea from (${keyBytes}::int * (nth - 1) + 1)::int
                       for ${keyBytes}::int),
             said.error, ${new Date(at).toISOString()}::timestamptz
        from moved, unnest(${errors}::text[]) with ordinality as said (error, nth)
    )`;
}
