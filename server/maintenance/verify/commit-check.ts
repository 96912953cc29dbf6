import type { JournalRecord } from '../../branches/record.ts';
import { rowPlace, VerifyFault } from './fault.ts';
import type { CommitEntry, StoredBranch } from './sql.ts';

/** Compares the rows of a branch's commits with the operations that made them. */
export class CommitCheck {
  readonly #branch: StoredBranch;
  readonly #entries: ReadonlyMap<number, CommitEntry>;
  count = 0;

  constructor(branch: StoredBranch) {
    this.#branch = branch;
    this.#entries = new Map(branch.commits.map((entry) => [entry.seq, entry]));
  }

  /** Sequences at which the hash of the state is needed. */
  get hashedSeqs(): number[] {
    return [...this.#entries.values()]
      .filter(({ stateHash }) => stateHash !== null)
      .map(({ seq }) => seq);
  }

  /** Checks a record; each operation has to be shown, because some are commits without a row. */
  checkRecord(record: JournalRecord, chainHash: Buffer): void {
    const { seq, kind, payload, principalId } = record;
    const entry = this.#entries.get(seq);
    if (!entry) {
      if (kind === 'commit') throw this.#fault(seq);
      return;
    }
    const { message = '', tag } = (payload ?? {}) as { message?: string; tag?: string };
    const isSo =
      kind === 'commit' &&
      entry.message === message &&
      entry.tag === (tag ?? null) &&
      entry.committedBy === principalId &&
      entry.chainHash?.equals(chainHash) !== false;
    if (!isSo) throw this.#fault(seq);
    this.count++;
  }

  /** The hash of the state as its row has it, in hex. */
  saidState(seq: number): string | undefined {
    return this.#entries.get(seq)?.stateHash?.toString('hex');
  }

  checkState(seq: number, stateHash: string): void {
    const said = this.saidState(seq);
    if (said !== undefined && said !== stateHash) throw this.#fault(seq);
  }

  /**
   * Checks rows that no operation showed, and tags that lead elsewhere; to be called at the end.
   */
  checkRest(): void {
    const { head, commits, tags, branchNo } = this.#branch;
    const later = commits.find(({ seq }) => seq < 1 || seq > head);
    if (later) throw this.#fault(later.seq);
    const leading = new Map(tags.map(({ tag, seq }) => [tag, seq]));
    for (const { tag, seq } of commits) {
      if (tag !== null && leading.get(tag) !== seq) throw tagFault({ branchNo, seq, tag });
      if (tag !== null) leading.delete(tag);
    }
    for (const [tag, seq] of leading) throw tagFault({ branchNo, seq, tag });
  }

  #fault(seq: number): VerifyFault {
    const { branchNo } = this.#branch;
    const where = rowPlace('branch_commit', branchNo, seq);
    const hint = 'The journal has it otherwise. Restore this row from a backup of the database.';
    return new VerifyFault({ branchNo, seq, what: 'wrong_commit', where, hint });
  }
}

function tagFault({ branchNo, seq, tag }: { branchNo: number; seq: number; tag: string }) {
  const where = rowPlace('commit_tag', tag);
  const hint = 'It does not lead to its commit. Restore this row from a backup of the database.';
  return new VerifyFault({ branchNo, seq, what: 'wrong_commit', where, hint });
}
