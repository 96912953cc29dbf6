import type { OperationKind } from '../../model/operation.ts';
import type { FlatSpans, Resolved } from '../plan/resolved.ts';
import type { BranchState } from '../branch-state.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import {
  areShared,
  blockKey,
  cutLines,
  joinedLines,
  lineCount,
  outside,
  partOfBlock,
  partOfMove,
  partsOutside,
  sharedParts,
  togetherIn,
  type SharedLines,
  type Stretch,
} from './final-moves.ts';
import type { Block, MovedBlock } from './moved-block.ts';

/** Cells that were inserted or deleted; those behind them moved. */
export interface Shift {
  readonly kind: 'range.insert' | 'range.delete';
  readonly direction: 'down' | 'right' | 'up' | 'left';
  /** The cells that came or went. */
  readonly area: Block;
}

/** Cells that changed their places: a block that was cut, or all behind inserted or deleted ones. */
export interface CellMove extends MovedBlock {
  readonly shift?: Shift;
  /** The move as it was made, where this is a part of it or the same in a new place. */
  readonly origin?: CellMove;
  /** The place of the move in the journals, of one as it was made. */
  readonly name?: string;
}

export interface ShiftMove extends MovedBlock {
  readonly shift: Shift;
  readonly origin?: CellMove;
  readonly name?: string;
}

export function isShift(move: CellMove): move is ShiftMove {
  return move.shift !== undefined;
}

interface Done {
  readonly kind: string;
  readonly payload: unknown;
  readonly resolved: Resolved;
}

/** Returns the cells that a journalled operation moved; undefined when it moved none. */
export function cellMove({ kind, payload, resolved }: Done): CellMove | undefined {
  const { sheet, areas, to } = resolved;
  const [source, target] = [areas?.[0], to?.areas[0]];
  if (sheet === undefined || !to || !source || !target) return undefined;
  const move = { from: { sheetId: sheet, ...source }, to: { sheetId: to.sheet, ...target } };
  if (kind === ('range.move' satisfies OperationKind)) return move;
  return kind === 'range.insert' || kind === 'range.delete'
    ? shiftOf(move, kind, payload)
    : undefined;
}

/** Undefined where more cells come than there are behind them. */
function shiftOf(move: MovedBlock, kind: Shift['kind'], payload: unknown): CellMove | undefined {
  if (!areShared(move.from, move.to)) return undefined;
  // The payload has the type of its kind.
  const { shift: direction } = payload as { readonly shift: Shift['direction'] };
  const area =
    kind === 'range.insert'
      ? outside(move, 'from', move.to)[0]?.from
      : outside(move, 'to', move.from)[0]?.to;
  return area && { ...move, shift: { kind, direction, area } };
}

export function axisOf({ direction }: Shift): Axis {
  return direction === 'down' || direction === 'up' ? 'row' : 'column';
}

/** The move that a side made, of which one may be a part. */
export function originOf(move: CellMove): CellMove {
  return move.origin ?? move;
}

const opposites = { down: 'up', up: 'down', right: 'left', left: 'right' } as const;

/** The shift that takes another one back. */
export function takenBack({ from, to, shift }: ShiftMove): ShiftMove {
  const kind = shift.kind === 'range.insert' ? 'range.delete' : 'range.insert';
  const direction = opposites[shift.direction];
  return { from: to, to: from, shift: { ...shift, kind, direction } };
}

/** A move as its own side made it, and as it is to be made on the other one. */
export interface CrossedMove {
  readonly own: CellMove;
  /** Undefined when the other side made the same. */
  readonly there: CellMove | undefined;
}

/** A move, and those of the other side, each as it is after the other. */
export interface Crossing {
  readonly made: readonly CrossedMove[];
  readonly others: readonly CellMove[];
  /** Moves that cannot be made where the other one was: of the first side, then of the other. */
  readonly stuck: readonly StuckPair[];
}

export type StuckPair = readonly [own: CellMove, other: CellMove];

/** Each of two shifts along different axes after the other one; undefined where they exclude it. */
export type Meet = (a: ShiftMove, b: ShiftMove) => readonly [ShiftMove, ShiftMove] | undefined;

const outOfReach: Meet = (a, b) => (meetsAny(a, [b]) ? undefined : [a, b]);

/**
 * Lets a move of the first side meet those of the second: a block is cut from where the other side
 * shifted it to, and cells come or go where the cell is by then in which they did. Shifts are made
 * in parts where the other side shifted only some of their cells.
 */
export function cross(
  move: CellMove,
  others: readonly CellMove[],
  meet: Meet = outOfReach,
): Crossing {
  if (!isShift(move)) return crossCut(move, others);
  return crossAll([{ own: move, there: move }], others, meet);
}

/** Moves of one side after moves of the other one. */
export function carriedOver(
  moves: readonly CellMove[],
  made: readonly CellMove[],
): readonly CellMove[] {
  return made.reduce((left, one) => cross(one, left).others, moves);
}

function crossCut(move: CellMove, others: readonly CellMove[]): Crossing {
  let made: Pair[] = [{ own: move, there: move }];
  for (const other of others) {
    const left = () => others.filter((one) => one !== other);
    if (isShift(other)) made = made.flatMap((pair) => carried(pair, other));
    else if (made.every(({ there }) => isSameMove(there, other))) {
      return { made: [{ own: move, there: undefined }], others: left(), stuck: [] };
    } else if (made.some(({ there }) => meetsAny(there, [other]))) {
      return { made: [], others: left(), stuck: [[move, other]] };
    }
  }
  return { made, others, stuck: [] };
}

/** A shift of the first side; `there` is gone where the other side did the same. */
interface ShiftPair {
  readonly own: ShiftMove;
  readonly there: ShiftMove | undefined;
}

interface ShiftCrossing extends Crossing {
  readonly made: readonly ShiftPair[];
}

/** Lets shifts that one side made one after the other meet moves of the other side. */
function crossAll(
  pairs: readonly ShiftPair[],
  moves: readonly CellMove[],
  meet: Meet,
): ShiftCrossing {
  const made: ShiftPair[] = [];
  const stuck: StuckPair[] = [];
  let others = moves;
  for (const pair of pairs) {
    let mine: readonly ShiftPair[] = [pair];
    const left: CellMove[] = [];
    for (const other of others) {
      const [only, ...more] = mine;
      const met =
        only && more.length === 0 ? crossOne(only, other, meet) : crossAll(mine, [other], meet);
      mine = met.made;
      left.push(...met.others);
      stuck.push(...met.stuck);
    }
    made.push(...mine);
    others = left;
  }
  return { made, others, stuck };
}

function crossOne({ own, there }: ShiftPair, other: CellMove, meet: Meet): ShiftCrossing {
  const origin = originOf(other);
  if (!there) return { made: [{ own, there }], others: [other], stuck: [] };
  if (!isShift(other)) {
    const parts = carried({ own: other, there: other }, there);
    const others = parts.map((pair) => ({ ...pair.there, origin }));
    return { made: [{ own, there }], others, stuck: [] };
  }
  if (isSameMove(there, other)) return { made: [{ own, there: undefined }], others: [], stuck: [] };
  if (isAcross(there, other)) {
    const met = meet(there, other);
    if (!met) return { made: [], others: [], stuck: [[own, other]] };
    return { made: [{ own, there: met[0] }], others: [{ ...met[1], origin }], stuck: [] };
  }
  const [mine, its] = [shifted(there, other, true), shifted(other, there, false)];
  if (mine && its) return { made: [{ own, there: mine }], others: [{ ...its, origin }], stuck: [] };
  const [parts, others] = [cutBy(there, other), cutBy(other, there)];
  if (parts.length * others.length <= 1) return { made: [], others: [], stuck: [[own, other]] };
  return crossAll(
    parts.map((part) => ({ own: partOfShift(own, part), there: partOfShift(there, part) })),
    others.map((part) => partOfShift(other, part)),
    meet,
  );
}

/** Returns whether one of two shifts is along rows and the other along columns. */
export function isAcross(a: ShiftMove, b: ShiftMove): boolean {
  return axisOf(a.shift) !== axisOf(b.shift);
}

/** The parts of a shift that another one along the same axis moves as a whole, or not at all. */
function cutBy({ shift }: ShiftMove, { from, shift: by }: ShiftMove): Part[] {
  const axis = axisOf(shift);
  const [along, across] = blockLines(axis);
  const ends = by.kind === 'range.delete' ? [by.area, from] : [from];
  const whole = { at: 0, count: lineCount(shift.area[along]) };
  const lines =
    shift.kind === 'range.insert'
      ? [whole]
      : cutLines(
          shift.area[along],
          ends.map((end) => end[along]),
        );
  const beside = cutLines(shift.area[across], [by.area[across]]);
  // The last lines go first: so those before them are still where they were.
  return lines
    .toReversed()
    .flatMap((part) => beside.map((other) => ({ [along]: part, [across]: other }) as Part));
}

type Part = Readonly<Record<'rows' | 'columns', Stretch>>;
type BlockLines = readonly ['rows', 'columns'] | readonly ['columns', 'rows'];

/** The lines of a block along an axis, and those across. */
export function blockLines(axis: Axis): BlockLines {
  return axis === 'row' ? ['rows', 'columns'] : ['columns', 'rows'];
}

/** A part of what a shift brings or takes, given by the lines of its area, as a shift. */
function partOfShift(move: ShiftMove, part: Part): ShiftMove {
  const { shift } = move;
  const origin = originOf(move);
  const axis = axisOf(shift);
  const [along, across] = blockLines(axis);
  const cut = (block: Block) => stretchOf(block, acrossOf(axis), part[across]);
  const [from, to, area] = [move.from, move.to, shift.area].map(cut) as [Block, Block, Block];
  if (shift.kind === 'range.insert') return { from, to, shift: { ...shift, area }, origin };
  const all = joinedLines(area[along], from[along]);
  const taken = { ...shift, area: stretchOf(area, axis, part[along]) };
  const made = placedAlong({ from, to, shift: taken }, { ...area, [along]: all }, part[along].at);
  return { ...made, origin };
}

/** The parts of a shift in lines, across its own axis, that stand together in each of the states. */
export function partsTogether(move: ShiftMove, states: readonly BranchState[]): ShiftMove[] {
  const { area } = move.shift;
  const sheets = states.map(({ structure }) => structure.withId(area.sheetId));
  if (sheets.includes(undefined)) return [move];
  const axis = acrossOf(axisOf(move.shift));
  const [across, along] = blockLines(axis);
  const orders = sheets.flatMap((sheet) => (sheet ? orderOf(sheet, axis) : []));
  const whole = { at: 0, count: lineCount(area[along]) };
  const parts = togetherIn(area[across], orders);
  if (parts.length === 1 && parts[0]?.count === lineCount(area[across])) return [move];
  return parts.map((part) => partOfShift(move, { [across]: part, [along]: whole } as Part));
}

export function acrossOf(axis: Axis): Axis {
  return axis === 'row' ? 'column' : 'row';
}

/** Returns whether two moves are the same, in the same cells. */
export function isSameMove(a: CellMove, b: CellMove): boolean {
  if (isShift(a) && isShift(b)) {
    return a.shift.direction === b.shift.direction && isSameBlock(a.shift.area, b.shift.area);
  }
  return !isShift(a) && !isShift(b) && isSameBlock(a.from, b.from) && isSameBlock(a.to, b.to);
}

function isSameBlock(a: Block, b: Block): boolean {
  return blockKey(a) === blockKey(b);
}

type Pair = Readonly<Record<'own' | 'there', CellMove>>;

/** Cuts a block into parts that a shift moves as a whole, or not at all, and moves them. */
function carried(pair: Pair, shift: ShiftMove): Pair[] {
  return (['from', 'to'] as const).reduce<Pair[]>(
    (parts, end) => parts.flatMap((part) => carriedEnd(part, end, shift)),
    [pair],
  );
}

function carriedEnd({ own, there }: Pair, end: 'from' | 'to', { from, to }: ShiftMove): Pair[] {
  const part = (rows: Stretch, columns: Stretch) => ({
    own: partOfMove(own, rows, columns),
    there: partOfMove(there, rows, columns),
  });
  const moved = sharedParts(there[end], from).map(({ rows, columns }) => {
    const cut = part(rows.own, columns.own);
    const place = partOfBlock(to, rows.other, columns.other);
    return { own: cut.own, there: { ...cut.there, [end]: place } };
  });
  const beside = partsOutside(there[end], from).map(({ rows, columns }) => part(rows, columns));
  // Cells that the shift took away are not there to be cut or pasted over.
  return [...moved, ...beside.filter((one) => !areShared(one.there[end], to))];
}

/** Returns whether a move has cells in common with any of others. */
export function meetsAny({ from, to }: CellMove, others: readonly CellMove[]): boolean {
  return others.some(
    (other) =>
      areShared(from, other.from) ||
      areShared(from, other.to) ||
      areShared(to, other.from) ||
      areShared(to, other.to),
  );
}

/**
 * A shift after one of the other side along the same axis; undefined where that moved only some of
 * its cells, or deleted them.
 */
function shifted(move: ShiftMove, after: ShiftMove, isFirst: boolean): ShiftMove | undefined {
  if (!meetsAny(move, [after])) return move;
  const { shift } = move;
  const axis = axisOf(shift);
  if (shift.kind === 'range.delete') return placed(move, after, shift.area);
  const [first, its] = [shift, after.shift].map(({ area }) => stretchOf(area, axis, firstLine));
  if (!first || !its) return undefined;
  const isTied = after.shift.kind === shift.kind && areShared(first, its);
  return isTied && isFirst ? move : placed(move, after, first);
}

/** Puts a shift where its first cells, or all that it takes away, are after another one. */
function placed(
  move: ShiftMove,
  { from, to, shift }: ShiftMove,
  cells: Block,
): ShiftMove | undefined {
  const isLost = !areShared(cells, from);
  const [part, ...more] = sharedParts(cells, isLost ? to : from);
  if (!part) return move;
  const isWhole =
    more.length === 0 && isAll(part.rows, cells.rows) && isAll(part.columns, cells.columns);
  const mayBeLost = move.shift.kind === 'range.insert' && shift.kind === 'range.delete';
  if (!isWhole || (isLost && !mayBeLost)) return undefined;
  const { other } = axisOf(move.shift) === 'row' ? part.rows : part.columns;
  return placedAlong(move, to, isLost ? 0 : other.at);
}

function isAll({ own }: SharedLines, lines: FlatSpans): boolean {
  return own.count === lineCount(lines);
}

/** Puts a shift on the lines of another block from one on, which are in the order of its axis. */
function placedAlong({ from, to, shift }: ShiftMove, block: Block, at: number): ShiftMove {
  const axis = axisOf(shift);
  const along = axis === 'row' ? 'rows' : 'columns';
  const lines = (start: number, count: number) => ({
    [along]: stretchOf(block, axis, { at: start, count })[along],
  });
  const count = linesOf(shift.area, axis);
  const left = linesOf(block, axis) - at - count;
  const [near, far] = [lines(at, left), lines(at + count, left)];
  const [first, second] = shift.kind === 'range.insert' ? [near, far] : [far, near];
  const area = { ...shift.area, ...lines(at, count) };
  return { from: { ...from, ...first }, to: { ...to, ...second }, shift: { ...shift, area } };
}

const firstLine: Stretch = { at: 0, count: 1 };

function linesOf(block: Block, axis: Axis): number {
  return lineCount(axis === 'row' ? block.rows : block.columns);
}

function stretchOf(block: Block, axis: Axis, lines: Stretch): Block {
  const all = (along: Axis) => ({ at: 0, count: linesOf(block, along) });
  return axis === 'row'
    ? partOfBlock(block, lines, all('column'))
    : partOfBlock(block, all('row'), lines);
}
