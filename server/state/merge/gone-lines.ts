import type { BranchState } from '../branch-state.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import { SpanSet } from '../ids/span-set.ts';
import { flatten, type FlatSpans } from '../plan/resolved.ts';
import { lineText } from '../structure/area.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import { rangeOf as rangeOfTable } from '../structure/tables.ts';
import { blockLines, isShift, type CellMove } from './cell-shifts.ts';
import { meetIn } from './crossing-paths.ts';
import { partOfLines, togetherIn } from './final-moves.ts';
import type { Moves } from './followed-moves.ts';
import {
  absentFrom,
  dropLines,
  goneCells,
  linesMoved,
  outside,
  partOf,
  type GoneCells,
} from './gone-cells.ts';
import {
  areLooksTouched,
  deleteLines,
  deleters,
  isWanted,
  type Deleter,
  type LineSides,
} from './kept-deletions.ts';
import { missingFrom } from './line-merging.ts';
import type { Change } from './merging.ts';
import { MovedBase } from './moved-base.ts';
import type { DeletedPart } from './named-deletions.ts';
import { partsOn, type AlignedSides } from './parts.ts';
import { readSpans } from './restoration.ts';
import { goneFrom, shiftedIn, type Gone } from './returned-lines.ts';
import type { Asked } from './scope.ts';
import { touchedLines, type Touch } from './touched-lines.ts';

/** The moves that a merge goes on with, and the lines that it keeps. */
interface Settled {
  readonly moves: Moves;
  readonly kept: readonly DeletedPart[];
}

interface Settling extends Asked, Pick<Change, 'heldOf' | 'policy'> {
  readonly sides: AlignedSides;
  readonly common: BranchState;
  readonly deleter: Deleter;
}

/**
 * Deletes lines that one side deleted on the base and on the other side too, where either of them
 * shifted cells over lines of their axis: so a shift moves the same cells on all sides. Lines that
 * the other side wrote to, wherever it shifted their cells, are asked about before. Lines whose
 * cells a side shifted before it deleted them stay, and so do those in tables.
 */
export function* settleGone(
  sides: AlignedSides,
  { moves, kept = [], heldOf, policy }: Change,
  asked: Asked,
): Generator<void, Pick<Change, 'moves' | 'kept'>> {
  if (!moves) return { moves, kept };
  const isOver = shiftedIn(moves);
  const found = deleters.map((deleter) => ({
    deleter,
    gone: goneFrom(sides.base.state, sides[deleter[0]].state).filter(isOver),
  }));
  if (found.every(({ gone }) => gone.length === 0)) return { moves, kept };
  const common = sides.base.state.fork();
  let settled: Settled = { moves, kept };
  for (const { deleter, gone } of found) {
    const settling = { ...asked, heldOf, policy, sides, common, deleter };
    for (const part of gone) settled = yield* settlePart(part, settled, settling);
  }
  return settled;
}

function* settlePart(
  gone: Gone,
  { moves, kept }: Settled,
  settling: Settling,
): Generator<void, Settled> {
  const { sides, deleter } = settling;
  const [, winner] = deleter;
  const { base, ours, theirs } = sides;
  const apart = partsApart(gone, { moves, kept }, settling);
  const wanted: IdSpan[] = [];
  const left: Gone[] = [...apart.unseen];
  const on = {
    base: base.state,
    moves: moves[winner],
    meet: meetIn(base.state, ours.state, theirs.state),
  };
  const moved = apart.seen.length > 0 ? yield* movedOn(sides[winner].state, on) : undefined;
  if (moved?.missedCount === 0) {
    for (const part of apart.seen) {
      const cells = goneCells(part, sides[winner].state, on);
      if (!cells) continue;
      const staying = { ...settling, sheetId: gone.sheetId, moved: moved.state };
      const stays = stayingIn(part, cells, staying);
      wanted.push(...stays);
      left.push(...without(part, stays));
    }
  }
  let own = moves[winner];
  for (const part of left) {
    const dropping = { base: base.state, moves: own, meet: on.meet };
    own = (yield* dropLines(part, { ...dropping, baseParts: base, parts: sides[winner] })) ?? own;
  }
  const asked = wanted.length > 0 ? [partOf(gone, wanted)] : [];
  return { moves: { ...moves, [winner]: own }, kept: [...kept, ...asked] };
}

/** Makes the moves of a side on the base without the lines that it had deleted before. */
function* movedOn(
  side: BranchState,
  { base, moves }: { readonly base: BranchState; readonly moves: readonly CellMove[] },
) {
  const parts = partsOn(base);
  for (const { sheetId, lines } of absentFrom(side, { base, moves })) {
    yield* deleteLines(parts, { sheetId, ...lines });
  }
  return yield* new MovedBase(parts.state).after(moves);
}

interface Apart {
  /** Lines that stand together on the base and on the other side. */
  readonly seen: Gone[];
  /** Lines that the other side has not either. */
  readonly unseen: Gone[];
}

/** The parts of deleted lines that no side shifted before it deleted them, and that may go. */
function partsApart(gone: Gone, { moves, kept }: Settled, settling: Settling): Apart {
  const { sheetId, lines } = gone;
  const [loser, winner] = settling.deleter;
  const { base, [winner]: other } = settling.sides;
  const [was, is] = [base, other].map(({ state }) => state.structure.withId(sheetId));
  if (!was || !is || !isTaken(gone, settling)) return { seen: [], unseen: [] };
  const [order, present] = [orderOf(was, lines.axis), orderOf(is, lines.axis)];
  const stay = [
    ...linesMoved(gone, moves[loser]),
    ...kept
      .filter((part) => part.sheetId === sheetId && part.lines?.axis === lines.axis)
      .map((part) => flatten(part.lines?.spans ?? [])),
    ...[base, other].flatMap(({ state }) => linesOfTables(gone, state)),
  ];
  const free = outside(flatten(lines.spans), stay);
  const missing = flatten(missingFrom(free.flatMap(readSpans), present));
  const unseen = outside(missing, linesMoved(gone, moves[winner]));
  const parts = (flat: FlatSpans, orders: readonly (typeof order)[]) =>
    togetherIn(flat, orders).map((stretch) => partOf(gone, readSpans(partOfLines(flat, stretch))));
  return {
    seen: free.flatMap((flat) => parts(flat, [order, present])),
    unseen: unseen.flatMap((flat) => parts(flat, [order])),
  };
}

export function linesOfTables(
  { sheetId, lines }: Gone,
  { structure, tables }: BranchState,
): FlatSpans[] {
  const sheet = structure.withId(sheetId);
  if (!sheet) return [];
  return tables.onSheet(sheetId).map((table) => {
    const { row0, row1, column0, column1 } = rangeOfTable(table, structure);
    const [first, last] = lines.axis === 'row' ? [row0, row1] : [column0, column1];
    return flatten(orderOf(sheet, lines.axis).spansAt(first, last - first + 1));
  });
}

/** Returns whether the merge takes the deletion. */
function isTaken({ sheetId, lines }: Gone, { scope, deleter }: Settling): boolean {
  if (deleter[0] === 'ours' || !scope) return true;
  const kind = lines.axis === 'row' ? 'structure.rows' : 'structure.cols';
  return lines.spans.every((span) => scope({ kind, place: { sheetId, [lines.axis]: span } }));
}

interface Staying extends Settling {
  readonly sheetId: string;
  /** The base with what the other side moved. */
  readonly moved: BranchState;
}

/** Asks about the lines that the other side wrote to; returns those that stay. */
function stayingIn(part: Gone, cells: GoneCells, staying: Staying): IdSpan[] {
  const { sides, common, deleter, judge, heldOf, policy } = staying;
  const sheet = common.structure.withId(part.sheetId);
  if (!sheet) return [];
  const states = { common, base: common, ours: sides.ours.state, theirs: sides.theirs.state };
  const line: LineSides = { ...states, sheet, deleter, axis: part.lines.axis, heldOf, policy };
  return touchedIn(part, cells, staying)
    .filter((touched) => isWanted(line, touched, judge))
    .map((touched) => touched.line);
}

interface Touched {
  readonly line: IdSpan;
  readonly how: Touch;
}

/** The lines that the other side wrote to, also where it has shifted their cells by now. */
function touchedIn(
  { lines: { axis, spans } }: Gone,
  { across, made }: GoneCells,
  staying: Staying,
): Touched[] {
  const shifted = new SpanSet(readSpans(across));
  const lines = { axis, was: flatten(spans), is: flatten(spans) };
  const found = touchedOf({ ...lines, isAcross: (line) => !shifted.has(line) }, staying);
  const [along, beside] = blockLines(axis);
  for (const { own, there } of made) {
    if (!isShift(own) || !there?.shift) continue;
    const area = there.shift.area;
    const cells = new SpanSet(readSpans(area[beside]));
    const moved = { axis, was: own.shift.area[along], is: area[along] };
    found.push(...touchedOf({ ...moved, isAcross: (line) => cells.has(line) }, staying));
  }
  const byLine = new Map<string, Touched>();
  for (const one of found) {
    const text = lineText(one.line);
    if (byLine.get(text)?.how !== 'modified') byLine.set(text, one);
  }
  return [...byLine.values()];
}

interface LinesBy {
  readonly axis: Axis;
  /** Lines as the base names them, and those in which the other side has their cells. */
  readonly was: FlatSpans;
  readonly is: FlatSpans;
  readonly isAcross: (line: LineId) => boolean;
}

function touchedOf({ was, is, ...lines }: LinesBy, staying: Staying): Touched[] {
  const { moved, policy, sides, deleter, sheetId } = staying;
  const changed = { base: moved, ours: sides[deleter[1]].state };
  const spans = readSpans(is);
  const looks = areLooksTouched(policy);
  const touched = touchedLines(changed, { sheetId, spans, ...lines }, { looks });
  let next = 0;
  return spans.flatMap((span) => {
    const first = next - span.offset;
    next += span.length;
    return touched(span).flatMap(({ offset, how }) =>
      readSpans(partOfLines(was, { at: first + offset, count: 1 })).map((line) => ({ line, how })),
    );
  });
}

function without(gone: Gone, lines: readonly IdSpan[]): Gone[] {
  return outside(flatten(gone.lines.spans), [flatten(lines)]).map((flat) =>
    partOf(gone, readSpans(flat)),
  );
}
