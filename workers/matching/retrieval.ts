import { Postings } from '../kernel-postings.ts';
import { BestRows, type Nearest } from './best-rows.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { Vectors } from './vectors.ts';

export interface RetrievalRule {
  /** Share of a query's squared weight that may be skipped, most frequent terms first. */
  readonly prunedMass: number;
  /** Number of rows whose cosine is computed from all terms. */
  readonly rescored: number;
  readonly kept: number;
}

/** Rows to search: those before one, and those of a block if rows have blocks. */
interface Among {
  readonly below?: number;
  readonly block?: number | undefined;
}

/** Limit above any row. */
const everyRow = 0xffffffff;

interface Indexed {
  readonly indexed: Vectors;
  readonly termCount: number;
  /** Block of each row, if rows have blocks. */
  readonly blocks?: Uint32Array | undefined;
}

/** Finds neighbours by cosine; it takes a room of the index until `close`. */
export class Retrieval {
  readonly #starts: Uint32Array;
  readonly #postings: Postings;
  readonly #indexed: Vectors;
  readonly #rule: RetrievalRule;
  readonly #queryWeights: Float32Array;
  readonly #rescored: BestRows;

  constructor(
    { starts, postings }: InvertedIndex,
    { indexed, termCount, blocks }: Indexed,
    rule: RetrievalRule,
  ) {
    this.#starts = starts;
    this.#postings = new Postings(postings, rule.rescored, blocks);
    this.#indexed = indexed;
    this.#rule = rule;
    this.#queryWeights = new Float32Array(termCount);
    this.#rescored = new BestRows(rule.kept);
  }

  /** Returns the neighbours of a row of the query vectors; valid until the next call. */
  nearest({ starts, terms, weights }: Vectors, query: number, among: Among = {}): Nearest {
    const [from, to] = [starts[query] ?? 0, starts[query + 1] ?? 0];
    const own = { terms: terms.subarray(from, to), weights: weights.subarray(from, to) };
    const { below = everyRow, block = 0 } = among;
    this.#addUp(own);
    const best = this.#postings.best({ below, block });
    for (const [at, term] of own.terms.entries()) this.#queryWeights[term] = own.weights[at] ?? 0;
    this.#rescored.clear();
    for (const row of best) {
      const cosine = Math.round(this.#cosine(row) * 1e6) / 1e6;
      if (cosine > 0) this.#rescored.offer(row, Math.min(1, cosine));
    }
    for (const term of own.terms) this.#queryWeights[term] = 0;
    this.#rescored.sort();
    return this.#rescored;
  }

  close(): void {
    this.#postings.close();
  }

  /** Adds up the products of the query's rarer terms. */
  #addUp({ terms, weights }: Pick<Vectors, 'terms' | 'weights'>): void {
    let touchedCount = 0;
    let mass = 0;
    for (const [at, term] of terms.entries()) {
      // Terms come rarest first, so that the longest lists are skipped.
      if (mass >= 1 - this.#rule.prunedMass && touchedCount > 0) break;
      const weight = weights[at] ?? 0;
      mass += weight * weight;
      const [from, to] = [this.#starts[term] ?? 0, this.#starts[term + 1] ?? 0];
      touchedCount = this.#postings.add(from, to, weight);
    }
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
