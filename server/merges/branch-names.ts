import type { Position } from './graph.ts';
import type { NamedBranch } from './sql.ts';

/** Names of branches by number, with those of deleted ones. */
export class BranchNames {
  readonly #branches: ReadonlyMap<number, NamedBranch>;

  constructor(branches: readonly NamedBranch[]) {
    this.#branches = new Map(branches.map((branch) => [branch.branchNo, branch]));
  }

  /** Returns whether a branch exists and is not deleted. */
  isThere(no: number): boolean {
    return this.#branches.get(no)?.isDeleted === false;
  }

  /** Returns the last operation of a branch; 0 if it has none. */
  headOf(no: number): number {
    return this.#branches.get(no)?.head ?? 0;
  }

  nameOf(no: number): string {
    return this.#branches.get(no)?.name ?? `#${no}`;
  }

  named(name: string): NamedBranch | undefined {
    return [...this.#branches.values()].find((branch) => branch.name === name && !branch.isDeleted);
  }

  position({ no, seq }: Position): { branch: string; seq: number } {
    return { branch: this.nameOf(no), seq };
  }

  /** Turns a vector by number into one by name; deleted branches keep their former names. */
  vector(vector: ReadonlyMap<number, number>): Record<string, number> {
    return Object.fromEntries([...vector].map(([no, seq]) => [this.nameOf(no), seq]));
  }
}
