import type { Sql } from '../../storage/postgres.ts';

/** An address that was given out; the token in it is known by its SHA-256 alone. */
export interface ReconciliationLink {
  readonly id: string;
  readonly workbookId: string;
  /** A branch or a position, as it was asked for. */
  readonly reference: string;
  readonly tableId: string;
  /** The column that has the names. */
  readonly columnId: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export type NewLink = Omit<ReconciliationLink, 'createdAt'> & { readonly sha256: Buffer };

export class LinkTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /**
   * Adds a link and drops those whose time is over; undefined if the workbook has as many as it
   * may.
   */
  async add(link: NewLink, most: number): Promise<ReconciliationLink | undefined> {
    const { id, workbookId, sha256, reference, tableId, columnId, createdBy, expiresAt } = link;
    return this.#sql.begin(async (sql) => {
      // Two at the same time count one after the other.
      await sql`select from workbook where workbook_id = ${workbookId} for no key update`;
      await sql`delete from reconciliation_link where expires_at <= clock_timestamp()`;
      const [row] = await sql<{ createdAt: Date }[]>`
        insert into reconciliation_link
          (link_id, workbook_id, sha256, reference, table_id, column_id, created_by, expires_at)
        select ${id}, ${workbookId}, ${sha256}, ${reference}, ${tableId}, ${columnId},
               ${createdBy}, ${expiresAt}
         where (select count(*) from reconciliation_link
                 where workbook_id = ${workbookId}) < ${most}
        returning created_at as "createdAt"`;
      if (!row) return undefined;
      const { createdAt } = row;
      return { id, workbookId, reference, tableId, columnId, createdBy, createdAt, expiresAt };
    });
  }

  /** Lists the links that still open something, the newest first. */
  list(workbookId: string): Promise<readonly ReconciliationLink[]> {
    const sql = this.#sql;
    return sql<ReconciliationLink[]>`
      select ${this.#columns} from reconciliation_link
       where workbook_id = ${workbookId} and expires_at > clock_timestamp()
       order by link_id desc`;
  }

  async remove(workbookId: string, id: string): Promise<boolean> {
    const sql = this.#sql;
    const { count } = await sql`
      delete from reconciliation_link where workbook_id = ${workbookId} and link_id = ${id}`;
    return count > 0;
  }

  /** Returns undefined for a link that never was, was revoked, or is too old. */
  async open(sha256: Buffer): Promise<ReconciliationLink | undefined> {
    const sql = this.#sql;
    const [row] = await sql<ReconciliationLink[]>`
      select ${this.#columns} from reconciliation_link
       where sha256 = ${sha256} and expires_at > clock_timestamp()`;
    return row;
  }

  get #columns() {
    return this.#sql`
      link_id as id, workbook_id as "workbookId", reference, table_id as "tableId",
      column_id as "columnId", created_by as "createdBy", created_at as "createdAt",
      expires_at as "expiresAt"`;
  }
}
