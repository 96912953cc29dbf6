import {
  Dots,
  queriesMost,
  rowsMost,
  stretchRows,
  vectorsIn,
  type DotMemory,
  type Products,
} from '../kernel-dots.ts';
import { BestRows } from './best-rows.ts';
import { noRow, type Candidates } from './candidates.ts';
import { blocksOf, type ChunkTask } from './chunks.ts';
import { candidatesOf } from './options.ts';
import type { Vectors } from './vectors.ts';

/** Vectors that a provider made of the texts of both sides; a vector of zeros means none. */
export interface DenseVectors {
  readonly width: number;
  readonly left: Float32Array;
  readonly right: Float32Array;
  /** The same vectors in units of 1/8,191. */
  readonly dots: DotMemory;
}

export interface DenseTask extends ChunkTask {
  readonly dense: DenseVectors;
  /** Index of this task's room for products. */
  readonly room: number;
}

export interface ScaleTask {
  readonly vectors: Float32Array;
  readonly dots: DotMemory;
  readonly side: 'left' | 'right';
}

const scale = 8191;
const million = 1e6;
/** Rows whose cosine is recomputed in full precision, because near neighbours may swap. */
const rescoredLeast = 20;

/** Writes the vectors of a side into the memory for products. */
export function scaleVectors({ vectors, dots, side }: ScaleTask): void {
  const scaled = vectorsIn(dots, dots[side], [0, vectors.length / dots.width]);
  for (const [at, value] of vectors.entries()) scaled[at] = Math.round(value * scale);
}

/**
 * Returns candidates of some left texts by their vectors: for each place the right text, then all
 * cosines in millionths, then the cosines by terms.
 */
export function scoreDense(task: DenseTask): Uint8Array {
  const { prepared, rules, from, to, dense } = task;
  const width = candidatesOf(rules);
  const count = (to - from) * width;
  const words = new Uint32Array(count * 3);
  words.fill(noRow, 0, count);
  const { left, right } = prepared.corpus.vectors;
  const kept = new BestRows(width);
  const firsts = firstRows(task, Math.max(rescoredLeast, width * 2));
  for (const [at, nearest] of firsts.entries()) {
    kept.clear();
    const query = from + at;
    const near = nearest.rows.subarray(0, nearest.count);
    for (const [place, exact] of cosinesOf(dense, query, near).entries()) {
      const cosine = Math.min(1, Math.round(exact * million) / million);
      if (cosine > 0) kept.offer(near[place] ?? 0, cosine);
    }
    kept.sort();
    for (let place = 0; place < kept.count; place++) {
      const row = kept.rows[place] ?? 0;
      const own = at * width + place;
      words[own] = row;
      words[count + own] = Math.round((kept.scores[place] ?? 0) * million);
      words[2 * count + own] = Math.round(sparseCosine(left, query, right, row) * million);
    }
  }
  return new Uint8Array(words.buffer);
}

/** Joins the results of consecutive parts to that of one. */
export function joinDense(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const words = parts.map((part) => new Uint32Array(Uint8Array.from(part).buffer));
  const third = (at: number): Uint32Array[] =>
    words.map((all) => all.subarray((at * all.length) / 3, ((at + 1) * all.length) / 3));
  const lanes = [...third(0), ...third(1), ...third(2)];
  const joined = new Uint32Array(lanes.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const lane of lanes) {
    joined.set(lane, at);
    at += lane.length;
  }
  return new Uint8Array(joined.buffer);
}

/** Copies the result of `scoreDense` into all candidates. */
export function placeDense(
  { width, rows, cosines }: Candidates,
  lexical: Float64Array,
  [bytes, from]: readonly [Uint8Array, number],
): void {
  const copy = Uint8Array.from(bytes);
  const words = new Uint32Array(copy.buffer);
  const count = words.length / 3;
  const start = from * width;
  rows.set(words.subarray(0, count), start);
  for (let at = 0; at < count; at++) {
    cosines[start + at] = (words[count + at] ?? 0) / million;
    lexical[start + at] = (words[2 * count + at] ?? 0) / million;
  }
}

/** Returns the rows with the highest products for each query. */
function firstRows(task: DenseTask, most: number): BestRows[] {
  const { prepared, from, to, dense, room } = task;
  const rightCount = prepared.right.starts.length - 1;
  const dots = new Dots(dense.dots, room);
  const blocks = blocksOf(prepared);
  const best = Array.from({ length: to - from }, () => new BestRows(most));
  for (let first = from; first < to; first += queriesMost) {
    const last = Math.min(to, first + queriesMost);
    for (let row = 0; row < rightCount; row += rowsMost) {
      const end = Math.min(rightCount, row + rowsMost);
      const products = dots.products([first, last], [row, end]);
      for (let query = first; query < last; query++) {
        offerAll(best[query - from], products, {
          row,
          end,
          line: query - first,
          below: task.rules.isDedupe ? query : end,
          block: blocks && { of: blocks.right, wanted: blocks.left[query] ?? noRow },
        });
      }
    }
  }
  return best;
}

interface Offered {
  /** Right rows of the products. */
  readonly row: number;
  readonly end: number;
  /** Index of the query among those of the products. */
  readonly line: number;
  readonly below: number;
  readonly block: { readonly of: Uint32Array; readonly wanted: number } | undefined;
}

/** Offers the right rows of a query below a row; stretches whose highest is too low are skipped. */
function offerAll(best: BestRows | undefined, products: Products, offered: Offered): void {
  if (!best) return;
  const { row, end, line, below } = offered;
  const stretchCount = Math.ceil((end - row) / stretchRows);
  for (let stretch = 0; stretch < stretchCount; stretch++) {
    if ((products.highest[line * stretchCount + stretch] ?? 0) <= best.least) continue;
    const from = stretch * stretchRows;
    const to = Math.min(end - row, below - row, from + stretchRows);
    offerStretch(best, products.all, { from, to, offered });
  }
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offered: Offered;
}

function offerStretch(best: BestRows, products: Int32Array, { from, to, offered }: Stretch): void {
  const { row, end, line, block } = offered;
  const start = line * (end - row);
  let { least } = best;
  for (let at = from; at < to; at++) {
    const product = products[start + at] ?? 0;
    if (product <= least) continue;
    if (block && block.of[row + at] !== block.wanted) continue;
    best.offer(row + at, product);
    ({ least } = best);
  }
}

/** Returns the cosines of a query with some rows. */
function cosinesOf(dense: DenseVectors, query: number, rows: Uint32Array): Float64Array {
  const cosines = new Float64Array(rows.length);
  const starts = rows.map((row) => row * dense.width);
  const from = query * dense.width;
  for (let place = 0; place < rows.length; place += 4)
    addFour(cosines, place, { dense, from, starts });
  return cosines;
}

interface FourRows {
  readonly dense: DenseVectors;
  /** Start of the query on the left, and of rows on the right. */
  readonly from: number;
  readonly starts: Uint32Array;
}

/**
 * Adds up the products of four rows side by side, each in its own order, as one addition waits for
 * the one before it.
 */
function addFour(sums: Float64Array, place: number, { dense, from, starts }: FourRows): void {
  const { left, right, width } = dense;
  const a = starts[place] ?? 0;
  const b = starts[place + 1] ?? 0;
  const c = starts[place + 2] ?? 0;
  const d = starts[place + 3] ?? 0;
  let [sumA, sumB, sumC, sumD] = [0, 0, 0, 0];
  for (let at = 0; at < width; at++) {
    const own = left[from + at] ?? 0;
    sumA += own * (right[a + at] ?? 0);
    sumB += own * (right[b + at] ?? 0);
    sumC += own * (right[c + at] ?? 0);
    sumD += own * (right[d + at] ?? 0);
  }
  // Sums behind the last row are not kept.
  for (const [at, sum] of [sumA, sumB, sumC, sumD].entries()) sums[place + at] = sum;
}

function sparseCosine(left: Vectors, query: number, right: Vectors, row: number): number {
  const a = rowOf(left, query);
  const b = rowOf(right, row);
  let sum = 0;
  let other = 0;
  // Terms are in ascending order on both sides.
  for (const [at, term] of a.terms.entries()) {
    while ((b.terms[other] ?? noRow) < term) other++;
    if (b.terms[other] === term) sum += (a.weights[at] ?? 0) * (b.weights[other] ?? 0);
  }
  return Math.max(0, Math.min(1, sum));
}

function rowOf({ starts, terms, weights }: Vectors, row: number) {
  const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
  return { terms: terms.subarray(from, to), weights: weights.subarray(from, to) };
}
