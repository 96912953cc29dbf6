import type { Sql, Statements } from '../../storage/postgres.ts';
import { noStatement, type Statement } from '../leaf/statement.ts';
import { WorkbookKey } from '../leaf/workbook-key.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { statementTextHash } from './statement-row.ts';

export interface BranchAddress {
  readonly workbookId: string;
  readonly branchNo: number;
}

/** A statement that is stored. */
export interface StoredStatement {
  readonly branchNo: number;
  readonly kind: Statement['kind'];
  readonly lastSeq: number;
  readonly leafHash: Buffer;
  readonly body: string;
  /** Ascending in the order in which they were made. */
  readonly statementNo: number;
}

export interface StatedRange {
  readonly head: number;
  /** Operations up to here are older than the log. */
  readonly after: number;
  /** Null if there is no statement. */
  readonly through: number | null;
}

export interface StatementFilter {
  readonly workbookId: string;
  readonly branchNo: number | undefined;
  readonly from: number;
  readonly through: number;
  /** Statements up to this one are left out. */
  readonly after: number;
  readonly limit: number;
}

/** The statements about each branch, and the keys that hide them. */
export class StatementTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Reads the key; undefined if there is no such workbook. */
  key(workbookId: string): Promise<WorkbookKey | undefined> {
    return readKey(this.#sql, workbookId);
  }

  /** The hash of the statement about the segment that ends here; zeros if there is none. */
  async segmentHash({ workbookId, branchNo }: BranchAddress, lastSeq: number): Promise<Uint8Array> {
    const [row] = await this.#sql<{ body: string }[]>`
      select body from tlog_statement
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and last_seq = ${lastSeq}
         and kind = 'segment'`;
    return row ? statementTextHash(row.body) : noStatement;
  }

  /** The hash of the statement about the segment an operation is in; zeros if there is none. */
  coveringHash(address: BranchAddress, seq: number): Promise<Uint8Array> {
    return coveringHash(this.#sql, address, seq);
  }

  /** The statement about the segment an operation is in. */
  async covering(
    { workbookId, branchNo }: BranchAddress,
    seq: number,
  ): Promise<StoredStatement | undefined> {
    const [row] = await this.#sql<StoredStatement[]>`
      select ${statementColumns(this.#sql)} from tlog_statement
       where workbook_id = ${workbookId} and branch_no = ${branchNo} and last_seq >= ${seq}
         and kind = 'segment'
       order by last_seq limit 1`;
    return row;
  }

  /** The operations that the statements about a branch's segments should cover, and do cover. */
  async range({ workbookId, branchNo }: BranchAddress): Promise<StatedRange | undefined> {
    const [row] = await this.#sql<StatedRange[]>`
      select head, logged_after as after,
             (select max(last_seq) from tlog_statement s
               where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no
                 and kind = 'segment') as through
        from branch b where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
    return row;
  }

  /** Finds an entry of this workbook in the log without its statement; its index, if it has one. */
  async unstated(
    workbookId: string,
    { tag }: WorkbookKey,
  ): Promise<{ readonly leafIndex: number | null } | undefined> {
    const [row] = await this.#sql<{ leafIndex: number | null }[]>`
      with own as (
        select leaf_hash, leaf_index from tlog_entry where tag = ${Buffer.from(tag)}
        union all
        select leaf_hash, null from tlog_pending where tag = ${Buffer.from(tag)}
      )
      select leaf_index as "leafIndex" from own
       where leaf_hash not in (select leaf_hash from tlog_statement
                                where workbook_id = ${workbookId})
       order by leaf_index limit 1`;
    return row;
  }

  /** Reads statements in the order of the operations they are about, a page at a time. */
  ofBranch(
    { workbookId, branchNo }: BranchAddress,
    after: Pick<StoredStatement, 'lastSeq' | 'statementNo'>,
    limit: number,
  ): Promise<StoredStatement[]> {
    return this.#sql<StoredStatement[]>`
      select ${statementColumns(this.#sql)} from tlog_statement
       where workbook_id = ${workbookId} and branch_no = ${branchNo}
         and (last_seq, statement_no) > (${after.lastSeq}, ${after.statementNo})
       order by last_seq, statement_no
       limit ${limit}`;
  }

  /** Lists statements in the order in which they were made. */
  list(filter: StatementFilter): Promise<StoredStatement[]> {
    const { workbookId, branchNo, from, through, after, limit } = filter;
    const sql = this.#sql;
    const onBranch = branchNo === undefined ? sql`` : sql`and branch_no = ${branchNo}`;
    return sql<StoredStatement[]>`
      select ${statementColumns(sql)} from tlog_statement
       where workbook_id = ${workbookId} ${onBranch}
         and last_seq between ${from} and ${through} and statement_no > ${after}
       order by statement_no
       limit ${limit}`;
  }
}

function statementColumns(sql: Sql) {
  return sql`
    branch_no as "branchNo", kind, last_seq as "lastSeq", leaf_hash as "leafHash", body,
    statement_no as "statementNo"`;
}

export async function readKey(
  sql: Statements,
  workbookId: string,
): Promise<WorkbookKey | undefined> {
  const [row] = await sql<{ key: Buffer }[]>`
    select log_key as key from workbook where workbook_id = ${workbookId}`;
  return row && new WorkbookKey(nodeCrypto.sha256, row.key);
}

/** Does as `StatementTable.coveringHash`, within a transaction. */
export async function coveringHash(
  sql: Statements,
  { workbookId, branchNo }: BranchAddress,
  seq: number,
): Promise<Uint8Array> {
  const [row] = await sql<{ body: string }[]>`
    select body from tlog_statement
     where workbook_id = ${workbookId} and branch_no = ${branchNo} and last_seq >= ${seq}
       and kind = 'segment'
     order by last_seq limit 1`;
  return row ? statementTextHash(row.body) : noStatement;
}
