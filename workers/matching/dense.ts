import { Dots, queriesMost, rowsMost, vectorsIn, type DotMemory } from '../kernel-dots.ts';
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
    for (let place = 0; place < nearest.count; place++) {
      const row = nearest.rows[place] ?? 0;
      const cosine = Math.min(1, Math.round(cosineOf(dense, query, row) * million) / million);
      if (cosine > 0) kept.offer(row, cosine);
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
        const line = products.subarray(
          (query - first) * (end - row),
          (query - first + 1) * (end - row),
        );
        offerAll(best[query - from], line, {
          row,
          below: task.rules.isDedupe ? query : end,
          block: blocks && { of: blocks.right, wanted: blocks.left[query] ?? noRow },
        });
      }
    }
  }
  return best;
}

interface Offered {
  readonly row: number;
  readonly below: number;
  readonly block: { readonly of: Uint32Array; readonly wanted: number } | undefined;
}

/** Offers rows from `row` up to `below`, by their products. */
function offerAll(
  best: BestRows | undefined,
  line: Int32Array,
  { row, below, block }: Offered,
): void {
  if (!best) return;
  const count = Math.min(line.length, below - row);
  let { least } = best;
  for (let at = 0; at < count; at++) {
    const product = line[at] ?? 0;
    if (product <= least) continue;
    if (block && block.of[row + at] !== block.wanted) continue;
    best.offer(row + at, product);
    ({ least } = best);
  }
}

function cosineOf({ left, right, width }: DenseVectors, query: number, row: number): number {
  const [a, b] = [query * width, row * width];
  let sum = 0;
  for (let at = 0; at < width; at++) sum += (left[a + at] ?? 0) * (right[b + at] ?? 0);
  return sum;
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
