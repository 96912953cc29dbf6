import { styleText, type CellStyle } from '../../model/cell-style.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { runKey } from '../ids/order.ts';

/** Properties of a row or column. Members are in this order; missing ones have the default. */
export interface LineValue {
  /** Folded away with its group, and so hidden as well. */
  readonly collapsed?: true;
  readonly hidden?: true;
  /** Level in the outline, from 1. */
  readonly level?: number;
  readonly px?: number;
  /** Style of cells without one of their own. */
  readonly style?: CellStyle;
}

/** Consecutive ids of a run with the same properties. */
interface Interval {
  readonly offset: number;
  readonly length: number;
  readonly value: LineValue;
}

interface Run {
  readonly branch: number;
  readonly sequence: number;
  /** Sorted, disjoint and not empty; adjoining intervals differ. */
  readonly intervals: readonly Interval[];
}

export interface LineStretch extends IdSpan {
  /** Number of looked-up ids before this one. */
  readonly skipped: number;
  readonly value: LineValue;
}

export const bareLine: LineValue = {};

/** Returns the properties without default members, in order. */
export function lineValue({ collapsed, hidden, level, px, style }: LineValue): LineValue {
  return {
    ...(collapsed && { collapsed }),
    ...(hidden && { hidden }),
    ...(level !== undefined && level > 0 && { level }),
    ...(px !== undefined && { px }),
    ...(style && styleText(style) !== '' && { style }),
  };
}

/**
 * Properties of the rows or columns of one sheet by id, which inserting and moving lines does not
 * change. Immutable; equal for equal content, regardless of history.
 */
export class LineProperties {
  static readonly none = new LineProperties(new Map());
  readonly #runs: ReadonlyMap<number, Run>;
  #hasStyles: boolean | undefined;
  #hidesAny: boolean | undefined;

  private constructor(runs: ReadonlyMap<number, Run>) {
    this.#runs = runs;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  get hasStyles(): boolean {
    this.#hasStyles ??= [...this.#runs.values()].some(({ intervals }) =>
      intervals.some(({ value }) => value.style !== undefined),
    );
    return this.#hasStyles;
  }

  get hidesAny(): boolean {
    this.#hidesAny ??= [...this.#runs.values()].some(({ intervals }) =>
      intervals.some(({ value }) => value.hidden === true),
    );
    return this.#hidesAny;
  }

  at({ branch, sequence, offset }: LineId): LineValue {
    const intervals = this.#runs.get(runKey(branch, sequence))?.intervals ?? [];
    const found = intervals[indexAt(intervals, offset)];
    return found && found.offset <= offset ? found.value : bareLine;
  }

  /** Yields the ids of spans in order, in the longest stretches with equal properties. */
  *stretches(spans: readonly IdSpan[]): Generator<LineStretch> {
    let skipped = 0;
    for (const span of spans) {
      const { branch, sequence, offset, length } = span;
      const intervals = this.#runs.get(runKey(branch, sequence))?.intervals ?? [];
      const end = offset + length;
      let next = offset;
      for (let at = indexAt(intervals, offset); next < end; at++) {
        const found = intervals[at];
        const start = Math.min(found?.offset ?? end, end);
        if (start > next) {
          const bare = { branch, sequence, offset: next, length: start - next };
          yield { ...bare, skipped: skipped + next - offset, value: bareLine };
          next = start;
        }
        if (!found || next === end) break;
        const stop = Math.min(found.offset + found.length, end);
        const piece = { branch, sequence, offset: next, length: stop - next };
        yield { ...piece, skipped: skipped + next - offset, value: found.value };
        next = stop;
      }
      skipped += length;
    }
  }

  /** Returns properties with other values for the lines of the spans, which must not overlap. */
  update(spans: readonly IdSpan[], change: (value: LineValue) => LineValue): LineProperties {
    const runs = new Map(this.#runs);
    for (const [key, own] of byRun(spans)) {
      const [{ branch, sequence } = { branch: 0, sequence: 0 }] = own;
      const intervals = updated(runs.get(key)?.intervals ?? [], own, change);
      if (intervals.length === 0) runs.delete(key);
      else runs.set(key, { branch, sequence, intervals });
    }
    return runs.size === 0 ? LineProperties.none : new LineProperties(runs);
  }

  /** Returns properties without some deleted lines. */
  drop(spans: readonly IdSpan[]): LineProperties {
    return this.isEmpty ? this : this.update(spans, () => bareLine);
  }

  equals(other: LineProperties): boolean {
    if (this === other) return true;
    const [own, theirs] = [this.#runs, other.#runs];
    return (
      own.size === theirs.size && [...own].every(([key, run]) => sameRun(run, theirs.get(key)))
    );
  }

  /** Yields all intervals, in any order. */
  *intervals(): Generator<IdSpan & { readonly value: LineValue }> {
    for (const { branch, sequence, intervals } of this.#runs.values()) {
      for (const interval of intervals) yield { branch, sequence, ...interval };
    }
  }

  /** Yields entries for storage, with keys such as `branch.sequence.offset+length`. */
  *entries(): Generator<readonly [string, LineValue]> {
    for (const { branch, sequence, offset, length, value } of this.intervals()) {
      yield [`${branch}.${sequence}.${offset}+${length}`, value];
    }
  }

  static from(entries: Iterable<readonly [string, LineValue]>): LineProperties {
    const runs = new Map<number, Run & { intervals: Interval[] }>();
    for (const [key, value] of entries) {
      const [branch = 0, sequence = 0, offset = 0, length = 0] = key.split(/[.+]/u).map(Number);
      const runOf = runKey(branch, sequence);
      const run = runs.get(runOf) ?? { branch, sequence, intervals: [] };
      run.intervals.push({ offset, length, value });
      runs.set(runOf, run);
    }
    for (const { intervals } of runs.values()) intervals.sort((a, b) => a.offset - b.offset);
    return runs.size === 0 ? LineProperties.none : new LineProperties(runs);
  }
}

function sameRun({ intervals }: Run, other: Run | undefined): boolean {
  if (intervals === other?.intervals) return true;
  return (
    intervals.length === other?.intervals.length &&
    intervals.every(({ offset, length, value }, index) => {
      const their = other.intervals[index];
      const isThere = their?.offset === offset && their.length === length;
      return isThere && sameLine(value, their.value);
    })
  );
}

function byRun(spans: readonly IdSpan[]): Map<number, IdSpan[]> {
  const runs = new Map<number, IdSpan[]>();
  for (const span of spans) {
    const key = runKey(span.branch, span.sequence);
    const own = runs.get(key);
    if (own) own.push(span);
    else runs.set(key, [span]);
  }
  for (const own of runs.values()) own.sort((a, b) => a.offset - b.offset);
  return runs;
}

/** Index of the first interval that ends after the offset. */
function indexAt(intervals: readonly Interval[], offset: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { offset: start = 0, length = 0 } = intervals[middle] ?? {};
    if (start + length <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns intervals with changed values in the spans, walking over both lists once. */
function updated(
  intervals: readonly Interval[],
  spans: readonly IdSpan[],
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
/** Arguments of one call, at most. */
const copiesMost = 4_096;

/** Collects intervals in order, and joins adjoining equal ones. */
class JoinedIntervals {
  #copies: (readonly Interval[])[] = [];
  /** Intervals after the copies. */
  #open: Interval[] = [];

  add(interval: Interval): void {
    push(this.#open, interval);
  }

  /** Adds intervals that are joined already; only the first may join the last one here. */
  addAll(intervals: readonly Interval[], from: number, to: number): void {
    const isShort = to - from < copiedLeast;
    for (let at = from; at < (isShort ? to : from + 1); at++) {
      const interval = intervals[at];
      if (interval) this.add(interval);
    }
    const last = intervals[to - 1];
    if (isShort || !last) return;
    this.#copies.push(this.#open, intervals.slice(from + 1, to - 1));
    this.#open = [last];
    if (this.#copies.length >= copiesMost) this.#copies = [this.#copied()];
  }

  get all(): readonly Interval[] {
    return this.#copies.length === 0 ? this.#open : this.#copied().concat(this.#open);
  }

  #copied(): Interval[] {
    const none: Interval[] = [];
    return none.concat(...this.#copies);
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

export function isBare({ collapsed, hidden, level, px, style }: LineValue): boolean {
  return (collapsed ?? hidden ?? level ?? px ?? style) === undefined;
}

export function sameLine(a: LineValue, b: LineValue): boolean {
  if (a === b) return true;
  const isSame =
    a.collapsed === b.collapsed && a.hidden === b.hidden && a.level === b.level && a.px === b.px;
  return isSame && styleText(a.style ?? {}) === styleText(b.style ?? {});
}
