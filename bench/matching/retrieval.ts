import process from 'node:process';

import { openDots } from '../../workers/kernel-dots.ts';
import { findCandidates, noRow } from '../../workers/matching/candidates.ts';
import { scaleVectors, scoreDense, type DenseVectors } from '../../workers/matching/dense.ts';
import { candidatesOf } from '../../workers/matching/options.ts';
import { prepareMatch, type PreparedMatch } from '../../workers/matching/prepared.ts';
import { packTexts, sharedFloat32 } from '../../workers/matching/shared-arrays.ts';
import { defaultRules } from '../../test/support/matched-names.ts';
import { hasPeer, requirePeer } from '../peers.ts';
import { once, summarise, type Figure, type Summary } from '../report.ts';
import type { DataSet } from './data-sets.ts';
import { namesOf } from './names.ts';

/**
 * Measures the search for candidates on one thread, in pairs a second: as many as a comparison of
 * all rows with all has. Peers are the exact search and the graph (HNSW) of usearch.
 */

const width = 256;
const queryCount = 2_048;
const rowCount = 20_000;
const namesCount = 100_000;
const namesAsked = 5_000;
const rounds = 5;
const due = '5 times the peer';
const dueRatio = 5;
/** Least share of the rows that both searches have to find. */
const agreedLeast = 0.995;
const vectorBytes = 4;

type Vectors = Float32Array;

interface Found {
  readonly keys: BigUint64Array;
}

interface Usearch {
  readonly MetricKind: { readonly IP: string };
  readonly ScalarKind: { readonly I8: string };
  exactSearch(
    rows: Vectors,
    queries: Vectors,
    width: number,
    kept: number,
    metric: string,
    threads: number,
  ): Found;
  readonly Index: new (options: object) => {
    add(keys: BigUint64Array, vectors: Vectors, threads: number): void;
    search(vectors: Vectors, kept: number, threads: number): Found;
  };
}

interface Search {
  /** Pairs that a comparison of all with all has. */
  readonly pairs: number;
  readonly run: () => unknown;
}

export function measureRetrieval(sets: readonly DataSet[]): Figure[] {
  const kept = candidatesOf(defaultRules);
  const dense = denseVectors();
  const prepared = preparedNames(dense);
  const pairs = queryCount * rowCount;
  const exact: Search = { pairs, run: () => denseRows({ dense, prepared, kept }) };
  const local = searchOfNames(sets, kept);
  const peers = peersOf(dense, kept, denseRows({ dense, prepared, kept }));
  const [own, names, theirs, graph] = ratesOf([exact, local, ...peers]);
  const unit = 'M pairs/s';
  const vectors = `vectors of ${width}, ${queryCount} x ${rowCount}`;
  const figures: Figure[] = [
    { subject: vectors, measure: 'exact', unit, ...beside(own, theirs), due },
    { subject: `names, of ${namesCount}`, measure: 'local', unit, ...beside(names, theirs), due },
  ];
  if (!graph) return figures.map((figure) => ({ ...figure, note: 'usearch is not installed' }));
  const name = 'usearch, HNSW of i8, built and asked';
  return [...figures, { subject: vectors, measure: 'exact', unit, ...beside(own, graph, name) }];
}

function beside(
  quire: Summary = once(Number.NaN),
  peer?: Summary,
  name = 'usearch, exact search',
): Pick<Figure, 'quire' | 'peer' | 'ratio' | 'isMet'> {
  if (!peer) return { quire };
  const ratio = quire.median / peer.median;
  return { quire, peer: { name, ...peer }, ratio, isMet: ratio >= dueRatio };
}

/** The searches of usearch over the same vectors, after a comparison of what they find. */
function peersOf({ left, right }: DenseVectors, kept: number, own: Uint32Array): Search[] {
  if (!hasPeer('usearch')) return [];
  const usearch = requirePeer('usearch') as Usearch;
  const { MetricKind, Index } = usearch;
  const [queries, rows] = [Float32Array.from(left), Float32Array.from(right)];
  const exact = (): Found => usearch.exactSearch(rows, queries, width, kept, MetricKind.IP, 1);
  requireAgreement(own, exact().keys);
  const graph = (): Found => {
    const kind = { metric: MetricKind.IP, quantization: 'i8' };
    const index = new Index({ dimensions: width, connectivity: 16, ...kind });
    index.add(
      BigUint64Array.from({ length: rowCount }, (_, row) => BigInt(row)),
      rows,
      1,
    );
    return index.search(queries, kept, 1);
  };
  const pairs = queryCount * rowCount;
  return [
    { pairs, run: exact },
    { pairs, run: graph },
  ];
}

/** Vectors of length 1, of which each of the left is near some of the right. */
function denseVectors(): DenseVectors {
  const right = sharedFloat32(rowCount * width);
  const left = sharedFloat32(queryCount * width);
  const next = numbers();
  for (let at = 0; at < right.length; at++) right[at] = next();
  for (let query = 0; query < queryCount; query++) {
    const near = ((query * 7) % rowCount) * width;
    for (let at = 0; at < width; at++) left[query * width + at] = (right[near + at] ?? 0) + next();
  }
  for (const side of [left, right]) toLengthOne(side);
  const dots = openDots([queryCount, rowCount], width, 1);
  scaleVectors({ vectors: left, dots, side: 'left' });
  scaleVectors({ vectors: right, dots, side: 'right' });
  return { width, left, right, dots };
}

/** Returns a source of numbers from -1 to 1, the same in each run. */
function numbers(): () => number {
  let random = 7;
  return () => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random / 2 ** 31 - 1;
  };
}

function toLengthOne(vectors: Vectors): void {
  for (let at = 0; at < vectors.length; at += width) {
    const own = vectors.subarray(at, at + width);
    const length = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0));
    for (let place = 0; place < width; place++) own[place] = (own[place] ?? 0) / length;
  }
}

/** Texts for vectors, which a match always has. */
function preparedNames({ left, right }: DenseVectors): PreparedMatch {
  const texts = ({ byteLength }: Vectors, letter: string) =>
    packTexts(
      Array.from({ length: byteLength / vectorBytes / width }, (_, at) => `${letter}${at}`),
    );
  return prepareMatch({
    left: { columns: [texts(left, 'a')] },
    right: { columns: [texts(right, 'b')] },
    normalise: 'default',
  });
}

/** Finds the candidates of all left vectors as a match does, with cosines in full precision. */
function denseRows(of: {
  readonly dense: DenseVectors;
  readonly prepared: PreparedMatch;
  readonly kept: number;
}): Uint32Array {
  const { dense, prepared, kept } = of;
  const task = { prepared, rules: defaultRules, from: 0, to: queryCount, dense, room: 0 };
  const words = new Uint32Array(Uint8Array.from(scoreDense(task)).buffer);
  return words.subarray(0, queryCount * kept);
}

function requireAgreement(own: Uint32Array, keys: BigUint64Array): void {
  const kept = own.length / queryCount;
  let agreed = 0;
  for (let query = 0; query < queryCount; query++) {
    const [from, to] = [query * kept, (query + 1) * kept];
    const theirs = new Set(Array.from(keys.subarray(from, to), Number));
    for (const row of own.subarray(from, to)) if (theirs.has(row)) agreed++;
  }
  if (agreed / own.length < agreedLeast) {
    throw new Error(`${agreed} of ${own.length} rows are those of usearch`);
  }
}

/** The local search, by names: exact on its vectors, which are sparse. */
function searchOfNames(sets: readonly DataSet[], kept: number): Search {
  const { left, right } = namesOf(sets, namesCount);
  const prepared = prepareMatch({
    left: { columns: [packTexts(left)] },
    right: { columns: [packTexts(right)] },
    normalise: 'default',
  });
  const count = Math.min(namesAsked, prepared.left.starts.length - 1);
  const rows = prepared.right.starts.length - 1;
  const wish = { from: 0, to: count, width: kept, isHashed: false, isDedupe: false };
  const run = (): void => {
    const found = findCandidates(prepared.corpus, wish);
    if (found.rows[0] === noRow) throw new Error('the first name has no candidate');
  };
  return { pairs: count * rows, run };
}

/**
 * Measures searches in turn, in millions of pairs a second of processor time: neither has a second
 * thread.
 */
function ratesOf(searches: readonly Search[]): Summary[] {
  for (const { run } of searches) run();
  const rates = searches.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, { pairs, run }] of searches.entries()) {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      rates[at]?.push(pairs / (user + system));
    }
  }
  return rates.map(summarise);
}
