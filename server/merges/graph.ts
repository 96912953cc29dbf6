import { Failure } from '../model/failure.ts';

/** A position in a workbook: after operation `seq` of the branch with the number `no`. */
export interface Position {
  readonly no: number;
  readonly seq: number;
}

/** A branch as a part of history; deleted ones count too. */
export interface GraphBranch {
  readonly branchNo: number;
  readonly parentNo: number | null;
  readonly forkSeq: number | null;
}

/** An applied merge, and the operations that its branch holds from then on. */
export interface GraphMerge {
  readonly branchNo: number;
  readonly seq: number;
  /** The last operation of each branch, by its number. */
  readonly vector: Readonly<Record<string, number>>;
}

/** The operations that a position holds: the last one of each branch, by its number. */
export type Vector = ReadonlyMap<number, number>;

/**
 * The graph of branches and merges. A position holds the operations of each branch up to some one.
 * So a vector of these describes all that it holds, and the common operations of two positions are
 * the lesser of each member (version vectors: Parker et al., 1983).
 */
export class Graph {
  readonly #branches: ReadonlyMap<number, GraphBranch>;
  /** Merges by branch, the earliest first. */
  readonly #merges = new Map<number, GraphMerge[]>();

  constructor(branches: readonly GraphBranch[], merges: readonly GraphMerge[]) {
    this.#branches = new Map(branches.map((branch) => [branch.branchNo, branch]));
    for (const merge of merges.toSorted((a, b) => a.seq - b.seq)) {
      const known = this.#merges.get(merge.branchNo);
      if (known) known.push(merge);
      else this.#merges.set(merge.branchNo, [merge]);
    }
  }

  vector({ no, seq }: Position): Vector {
    return this.#ownVector({ no, seq });
  }

  /** Returns the vector as a map that nobody else has. */
  #ownVector({ no, seq }: Position): Map<number, number> {
    const merge = this.#merges.get(no)?.findLast((known) => known.seq <= seq);
    if (merge) return vectorFrom(merge.vector).set(no, seq);
    const branch = this.#branches.get(no);
    if (!branch) throw new Failure('branchNotFound');
    const { parentNo, forkSeq } = branch;
    const inherited =
      parentNo === null || forkSeq === null
        ? new Map<number, number>()
        : this.#ownVector({ no: parentNo, seq: forkSeq });
    return inherited.set(no, seq);
  }

  /** Returns the last operation of each branch that any of the positions holds. */
  heldVector(positions: readonly Position[]): Vector {
    const held = new Map<number, number>();
    for (const position of positions) {
      for (const [no, seq] of this.vector(position)) held.set(no, Math.max(seq, held.get(no) ?? 0));
    }
    return held;
  }

  /**
   * Returns a function that gives the last operation of a branch that any of the positions holds.
   */
  heldBy(positions: readonly Position[]): (branchNo: number) => number {
    const held = this.heldVector(positions);
    return (branchNo) => held.get(branchNo) ?? 0;
  }

  /** Returns the vector of a branch after a position was merged into it. */
  joined(target: Position, source: Position): Vector {
    const joined = new Map(this.vector(target));
    for (const [no, seq] of this.vector(source)) joined.set(no, Math.max(seq, joined.get(no) ?? 0));
    return joined;
  }

  /** Returns whether a position holds another one. */
  holds(position: Position, { no, seq }: Position): boolean {
    return (this.vector(position).get(no) ?? -1) >= seq;
  }

  /** Returns whether a position has all operations that another one has. */
  hasAll(position: Position, other: Position): boolean {
    const own = this.vector(position);
    return [...this.vector(other)].every(([no, seq]) => seq === 0 || (own.get(no) ?? 0) >= seq);
  }

  /** Finds the best common ancestors of two positions: several only after crossing merges. */
  bases(a: Position, b: Position): Position[] {
    const theirs = this.vector(b);
    const left = new Map<number, number>();
    for (const [no, seq] of this.vector(a)) {
      const other = theirs.get(no);
      if (other !== undefined) left.set(no, Math.min(seq, other));
    }
    // A position that another one holds holds nothing that the other one does not.
    for (const no of new Set([...this.#lineOf(a.no), ...this.#lineOf(b.no), ...left.keys()])) {
      const seq = left.get(no);
      if (seq === undefined) continue;
      for (const [other, held] of this.vector({ no, seq })) {
        if (other !== no && (left.get(other) ?? Infinity) <= held) left.delete(other);
      }
    }
    // In one order from both directions.
    return Array.from(left, ([no, seq]) => ({ no, seq })).sort((one, other) => one.no - other.no);
  }

  /** Yields a branch and those that it comes from: mostly one of them has all that is common. */
  *#lineOf(no: number): Generator<number> {
    for (let at: number | null | undefined = no; typeof at === 'number';) {
      yield at;
      at = this.#branches.get(at)?.parentNo;
    }
  }
}

export function vectorFrom(record: Readonly<Record<string, number>>): Map<number, number> {
  return new Map(Object.entries(record).map(([no, seq]) => [Number(no), seq]));
}
