import type { BranchAddress } from '../branches/journal-store.ts';
import type { Sql } from '../storage/postgres.ts';

/** The state of a branch that a socket has open. */
export interface RoomStanding extends BranchAddress {
  readonly head: number;
  /** True when the branch or its workbook is archived. */
  readonly archived: boolean;
  readonly isDeleted: boolean;
  readonly isPurged: boolean;
}

/** Reads the branches of open rooms. */
export class StandingTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async of(addresses: readonly BranchAddress[]): Promise<RoomStanding[]> {
    const ids = addresses.map(({ workbookId }) => workbookId);
    const numbers = addresses.map(({ branchNo }) => branchNo);
    const sql = this.#sql;
    return sql<RoomStanding[]>`
      select r.workbook_id as "workbookId", r.branch_no as "branchNo",
             coalesce(b.head, 0) as head, coalesce(b.archived, true) as archived,
             b.workbook_id is null or b.deleted_at is not null as "isDeleted",
             w.workbook_id is null as "isPurged"
        from unnest(${ids}::text[], ${numbers}::int[]) as r (workbook_id, branch_no)
        left join branch b on b.workbook_id = r.workbook_id and b.branch_no = r.branch_no
        left join workbook w on w.workbook_id = r.workbook_id and w.complete`;
  }

  /** Returns whether an owner purged a workbook; known for a day. */
  async isPurged(workbookId: string, ownerId: string): Promise<boolean> {
    const sql = this.#sql;
    const rows = await sql`
      select from purge where workbook_id = ${workbookId} and owner_id = ${ownerId}`;
    return rows.length > 0;
  }
}

/** A stored ticket, and its branch. */
export interface StoredTicket {
  readonly credentialKey: string;
  readonly workbookId: string;
  readonly branch: string;
}

/** Unused tickets; only their SHA-256 is stored. */
export class TicketTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Stores a ticket, and drops expired ones. */
  async add(sha256: Buffer, ticket: StoredTicket, lifeSeconds: number): Promise<void> {
    const { credentialKey, workbookId, branch } = ticket;
    const sql = this.#sql;
    await sql`
      with gone as (delete from ws_ticket where expires_at < clock_timestamp())
      insert into ws_ticket (sha256, credential_key, workbook_id, branch, expires_at)
      values (${sha256}, ${credentialKey}, ${workbookId}, ${branch},
              clock_timestamp() + make_interval(secs => ${lifeSeconds}))`;
  }

  /** Deletes a ticket and returns it, so that it opens one socket only. */
  async take(sha256: Buffer): Promise<StoredTicket | undefined> {
    const sql = this.#sql;
    const [row] = await sql<(StoredTicket & { isOver: boolean })[]>`
      delete from ws_ticket where sha256 = ${sha256}
      returning credential_key as "credentialKey", workbook_id as "workbookId", branch,
                expires_at <= clock_timestamp() as "isOver"`;
    if (!row || row.isOver) return undefined;
    const { credentialKey, workbookId, branch } = row;
    return { credentialKey, workbookId, branch };
  }
}
