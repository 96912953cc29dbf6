import { operationHash } from '../../tlog/leaf/operation-proof.ts';
import {
  formatStatement,
  noStatement,
  parseStatement,
  type Statement,
} from '../../tlog/leaf/statement.ts';
import type { WorkbookKey } from '../../tlog/leaf/workbook-key.ts';
import type { LogReader } from '../../tlog/service/reader.ts';
import type { StatementTable, StoredStatement } from '../../tlog/statements/sql.ts';
import {
  hasher,
  makeStatementRow,
  statementTextHash,
} from '../../tlog/statements/statement-row.ts';
import { RootBuilder } from '../../tlog/tree/root.ts';
import type { CheckedSegment } from './chain.ts';
import { rowPlace, VerifyFault, type FaultKind } from './fault.ts';
import type { StoredBranch } from './sql.ts';

/** What was said of workbooks, and the log that everybody can read. */
export interface LogEvidence {
  readonly statements: Pick<StatementTable, 'key' | 'range' | 'ofBranch'>;
  readonly reader: Pick<LogReader, 'proveAll'>;
}

export interface LogCounts {
  readonly statements: number;
  /** Those that wait for the next checkpoint. */
  readonly unpublished: number;
}

export const nothingLogged: LogCounts = { statements: 0, unpublished: 0 };

export function addCounts(one: LogCounts, other: LogCounts): LogCounts {
  return {
    statements: one.statements + other.statements,
    unpublished: one.unpublished + other.unpublished,
  };
}

const pageStatements = 500;
const lifeCycleKinds: readonly string[] = ['archive', 'restore', 'purge'];

/**
 * Makes the statements about one branch anew from its journal, and looks for each in the log by way
 * of its tiles. What was altered, left out, moved or cut off since it was logged shows here.
 */
export class LogCheck {
  readonly #branch: StoredBranch;
  readonly #workbookId: string;
  readonly #evidence: LogEvidence;
  #key: WorkbookKey | undefined;
  #after = 0;
  /** Statements that were read and are about what comes. */
  #page: StoredStatement[] = [];
  #isLastPage = false;
  #cursor = { lastSeq: -1, statementNo: 0 };
  /** The tree over the operations since the last statement about a segment. */
  #tree = new RootBuilder(hasher);
  #firstSeq = 0;
  #previous: Uint8Array = noStatement;
  #lifeCyclePrevious: Uint8Array = noStatement;
  /** Statements about commits in the segment that is being followed. */
  #commits: StoredStatement[] = [];
  #unproven: StoredStatement[] = [];
  counts: LogCounts = nothingLogged;

  constructor(
    branch: StoredBranch,
    { workbookId, evidence }: { workbookId: string; evidence: LogEvidence },
  ) {
    this.#branch = branch;
    this.#workbookId = workbookId;
    this.#evidence = evidence;
  }

  async start(): Promise<void> {
    const { statements } = this.#evidence;
    this.#key = await statements.key(this.#workbookId);
    const range = await statements.range(this.#address);
    if (!range) return;
    this.#after = range.after;
    this.#firstSeq = range.after + 1;
    const through = range.through ?? range.after;
    if (through > range.head) {
      throw this.#fault(through, 'wrong_statement', `the journal ends before it, at ${range.head}`);
    }
    if (through < range.head) {
      throw this.#fault(
        through + 1,
        'wrong_statement',
        `nothing is said of what follows ${through}`,
      );
    }
    await this.#compareAt(0, this.#branch.baseHash, 0);
  }

  async follow({ firstSeq, records, hashes, packed }: CheckedSegment): Promise<void> {
    for (const [index, bytes] of packed.entries()) {
      const seq = firstSeq + index;
      if (seq > this.#after) this.#push(seq, bytes);
      await this.#compareAt(seq, hashes[index] ?? Buffer.alloc(0), records[index]?.at ?? 0);
    }
  }

  /** Every operation is covered, and every statement was found in the log. */
  async finish(): Promise<void> {
    const { head } = this.#branch;
    if (head > this.#after && this.#firstSeq <= head) {
      throw this.#fault(this.#firstSeq, 'wrong_statement', 'nothing is said of it');
    }
    await this.#prove();
  }

  get #address() {
    return { workbookId: this.#workbookId, branchNo: this.#branch.branchNo };
  }

  #push(seq: number, bytes: Buffer): void {
    const nonce = this.#keyOf().nonce(String(this.#branch.branchNo), seq);
    this.#tree.push(operationHash(hasher, nonce, bytes));
  }

  #keyOf(): WorkbookKey {
    if (this.#key) return this.#key;
    throw this.#fault(1, 'wrong_statement', 'the key of the workbook is missing');
  }

  /** All statements about the branch as it was after one operation. */
  async #compareAt(seq: number, chain: Buffer, at: number): Promise<void> {
    for (;;) {
      const next = await this.#next();
      if (next === undefined || next.lastSeq > seq) return;
      this.#page.shift();
      this.#cursor = next;
      if (next.kind === 'segment') this.#compareSegment(next, chain, at);
      else this.#compareOther(next, chain);
      this.#unproven.push(next);
      if (this.#unproven.length >= pageStatements) await this.#prove();
    }
  }

  async #next(): Promise<StoredStatement | undefined> {
    if (this.#page.length === 0 && !this.#isLastPage) {
      const { statements } = this.#evidence;
      this.#page = await statements.ofBranch(this.#address, this.#cursor, pageStatements);
      this.#isLastPage = this.#page.length < pageStatements;
    }
    return this.#page[0];
  }

  #compareSegment(stored: StoredStatement, chain: Buffer, at: number): void {
    const { lastSeq } = stored;
    this.#compare(stored, {
      kind: 'segment',
      workbook: this.#workbookId,
      branch: String(this.#branch.branchNo),
      firstSeq: this.#firstSeq,
      lastSeq,
      previous: [this.#previous],
      operations: this.#tree.root(),
      chain,
      state: undefined,
      timeMilliseconds: at,
    });
    this.#tree = new RootBuilder(hasher);
    this.#firstSeq = lastSeq + 1;
    this.#previous = statementTextHash(stored.body);
    for (const commit of this.#commits) this.#checkPrevious(commit, this.#previous);
    this.#commits = [];
  }

  /** Of these only the time cannot be told from anything else; the commitment has it. */
  #compareOther(stored: StoredStatement, chain: Buffer): void {
    const said = this.#read(stored);
    const { lastSeq, kind } = stored;
    const { previous, timeMilliseconds } = said;
    const commit = this.#branch.commits.find(({ seq }) => seq === lastSeq);
    const isCommit = kind === 'checkpoint';
    if (isCommit && !commit?.stateHash) throw this.#fault(lastSeq, 'wrong_statement', 'no commit');
    this.#compare(stored, {
      kind,
      workbook: this.#workbookId,
      branch: String(this.#branch.branchNo),
      firstSeq: lastSeq,
      lastSeq,
      previous,
      operations: hasher.empty(),
      chain,
      state: isCommit ? (commit?.stateHash ?? undefined) : undefined,
      timeMilliseconds,
    });
    if (lifeCycleKinds.includes(kind)) {
      this.#checkPrevious(stored, this.#lifeCyclePrevious);
      this.#lifeCyclePrevious = statementTextHash(stored.body);
    } else if (lastSeq < this.#firstSeq) this.#checkPrevious(stored, this.#previous);
    else this.#commits.push(stored);
  }

  #checkPrevious(stored: StoredStatement, previous: Uint8Array): void {
    // Before the log there was no segment with a statement.
    if (stored.kind === 'checkpoint' && stored.lastSeq <= this.#after) return;
    const said = this.#read(stored).previous;
    if (said.length === 1 && said[0] && Buffer.from(said[0]).equals(previous)) return;
    throw this.#fault(stored.lastSeq, 'wrong_statement', 'it does not follow the one before it');
  }

  #read(stored: StoredStatement): Statement {
    try {
      return parseStatement(stored.body);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw this.#fault(stored.lastSeq, 'wrong_statement', why);
    }
  }

  #compare(stored: StoredStatement, expected: Statement): void {
    const seq = Math.max(1, Math.min(stored.lastSeq, expected.firstSeq));
    const row = this.#rowOf(expected, seq);
    if (stored.body !== row.body) {
      throw this.#fault(seq, 'wrong_statement', 'the journal does not say what it says');
    }
    if (stored.leafHash.equals(row.leafHash)) return;
    throw this.#fault(seq, 'wrong_statement', 'it is not what its entry in the log commits to');
  }

  #rowOf(expected: Statement, seq: number) {
    try {
      formatStatement(expected);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw this.#fault(seq, 'wrong_statement', why);
    }
    return makeStatementRow(this.#keyOf(), expected);
  }

  async #prove(): Promise<void> {
    const statements = this.#unproven;
    this.#unproven = [];
    if (statements.length === 0) return;
    const hashes = statements.map(({ leafHash }) => leafHash);
    const outcomes = await this.#evidence.reader.proveAll(hashes);
    let unpublished = 0;
    for (const [index, { lastSeq }] of statements.entries()) {
      const outcome = outcomes[index];
      if (outcome === 'pending') unpublished++;
      if (outcome !== 'unknown') continue;
      throw this.#fault(lastSeq, 'not_logged', 'the transparency log has no entry for it');
    }
    this.counts = addCounts(this.counts, { statements: statements.length, unpublished });
  }

  #fault(seq: number, what: FaultKind, why: string): VerifyFault {
    const { branchNo } = this.#branch;
    const where = rowPlace('tlog_statement', branchNo, seq);
    const hint = `What was logged of the branch and what is stored differ: ${why}.`;
    return new VerifyFault({ branchNo, seq, what, where, hint });
  }
}
