import { firstAfter } from '../ids/first-after.ts';
import type { OperationKind } from '../../model/operation.ts';
import { spanOfRun } from '../ids/id-span.ts';
import { runKey, type IdSpan, type LineId } from '../ids/order.ts';
import type { Resolved } from '../plan/resolved.ts';
import type { Axis } from '../structure/structure.ts';
import type { OperationPart } from './parts.ts';
import { readSpans } from './restoration.ts';

/** Rows or columns that one operation moved. */
export interface LineMove {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly spans: readonly IdSpan[];
  readonly isSort: boolean;
}

interface Done {
  readonly kind: string;
  readonly payload: unknown;
  readonly resolved: Resolved;
}

const axes: Readonly<Partial<Record<OperationKind, Axis>>> = {
  'rows.move': 'row',
  'cols.move': 'column',
};

/** Lists the lines that a journalled operation and its parts moved. */
export function* lineMovesOf({ kind, payload, resolved }: Done): Generator<LineMove> {
  if (resolved.noop === true) return;
  if (resolved.parts) {
    // The journal keeps the parts of an operation beside their results, in the same order.
    const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
    for (const [index, part] of ops.entries()) {
      yield* lineMovesOf({ ...part, resolved: resolved.parts[index] ?? {} });
    }
    return;
  }
  const { sheet: sheetId, lines = [], areas = [] } = resolved;
  if (sheetId === undefined) return;
  const axis = axes[kind as OperationKind];
  if (axis) yield { sheetId, axis, spans: [...readSpans(lines)], isSort: false };
  if (kind !== 'range.sort' || !isOfRows(payload as { readonly range?: string })) return;
  const spans = areas.flatMap(({ rows }) => [...readSpans(rows)]);
  yield { sheetId, axis: 'row', spans, isSort: true };
}

/** Returns whether whole rows were sorted: `2:8` and not `A2:D8`. */
function isOfRows({ range = 'A1' }: { readonly range?: string }): boolean {
  return !/[a-z]/iu.test(range.slice(range.lastIndexOf('!') + 1));
}

/** Returns the moves on one axis of a sheet; undefined when there are none. */
export function movesOn(
  moves: readonly LineMove[] | undefined,
  sheetId: string,
  axis: Axis,
): LastMoves | undefined {
  const own = moves?.filter((move) => move.sheetId === sheetId && move.axis === axis) ?? [];
  return own.length > 0 ? new LastMoves(own) : undefined;
}

/** For each line, the operation that moved it last. */
export class LastMoves {
  /** Stretches by run of ids, sorted by offset; no two overlap. */
  readonly #byRun = new Map<number, { from: number; to: number; move: LineMove }[]>();
  readonly #ranks: ReadonlyMap<LineMove, number>;

  /** Takes moves in the order in which they were made. */
  constructor(moves: readonly LineMove[]) {
    this.#ranks = new Map(moves.map((move, rank) => [move, rank]));
    const taken = new Map<number, Stretch[]>();
    for (const move of moves.toReversed()) {
      for (const [run, stretches] of stretchesOf(move.spans)) {
        const earlier = taken.get(run) ?? [];
        const free = stretches.flatMap((stretch) => without(stretch, earlier));
        const own = this.#byRun.get(run) ?? [];
        for (const [from, to] of free) own.push({ from, to, move });
        this.#byRun.set(run, own);
        taken.set(run, united([...earlier, ...free]));
      }
    }
    for (const own of this.#byRun.values()) own.sort((a, b) => a.from - b.from);
  }

  of({ branch, sequence, offset }: LineId): LineMove | undefined {
    const own = this.#byRun.get(runKey(branch, sequence)) ?? [];
    const found = own[firstAfter(own.length, (at) => (own[at]?.from ?? 0) > offset) - 1];
    return found && offset < found.to ? found.move : undefined;
  }

  /** Returns the index of the last operation that moved a line; -1 when none did. */
  rankOf(line: LineId): number {
    const move = this.of(line);
    return move ? (this.#ranks.get(move) ?? -1) : -1;
  }

  /** Yields all lines that were moved. */
  *spans(): Generator<IdSpan> {
    const moved = [...this.#ranks.keys()].flatMap(({ spans }) => spans);
    for (const [run, stretches] of stretchesOf(moved)) {
      for (const [from, to] of stretches) yield spanOfRun(run, from, to - from);
    }
  }

  /** Offsets in a span at which another operation becomes the last that moved the lines. */
  cutsOf({ branch, sequence, offset, length }: IdSpan): number[] {
    const own = this.#byRun.get(runKey(branch, sequence)) ?? [];
    const ends = own.flatMap(({ from, to }) => [from, to]);
    return ends.filter((at) => at > offset && at < offset + length);
  }
}

/**
 * Attributes the moves that an earlier merge made to the operations of its source, which say
 * whether a move was a sort. All other moves of the source came in with the merge: `earliest` has
 * them, because they count as older than the target's own moves.
 */
export function movesOfMerge(
  made: readonly LineMove[],
  ofSource: readonly LineMove[],
): { readonly latest: readonly LineMove[]; readonly earliest: readonly LineMove[] } {
  if (ofSource.length === 0) return { latest: made, earliest: [] };
  const latest = ofSource.flatMap((move) => {
    const own = made.filter(({ sheetId, axis }) => sheetId === move.sheetId && axis === move.axis);
    const spans = spansWithin(move.spans, stretchesOf(own.flatMap((one) => one.spans)));
    if (spans.length === 0) return [];
    // A sort counts as a whole, even when some lines already stood where it puts them.
    return move.isSort ? move : { ...move, spans };
  });
  return { latest, earliest: ofSource };
}

/** The parts of spans that lie within given stretches, in the sequence of the spans. */
function spansWithin(
  spans: readonly IdSpan[],
  among: ReadonlyMap<number, readonly Stretch[]>,
): IdSpan[] {
  return spans.flatMap(({ branch, sequence, offset, length }) =>
    (among.get(runKey(branch, sequence)) ?? []).flatMap(([from, to]): IdSpan[] => {
      const first = Math.max(from, offset);
      const count = Math.min(to, offset + length) - first;
      return count > 0 ? [{ branch, sequence, offset: first, length: count }] : [];
    }),
  );
}

type Stretch = [from: number, to: number];

/** Groups spans by run and joins those that touch, because a sort lists each row by itself. */
function stretchesOf(spans: readonly IdSpan[]): Map<number, Stretch[]> {
  const byRun = new Map<number, Stretch[]>();
  for (const { branch, sequence, offset, length } of spans) {
    const run = runKey(branch, sequence);
    const own = byRun.get(run);
    if (own) own.push([offset, offset + length]);
    else byRun.set(run, [[offset, offset + length]]);
  }
  return new Map([...byRun].map(([run, own]) => [run, united(own)]));
}

function without([from, to]: Stretch, taken: readonly Stretch[]): Stretch[] {
  const free: Stretch[] = [];
  let next = from;
  for (const [start, end] of taken) {
    if (end <= next || start >= to) continue;
    if (start > next) free.push([next, start]);
    next = Math.max(next, end);
  }
  if (next < to) free.push([next, to]);
  return free;
}

function united(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = [];
  for (const [from, to] of stretches.toSorted((a, b) => a[0] - b[0])) {
    const last = joined.at(-1);
    if (last && last[1] >= from) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
