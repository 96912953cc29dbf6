import { BestRows, type Nearest } from './best-rows.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { Vectors } from './vectors.ts';

export interface RetrievalRule {
  /** Squared weight of a query that may be left out, its most frequent terms first. */
  readonly prunedMass: number;
  /** Rows whose cosine is computed from all terms. */
  readonly rescored: number;
  readonly kept: number;
}

/** Rows that are looked at: those before one, and of a block where there are some. */
interface Among {
  readonly below: number;
  readonly block?: { readonly of: Uint32Array; readonly wanted: number } | undefined;
}

const all: Among = { below: Infinity };

/** Finds neighbours by cosine. Its arrays are used again by each query. */
export class Retrieval {
  readonly #index: InvertedIndex;
  readonly #indexed: Vectors;
  readonly #rule: RetrievalRule;
  readonly #sums: Float32Array;
  readonly #touched: Uint32Array;
  readonly #queryWeights: Float32Array;
  readonly #best: BestRows;
  readonly #rescored: BestRows;

  constructor(
    index: InvertedIndex,
    { indexed, termCount }: { indexed: Vectors; termCount: number },
    rule: RetrievalRule,
  ) {
    this.#index = index;
    this.#indexed = indexed;
    this.#rule = rule;
    const rowCount = indexed.starts.length - 1;
    this.#sums = new Float32Array(rowCount);
    this.#touched = new Uint32Array(rowCount);
    this.#queryWeights = new Float32Array(termCount);
    this.#best = new BestRows(rule.rescored);
    this.#rescored = new BestRows(rule.kept);
  }

  /** Neighbours of a row of `queries`; valid until the next call. */
  nearest({ starts, terms, weights }: Vectors, query: number, among: Among = all): Nearest {
    const [from, to] = [starts[query] ?? 0, starts[query + 1] ?? 0];
    const own = { terms: terms.subarray(from, to), weights: weights.subarray(from, to) };
    this.#choose(this.#addUp(own), among);
    for (const [at, term] of own.terms.entries()) this.#queryWeights[term] = own.weights[at] ?? 0;
    this.#rescored.clear();
    for (let at = 0; at < this.#best.count; at++) {
      const row = this.#best.rows[at] ?? 0;
      const cosine = Math.round(this.#cosine(row) * 1e6) / 1e6;
      if (cosine > 0) this.#rescored.offer(row, Math.min(1, cosine));
    }
    for (const term of own.terms) this.#queryWeights[term] = 0;
    this.#rescored.sort();
    return this.#rescored;
  }

  /** Keeps the best of the rows that were touched, and leaves their sums at zero. */
  #choose(touchedCount: number, { below, block }: Among): void {
    this.#best.clear();
    for (let at = 0; at < touchedCount; at++) {
      const row = this.#touched[at] ?? 0;
      const sum = this.#sums[row] ?? 0;
      this.#sums[row] = 0;
      if (row >= below || sum <= 0) continue;
      if (block && block.of[row] !== block.wanted) continue;
      this.#best.offer(row, sum);
    }
  }

  /** Adds what rows have in common with the rarer terms; which rows those are is in `touched`. */
  #addUp({ terms, weights }: Pick<Vectors, 'terms' | 'weights'>): number {
    const { starts } = this.#index;
    let touchedCount = 0;
    let mass = 0;
    for (const [at, term] of terms.entries()) {
      // Terms come the rarest first, so that what is left out are the longest lists.
      if (mass >= 1 - this.#rule.prunedMass && touchedCount > 0) break;
      const weight = weights[at] ?? 0;
      mass += weight * weight;
      const [from, to] = [starts[term] ?? 0, starts[term + 1] ?? 0];
      touchedCount = this.#addPostings(from, to, { weight, touchedCount });
    }
    return touchedCount;
  }

  #addPostings(
    from: number,
    to: number,
    { weight, touchedCount }: { weight: number; touchedCount: number },
  ): number {
    const { rows, weights } = this.#index;
    const sums = this.#sums;
    const touched = this.#touched;
    let count = touchedCount;
    for (let place = from; place < to; place++) {
      const row = rows[place] ?? 0;
      const sum = sums[row] ?? 0;
      if (sum === 0) touched[count++] = row;
      sums[row] = sum + weight * (weights[place] ?? 0);
    }
    return count;
  }

  #cosine(row: number): number {
    const { starts, terms, weights } = this.#indexed;
    let sum = 0;
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      sum += (weights[at] ?? 0) * (this.#queryWeights[terms[at] ?? 0] ?? 0);
    }
    return sum;
  }
}
