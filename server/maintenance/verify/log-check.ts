import { Failure } from '../../model/failure.ts';
import { makeStatement, type StatementFacts } from '../../tlog/leaf/facts.ts';
import { operationHash } from '../../tlog/leaf/operation-proof.ts';
import {
  formatStatement,
  noStatement,
  parseStatement,
  type Statement,
} from '../../tlog/leaf/statement.ts';
import type { WorkbookKey } from '../../tlog/leaf/workbook-key.ts';
import type { LogAudit } from '../../tlog/service/audit.ts';
import type { LogReader, ProofOutcome } from '../../tlog/service/reader.ts';
import { approvalFacts } from '../../tlog/statements/write-statements.ts';
import type { StatementTable, StoredStatement } from '../../tlog/statements/sql.ts';
import {
  hasher,
  makeStatementRow,
  statementTextHash,
} from '../../tlog/statements/statement-row.ts';
import { RootBuilder } from '../../tlog/tree/root.ts';
import type { CheckedSegment } from './chain.ts';
import { ExpectedStatements } from './expected-statements.ts';
import { rowPlace, VerifyFault, type FaultKind } from './fault.ts';
import type { StoredBranch } from './sql.ts';

/** The statements about workbooks, and the log that everybody can read. */
export interface LogEvidence {
  readonly statements: Pick<
    StatementTable,
    'key' | 'range' | 'ofBranch' | 'coveringHash' | 'unstated'
  >;
  readonly reader: Pick<LogReader, 'proveAll'>;
  readonly audit: Pick<LogAudit, 'check'>;
}

type Content = Pick<Statement, 'operations' | 'state'>;

export interface LogCheckParts {
  readonly workbookId: string;
  readonly evidence: LogEvidence;
  /**
   * Reads what PostgreSQL has of the branch by now: a position may be committed or approved after
   * the branch was read.
   */
  readonly readAgain: () => Promise<StoredBranch | undefined>;
}

export interface LogCounts {
  readonly statements: number;
  /** Statements that wait for the next checkpoint. */
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
 * Makes the statements about one branch again from its journal, and looks each up in the log by its
 * tiles. This shows anything altered, left out, moved or cut off since it was logged.
 */
export class LogCheck {
  readonly #branch: StoredBranch;
  readonly #workbookId: string;
  readonly #evidence: LogEvidence;
  readonly #readAgain: LogCheckParts['readAgain'];
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
  /** Statements about positions in the segment that is being followed. */
  #within: StoredStatement[] = [];
  #unproven: StoredStatement[] = [];
  /** Further statements that must exist; undefined before the start. */
  #expected: ExpectedStatements | undefined;
  counts: LogCounts = nothingLogged;

  constructor(branch: StoredBranch, { workbookId, evidence, readAgain }: LogCheckParts) {
    this.#branch = branch;
    this.#workbookId = workbookId;
    this.#evidence = evidence;
    this.#readAgain = readAgain;
  }

  async start(): Promise<void> {
    const { statements } = this.#evidence;
    this.#key = await statements.key(this.#workbookId);
    const range = await statements.range(this.#address);
    if (!range) return;
    this.#after = range.after;
    this.#firstSeq = range.after + 1;
    this.#expected = new ExpectedStatements(this.#branch, range.after);
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

  /** Checks that every operation is covered and every statement was found in the log. */
  async finish(): Promise<void> {
    const { head } = this.#branch;
    if (head > this.#after && this.#firstSeq <= head) {
      throw this.#fault(this.#firstSeq, 'wrong_statement', 'nothing is said of it');
    }
    const missing = this.#expected?.firstMissing;
    if (missing) {
      const why = `nothing is said of the ${missing.kind}, which was logged`;
      throw this.#fault(missing.seq, 'missing', why);
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

  /** Compares all statements about the branch as it was after one operation. */
  async #compareAt(seq: number, chain: Buffer, at: number): Promise<void> {
    for (;;) {
      const next = await this.#next();
      if (next === undefined || next.lastSeq > seq) return;
      this.#page.shift();
      this.#cursor = next;
      if (next.kind === 'segment') await this.#compareSegment(next, chain, at);
      else await this.#compareOther(next, chain);
      this.#expected?.found(this.#read(next));
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

  async #compareSegment(stored: StoredStatement, chain: Buffer, at: number): Promise<void> {
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
    for (const other of this.#within) await this.#checkPosition(other, this.#previous);
    this.#within = [];
  }

  /**
   * Compares the other kinds. For most of these only the time cannot be told from other rows; the
   * commitment has it.
   */
  async #compareOther(stored: StoredStatement, chain: Buffer): Promise<void> {
    const { lastSeq, kind } = stored;
    const said = this.#read(stored);
    const address = { workbook: this.#workbookId, branch: String(this.#branch.branchNo) };
    const position = { firstSeq: lastSeq, lastSeq, chain };
    this.#compare(stored, {
      ...said,
      ...address,
      ...position,
      ...(await this.#contentOf(said, chain)),
    });
    if (lifeCycleKinds.includes(kind)) {
      this.#checkPrevious(stored, [this.#lifeCyclePrevious]);
      this.#lifeCyclePrevious = statementTextHash(stored.body);
    } else if (kind === 'branch') {
      const { parentNo, forkSeq } = this.#branch;
      this.#checkPrevious(stored, [await this.#coveringHash(parentNo ?? 0, forkSeq ?? 0)]);
    } else if (lastSeq < this.#firstSeq) await this.#checkPosition(stored, this.#previous);
    else this.#within.push(stored);
  }

  /** Content that a statement must have according to the rows beside the journal. */
  async #contentOf(said: Statement, chain: Buffer): Promise<Content> {
    const known = this.#contentIn(this.#branch, said, chain);
    if (known) return known;
    const now = await this.#readAgain();
    const found = now && this.#contentIn(now, said, chain);
    if (found) return found;
    const why = said.kind === 'approval' ? 'nobody approved so' : 'no commit';
    throw this.#fault(said.lastSeq, 'wrong_statement', why);
  }

  /** Returns undefined where the rows of the branch say nothing of it. */
  #contentIn(branch: StoredBranch, said: Statement, chain: Buffer): Content | undefined {
    const { kind, lastSeq } = said;
    if (kind === 'approval') return this.#approvalIn(branch, said, chain);
    if (kind !== 'checkpoint') return { operations: hasher.empty(), state: undefined };
    const { stateHash } = branch.commits.find(({ seq }) => seq === lastSeq) ?? {};
    return stateHash ? { operations: hasher.empty(), state: stateHash } : undefined;
  }

  #approvalIn(
    { branchNo, approvals }: StoredBranch,
    said: Statement,
    chainHash: Buffer,
  ): Content | undefined {
    const { version, workbook: workbookId, lastSeq: seq, timeMilliseconds } = said;
    for (const { mergeId, given } of approvals) {
      if (given.at !== timeMilliseconds) continue;
      const facts = { workbookId, branchNo, seq, chainHash, mergeId, given };
      const key = this.#keyOf();
      const { operations, state } = approvalFacts(key, facts, { previous: noStatement, version });
      if (Buffer.from(operations).equals(said.operations)) return { operations, state };
    }
    return undefined;
  }

  /** Checks that a statement about a position follows that about the segment it is in. */
  async #checkPosition(stored: StoredStatement, segment: Uint8Array): Promise<void> {
    const { kind, lastSeq } = stored;
    // Before the log there was no segment with a statement.
    if (lastSeq <= this.#after) return;
    if (kind !== 'merge') {
      this.#checkPrevious(stored, [segment]);
      return;
    }
    const merge = this.#branch.merges.find(({ seq }) => seq === lastSeq);
    if (!merge) throw this.#fault(lastSeq, 'wrong_statement', 'no merge');
    const merged = await this.#coveringHash(merge.sourceNo, merge.sourceSeq);
    this.#checkPrevious(stored, [segment, merged]);
  }

  #coveringHash(branchNo: number, seq: number): Promise<Uint8Array> {
    const address = { workbookId: this.#workbookId, branchNo };
    return this.#evidence.statements.coveringHash(address, seq);
  }

  #checkPrevious(stored: StoredStatement, previous: readonly Uint8Array[]): void {
    const said = this.#read(stored).previous;
    const isSo =
      said.length === previous.length &&
      said.every((hash, index) => Buffer.from(hash).equals(previous[index] ?? noStatement));
    if (isSo) return;
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

  /** Compares a statement with the facts, in the version in which it was written. */
  #compare(stored: StoredStatement, facts: StatementFacts): void {
    const { version } = this.#read(stored);
    const expected = makeStatement(this.#keyOf(), facts, version);
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
    const outcomes = await this.#proveAll(hashes, statements[0]?.lastSeq ?? 0);
    let unpublished = 0;
    for (const [index, { lastSeq }] of statements.entries()) {
      const outcome = outcomes[index];
      if (outcome === 'pending') unpublished++;
      if (outcome !== 'unknown') continue;
      throw this.#fault(lastSeq, 'not_logged', 'the transparency log has no entry for it');
    }
    this.counts = addCounts(this.counts, { statements: statements.length, unpublished });
  }

  /** Reports damage of the log itself as a fault with a place. */
  async #proveAll(hashes: readonly Buffer[], seq: number): Promise<ProofOutcome[]> {
    try {
      return await this.#evidence.reader.proveAll(hashes);
    } catch (error) {
      if (!(error instanceof Failure) || error.key !== 'logDamaged') throw error;
      const { branchNo } = this.#branch;
      const where = String(error.extra['where']);
      const hint = error.hint ?? '';
      throw new VerifyFault({ branchNo, seq, what: 'damaged', where, hint });
    }
  }

  #fault(seq: number, what: FaultKind, why: string): VerifyFault {
    const { branchNo } = this.#branch;
    const where = rowPlace('tlog_statement', branchNo, seq);
    const hint = `What was logged of the branch and what is stored differ: ${why}.`;
    return new VerifyFault({ branchNo, seq, what, where, hint });
  }
}
