import type { IdSpan } from '../ids/order.ts';
import { bareLine, isBare, sameLine, type LineValue } from './line-value.ts';

/** Consecutive ids of a run with the same properties. */
export interface Interval {
  readonly offset: number;
  readonly length: number;
  readonly value: LineValue;
}

/**
 * Intervals in a list of chunks: sorted, disjoint, none empty, neighbours that touch differ. A
 * change makes the chunks anew that it meets, and shares the others.
 */
export type Chunks = readonly Chunk[];

type Chunk = readonly Interval[];

type Span = Pick<IdSpan, 'offset' | 'length'>;

/** Intervals of a chunk at most; fewer than the least go with their neighbours. */
const chunkMost = 1_024;
const chunkLeast = 256;

function endOf({ offset, length }: Span): number {
  return offset + length;
}

/** Cuts sorted intervals into chunks. */
export function chunksOf(intervals: readonly Interval[]): Chunks {
  if (intervals.length <= chunkMost) return intervals.length === 0 ? [] : [intervals];
  const count = Math.ceil((2 * intervals.length) / chunkMost);
  const size = Math.ceil(intervals.length / count);
  return Array.from({ length: count }, (_, at) => intervals.slice(at * size, (at + 1) * size));
}

export function* intervalsOf(chunks: Chunks): Generator<Interval> {
  for (const chunk of chunks) yield* chunk;
}

export function intervalCount(chunks: Chunks): number {
  let count = 0;
  for (const { length } of chunks) count += length;
  return count;
}

/** Yields the intervals of chunks that another list does not share. */
export function* intervalsOnlyIn(chunks: Chunks, other: Chunks): Generator<Interval> {
  const shared = new Set(other);
  for (const chunk of chunks) if (!shared.has(chunk)) yield* chunk;
}

/** Index of the first chunk that ends after an offset. */
function chunkAt(chunks: Chunks, offset: number): number {
  let low = 0;
  let high = chunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(chunks[middle]?.at(-1) ?? nothing) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nothing: Span = { offset: 0, length: 0 };

/** Returns what an id has. */
export function valueAt(chunks: Chunks, offset: number): LineValue {
  const chunk = chunks[chunkAt(chunks, offset)] ?? [];
  const found = chunk[indexAt(chunk, offset)];
  return found && found.offset <= offset ? found.value : bareLine;
}

/** Intervals from the first on that ends after an offset. */
export function* intervalsFrom(chunks: Chunks, offset: number): Generator<Interval> {
  for (let at = chunkAt(chunks, offset), isFirst = true; at < chunks.length; at++) {
    const chunk = chunks[at] ?? [];
    for (let next = isFirst ? indexAt(chunk, offset) : 0; next < chunk.length; next++) {
      const interval = chunk[next];
      if (interval) yield interval;
    }
    isFirst = false;
  }
}

/** Returns whether any interval has something. */
export function hasAny(chunks: Chunks, fits: (value: LineValue) => boolean): boolean {
  return chunks.some((chunk) => chunk.some(({ value }) => fits(value)));
}

export function areSame(one: Chunks, other: Chunks): boolean {
  if (one === other) return true;
  if (intervalCount(one) !== intervalCount(other)) return false;
  let next = 0;
  // Equal intervals may be cut into chunks in another way.
  while (next < one.length && one[next] === other[next]) next++;
  const walk = new ChunkWalk(other, next);
  for (let at = next; at < one.length; at++) {
    if (!(one[at] ?? []).every((interval) => isSame(interval, walk.next() ?? interval))) {
      return false;
    }
  }
  return true;
}

/** Reads the intervals of chunks one after the other, from a chunk on. */
class ChunkWalk {
  readonly #chunks: Chunks;
  #chunkAt: number;
  #at = 0;

  constructor(chunks: Chunks, from: number) {
    this.#chunks = chunks;
    this.#chunkAt = from;
  }

  next(): Interval | undefined {
    const chunk = this.#chunks[this.#chunkAt];
    if (chunk === undefined) return undefined;
    const interval = chunk[this.#at++];
    if (this.#at < chunk.length) return interval;
    this.#chunkAt++;
    this.#at = 0;
    return interval;
  }
}

function isSame({ offset, length, value }: Interval, other: Interval): boolean {
  return offset === other.offset && length === other.length && sameLine(value, other.value);
}

/** Returns intervals with other values for the spans, which are sorted and do not overlap. */
export function updatedChunks(
  chunks: Chunks,
  spans: readonly Span[],
  change: (value: LineValue) => LineValue,
): Chunks {
  const made = new MadeChunks();
  let next = 0;
  let rest: Span | undefined = spans[0];
  for (let at = 0; at < Math.max(1, chunks.length); at++) {
    const chunk = chunks[at] ?? [];
    const isLast = at >= chunks.length - 1;
    const end = isLast ? Infinity : endOf(chunk.at(-1) ?? nothing);
    const own: Span[] = [];
    while (rest && rest.offset < end) {
      const length = Math.min(rest.length, end - rest.offset);
      own.push({ offset: rest.offset, length });
      const isCut = length < rest.length;
      rest = isCut ? { offset: rest.offset + length, length: rest.length - length } : spans[++next];
    }
    made.add(own.length === 0 ? chunk : updated(chunk, own, change));
  }
  return made.all;
}

/** Chunks that are put one behind the other. */
class MadeChunks {
  readonly all: Chunk[] = [];

  add(chunk: Chunk): void {
    const last = this.all.at(-1);
    if (chunk.length === 0) return;
    const isShort = last !== undefined && last.length + chunk.length <= chunkLeast;
    if (last && (isShort || isJoined(last, chunk))) {
      this.all.pop();
      const joined = last.slice();
      for (const interval of chunk) push(joined, interval);
      this.all.push(...chunksOf(joined));
    } else this.all.push(...chunksOf(chunk));
  }
}

/** Returns whether the last interval of a chunk goes on in the next one. */
function isJoined(chunk: Chunk, next: Chunk): boolean {
  const [last, first] = [chunk.at(-1), next[0]];
  if (!last || !first || endOf(last) !== first.offset) return false;
  return sameLine(last.value, first.value);
}

/** Index of the first interval that ends after an offset. */
function indexAt(chunk: Chunk, offset: number): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(chunk[middle] ?? nothing) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns intervals with changed values in the spans, walking over both lists once. */
function updated(
  intervals: readonly Interval[],
  spans: readonly Span[],
  change: (value: LineValue) => LineValue,
): readonly Interval[] {
  const walk = new IntervalWalk(intervals);
  const joined = new JoinedIntervals();
  for (const { offset, length } of spans) {
    walk.keep(offset, joined);
    const end = offset + length;
    let next = offset;
    for (let found = walk.take(end); found; found = walk.take(end)) {
      if (found.offset > next) {
        joined.add({ offset: next, length: found.offset - next, value: change(bareLine) });
      }
      joined.add({ ...found, value: change(found.value) });
      next = found.offset + found.length;
    }
    if (next < end) joined.add({ offset: next, length: end - next, value: change(bareLine) });
  }
  walk.keep(Infinity, joined);
  return joined.all;
}

/** Intervals that are worth copying at once. */
const copiedLeast = 16;

/** Collects intervals in order, and joins adjoining equal ones. */
class JoinedIntervals {
  readonly #copies: Interval[][] = [];
  /** Intervals after the copies. */
  #open: Interval[] = [];

  add(interval: Interval): void {
    push(this.#open, interval);
  }

  /** Adds intervals that are joined already; only the first may join the last one here. */
  addAll(intervals: Chunk, from: number, to: number): void {
    const isShort = to - from < copiedLeast;
    for (let at = from; at < (isShort ? to : from + 1); at++) {
      const interval = intervals[at];
      if (interval) this.add(interval);
    }
    const last = intervals[to - 1];
    if (isShort || !last) return;
    this.#copies.push(this.#open, intervals.slice(from + 1, to - 1));
    this.#open = [last];
  }

  get all(): Chunk {
    if (this.#copies.length === 0) return this.#open;
    const none: Interval[] = [];
    return none.concat(...this.#copies, this.#open);
  }
}

/** Reads intervals piece by piece, cut at given offsets. */
class IntervalWalk {
  readonly #intervals: readonly Interval[];
  #at = 0;
  #rest: Interval | undefined;

  constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
    this.#rest = intervals[0];
  }

  /** Copies all pieces before `end`. */
  keep(end: number, joined: JoinedIntervals): void {
    const first = this.take(end);
    if (!first) return;
    joined.add(first);
    const from = this.#at;
    // An interval cut at `end` is the next one to read.
    const to = Math.max(from, indexAt(this.#intervals, end));
    joined.addAll(this.#intervals, from, to);
    this.#at = to;
    if (to > from) this.#rest = this.#intervals[to];
    const last = this.take(end);
    if (last) joined.add(last);
  }

  /** Returns the next piece before `end`; undefined when there is none. */
  take(end: number): Interval | undefined {
    const rest = this.#rest;
    if (!rest || rest.offset >= end) return undefined;
    const length = Math.min(rest.length, end - rest.offset);
    if (length < rest.length) {
      this.#rest = { ...rest, offset: rest.offset + length, length: rest.length - length };
      return { ...rest, length };
    }
    this.#rest = this.#intervals[++this.#at];
    return rest;
  }
}

function push(intervals: Interval[], interval: Interval): void {
  if (isBare(interval.value)) return;
  const last = intervals.at(-1);
  const isNext = last !== undefined && last.offset + last.length === interval.offset;
  if (!isNext || !sameLine(last.value, interval.value)) intervals.push(interval);
  else intervals[intervals.length - 1] = { ...last, length: last.length + interval.length };
}
