import { sharedFloat32, sharedUint32, startsOf } from './shared-arrays.ts';
import { rareFirst, type VectorPair, type Vectors } from './vectors.ts';

/** Bound for the number of a row's terms, above that of the longest texts. */
const placesMost = 2 ** 21;

/**
 * Joins the vectors of several columns, so that the cosine of two rows is the weighted mean of the
 * columns' cosines. An empty column leaves its weight to the others.
 */
export function joinVectors(pairs: readonly VectorPair[], weights: readonly number[]): VectorPair {
  const [only] = pairs;
  if (only && pairs.length === 1) return only;
  const offsets: number[] = [];
  let termCount = 0;
  for (const pair of pairs) {
    offsets.push(termCount);
    termCount += pair.termCount;
  }
  const frequencies = new Uint32Array(termCount);
  for (const [column, { left, right }] of pairs.entries()) {
    const own = frequencies.subarray(offsets[column]);
    for (const { terms } of [left, right])
      for (const term of terms) own[term] = (own[term] ?? 0) + 1;
  }
  const given = { order: rareFirst(frequencies), offsets, roots: weights.map(Math.sqrt) };
  const join = (side: 'left' | 'right'): Vectors =>
    joinSide(
      pairs.map((pair) => pair[side]),
      given,
    );
  return { left: join('left'), right: join('right'), termCount };
}

interface Joining {
  /** New numbers of terms. */
  readonly order: Uint32Array;
  /** Offset of the terms of each column, and the square roots of their weights. */
  readonly offsets: readonly number[];
  readonly roots: readonly number[];
}

function joinSide(columns: readonly Vectors[], joining: Joining): Vectors {
  const starts = startsOf(lengthsOf(columns));
  const total = starts.at(-1) ?? 0;
  const joined = { starts, terms: sharedUint32(total), weights: sharedFloat32(total) };
  for (let row = 0; row + 1 < starts.length; row++) {
    const [from, to] = [starts[row] ?? 0, starts[row + 1] ?? 0];
    const keys = new Float64Array(to - from);
    const values = new Float64Array(to - from);
    const length = gather(columns, row, joining, { keys, values });
    for (const [at, key] of keys.sort().entries()) {
      const term = Math.floor(key / placesMost);
      joined.terms[from + at] = term;
      joined.weights[from + at] = (values[key - term * placesMost] ?? 0) / length;
    }
  }
  return joined;
}

/** Returns the number of terms of each row over all columns. */
function lengthsOf(columns: readonly Vectors[]): Uint32Array {
  const lengths = new Uint32Array((columns[0]?.starts.length ?? 1) - 1);
  for (const { starts } of columns) {
    for (let row = 0; row < lengths.length; row++) {
      lengths[row] = (lengths[row] ?? 0) + (starts[row + 1] ?? 0) - (starts[row] ?? 0);
    }
  }
  return lengths;
}

/**
 * Collects the terms of a row with their indexes, as one number each, and their weights; returns
 * the length.
 */
function gather(
  columns: readonly Vectors[],
  row: number,
  { order, offsets, roots }: Joining,
  { keys, values }: { keys: Float64Array; values: Float64Array },
): number {
  let count = 0;
  let squares = 0;
  for (const [column, { starts, terms, weights }] of columns.entries()) {
    const [offset, root] = [offsets[column] ?? 0, roots[column] ?? 1];
    for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at++) {
      const value = (weights[at] ?? 0) * root;
      keys[count] = (order[offset + (terms[at] ?? 0)] ?? 0) * placesMost + count;
      values[count++] = value;
      squares += value * value;
    }
  }
  return Math.sqrt(squares);
}
