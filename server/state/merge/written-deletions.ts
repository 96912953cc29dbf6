import { cellName } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { cellCount, overlaps, type Range } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { areAlike, carriedInput, inputOf, sideAt, type StatedCell } from '../compare/same-lanes.ts';
import { lineText } from '../structure/area.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { rangeOf as rangeOfTable } from '../structure/tables.ts';
import {
  isShift,
  meetsAny,
  originOf,
  type CellMove,
  type CrossedMove,
  type ShiftMove,
} from './cell-shifts.ts';
import { blockKey } from './final-moves.ts';
import type { Choice, Judge, Side } from './judge.ts';
import type { LineMove } from './line-moves.ts';
import { isUnwritten } from './merged-references.ts';
import { rangeOf } from './moved-block.ts';
import type { AlignedSides } from './parts.ts';
import { placeAt, spotOf } from './side-cells.ts';
import { enter } from './stray-cells.ts';
import { withdrawAll, type Withdrawing } from './withdrawn-shifts.ts';

/** Cells that one side deleted, and those of them that the other side wrote to. */
export interface WrittenDeletion {
  readonly mover: Side;
  readonly shift: ShiftMove;
  readonly cells: readonly CellPlace[];
}

/** Most deleted cells among which written ones are looked for. */
const cellsMost = 10_000;

/**
 * Returns what the other side wrote to cells that a shift deletes; undefined when it wrote nothing,
 * or where the cells are not the same on all sides: in a table, or where either side moved them.
 */
export function cellsWritten(
  { own, there }: CrossedMove,
  { base, other }: { readonly base: BranchState; readonly other: BranchState },
): CellPlace[] | undefined {
  if (!there || !isStill(own, there)) return undefined;
  const { area } = there.shift;
  const [range, sheet] = [rangeOf(area, base), base.structure.withId(area.sheetId)];
  if (!range || !sheet || cellCount(range) > cellsMost) return undefined;
  const tables = base.tables.onSheet(sheet.id);
  if (tables.some((table) => overlaps(rangeOfTable(table, base.structure), range))) {
    return undefined;
  }
  const cells = placesIn(range, sheet).filter((place) => {
    const is = sideAt(other, place);
    // A cell that the other side emptied, or cut from, has nothing to lose.
    return is.cell.tag !== cellTag.blank && !isUnwritten(sideAt(base, place), is, place);
  });
  return cells.length > 0 ? cells : undefined;
}

/** Returns whether a deletion is of the same cells on both sides, as it was made. */
function isStill(own: CellMove, there: CellMove): there is ShiftMove {
  const made = originOf(own);
  if (!isShift(own) || !isShift(there) || !isShift(made)) return false;
  const keys = [own, there, made].map(({ shift }) => blockKey(shift.area));
  return own.shift.kind === 'range.delete' && new Set(keys).size === 1;
}

function placesIn({ row0, row1, column0, column1 }: Range, sheet: SheetOutline): CellPlace[] {
  const places: CellPlace[] = [];
  for (let row = row0; row <= row1; row++) {
    for (let column = column0; column <= column1; column++) {
      places.push(placeAt(sheet, { row, column }));
    }
  }
  return places;
}

interface Deciding extends Pick<Withdrawing, 'base' | 'revert' | 'strays'> {
  readonly sides: AlignedSides;
  readonly moves: Readonly<Record<Side, readonly CellMove[]>>;
  readonly lines: Readonly<Record<Side, readonly LineMove[]>> | undefined;
  readonly judge: Judge;
}

/** Returns whether what was written to deleted cells can be asked about. */
export function* isAsked(
  { mover, shift }: WrittenDeletion,
  { base, moves }: Pick<Deciding, 'base' | 'moves'>,
): Generator<void, boolean> {
  const own = moves[mover];
  const { area } = shift.shift;
  const earlier = own.slice(0, own.indexOf(shift));
  if (meetsAny({ from: area, to: area }, earlier)) return false;
  return (yield* base.around(own, shift)) !== undefined;
}

/**
 * Asks about each cell that one side deleted and the other one wrote to. Where the deletion is
 * chosen for all of them it is made, else it is taken back. Returns the moves that are left;
 * undefined when the deletion is made.
 */
export function* settleWritten(
  { mover, shift, cells }: WrittenDeletion,
  { base, sides, moves, lines, judge, revert, strays }: Deciding,
): Generator<void, readonly CellMove[] | undefined> {
  const choices = cells
    .filter((place) => !isAlike(place, sides))
    .map((place) => [place, decide(place, sides, judge)] as const);
  if (choices.every(([, choice]) => choice === mover)) return undefined;
  const parts = { parts: sides[mover], ours: sides.ours };
  const side = { base, ...parts, lines: lines?.[mover], revert, strays };
  const left = yield* withdrawAll(moves[mover], shift, side);
  const writer = sides[mover === 'ours' ? 'theirs' : 'ours'];
  for (const [place, choice] of choices) {
    if (typeof choice === 'object' && 'input' in choice) yield* enter(writer, place, choice.input);
    else if (choice === 'base' || choice === mover) {
      yield* enter(
        writer,
        place,
        writeInput(carriedInput(sideAt(base.state, place), writer.state, place)),
      );
    }
  }
  return left;
}

/** Returns whether what was written to a cell is what was shifted there. */
function isAlike(place: CellPlace, { ours, theirs }: AlignedSides): boolean {
  return areAlike(sideAt(ours.state, place), sideAt(theirs.state, place), place);
}

/** Asks as the pass of cells does. */
function decide(place: CellPlace, { base, ours, theirs }: AlignedSides, judge: Judge): Choice {
  const [was, mine, their] = [base, ours, theirs].map(({ state }) => sideAt(state, place));
  const isFormula = [mine, their].every((side) => side?.cell.tag === cellTag.formula);
  const held = (side: StatedCell | undefined): WireInput | undefined => {
    const input = side ? inputOf(side, place) : null;
    return input === null ? undefined : writeInput(input);
  };
  const sheet = base.state.structure.withId(place.sheetId);
  const spot = sheet && spotOf(sheet, place);
  return judge.decide({
    kind: isFormula ? 'cell.formula' : 'cell.value',
    register: `cell ${place.sheetId} ${lineText(place.row)} ${lineText(place.column)}`,
    text: `${sheet?.name ?? ''}!${spot ? cellName(spot.row, spot.column) : ''}`,
    place,
    sides: () => ({ base: held(was), ours: held(mine), theirs: held(their) }),
  });
}
