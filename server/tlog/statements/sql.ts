import type { Sql, Statements } from '../../storage/postgres.ts';
import { formatOpening } from '../leaf/commitment.ts';
import { noStatement, parseStatement, type Statement } from '../leaf/statement.ts';
import { WorkbookKey } from '../leaf/workbook-key.ts';
import { nodeCrypto } from '../node-crypto.ts';
import {
  hasher,
  lifeCycleBranchNo,
  makeStatementRow,
  statementTextHash,
  type StatementRow,
} from './statement-row.ts';

interface BranchAddress {
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

/** What was said of each branch, and the keys that hide it. */
export class StatementTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Undefined when there is no such workbook. */
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

  /** What the statements about segments of a branch should cover, and how far they go. */
  async range({ workbookId, branchNo }: BranchAddress): Promise<StatedRange | undefined> {
    const [row] = await this.#sql<StatedRange[]>`
      select head, logged_after as after,
             (select max(last_seq) from tlog_statement s
               where s.workbook_id = b.workbook_id and s.branch_no = b.branch_no
                 and kind = 'segment') as through
        from branch b where workbook_id = ${workbookId} and branch_no = ${branchNo}`;
    return row;
  }

  /** In the order of the operations they are about, a page at a time. */
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

  /** In the order in which they were made. */
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

async function readKey(sql: Statements, workbookId: string): Promise<WorkbookKey | undefined> {
  const [row] = await sql<{ key: Buffer }[]>`
    select log_key as key from workbook where workbook_id = ${workbookId}`;
  return row && new WorkbookKey(nodeCrypto.sha256, row.key);
}

/** Both in one statement, so that nothing is said that will not be logged. */
async function insertStatement(
  sql: Statements,
  { workbookId, branchNo }: BranchAddress,
  row: StatementRow,
): Promise<void> {
  await sql`
    with stated as (
      insert into tlog_statement (workbook_id, branch_no, last_seq, leaf_hash, kind, body)
      values (${workbookId}, ${branchNo}, ${row.lastSeq}, ${row.leafHash}, ${row.kind}, ${row.body})
      on conflict do nothing
      returning leaf_hash
    )
    insert into tlog_pending (leaf_hash, entry) select leaf_hash, ${row.entry}::bytea from stated
    on conflict do nothing`;
}

/** With it whoever said something can prove it. */
export interface StatementReceipt {
  readonly leafHash: Buffer;
  /** The `extra` of a proof of it: salt and statement. */
  readonly opening: Buffer;
}

/** A commit whose state is known. */
export interface CommitFacts extends BranchAddress {
  readonly seq: number;
  readonly stateHash: Uint8Array;
  readonly chainHash: Uint8Array;
  readonly timeMilliseconds: number;
}

/** Says what state a commit named. The same commit has the same leaf, whoever says it and when. */
export async function stateCommit(
  sql: Statements,
  facts: CommitFacts,
): Promise<StatementReceipt | undefined> {
  const { workbookId, branchNo, seq, stateHash, chainHash, timeMilliseconds } = facts;
  const key = await readKey(sql, workbookId);
  if (key === undefined) return undefined;
  const [covering] = await sql<{ body: string }[]>`
    select body from tlog_statement
     where workbook_id = ${workbookId} and branch_no = ${branchNo} and last_seq >= ${seq}
       and kind = 'segment'
     order by last_seq limit 1`;
  const statement: Statement = {
    kind: 'checkpoint',
    workbook: workbookId,
    branch: String(branchNo),
    firstSeq: seq,
    lastSeq: seq,
    previous: [covering ? statementTextHash(covering.body) : noStatement],
    operations: hasher.empty(),
    chain: chainHash,
    state: stateHash,
    timeMilliseconds,
  };
  const row = makeStatementRow(key, statement);
  await insertStatement(sql, facts, row);
  return receiptOf(key, statement, row);
}

function receiptOf(
  key: WorkbookKey,
  statement: Statement,
  { leafHash }: StatementRow,
): StatementReceipt {
  const salt = key.salt(statement.branch, statement.lastSeq);
  return { leafHash, opening: Buffer.from(formatOpening({ salt, statement })) };
}

/** What became of a whole workbook. */
export interface LifeCycleFacts {
  readonly workbookId: string;
  readonly kind: 'archive' | 'restore' | 'purge';
  readonly at: Date;
}

/** To be called within the transaction that does it; who repeats it says nothing new. */
export async function stateLifeCycle(
  sql: Statements,
  { workbookId, kind, at }: LifeCycleFacts,
): Promise<StatementReceipt> {
  const [found] = await sql<{ head: number; headHash: Buffer }[]>`
    select head, head_hash as "headHash" from branch
     where workbook_id = ${workbookId} and branch_no = ${lifeCycleBranchNo}`;
  const key = await readKey(sql, workbookId);
  if (!found || key === undefined) throw new Error(`${workbookId} has no branch of its settings`);
  const [last] = await sql<{ body: string }[]>`
    select body from tlog_statement
     where workbook_id = ${workbookId} and branch_no = ${lifeCycleBranchNo}
       and kind in ('archive', 'restore', 'purge')
     order by statement_no desc limit 1`;
  const before = last && parseStatement(last.body);
  const isRepeated = before?.kind === kind && before.timeMilliseconds === at.getTime();
  const statement: Statement = isRepeated
    ? before
    : {
        kind,
        workbook: workbookId,
        branch: String(lifeCycleBranchNo),
        firstSeq: found.head,
        lastSeq: found.head,
        previous: [last ? statementTextHash(last.body) : noStatement],
        operations: hasher.empty(),
        chain: found.headHash,
        state: undefined,
        timeMilliseconds: at.getTime(),
      };
  const row = makeStatementRow(key, statement);
  if (!isRepeated) await insertStatement(sql, { workbookId, branchNo: lifeCycleBranchNo }, row);
  return receiptOf(key, statement, row);
}
