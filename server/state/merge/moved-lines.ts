import type { IdSpan } from '../ids/order.ts';
import type { SheetArea } from '../formulas/reference-map.ts';
import { orderOf } from '../structure/structure.ts';
import { heaviestIncreasing } from './increasing.ts';
import { LastMoves, type LineMove } from './line-moves.ts';
import {
  areaOf,
  currentOrder,
  outlineOf,
  partOf,
  takesTheirLine,
  type LineMerging,
} from './line-merging.ts';
import { placePieces } from './placed-lines.ts';

/** Lines that stand together before, after and now, and that each side moved alike. */
interface Piece {
  readonly span: IdSpan;
  readonly base: number;
  readonly now: number;
  /** Operations that moved them last, if any is known. */
  readonly ours: LineMove | undefined;
  readonly theirs: LineMove | undefined;
}

type Side = 'ours' | 'theirs';

/** Pieces that each side put elsewhere. */
type MovedPieces = Readonly<Record<Side, ReadonlySet<Piece>>>;

/** Pieces in the order of each side. */
type Orders = Readonly<Record<Side | 'base', readonly Piece[]>>;

/**
 * Puts lines that theirs moved behind their predecessors there. A line that only one side moved is
 * as that side has it; one that both moved, to different places, is asked about. The order of all
 * other lines is the same from both directions.
 */
export function* moveBack(merging: LineMerging, theirs: readonly IdSpan[]): Generator<void, void> {
  const pieces = commonPieces(merging, theirs);
  // Theirs has them as the base has them, or as they are already.
  if (isAscending(pieces.map(({ base }) => base))) return;
  if (isAscending(pieces.map(({ now }) => now))) return;
  const orders: Orders = {
    theirs: pieces,
    ours: pieces.toSorted((a, b) => a.now - b.now),
    base: pieces.toSorted((a, b) => a.base - b.base),
  };
  const moved: MovedPieces = {
    ours: movedPieces(orders, 'ours'),
    theirs: movedPieces(orders, 'theirs'),
  };
  for (const piece of pieces) {
    if (moved.theirs.has(piece)) pushArea(merging, areaOf(merging, piece.span));
  }
  const owners = ownersOf(merging, orders, moved);
  const target = mergedOrder(orders, moved, owners);
  const isStill = (piece: Piece) => {
    const owner = owners.get(piece);
    return owner === undefined ? !moved.ours.has(piece) : owner === 'ours';
  };
  const still = target.filter(isStill).map(({ now }) => now);
  const isPlaced = isAscending(still);
  yield* placePieces(
    merging,
    target.map((piece) => ({ ...piece, isMoved: !isPlaced || !isStill(piece) })),
  );
}

/** Areas below or beside one another are one. */
function pushArea({ moved, axis }: LineMerging, area: SheetArea): void {
  const last = moved.at(-1);
  const { range } = area;
  const isNext =
    last?.sheetId === area.sheetId &&
    (axis === 'row'
      ? last.range.row1 + 1 === range.row0
      : last.range.column1 + 1 === range.column0);
  if (!isNext) moved.push(area);
  else {
    const { row1, column1 } = range;
    moved[moved.length - 1] = { ...last, range: { ...last.range, row1, column1 } };
  }
}

function commonPieces(merging: LineMerging, theirs: readonly IdSpan[]): Piece[] {
  const base = orderOf(merging.is, merging.axis);
  const order = currentOrder(merging);
  const moves = lastMoves(merging);
  return theirs.flatMap((span) =>
    base.piecesOf(span).flatMap((then) => {
      const part = partOf(span, then.skipped, then.length);
      return order.piecesOf(part).flatMap((now) =>
        cutPieces(partOf(part, now.skipped, now.length), moves).map((own) => {
          const skipped = own.offset - part.offset;
          return {
            span: own,
            base: then.position + skipped,
            now: now.position + skipped - now.skipped,
            ours: moves.ours.of(own),
            theirs: moves.theirs.of(own),
          };
        }),
      );
    }),
  );
}

/**
 * Returns the last moves of lines: from the journals, or, where nobody asked them, from the history
 * of an undone span.
 */
function lastMoves({ moves, was, axis, ...merging }: LineMerging): Record<Side, LastMoves> {
  const isOwn = (move: LineMove) => move.sheetId === was.id && move.axis === axis;
  if (!moves?.lines) {
    const undone = movesOfSpan({ ...merging, was, axis });
    return { ours: new LastMoves([]), theirs: new LastMoves(undone) };
  }
  const { ours, theirs } = moves.lines;
  return {
    ours: new LastMoves(ours.filter(isOwn)),
    theirs: new LastMoves(theirs.filter(isOwn)),
  };
}

/** Moves of the span that is undone, as far as its history tells. */
function movesOfSpan({
  theirs,
  base,
  was,
  axis,
}: Pick<LineMerging, 'theirs' | 'base' | 'was' | 'axis'>): LineMove[] {
  // Heads of other branches say nothing here.
  const isOneLine = theirs.branchNo === base.branchNo;
  const known = isOneLine ? base.history.at(theirs.head, base.head) : undefined;
  const steps = (known && base.history.since(known)) ?? [];
  return steps.flatMap(({ move }) => {
    if (move?.before.id !== was.id || move.axis !== axis) return [];
    const order = orderOf(move.before, axis);
    const spans = move.moved.flatMap(({ from, count }) => order.spansAt(from, count));
    return [{ sheetId: was.id, axis, spans, isSort: false }];
  });
}

/** Cut where one of the sides moved the lines by another operation. */
function cutPieces(span: IdSpan, moves: Record<Side, LastMoves>): IdSpan[] {
  const end = span.offset + span.length;
  const cuts = [...moves.ours.cutsOf(span), ...moves.theirs.cutsOf(span), end];
  const pieces: IdSpan[] = [];
  let { offset } = span;
  for (const cut of cuts.sort((a, b) => a - b)) {
    if (cut > offset) pieces.push({ ...span, offset, length: cut - offset });
    offset = cut;
  }
  return pieces;
}

function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) < number);
}

/**
 * Returns the pieces that a side moved: those that its operations moved, except pieces still behind
 * the same predecessor. Where lines changed places and no operation is known for it, returns as few
 * pieces as can be.
 */
function movedPieces(orders: Orders, side: Side): ReadonlySet<Piece> {
  const before = previousIn(orders.base);
  const moved = new Set<Piece>();
  let previous: Piece | undefined;
  for (const piece of orders[side]) {
    const isBack = before.get(piece) === previous && !(previous && moved.has(previous));
    if (piece[side] && !isBack) moved.add(piece);
    previous = piece;
  }
  const rest = orders[side].filter((piece) => !moved.has(piece));
  const places = rest.map(({ base }) => base);
  if (isAscending(places)) return moved;
  // A piece that an operation is known to have moved is the likelier one.
  const weights = rest.map(({ span, ours, theirs }) =>
    (ours ?? theirs) ? span.length / 1e6 : span.length,
  );
  const stays = heaviestIncreasing(places, weights);
  for (const [index, piece] of rest.entries()) if (!stays.has(index)) moved.add(piece);
  return moved;
}

function previousIn(order: readonly Piece[]): ReadonlyMap<Piece, Piece | undefined> {
  return new Map(order.map((piece, at) => [piece, order[at - 1]]));
}

/**
 * The side whose place each moved piece gets; pieces without an entry keep their place in the base.
 */
function ownersOf(
  merging: LineMerging,
  orders: Orders,
  moved: MovedPieces,
): ReadonlyMap<Piece, Side> {
  const owners = new Map<Piece, Side>();
  for (const piece of moved.theirs) owners.set(piece, 'theirs');
  for (const piece of moved.ours) owners.set(piece, 'ours');
  const [before, after] = [previousIn(orders.ours), previousIn(orders.theirs)];
  const contested = [...moved.ours].filter(
    (piece) => moved.theirs.has(piece) && before.get(piece) !== after.get(piece),
  );
  const sorted: Piece[] = [];
  const sides = { base: 'there', ours: 'moved', theirs: 'moved' };
  for (const piece of contested) {
    if (piece.ours?.isSort === true && piece.theirs?.isSort === true) sorted.push(piece);
    else if (takesTheirLine(merging, { ...piece.span, what: 'order', sides })) {
      owners.set(piece, 'theirs');
    }
  }
  for (const sort of sortsOf(sorted)) settleSort(sort, owners, { merging, moved });
  return owners;
}

/** Sorts of both sides that share lines. */
interface ContestedSort {
  readonly ours: Set<LineMove>;
  readonly theirs: Set<LineMove>;
  readonly pieces: Piece[];
}

function sortsOf(pieces: readonly Piece[]): ContestedSort[] {
  let sorts: ContestedSort[] = [];
  for (const piece of pieces) {
    const { ours, theirs } = piece;
    if (!ours || !theirs) continue;
    const own: ContestedSort = {
      ours: new Set([ours]),
      theirs: new Set([theirs]),
      pieces: [piece],
    };
    const known = sorts.find((sort) => sort.ours.has(ours) && sort.theirs.has(theirs));
    if (known) {
      known.pieces.push(piece);
      continue;
    }
    const touching = sorts.filter((sort) => sort.ours.has(ours) || sort.theirs.has(theirs));
    for (const sort of touching) {
      for (const move of sort.ours) own.ours.add(move);
      for (const move of sort.theirs) own.theirs.add(move);
      own.pieces.push(...sort.pieces);
    }
    sorts = [...sorts.filter((sort) => !touching.includes(sort)), own];
  }
  return sorts;
}

/** A sort is taken or left as a whole. */
function settleSort(
  sort: ContestedSort,
  owners: Map<Piece, Side>,
  { merging, moved }: { merging: LineMerging; moved: MovedPieces },
): void {
  const winner = sortWinner(sort, merging);
  const loser = winner === 'ours' ? 'theirs' : 'ours';
  for (const piece of moved[loser]) {
    const move = piece[loser];
    if (!move || !sort[loser].has(move)) continue;
    if (moved[winner].has(piece)) owners.set(piece, winner);
    else owners.delete(piece);
  }
}

function sortWinner({ pieces }: ContestedSort, merging: LineMerging): Side {
  const { axis, was, judge } = merging;
  const lineCount = pieces.reduce((sum, { span }) => sum + span.length, 0);
  const first = pieces.reduce((least, piece) => (piece.base < least.base ? piece : least));
  const { branch, sequence, offset } = first.span;
  const sides = { base: 'unsorted', ours: 'sorted', theirs: 'sorted' };
  const choice = judge.decide({
    kind: 'sort.order',
    register: `${axis} sort ${was.id} ${branch}.${sequence}.${offset}`,
    text: `the order of ${lineCount} ${axis}s of ${outlineOf(merging).name}`,
    place: { sheetId: was.id },
    sides: () => sides,
  });
  return choice === 'theirs' ? 'theirs' : 'ours';
}

/**
 * Returns the merged order: unmoved pieces stand as before, and behind each the pieces that a side
 * put there.
 */
function mergedOrder(
  orders: Orders,
  moved: MovedPieces,
  owners: ReadonlyMap<Piece, Side>,
): Piece[] {
  const behind = { ours: runsBehind('ours'), theirs: runsBehind('theirs') };
  const stays = orders.base.filter((piece) => !owners.has(piece));
  return [undefined, ...stays].flatMap((piece) => {
    const runs = [behind.ours.get(piece) ?? [], behind.theirs.get(piece) ?? []];
    // Where both put something, as it stood before: the same from both directions.
    runs.sort(([a], [b]) => (a?.base ?? 0) - (b?.base ?? 0));
    return [...(piece ? [piece] : []), ...runs.flat()];
  });

  function runsBehind(side: Side): Map<Piece | undefined, Piece[]> {
    const runs = new Map<Piece | undefined, Piece[]>();
    let run: Piece[] = [];
    runs.set(undefined, run);
    for (const piece of orders[side]) {
      const owner = owners.get(piece);
      if (owner === side) run.push(piece);
      if (owner !== undefined || moved[side].has(piece)) continue;
      run = [];
      runs.set(piece, run);
    }
    return runs;
  }
}
