import type { Statements } from '../../storage/postgres.ts';
import { formatOpening } from '../leaf/commitment.ts';
import { makeStatement, type StatementFacts } from '../leaf/facts.ts';
import { operationHash } from '../leaf/operation-proof.ts';
import {
  noStatement,
  parseStatement,
  type Statement,
  type StatementVersion,
} from '../leaf/statement.ts';
import type { WorkbookKey } from '../leaf/workbook-key.ts';
import { coveringHash, readKey, type BranchAddress } from './sql.ts';
import {
  hasher,
  lifeCycleBranchNo,
  makeStatementRow,
  statementTextHash,
  type StatementRow,
} from './statement-row.ts';

/** Writes a statement and its log entry in one SQL statement, so that none lacks its entry. */
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
    insert into tlog_pending (leaf_hash, entry, tag)
    select leaf_hash, ${row.entry}::bytea, ${row.tag}::bytea from stated
    on conflict do nothing`;
}

/** Receipt by which a statement can be proved. */
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

/** States the hash of a commit's state. A commit always has the same leaf. */
export async function stateCommit(
  sql: Statements,
  facts: CommitFacts,
): Promise<StatementReceipt | undefined> {
  const { workbookId, branchNo, seq, stateHash, chainHash, timeMilliseconds } = facts;
  const key = await readKey(sql, workbookId);
  if (key === undefined) return undefined;
  return state(sql, key, {
    kind: 'checkpoint',
    workbook: workbookId,
    branch: String(branchNo),
    firstSeq: seq,
    lastSeq: seq,
    previous: [await coveringHash(sql, facts, seq)],
    operations: hasher.empty(),
    chain: chainHash,
    state: stateHash,
    timeMilliseconds,
  });
}

/** A branch that was made. */
export interface ForkFacts extends BranchAddress {
  readonly parent: { readonly branchNo: number; readonly seq: number };
  /** The hash chain of the parent where it begins. */
  readonly chainHash: Uint8Array;
  readonly timeMilliseconds: number;
}

/** Says where a branch begins. To be called within the transaction that makes it. */
export async function stateFork(sql: Statements, facts: ForkFacts): Promise<void> {
  const { workbookId, branchNo, parent, chainHash, timeMilliseconds } = facts;
  const [key, previous] = await Promise.all([
    readKey(sql, workbookId),
    coveringHash(sql, { workbookId, branchNo: parent.branchNo }, parent.seq),
  ]);
  if (key === undefined) throw new Error(`${workbookId} has a new branch and no key`);
  await state(sql, key, {
    kind: 'branch',
    workbook: workbookId,
    branch: String(branchNo),
    firstSeq: 0,
    lastSeq: 0,
    previous: [previous],
    operations: hasher.empty(),
    chain: chainHash,
    state: undefined,
    timeMilliseconds,
  });
}

/** Facts of an approval of a merge into a branch. */
export interface ApprovalFacts extends BranchAddress {
  /** The position of the branch that the merge is made for. */
  readonly seq: number;
  readonly chainHash: Uint8Array;
  readonly mergeId: string;
  readonly given: GivenApproval;
}

export interface GivenApproval {
  readonly by: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Digest of the approved merge: 32 bytes in hex. */
  readonly digest: string;
  readonly event: string;
}

/** Says that a merge was approved. To be called within the transaction that notes it. */
export async function stateApproval(
  sql: Statements,
  facts: ApprovalFacts,
): Promise<StatementReceipt | undefined> {
  const [key, previous] = await Promise.all([
    readKey(sql, facts.workbookId),
    coveringHash(sql, facts, facts.seq),
  ]);
  return key && state(sql, key, approvalFacts(key, facts, { previous }));
}

/**
 * The statement about an approval. Its one operation is who approved which merge: these members in
 * this order, as JSON.
 */
export function approvalFacts(
  key: WorkbookKey,
  facts: ApprovalFacts,
  { previous, version = 2 }: { previous: Uint8Array; version?: StatementVersion },
): StatementFacts {
  const { workbookId, branchNo, seq, chainHash, mergeId, given } = facts;
  const { by, at, digest, event } = given;
  const record = Buffer.from(JSON.stringify({ merge: mergeId, by, at, digest, event }));
  const branch = String(branchNo);
  const nonce = version === 1 ? key.nonce(branch, seq) : key.approvalNonce(branch, seq, at);
  return {
    kind: 'approval',
    workbook: workbookId,
    branch,
    firstSeq: seq,
    lastSeq: seq,
    previous: [previous],
    // The root over one leaf is the leaf.
    operations: operationHash(hasher, nonce, record),
    chain: chainHash,
    state: Buffer.from(digest, 'hex'),
    timeMilliseconds: at,
  };
}

async function state(
  sql: Statements,
  key: WorkbookKey,
  facts: StatementFacts,
): Promise<StatementReceipt> {
  const statement = makeStatement(key, facts);
  const row = makeStatementRow(key, statement);
  const { workbook: workbookId, branch } = statement;
  await insertStatement(sql, { workbookId, branchNo: Number(branch) }, row);
  return receiptOf(key, statement, row);
}

function receiptOf(
  key: WorkbookKey,
  statement: Statement,
  { leafHash }: StatementRow,
): StatementReceipt {
  const salt = key.salt(statement);
  return { leafHash, opening: Buffer.from(formatOpening({ salt, statement })) };
}

/** A change in the life of a whole workbook. */
export interface LifeCycleFacts {
  readonly workbookId: string;
  readonly kind: 'archive' | 'restore' | 'purge';
  readonly at: Date;
}

/**
 * States a change of a workbook, within the transaction that makes it; a repeat says nothing new.
 */
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
    : makeStatement(key, {
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
      });
  const row = makeStatementRow(key, statement);
  if (!isRepeated) await insertStatement(sql, { workbookId, branchNo: lifeCycleBranchNo }, row);
  return receiptOf(key, statement, row);
}
