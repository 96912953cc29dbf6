import type { Branches } from '../../branches/branches.ts';
import { Failure } from '../../model/failure.ts';
import { formatOpening } from '../../tlog/leaf/commitment.ts';
import { parseStatement, type StatementKind } from '../../tlog/leaf/statement.ts';
import type { WorkbookKey } from '../../tlog/leaf/workbook-key.ts';
import { formatProofFile } from '../../tlog/note/proof-file.ts';
import type { LogReader } from '../../tlog/service/reader.ts';
import type { StatementTable, StoredStatement } from '../../tlog/statements/sql.ts';

/** A statement about one stretch of a history, with its proof. */
export interface ProvenStatement {
  /** The name of the file, unique in its bundle. */
  readonly name: string;
  readonly kind: StatementKind;
  readonly branchNo: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Hash of the leaf in hexadecimal. */
  readonly leafHash: string;
  /** True when the proof says what was logged: openings of version 1 are for owners alone. */
  readonly opens: boolean;
  /** The `.tlog-proof`; null while the statement is in no published checkpoint. */
  readonly proof: string | null;
}

export interface BundleRequest {
  readonly workbookId: string;
  /** Branch of the statements; all branches, and those about the workbook, when left out. */
  readonly branch: string | undefined;
  readonly from: number;
  readonly through: number;
  /** True when the principal owns the workbook. */
  readonly isOwner: boolean;
}

/** The statements, and the log that has them. */
export interface ProvenLog {
  readonly statements: Pick<StatementTable, 'key' | 'list'>;
  readonly reader: Pick<LogReader, 'proveAll' | 'newest' | 'origin'>;
}

/** For whom, and from which tree, a bundle is made. */
interface View {
  readonly key: WorkbookKey;
  readonly size: number;
  readonly isOwner: boolean;
}

const pageStatements = 200;
const seqDigits = 9;

/** Makes bundles of proofs: a history that can be checked offline, and after we are gone. */
export class ProofBundles {
  readonly #statements: ProvenLog['statements'];
  readonly #reader: ProvenLog['reader'];
  readonly #branches: Pick<Branches, 'address'>;

  constructor({ statements, reader }: ProvenLog, branches: Pick<Branches, 'address'>) {
    this.#statements = statements;
    this.#reader = reader;
    this.#branches = branches;
  }

  /** The log that the proofs are about. */
  async log(): Promise<{ readonly origin: string; readonly size: number }> {
    const { size } = await this.#reader.newest();
    return { origin: this.#reader.origin, size };
  }

  /**
   * Opens the proofs in the order of the statements, all from one checkpoint; fails before the
   * first.
   */
  async open(request: BundleRequest): Promise<AsyncGenerator<ProvenStatement>> {
    const { workbookId, branch, from, through, isOwner } = request;
    const key = await this.#statements.key(workbookId);
    if (!key) throw new Failure('notFound');
    const address =
      branch === undefined ? undefined : await this.#branches.address(workbookId, branch);
    const { size } = await this.#reader.newest();
    const filter = { workbookId, branchNo: address?.branchNo, from, through };
    return this.#all(filter, { key, size, isOwner });
  }

  async *#all(
    filter: { workbookId: string; branchNo: number | undefined; from: number; through: number },
    view: View,
  ): AsyncGenerator<ProvenStatement> {
    for (let after = 0; ;) {
      const page = await this.#statements.list({ ...filter, after, limit: pageStatements });
      yield* await this.#prove(page, view);
      const last = page.at(-1);
      if (!last || page.length < pageStatements) return;
      after = last.statementNo;
    }
  }

  async #prove(
    page: readonly StoredStatement[],
    { key, size, isOwner }: View,
  ): Promise<ProvenStatement[]> {
    const outcomes = await this.#reader.proveAll(
      page.map(({ leafHash }) => leafHash),
      size,
    );
    return page.map(({ body, branchNo, kind, lastSeq, leafHash, statementNo }, index) => {
      const statement = parseStatement(body);
      const opens = isOwner || statement.version > 1;
      const extra = formatOpening({ salt: key.salt(statement), statement });
      const outcome = outcomes[index];
      const proof =
        outcome === undefined || typeof outcome === 'string'
          ? null
          : formatProofFile({
              ...(opens && { extra }),
              index: outcome.leafIndex,
              hashes: outcome.hashes,
              checkpoint: outcome.tree.note,
            });
      const place = `${branchNo}-${String(lastSeq).padStart(seqDigits, '0')}`;
      return {
        name: `${place}-${kind}-${statementNo}.tlog-proof`,
        kind,
        branchNo,
        firstSeq: statement.firstSeq,
        lastSeq,
        leafHash: leafHash.toString('hex'),
        opens,
        proof,
      };
    });
  }
}
