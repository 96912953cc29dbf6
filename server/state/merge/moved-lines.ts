import { heaviestIncreasing } from '../diff/heaviest-increasing.ts';
import { settleSorts } from './contested-sorts.ts';
import type { Side } from './judge.ts';
import { takesTheirLine, type LineMerging } from './line-merging.ts';
import type { Orders, Piece } from './line-pieces.ts';

/** The pieces that each side moved, and the side whose place each piece takes. */
export interface MovedLines {
  readonly moved: Readonly<Record<Side, ReadonlySet<Piece>>>;
  /** Pieces without an entry keep their place in the base. */
  readonly owners: ReadonlyMap<Piece, Side>;
}

/**
 * Decides where moved lines go. A line that one side moved stands where that side has it; one that
 * both moved to different places is a conflict.
 */
export function movedLines(merging: LineMerging, orders: Orders): MovedLines {
  const moved = { ours: movedPieces(orders, 'ours'), theirs: movedPieces(orders, 'theirs') };
  return { moved, owners: ownersOf(merging, orders, moved) };
}

export function isAscending(numbers: readonly number[]): boolean {
  return numbers.every((number, index) => index === 0 || (numbers[index - 1] ?? 0) < number);
}

/**
 * Returns the pieces that a side moved: those that its operations moved, except pieces that still
 * follow the same piece as in the base. Changes of order that no known operation explains are
 * attributed to as few lines as possible.
 */
export function movedPieces(orders: Orders, side: Side): ReadonlySet<Piece> {
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
  // Prefer pieces that a known operation moved.
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

/** Decides which side's place each moved piece takes. */
function ownersOf(
  merging: LineMerging,
  orders: Orders,
  moved: MovedLines['moved'],
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
  settleSorts(sorted, owners, { merging, orders, moved });
  settleAlike(owners, orders, moved);
  return owners;
}

/**
 * Lets lines that both sides put behind the same piece follow that piece, so both directions agree.
 */
function settleAlike(owners: Map<Piece, Side>, orders: Orders, moved: MovedLines['moved']): void {
  const [before, after] = [previousIn(orders.ours), previousIn(orders.theirs)];
  const usual = moved.theirs.size > moved.ours.size ? 'theirs' : 'ours';
  for (const piece of orders.ours) {
    const previous = before.get(piece);
    // Lines that both sides sorted were settled with their sort.
    const isSorted = piece.ours?.isSort === true && piece.theirs?.isSort === true;
    const isAlike = !isSorted && moved.ours.has(piece) && moved.theirs.has(piece);
    if (!isAlike || previous !== after.get(piece)) continue;
    owners.set(piece, (previous && owners.get(previous)) ?? usual);
  }
}
