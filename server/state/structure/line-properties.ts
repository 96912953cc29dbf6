import type { IdSpan, LineId } from '../ids/order.ts';
import { runKey } from '../ids/order.ts';
import { spansByRun } from '../ids/span-set.ts';
import {
  areSame,
  chunksOf,
  hasAny,
  intervalCount,
  intervalsFrom,
  intervalsOf,
  intervalsOnlyIn,
  updatedChunks,
  valueAt,
  type Chunks,
  type Interval,
} from './line-intervals.ts';
import { bareLine, sameLine, type LineValue } from './line-value.ts';

interface Run {
  readonly branch: number;
  readonly sequence: number;
  readonly chunks: Chunks;
}

export interface LineStretch extends IdSpan {
  /** Number of looked-up ids before this one. */
  readonly skipped: number;
  readonly value: LineValue;
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
    this.#hasStyles ??= this.#some(({ style }) => style !== undefined);
    return this.#hasStyles;
  }

  get hidesAny(): boolean {
    this.#hidesAny ??= this.#some(({ hidden }) => hidden === true);
    return this.#hidesAny;
  }

  #some(fits: (value: LineValue) => boolean): boolean {
    return [...this.#runs.values()].some(({ chunks }) => hasAny(chunks, fits));
  }

  at({ branch, sequence, offset }: LineId): LineValue {
    return valueAt(this.#runs.get(runKey(branch, sequence))?.chunks ?? [], offset);
  }

  /** Yields the ids of spans in order, in the longest stretches with equal properties. */
  *stretches(spans: readonly IdSpan[]): Generator<LineStretch> {
    let skipped = 0;
    for (const span of spans) {
      const { branch, sequence, offset, length } = span;
      const chunks = this.#runs.get(runKey(branch, sequence))?.chunks ?? [];
      for (const { value, ...piece } of pieces(chunks, offset, offset + length)) {
        yield { branch, sequence, ...piece, skipped: skipped + piece.offset - offset, value };
      }
      skipped += length;
    }
  }

  /** Returns properties with other values for the lines of the spans, which must not overlap. */
  update(spans: readonly IdSpan[], change: (value: LineValue) => LineValue): LineProperties {
    const runs = new Map(this.#runs);
    for (const [key, own] of spansByRun(spans)) {
      const [{ branch, sequence } = { branch: 0, sequence: 0 }] = own;
      const chunks = updatedChunks(runs.get(key)?.chunks ?? [], own, change);
      if (chunks.length === 0) runs.delete(key);
      else runs.set(key, { branch, sequence, chunks });
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
    for (const { branch, sequence, chunks } of this.#runs.values()) {
      for (const interval of intervalsOf(chunks)) yield { branch, sequence, ...interval };
    }
  }

  get intervalCount(): number {
    let count = 0;
    for (const { chunks } of this.#runs.values()) count += intervalCount(chunks);
    return count;
  }

  /** Yields entries for storage, with keys such as `branch.sequence.offset+length`. */
  *entries(): Generator<readonly [string, LineValue]> {
    for (const span of this.intervals()) yield [entryKey(span), span.value];
  }

  /** Yields entries that are not those of former properties; without a value if they are gone. */
  *entriesSince(former: LineProperties): Generator<readonly [string, LineValue | undefined]> {
    for (const key of new Set([...former.#runs.keys(), ...this.#runs.keys()])) {
      const [was, is] = [former.#runs.get(key), this.#runs.get(key)];
      if (was !== is) yield* changedEntries(was, is);
    }
  }

  static from(entries: Iterable<readonly [string, LineValue]>): LineProperties {
    const found = new Map<number, IdOfRun & { readonly intervals: Interval[] }>();
    for (const [key, value] of entries) {
      const [branch = 0, sequence = 0, offset = 0, length = 0] = key.split(/[.+]/u).map(Number);
      const runOf = runKey(branch, sequence);
      const run = found.get(runOf) ?? { branch, sequence, intervals: [] };
      run.intervals.push({ offset, length, value });
      found.set(runOf, run);
    }
    const runs = new Map<number, Run>();
    for (const [key, { intervals, ...run }] of found) {
      const sorted = intervals.sort((a, b) => a.offset - b.offset);
      runs.set(key, { ...run, chunks: chunksOf(sorted) });
    }
    return runs.size === 0 ? LineProperties.none : new LineProperties(runs);
  }
}

type IdOfRun = Pick<Run, 'branch' | 'sequence'>;

function entryKey({ branch, sequence, offset, length }: IdSpan): string {
  return `${branch}.${sequence}.${offset}+${length}`;
}

function* changedEntries(
  was: Run | undefined,
  is: Run | undefined,
): Generator<readonly [string, LineValue | undefined]> {
  const gone = new Map(entriesOnlyIn(was, is));
  for (const [key, value] of entriesOnlyIn(is, was)) {
    const former = gone.get(key);
    gone.delete(key);
    if (!former || !sameLine(former, value)) yield [key, value];
  }
  for (const key of gone.keys()) yield [key, undefined];
}

function* entriesOnlyIn(
  run: Run | undefined,
  other: Run | undefined,
): Generator<readonly [string, LineValue]> {
  if (!run) return;
  const { branch, sequence, chunks } = run;
  for (const interval of intervalsOnlyIn(chunks, other?.chunks ?? [])) {
    yield [entryKey({ branch, sequence, ...interval }), interval.value];
  }
}

/** All ids from one up to another, in the longest pieces that have the same. */
function* pieces(chunks: Chunks, from: number, end: number): Generator<Interval> {
  let next = from;
  for (const { offset, length, value } of intervalsFrom(chunks, from)) {
    if (next >= end) return;
    const start = Math.min(offset, end);
    if (start > next) yield { offset: next, length: start - next, value: bareLine };
    next = Math.max(next, start);
    const stop = Math.min(offset + length, end);
    if (stop > next) yield { offset: next, length: stop - next, value };
    next = Math.max(next, stop);
  }
  if (next < end) yield { offset: next, length: end - next, value: bareLine };
}

function sameRun({ chunks }: Run, other: Run | undefined): boolean {
  return other !== undefined && areSame(chunks, other.chunks);
}
