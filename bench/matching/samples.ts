import { findCandidates, findSuitors, noRow } from '../../workers/matching/candidates.ts';
import { buildCorpus } from '../../workers/matching/corpus.ts';
import { featureCount, PairFeatures } from '../../workers/matching/features.ts';
import { normalise } from '../../workers/matching/normalise.ts';
import type { DataSet } from './data-sets.ts';
import type { Samples } from './logistic.ts';

/** A set and the pairs that were found in it, before anything is decided. */
export interface Described {
  readonly name: string;
  /** Distinct normalised texts of the left side, how many rows each has. */
  readonly leftCounts: readonly number[];
  readonly rightCounts: readonly number[];
  /** Per pair. */
  readonly left: Uint32Array;
  readonly right: Uint32Array;
  readonly cosines: Float64Array;
  readonly samples: Samples;
  readonly truthCount: number;
  readonly equal: ReadonlyMap<number, number>;
  readonly isTrue: (left: number, right: number) => boolean;
  readonly truthLefts: ReadonlySet<number>;
}

export function describeSet(set: DataSet, width: number): Described {
  const [left, right] = [distinct(set.left), distinct(set.right)];
  const corpus = buildCorpus(left.texts, right.texts);
  const wish = { from: 0, to: left.texts.length, width, isHashed: false, isDedupe: false };
  const candidates = findCandidates(corpus, wish);
  const suitors = findSuitors(candidates, right.texts.length);
  const features = new PairFeatures(corpus, suitors);
  const truth = new Set(set.truth.map(([a, b]) => `${left.of[a]}/${right.of[b]}`));
  const isTrue = (a: number, b: number): boolean => truth.has(`${a}/${b}`);
  const pairs: { left: number; right: number; cosine: number; values: Float64Array }[] = [];
  for (let row = 0; row < left.texts.length; row++) {
    for (let place = 0; place < width; place++) {
      const found = candidates.rows[row * width + place] ?? noRow;
      if (found === noRow) break;
      const values = new Float64Array(featureCount);
      features.describe(row, { candidates, place }, values);
      const cosine = candidates.cosines[row * width + place] ?? 0;
      pairs.push({ left: row, right: found, cosine, values });
    }
  }
  const values = new Float64Array(pairs.length * featureCount);
  for (const [at, pair] of pairs.entries()) values.set(pair.values, at * featureCount);
  const places = new Map(right.texts.map((text, place) => [text, place]));
  const equal = new Map<number, number>();
  for (const [row, text] of left.texts.entries()) {
    const place = places.get(text);
    if (place !== undefined && text !== '') equal.set(row, place);
  }
  return {
    name: set.name,
    leftCounts: left.counts,
    rightCounts: right.counts,
    left: Uint32Array.from(pairs, (pair) => pair.left),
    right: Uint32Array.from(pairs, (pair) => pair.right),
    cosines: Float64Array.from(pairs, (pair) => pair.cosine),
    samples: {
      width: featureCount,
      values,
      labels: Uint8Array.from(pairs, (pair) => Number(isTrue(pair.left, pair.right))),
      weights: new Float64Array(pairs.length).fill(1 / Math.max(1, pairs.length)),
    },
    truthCount: set.truth.length,
    equal,
    isTrue,
    truthLefts: new Set(set.truth.map(([a]) => left.of[a] ?? 0)),
  };
}

interface Distinct {
  readonly texts: string[];
  /** Number of its text for each row. */
  readonly of: number[];
  readonly counts: number[];
}

function distinct(rows: readonly string[]): Distinct {
  const numbers = new Map<string, number>();
  const result: Distinct = { texts: [], of: [], counts: [] };
  for (const row of rows) {
    const text = normalise(row);
    const known = numbers.get(text) ?? result.texts.length;
    if (known === result.texts.length) {
      numbers.set(text, known);
      result.texts.push(text);
      result.counts.push(0);
    }
    result.counts[known] = (result.counts[known] ?? 0) + 1;
    result.of.push(known);
  }
  return result;
}
