import type { Statement } from '../../tlog/leaf/statement.ts';
import type { StoredBranch } from './sql.ts';

/** An event of a branch that must be in the log. */
export interface ExpectedStatement {
  readonly kind: Statement['kind'];
  readonly seq: number;
}

/**
 * Statements that must be logged according to rows beside the journal; found ones are taken off.
 */
export class ExpectedStatements {
  /** Missing statements by kind and subject. */
  readonly #missing = new Map<string, ExpectedStatement>();

  /** Operations up to `after` are older than the log. */
  constructor(branch: StoredBranch, after: number) {
    const { commits, merges, approvals, head } = branch;
    for (const { seq, stateHash } of commits) {
      if (stateHash && seq > after && seq <= head) this.#expect('checkpoint', seq);
    }
    for (const { seq } of merges) if (seq > after && seq <= head) this.#expect('merge', seq);
    for (const { given } of approvals) this.#expect('approval', head, given.at);
    if (branch.parentNo !== null && branch.isLogged) this.#expect('branch', 0);
  }

  #expect(kind: Statement['kind'], seq: number, time?: number): void {
    this.#missing.set(nameOf(kind, time ?? seq), { kind, seq });
  }

  found({ kind, lastSeq, timeMilliseconds }: Statement): void {
    this.#missing.delete(nameOf(kind, kind === 'approval' ? timeMilliseconds : lastSeq));
  }

  get firstMissing(): ExpectedStatement | undefined {
    return [...this.#missing.values()].toSorted((one, other) => one.seq - other.seq)[0];
  }
}

function nameOf(kind: string, about: number): string {
  return `${kind} ${about}`;
}
