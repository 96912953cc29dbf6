import type { Order } from '../ids/order.ts';
import { flatten, type FlatSpans } from '../plan/resolved.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import { axisOf, blockLines, isShift, type CellMove, type ShiftMove } from './cell-shifts.ts';
import { cutLines, haveShared, partOfLines, togetherIn } from './final-moves.ts';
import { inTurn } from './followed-cuts.ts';
import type { Moves } from './followed-moves.ts';
import { linesOfTables } from './gone-lines.ts';
import type { Side } from './judge.ts';
import { finiteSpans, missingFrom, restOf } from './line-merging.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { readSpans } from './restoration.ts';
import type { Scope } from './scope.ts';

/** Lines that one side added to a sheet and shifted cells over. */
interface Added {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly owner: Side;
  readonly other: Side;
  readonly shifts: readonly ShiftMove[];
  /** Shifts of the other side. */
  readonly others: readonly ShiftMove[];
}

/**
 * Adds lines that one side added and then shifted cells over, blank, to the base and to the other
 * side: so a shift moves the same cells on all sides. Lines of tables are left out, and so are
 * those whose place the other side shifted cells over.
 */
export function* addShifted(
  sides: AlignedSides,
  moves: Moves | undefined,
  scope: Scope | undefined,
): Generator<void, void> {
  if (!moves) return;
  const sheets = sides.base.state.structure.sheets.map(({ id }) => id);
  const places = sheets.flatMap((sheetId) => axes.map((axis) => ({ sheetId, axis })));
  for (const place of places) {
    for (const owner of inTurn({ ours: sides.ours.state, theirs: sides.theirs.state })) {
      const other = owner === 'ours' ? 'theirs' : 'ours';
      const [shifts, others] = [shiftsOn(moves[owner], place), shiftsOn(moves[other], place)];
      if (shifts.length === 0) continue;
      yield* addLines(sides, { ...place, shifts, others, owner, other }, scope);
    }
  }
}

const axes = ['row', 'column'] as const;

function shiftsOn(
  moves: readonly CellMove[],
  { sheetId, axis }: Pick<Added, 'sheetId' | 'axis'>,
): ShiftMove[] {
  return moves
    .filter(isShift)
    .filter(({ from, shift }) => from.sheetId === sheetId && axisOf(shift) === axis);
}

function* addLines(sides: AlignedSides, added: Added, scope?: Scope): Generator<void, void> {
  const { owner, other } = added;
  const [was, own, there] = [sides.base, sides[owner], sides[other]].map(orderOn(added));
  if (!was || !own || !there || was === own) return;
  const { sheetId, axis } = added;
  const tables = linesOfTables({ sheetId, lines: { axis, spans: [] } }, sides[owner].state);
  for (const lines of newLines(own, [was, there], added)) {
    if (tables.some((table) => haveShared(table, lines))) continue;
    if (owner === 'theirs' && !isTaken(lines, added, scope)) continue;
    if (isShiftedOver(placeBehind(lines, own, there), there, added)) continue;
    const known = orderOn(added)(sides.base);
    yield* addBehind(sides.base, { ...added, lines, own });
    // In one place the lines of ours come first.
    const before = owner === 'theirs' ? known : undefined;
    yield* addBehind(sides[other], { ...added, lines, own, before });
  }
}

function orderOn({ sheetId, axis }: Pick<Added, 'sheetId' | 'axis'>) {
  return ({ state }: OperationParts): Order | undefined => {
    const sheet = state.structure.withId(sheetId);
    return sheet && orderOf(sheet, axis);
  };
}

function isTaken(lines: FlatSpans, { sheetId, axis }: Added, scope: Scope | undefined): boolean {
  const kind = axis === 'row' ? 'structure.rows' : 'structure.cols';
  return scope?.({ kind, place: { sheetId, [axis]: readSpans(lines)[0] } }) !== false;
}

interface Adding extends Pick<Added, 'sheetId' | 'axis'> {
  readonly lines: FlatSpans;
  /** The order that has them. */
  readonly own: Order;
  /** The order of the base, where lines that it has not come before them. */
  readonly before?: Order | undefined;
}

/** Adds lines behind the line that they stand behind in their own order. */
function* addBehind(
  parts: OperationParts,
  { sheetId, axis, lines, own, before }: Adding,
): Generator<void, void> {
  const order = orderOn({ sheetId, axis })(parts);
  if (!order) return;
  const first = placeBehind(lines, own, order);
  const at = before ? behindNew(first, order, before) : first;
  const payload = { sheet: sheetId, axis, before: at + 1, ids: lines };
  yield* parts.add({ kind: 'restore.lines', payload });
}

/** Lines that stand together, that the other orders have not, and all shifts went over. */
function newLines(
  own: Order,
  others: readonly Order[],
  { shifts, axis }: Pick<Added, 'shifts' | 'axis'>,
): FlatSpans[] {
  const [along] = blockLines(axis);
  const rest = Math.max(...[own, ...others].map(restOf));
  const added = others.reduce((spans, order) => missingFrom(spans, order), finiteSpans(own, rest));
  const lists = shifts.map(({ from, to }) => [from[along], to[along]]);
  const flat = flatten(added);
  return cutLines(flat, lists.flat())
    .map((stretch) => partOfLines(flat, stretch))
    .filter((part) => lists.every((list) => list.some((lines) => haveShared(lines, part))))
    .flatMap((part) => togetherIn(part, [own]).map((stretch) => partOfLines(part, stretch)));
}

/** Returns whether the other side shifted cells from before a position of its order to behind it. */
function isShiftedOver(position: number, order: Order, { axis, others }: Added): boolean {
  if (position === 0) return false;
  const [along] = blockLines(axis);
  const [before, behind] = [position - 1, position].map((at) => flatten(order.spansAt(at, 1)));
  if (!before || !behind) return false;
  return others.some(({ from, to, shift }) => {
    const lists = [from, to, shift.area].map((block) => block[along]);
    return [before, behind].every((line) => lists.some((lines) => haveShared(lines, line)));
  });
}

/** The position behind the nearest line in front of some lines that another order has. */
function placeBehind(lines: FlatSpans, own: Order, order: Order): number {
  const [first] = readSpans(lines);
  let at = (first && own.positionOf(first.branch, first.sequence, first.offset)) ?? 0;
  while (at > 0) {
    at--;
    const { branch, sequence, offset } = own.idAt(at);
    const position = order.positionOf(branch, sequence, offset);
    if (position !== undefined) return position + 1;
  }
  return 0;
}

/** The position behind lines that the base has not. */
function behindNew(first: number, order: Order, base: Order): number {
  let at = first;
  for (;;) {
    const { branch, sequence, offset } = order.idAt(at);
    if (base.positionOf(branch, sequence, offset) !== undefined) return at;
    at++;
  }
}
