import { flatten } from '../plan/resolved.ts';
import type { IdSpan } from '../ids/order.ts';
import { orderOf, type Structure } from '../structure/structure.ts';
import { rangeOf } from '../structure/tables.ts';
import { heaviestIncreasing } from './increasing.ts';
import {
  currentOrder,
  finiteSpans,
  missingFrom,
  partOf,
  type LineMerging,
} from './line-merging.ts';
import { commonPieces, type Orders, type Piece, type Side } from './line-pieces.ts';
import { isAscending, movedLines, type MovedLines } from './moved-lines.ts';
import { stateOf } from './merging.ts';
import { placePieces, type PlacedPiece } from './placed-lines.ts';

/** Items that stand behind a piece, or before the first one. */
type Behind<Item> = ReadonlyMap<Piece | undefined, readonly Item[]>;

/** Lines in the order that the merge gives them. */
type MergedLine =
  | { readonly isNew: false; readonly there: PlacedPiece }
  | { readonly isNew: true; readonly span: IdSpan };

/**
 * Puts lines of theirs, given in their order, where they belong. Lines that all sides have stand
 * where the side that moved them put them, else as before. A line that one side has alone follows
 * the line that it stands behind there; in one place those of ours come first.
 */
export function* mergeOrder(
  merging: LineMerging,
  theirs: readonly IdSpan[],
  rest: number,
): Generator<void, void> {
  const orders = commonPieces(merging, theirs);
  const own = ownSpans(merging, orders.ours, rest);
  const added = addedSpans(merging, orders.theirs, theirs);
  const merged = allLines(merging, pieceOrder(merging, orders), { own, added });
  yield* placePieces(
    merging,
    merged.flatMap((line) => (line.isNew ? [] : line.there)),
  );
  yield* addLines(merging, merged);
}

/** A piece, and whether it may stay where it is now. */
interface OrderedPiece {
  readonly piece: Piece;
  readonly isStill: boolean;
}

function pieceOrder(merging: LineMerging, orders: Orders): readonly OrderedPiece[] {
  const { theirs, ours } = orders;
  const isAsBefore = isAscending(theirs.map(({ base }) => base));
  if (isAsBefore || isAscending(theirs.map(({ now }) => now))) {
    return ours.map((piece) => ({ piece, isStill: true }));
  }
  const lines = movedLines(merging, orders);
  const isStill = (piece: Piece) => {
    const owner = lines.owners.get(piece);
    return owner === undefined ? !lines.moved.ours.has(piece) : owner === 'ours';
  };
  return mergedPieces(orders, lines).map((piece) => ({ piece, isStill: isStill(piece) }));
}

/**
 * Returns the merged order: unmoved pieces stand as before, and behind each the pieces that a side
 * put there.
 */
function mergedPieces(orders: Orders, { moved, owners }: MovedLines): Piece[] {
  const behind = { ours: runsBehind('ours'), theirs: runsBehind('theirs') };
  const stays = orders.base.filter((piece) => !owners.has(piece));
  return [undefined, ...stays].flatMap((piece) => {
    const runs = [behind.ours.get(piece) ?? [], behind.theirs.get(piece) ?? []];
    // Where both put something, as it stood before: the same from both directions.
    runs.sort(([a], [b]) => (a?.base ?? 0) - (b?.base ?? 0));
    return [...(piece ? [piece] : []), ...runs.flat()];
  });

  function runsBehind(side: Side): Behind<Piece> {
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

/** The lines that ours has beside the pieces, by the piece that they stand behind. */
function ownSpans(
  merging: LineMerging,
  pieces: readonly Piece[],
  rest: number,
): Behind<{ span: IdSpan; now: number }> {
  const behind = new Map<Piece | undefined, { span: IdSpan; now: number }[]>();
  const order = currentOrder(merging);
  let next = 0;
  let previous: Piece | undefined;
  const add = (end: number) => {
    const found: { span: IdSpan; now: number }[] = [];
    for (const span of end > next ? order.spansAt(next, end - next) : []) {
      found.push({ span, now: next });
      next += span.length;
    }
    behind.set(previous, found);
  };
  for (const piece of pieces) {
    add(piece.now);
    previous = piece;
    next = piece.now + piece.span.length;
  }
  add(finiteSpans(order, rest).reduce((sum, { length }) => sum + length, 0));
  return behind;
}

/** The lines that theirs has alone, by the piece that they stand behind. */
function addedSpans(
  merging: LineMerging,
  pieces: readonly Piece[],
  theirs: readonly IdSpan[],
): Behind<IdSpan> {
  const behind = new Map<Piece | undefined, IdSpan[]>();
  const { axis, lost } = merging;
  const sheetId = merging.was.id;
  const [was, is] = [orderOf(merging.was, axis), orderOf(merging.is, axis)];
  const positionOf = ({ branch, sequence, offset }: IdSpan) =>
    was.positionOf(branch, sequence, offset) ?? 0;
  const starts = pieces.map(({ span }) => positionOf(span));
  let at = 0;
  for (const span of missingFrom(theirs, is)) {
    for (const absent of missingFrom([span], currentOrder(merging))) {
      if (!isNew(merging, absent)) lost.push({ sheetId, lines: { axis, span: absent } });
      const position = positionOf(absent);
      while ((starts[at] ?? Infinity) < position) at++;
      const piece = pieces[at - 1];
      behind.set(piece, [...(behind.get(piece) ?? []), absent]);
    }
  }
  return behind;
}

/** Returns whether lines came after all that the base holds: then no earlier formula names them. */
function isNew({ heldOf }: LineMerging, { branch, sequence }: IdSpan): boolean {
  return heldOf !== undefined && sequence > heldOf(branch);
}

interface Beside {
  readonly own: ReturnType<typeof ownSpans>;
  readonly added: Behind<IdSpan>;
}

function allLines(
  merging: LineMerging,
  pieces: readonly OrderedPiece[],
  { own, added }: Beside,
): MergedLine[] {
  const still = heldStill(pieces);
  return [undefined, ...pieces.map(({ piece }) => piece)].flatMap((piece) => {
    const isMoved = piece !== undefined && !still.has(piece);
    const lines = (own.get(piece) ?? []).map(({ span, now }) => {
      return { isNew: false, there: { span, now, isMoved } } as const;
    });
    const fresh = (added.get(piece) ?? []).map((span) => ({ isNew: true, span }) as const);
    const head: MergedLine[] = piece ? [{ isNew: false, there: { ...piece, isMoved } }] : [];
    // An undo finds it right behind the piece that it stood behind.
    const isFirst = !merging.judge.isBetweenBranches && piece !== undefined;
    if (isFirst) return [...head, ...fresh, ...lines];
    const [mine, yours] = [
      splitAtTableEnd(stateOf(merging).structure, merging, { piece, lines }),
      splitAtTableEnd(merging.theirs.structure, merging, { piece, lines: fresh }),
    ];
    const inTable = keptFirst(merging, [mine[0], yours[0]]);
    return [...head, ...inTable, ...keptFirst(merging, [mine[1], yours[1]])];
  });
}

/** Lines that one side has behind a piece: those of a table that the piece is in, and the rest. */
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

/** The last row of the tables that have a row; -1 where none has it. */
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

/** Lines of ours and of theirs in one place, behind those that were kept of a deletion. */
function keptFirst(
  merging: LineMerging,
  sides: readonly (readonly MergedLine[])[],
): readonly MergedLine[] {
  const lists = sides.map((list) => splitAtKept(merging, list));
  return [...lists.flatMap(([kept]) => kept), ...lists.flatMap(([, rest]) => rest)];
}

type Split = readonly [kept: readonly MergedLine[], others: readonly MergedLine[]];

/** Lines that were kept of a deletion stand before all that came in their place. */
function splitAtKept({ common, was, axis }: LineMerging, lines: readonly MergedLine[]): Split {
  const sheet = common.structure.withId(was.id);
  const isKept = (line: MergedLine) => {
    const { branch, sequence, offset } = line.isNew ? line.span : line.there.span;
    return sheet && orderOf(sheet, axis).positionOf(branch, sequence, offset) !== undefined;
  };
  const end = lines.findLastIndex(isKept) + 1;
  return [lines.slice(0, end), lines.slice(end)];
}

/** The pieces that need not be moved: they stand in their order already. */
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
