import type { Side } from './judge.ts';
import { outlineOf, type LineMerging } from './line-merging.ts';
import type { LineMove } from './line-moves.ts';
import type { Orders, Piece } from './line-pieces.ts';

/** Sorts of both sides that share lines, directly or through others. */
interface ContestedSort {
  readonly ours: Set<LineMove>;
  readonly theirs: Set<LineMove>;
  readonly pieces: Piece[];
}

interface Settling {
  readonly merging: LineMerging;
  readonly orders: Orders;
  /** The pieces that each side moved. */
  readonly moved: Readonly<Record<Side, ReadonlySet<Piece>>>;
}

/** Decides the order of lines that both sides sorted. Sorts that share lines are one conflict. */
export function settleSorts(
  pieces: readonly Piece[],
  owners: Map<Piece, Side>,
  settling: Settling,
): void {
  for (const sort of sortsOf(pieces)) settleSort(sort, owners, settling);
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

/** Applies one decision to all lines of the sorts, so that a sort is taken or left as a whole. */
function settleSort(
  sort: ContestedSort,
  owners: Map<Piece, Side>,
  { merging, orders, moved }: Settling,
): void {
  const winner = isAlike(sort, orders) ? 'ours' : sortWinner(sort, merging);
  const loser = winner === 'ours' ? 'theirs' : 'ours';
  for (const piece of moved[loser]) {
    const move = piece[loser];
    if (!move || !sort[loser].has(move)) continue;
    if (moved[winner].has(piece)) owners.set(piece, winner);
    else owners.delete(piece);
  }
}

/** Returns whether both sides sorted the same lines into the same order. */
function isAlike(sort: ContestedSort, orders: Orders): boolean {
  const [ours, theirs] = (['ours', 'theirs'] as const).map((side) =>
    orders[side].filter((piece) => piece[side] && sort[side].has(piece[side])),
  );
  if (ours?.length !== theirs?.length) return false;
  return ours?.every((piece, at) => piece === theirs?.[at]) === true;
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
