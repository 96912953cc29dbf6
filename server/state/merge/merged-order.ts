import { heaviestIncreasing } from '../diff/heaviest-increasing.ts';
import { flatten } from '../plan/resolved.ts';
import type { IdSpan } from '../ids/order.ts';
import { orderOf, type Structure } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';
import {
  addedLines,
  ownLines,
  withShared,
  type AtPiece,
  type Beside,
  type OwnLines,
} from './beside-lines.ts';
import type { Side } from './judge.ts';
import { partOf, type LineMerging } from './line-merging.ts';
import { commonPieces, type Orders, type Piece } from './line-pieces.ts';
import { isAscending, movedLines, movedPieces, type MovedLines } from './moved-lines.ts';
import { stateOf } from './merging.ts';
import { placePieces, type PlacedPiece } from './placed-lines.ts';

/** Lines of the merged order: already in the merged state (`there`), or to be added. */
type MergedLine =
  | { readonly isNew: false; readonly there: PlacedPiece }
  | { readonly isNew: true; readonly span: IdSpan };

/**
 * Merges the order of lines and adds the lines of theirs, given in their order. Lines of all three
 * states stand where the side that moved them put them. A line of one side alone follows the line
 * in front of it there or, at the start of a table, precedes the line behind it. In the same place,
 * lines of ours come first.
 */
export function* mergeOrder(
  merging: LineMerging,
  theirs: readonly IdSpan[],
  rest: number,
): Generator<void, void> {
  const orders = commonPieces(merging, theirs);
  const { pieces, owners } = pieceOrder(merging, orders);
  const held = ownLines(merging, { pieces: orders.ours, owners }, rest);
  const own = withShared(merging, held, { pieces: orders.theirs, owners });
  const added = addedLines(merging, { pieces: orders.theirs, owners }, { theirs, rest });
  const merged = allLines(merging, pieces, { own, added });
  yield* placePieces(
    merging,
    merged.flatMap((line) => (line.isNew ? [] : line.there)),
  );
  yield* addLines(merging, merged);
}

/** A piece, and whether ours has it where the merge puts it. */
interface OrderedPiece {
  readonly piece: Piece;
  readonly isStill: boolean;
}

interface PieceOrder {
  readonly pieces: readonly OrderedPiece[];
  readonly owners: MovedLines['owners'];
}

function pieceOrder(merging: LineMerging, orders: Orders): PieceOrder {
  const { theirs, ours } = orders;
  const isAsBefore = isAscending(theirs.map(({ base }) => base));
  if (isAsBefore || isAscending(theirs.map(({ now }) => now))) {
    const moved = isAsBefore ? movedPieces(orders, 'ours') : [];
    const owners = new Map([...moved].map((piece) => [piece, 'ours'] as const));
    return { pieces: ours.map((piece) => ({ piece, isStill: true })), owners };
  }
  const lines = movedLines(merging, orders);
  const isStill = (piece: Piece) => {
    const owner = lines.owners.get(piece);
    return owner === undefined ? !lines.moved.ours.has(piece) : owner === 'ours';
  };
  const pieces = mergedPieces(orders, lines).map((piece) => ({ piece, isStill: isStill(piece) }));
  return { pieces, owners: lines.owners };
}

/**
 * Returns the pieces in merged order: those that stay as in the base, each followed by the pieces
 * that a side moved behind it.
 */
function mergedPieces(orders: Orders, { moved, owners }: MovedLines): Piece[] {
  const behind = { ours: runsBehind('ours'), theirs: runsBehind('theirs') };
  const stays = orders.base.filter((piece) => !owners.has(piece));
  return [undefined, ...stays].flatMap((piece) => {
    const runs = [behind.ours.get(piece) ?? [], behind.theirs.get(piece) ?? []];
    // Runs of both sides in one place keep the order of the base, so both directions agree.
    runs.sort(([a], [b]) => (a?.base ?? 0) - (b?.base ?? 0));
    return [...(piece ? [piece] : []), ...runs.flat()];
  });

  function runsBehind(side: Side): AtPiece<Piece> {
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

interface Sides {
  readonly own: Beside<OwnLines>;
  readonly added: Beside<IdSpan>;
}

function allLines(
  merging: LineMerging,
  pieces: readonly OrderedPiece[],
  { own, added }: Sides,
): MergedLine[] {
  const still = heldStill(pieces);
  const besideOf = (at: keyof Beside<IdSpan>, piece: Piece | undefined) => {
    const isMoved = piece !== undefined && !still.has(piece);
    const lines = (own[at].get(piece) ?? []).map(({ span, now, isElsewhere = false }) => {
      return { isNew: false, there: { span, now, isMoved: isMoved || isElsewhere } } as const;
    });
    const fresh = (added[at].get(piece) ?? []).map((span) => ({ isNew: true, span }) as const);
    return { isMoved, lines, fresh };
  };
  const before = (piece: Piece | undefined) => {
    const { lines, fresh } = besideOf('before', piece);
    return keptFirst(merging, [lines, fresh]);
  };
  const merged = [undefined, ...pieces.map(({ piece }) => piece)].flatMap((piece) => {
    const { isMoved, lines, fresh } = besideOf('behind', piece);
    const head: MergedLine[] = piece ? [{ isNew: false, there: { ...piece, isMoved } }] : [];
    // An undo puts a line back directly behind the line that it followed.
    const isFirst = !merging.judge.isBetweenBranches && piece !== undefined;
    if (isFirst) return [...head, ...fresh, ...lines];
    const [mine, yours] = [
      splitAtTableEnd(stateOf(merging).structure, merging, { piece, lines }),
      splitAtTableEnd(merging.theirs.structure, merging, { piece, lines: fresh }),
    ];
    const inTable = keptFirst(merging, [mine[0], yours[0]]);
    const others = keptFirst(merging, [mine[1], yours[1]]);
    return [...(piece ? before(piece) : []), ...head, ...inTable, ...others];
  });
  return [...merged, ...before(undefined)];
}

/** Splits lines behind a piece into those within the same table as the piece, and the rest. */
function splitAtTableEnd(
  structure: Structure,
  { was, axis }: LineMerging,
  { piece, lines }: { readonly piece: Piece | undefined; readonly lines: readonly MergedLine[] },
): readonly [inTable: readonly MergedLine[], others: readonly MergedLine[]] {
  const sheet = axis === 'row' && piece ? structure.withId(was.id) : undefined;
  if (!sheet || !piece || lines.length === 0) return [[], lines];
  const { branch, sequence, offset, length } = piece.span;
  const last = sheet.rows.positionOf(branch, sequence, offset + length - 1);
  const end = last === undefined ? -1 : tableEnd(structure, sheet.id, last);
  const [inTable, others]: [MergedLine[], MergedLine[]] = [[], []];
  for (const line of lines) {
    const { span } = line.isNew ? line : line.there;
    const from = sheet.rows.positionOf(span.branch, span.sequence, span.offset) ?? Infinity;
    const count = Math.min(span.length, Math.max(0, end + 1 - from));
    if (count > 0) inTable.push(partOfLine(line, 0, count));
    if (count < span.length) others.push(partOfLine(line, count, span.length - count));
  }
  return [inTable, others];
}

/** The last row of the table around a row; -1 when it is in none. */
function tableEnd(structure: Structure, sheetId: string, row: number): number {
  const ends = structure.tables.all.flatMap((table) => {
    if (table.sheetId !== sheetId) return [];
    const { row0, row1 } = rangeOf(table, structure);
    return row0 <= row && row <= row1 ? row1 : [];
  });
  return Math.max(-1, ...ends);
}

function partOfLine(line: MergedLine, skipped: number, length: number): MergedLine {
  if (line.isNew) return { isNew: true, span: partOf(line.span, skipped, length) };
  const { span, now, isMoved } = line.there;
  return {
    isNew: false,
    there: { span: partOf(span, skipped, length), now: now + skipped, isMoved },
  };
}

/** Joins lines of both sides in one place, with deleted lines that the merge keeps first. */
function keptFirst(
  merging: LineMerging,
  sides: readonly (readonly MergedLine[])[],
): readonly MergedLine[] {
  const lists = sides.map((list) => splitAtKept(merging, list));
  return [...lists.flatMap(([kept]) => kept), ...lists.flatMap(([, rest]) => rest)];
}

type Split = readonly [kept: readonly MergedLine[], others: readonly MergedLine[]];

/** Splits a list behind its last deleted line that the merge keeps. */
function splitAtKept(
  { common, whole = common, was, axis }: LineMerging,
  lines: readonly MergedLine[],
): Split {
  const sheet = whole.structure.withId(was.id);
  const isKept = (line: MergedLine) => {
    const { branch, sequence, offset } = line.isNew ? line.span : line.there.span;
    return sheet && orderOf(sheet, axis).positionOf(branch, sequence, offset) !== undefined;
  };
  const end = lines.findLastIndex(isKept) + 1;
  return [lines.slice(0, end), lines.slice(end)];
}

/** The largest set of pieces that can stay where they are, because their order is right already. */
function heldStill(pieces: readonly OrderedPiece[]): ReadonlySet<Piece> {
  const still = pieces.flatMap(({ piece, isStill }) => (isStill ? piece : []));
  const places = still.map(({ now }) => now);
  if (isAscending(places)) return new Set(still);
  const stays = heaviestIncreasing(
    places,
    still.map(({ span }) => span.length),
  );
  return new Set(still.filter((_, index) => stays.has(index)));
}

function* addLines(
  { was, axis, parts }: LineMerging,
  merged: readonly MergedLine[],
): Generator<void, void> {
  let position = 0;
  let group: IdSpan[] = [];
  const groups: { readonly before: number; readonly spans: readonly IdSpan[] }[] = [];
  for (const line of merged) {
    const { span } = line.isNew ? line : line.there;
    if (line.isNew) {
      if (group.length === 0) groups.push({ before: position + 1, spans: (group = []) });
      group.push(span);
    } else group = [];
    position += span.length;
  }
  for (const { before, spans } of groups) {
    const payload = { sheet: was.id, axis, before, ids: flatten(spans) };
    yield* parts.add({ kind: 'restore.lines', payload });
  }
}
