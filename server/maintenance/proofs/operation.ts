import type { BranchAddress, JournalStore, StoredSegment } from '../../branches/journal-store.ts';
import { packedRecords } from '../../branches/segment.ts';
import { Failure } from '../../model/failure.ts';
import { formatOperationOpening } from '../../tlog/leaf/operation-opening.ts';
import { OperationTree, type LoggedOperation } from '../../tlog/leaf/operation-proof.ts';
import { parseStatement, type Statement } from '../../tlog/leaf/statement.ts';
import { formatProofFile } from '../../tlog/note/proof-file.ts';
import type { LogReader } from '../../tlog/service/reader.ts';
import { hasher } from '../../tlog/statements/statement-row.ts';
import type { StatementTable, StoredStatement } from '../../tlog/statements/sql.ts';

export interface OperationProofParts {
  readonly statements: Pick<StatementTable, 'key' | 'range' | 'covering'>;
  readonly reader: Pick<LogReader, 'prove'>;
  readonly journal: Pick<JournalStore, 'segments'>;
}

export interface OperationRequest extends BranchAddress {
  readonly seq: number;
  /** True when the principal owns the workbook. */
  readonly isOwner: boolean;
}

/** The proof of one operation, as a file. */
export interface ProvenOperation {
  readonly name: string;
  readonly branchNo: number;
  readonly seq: number;
  /** First operation of the statement about its segment. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly leafHash: string;
  readonly proof: string;
}

const seqDigits = 9;

/** Proves single operations: that this very record is covered by an entry of the log. */
export class OperationProofs {
  readonly #parts: OperationProofParts;

  constructor(parts: OperationProofParts) {
    this.#parts = parts;
  }

  /** Returns undefined while the entry about it is in no published checkpoint. */
  async prove(request: OperationRequest): Promise<ProvenOperation | undefined> {
    const { workbookId, branchNo, seq } = request;
    const key = await this.#parts.statements.key(workbookId);
    if (!key) throw new Failure('notFound');
    const { stored, statement } = await this.#statementOf(request);
    if (statement.version === 1 && !request.isOwner) throw forOwners();
    const outcome = await this.#parts.reader.prove(stored.leafHash);
    if (outcome === 'pending') return undefined;
    const operations = await this.#operations(request, statement);
    const tree = new OperationTree(hasher, { key, branch: statement.branch }, operations);
    const record = operations.find((operation) => operation.seq === seq)?.bytes;
    const isLogged = Buffer.from(tree.root).equals(statement.operations);
    if (!isLogged || !record || typeof outcome === 'string') throw notAsLogged(seq);
    const opening = { salt: key.salt(statement), statement };
    const extra = formatOperationOpening({ record, proof: tree.prove(seq), opening });
    const { leafIndex: index, hashes, tree: published } = outcome;
    return {
      name: `${branchNo}-${String(seq).padStart(seqDigits, '0')}-operation.tlog-proof`,
      branchNo,
      seq,
      firstSeq: statement.firstSeq,
      lastSeq: statement.lastSeq,
      leafHash: stored.leafHash.toString('hex'),
      proof: formatProofFile({ extra, index, hashes, checkpoint: published.note }),
    };
  }

  async #statementOf(
    request: OperationRequest,
  ): Promise<{ stored: StoredStatement; statement: Statement }> {
    const { statements } = this.#parts;
    const { seq } = request;
    const range = await statements.range(request);
    if (!range) throw new Failure('branchNotFound');
    const { head, after } = range;
    if (seq > head) {
      throw new Failure('refNotFound', {
        detail: `The branch ends at operation ${head}, so there is no operation ${seq}.`,
        hint: `Ask for a seq from ${after + 1} to ${head}.`,
        extra: { head },
      });
    }
    const stored = seq > after ? await statements.covering(request, seq) : undefined;
    if (!stored) {
      throw new Failure('leafNotFound', {
        detail: `Operation ${seq} is older than the log, which says nothing of it.`,
        hint: `The log covers operations ${after + 1} to ${head} of this branch.`,
      });
    }
    const statement = parseStatement(stored.body);
    if (statement.firstSeq > seq) throw notAsLogged(seq);
    return { stored, statement };
  }

  /** The operations that the statement covers, wherever the journal has them now. */
  async #operations(
    address: BranchAddress,
    { firstSeq, lastSeq }: Statement,
  ): Promise<LoggedOperation[]> {
    const found: LoggedOperation[] = [];
    for (let next = firstSeq; next <= lastSeq;) {
      const segments = await this.#parts.journal.segments(address, next - 1, lastSeq);
      const before = next;
      const operations = segments.flatMap(operationsIn);
      const wanted = operations.filter(({ seq }) => seq >= next && seq <= lastSeq);
      found.push(...wanted);
      next += wanted.length;
      if (next === before) throw notAsLogged(next);
    }
    return found;
  }
}

function operationsIn({ firstSeq, body }: StoredSegment): LoggedOperation[] {
  return [...packedRecords(body)].map((bytes, index) => ({ seq: firstSeq + index, bytes }));
}

function forOwners(): Failure {
  return new Failure('forbidden', {
    detail: 'This operation was logged in version 1, whose opening gives away its neighbours.',
    hint: 'Ask the owner of the workbook: owners alone are given such proofs.',
  });
}

function notAsLogged(seq: number): Failure {
  return new Failure('logDamaged', {
    detail: `What is stored of operation ${seq} is not what was logged of it.`,
    hint: 'POST /v1/workbooks/{id}/verify names the place that differs.',
  });
}
