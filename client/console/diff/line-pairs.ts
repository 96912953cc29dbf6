import { parseRange } from '../../../server/model/range.ts';
import type { SizeRun, Axis } from '../grid/geometry.ts';
import { lastIndexWhere, lastWhere } from '../grid/last-where.ts';

/** A change of lines in a diff: added, removed or moved lines such as `3:4` or `C:C`. */
export interface LineChange {
  readonly op?: unknown;
  readonly at?: unknown;
  readonly from?: unknown;
  readonly to?: unknown;
}

/**
 * A row or column at two positions, by its index at each, from 0; undefined where it does not
 * exist.
 */
export interface LinePair {
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Change of the line; undefined if there is none. */
  readonly change: 'added' | 'removed' | 'moved' | undefined;
}

interface Run extends LinePair {
  readonly start: number;
  readonly count: number;
}

type Lines = 'rows' | 'cols';

interface Counts {
  readonly from: number;
  readonly to: number;
}

interface Span {
  readonly first: number;
  readonly count: number;
}

/** Lines behind the last one are in no span. */
const none: Span = { first: Number.POSITIVE_INFINITY, count: 0 };

/**
 * Rows or columns of two positions in one order: that of the later one, with removed lines at their
 * old places. They are kept as runs, because a sheet has a million rows.
 */
export class LinePairs {
  readonly count: number;
  readonly #runs: readonly Run[];
  /** Runs that exist at a position, by their first lines there. */
  readonly #known: Readonly<Record<'from' | 'to', readonly KnownRun[]>>;

  private constructor(runs: readonly Run[]) {
    this.#runs = runs;
    this.#known = { from: knownIn(runs, 'from'), to: knownIn(runs, 'to') };
    const last = runs.at(-1);
    this.count = last ? last.start + last.count : 0;
  }

  /**
   * Pairs the lines; `counts` are the lines at either position, 0 where the sheet does not exist.
   */
  static of(lines: Lines, counts: Counts, changes: readonly LineChange[]): LinePairs {
    const walk = new Walk(lines, counts, changes);
    while (walk.isUnderWay) walk.step();
    return new LinePairs(walk.runs);
  }

  pairAt(index: number): LinePair {
    const run = lastWhere(this.#runs, (one) => one.start <= index);
    if (!run || index >= this.count) return { from: undefined, to: undefined, change: undefined };
    const offset = index - run.start;
    const at = (line: number | undefined) => (line === undefined ? undefined : line + offset);
    return { from: at(run.from), to: at(run.to), change: run.change };
  }

  /** Returns the index in the common order of a line of one position. */
  indexOf(side: 'from' | 'to', line: number): number | undefined {
    const run = lastWhere(this.#known[side], ({ first }) => first <= line);
    if (!run || line < run.first || line >= run.first + run.count) return undefined;
    return run.start + line - run.first;
  }

  /** Yields pieces of a range of the common order whose lines are consecutive at both positions. */
  *pieces(first: number, last: number): Generator<Run> {
    const runs = this.#runs;
    for (let at = lastIndexWhere(runs, (one) => one.start <= first); at < runs.length; at++) {
      const run = runs[at];
      if (!run || run.start > last) return;
      const [start, end] = [Math.max(first, run.start), Math.min(last + 1, run.start + run.count)];
      if (start < end) yield { ...this.pairAt(start), start, count: end - start };
    }
  }

  /** Returns the sizes of all lines, each from the position that is shown. */
  sizes(from: Axis | undefined, to: Axis | undefined): SizeRun[] {
    return this.#runs.flatMap((run) => {
      const axis = run.to === undefined ? from : to;
      const first = run.to ?? run.from ?? 0;
      const within = axis?.runsWithin(first, run.count) ?? [];
      return within.map((one) => ({ ...one, from: one.from - first + run.start }));
    });
  }
}

/** A run of lines at one of the positions. */
interface KnownRun extends Span {
  readonly start: number;
}

function knownIn(runs: readonly Run[], side: 'from' | 'to'): KnownRun[] {
  return runs
    .flatMap(({ [side]: first, count, start }) =>
      first === undefined ? [] : [{ first, count, start }],
    )
    .toSorted((a, b) => a.first - b.first);
}

/** Walks the lines of both positions together. */
class Walk {
  readonly runs: Run[] = [];
  readonly #counts: Counts;
  readonly #gone: Spans;
  readonly #left: Spans;
  readonly #come: Spans;
  readonly #arrived: Spans;
  /** First lines before each move, by the first lines after it. */
  readonly #origins: ReadonlyMap<number, number | undefined>;
  #from = 0;
  #to = 0;
  #next = 0;

  constructor(lines: Lines, counts: Counts, changes: readonly LineChange[]) {
    const of = (op: string, member: keyof LineChange) => spansOf(lines, changes, { op, member });
    const [movedFrom, movedTo] = [of('move', 'from'), of('move', 'to')];
    this.#counts = counts;
    this.#gone = new Spans(of('delete', 'at'));
    this.#left = new Spans(movedFrom);
    this.#come = new Spans(of('insert', 'at'));
    this.#arrived = new Spans(movedTo);
    this.#origins = new Map(movedTo.map(({ first }, at) => [first, movedFrom[at]?.first]));
  }

  get isUnderWay(): boolean {
    return this.#from < this.#counts.from || this.#to < this.#counts.to;
  }

  /** Takes the next lines; removed ones come before those added at their place. */
  step(): void {
    const [from, to] = [this.#from, this.#to];
    const [gone, left] = [this.#gone.leftAt(from), this.#left.leftAt(from)];
    const [come, arrived] = [this.#come.leftAt(to), this.#arrived.leftAt(to)];
    if (gone > 0) this.#push(gone, { from, to: undefined, change: 'removed' });
    else if (left > 0) this.#from += left;
    else if (come > 0) this.#push(come, { from: undefined, to, change: 'added' });
    else if (arrived > 0) this.#push(arrived, { from: this.#origins.get(to), to, change: 'moved' });
    else this.#stay();
  }

  /** Takes unchanged lines; at the end of one position only the other one continues. */
  #stay(): void {
    const from = this.#from < this.#counts.from ? this.#from : undefined;
    const to = this.#to < this.#counts.to ? this.#to : undefined;
    const count = Math.min(
      from === undefined
        ? none.first
        : untilNext(from, this.#counts.from, [this.#gone, this.#left]),
      to === undefined ? none.first : untilNext(to, this.#counts.to, [this.#come, this.#arrived]),
    );
    this.#push(count, { from, to, change: undefined });
  }

  #push(count: number, pair: LinePair): void {
    this.runs.push({ ...pair, start: this.#next, count });
    this.#next += count;
    // The old places of moved lines were passed before.
    if (pair.from !== undefined && pair.change !== 'moved') this.#from += count;
    if (pair.to !== undefined) this.#to += count;
  }
}

/** Spans of lines in order, without overlap. */
class Spans {
  readonly #spans: readonly Span[];
  #at = 0;

  constructor(spans: readonly Span[]) {
    this.#spans = spans.toSorted((a, b) => a.first - b.first);
  }

  /** Returns how many lines of a span remain from a line on; 0 outside of spans. */
  leftAt(line: number): number {
    const { first, count } = this.#reach(line);
    return line < first ? 0 : first + count - line;
  }

  /** Returns the number of lines before the next span. */
  before(line: number): number {
    return this.#reach(line).first - line;
  }

  #reach(line: number): Span {
    let span = this.#spans[this.#at];
    while (span && span.first + span.count <= line) span = this.#spans[++this.#at];
    return span ?? none;
  }
}

function untilNext(line: number, count: number, spans: readonly Spans[]): number {
  return Math.min(count - line, ...spans.map((one) => one.before(line)));
}

function spansOf(
  lines: Lines,
  changes: readonly LineChange[],
  { op, member }: { readonly op: string; readonly member: keyof LineChange },
): Span[] {
  return changes
    .filter((change) => change.op === `${lines}.${op}`)
    .flatMap((change) => {
      const place = change[member];
      const range = parseRange(typeof place === 'string' ? place : '');
      if (!range) return [];
      const [first, last] =
        lines === 'rows' ? [range.row0, range.row1] : [range.column0, range.column1];
      return [{ first, count: last - first + 1 }];
    });
}
