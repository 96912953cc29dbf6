import { inputsEqual } from '../../model/input.ts';
import type { Input } from '../../model/cell-value.ts';
import { blockLanes, cellTag, type Block } from '../cells/block.ts';
import { blockDifferences } from '../cells/block-differences.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { moveFormula } from '../formulas/formula-text.ts';
import type { LineId } from '../ids/order.ts';
import type { SheetCells } from '../cells/sheet-cells.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { unequalCells, unequalStyles } from '../cells/unequal-lanes.ts';

export const blankLane: CodedCell = { tag: cellTag.blank, number: 0 };

export function laneAt(block: Block | undefined, lane: number): CodedCell {
  return block?.cellAt(lane) ?? blankLane;
}

/** The content of a cell, with the state that its formula is to be read in. */
export interface StatedCell {
  readonly state: BranchState;
  readonly cell: CodedCell;
}

/**
 * Returns the content of a cell by ids of its row and column, wherever they stand in this state.
 */
export function cellIn(state: BranchState, { sheetId, row, column }: CellPlace): CodedCell {
  const sheet = state.structure.withId(sheetId);
  const found = sheet && state.cellsOf(sheet).find(row, column);
  return laneAt(found?.block, found?.lane ?? 0);
}

export function sideAt(state: BranchState, place: CellPlace): StatedCell {
  return { state, cell: cellIn(state, place) };
}

/** Returns the block of some rows in a column; undefined when there is none. */
export function blockOf(
  cells: SheetCells | undefined,
  { branch, sequence, index }: Pick<Block, 'branch' | 'sequence' | 'index'>,
  column: LineId,
): Block | undefined {
  return cells?.find({ branch, sequence, offset: index * blockLanes }, column)?.block;
}

/**
 * Returns whether a cell has the same content in two states, even if its formula was stored under
 * different structures.
 */
export function sameCell(a: StatedCell, b: StatedCell, place: CellPlace): boolean {
  if (a.cell.tag !== b.cell.tag) return false;
  if (a.cell.number === b.cell.number) return true;
  if (a.cell.tag !== cellTag.formula || areWrittenAlike(a, b)) return false;
  return inputsEqual(carriedInput(a, b.state, place), inputOf(b, place));
}

/** As `sameCell`, also where either of the two has lost something that the other one names. */
export function areAlike(a: StatedCell, b: StatedCell, place: CellPlace): boolean {
  return sameCell(a, b, place) || sameCell(b, a, place);
}

/**
 * Returns whether two formulas have different texts under the same structure, so that they cannot
 * mean the same.
 */
function areWrittenAlike(a: StatedCell, b: StatedCell): boolean {
  const { dictionary } = a.state.coding;
  const [one, other] = [dictionary.formula(a.cell.number), dictionary.formula(b.cell.number)];
  if (one.r1c1 === other.r1c1) return false;
  const { structure } = a.state;
  return [b.state, one, other].every((held) => isSameStructure(held.structure, structure));
}

/** Compares by content: each loaded branch has structure objects of its own. */
function isSameStructure(a: Structure, b: Structure): boolean {
  return a.sheets === b.sheets || a.digest === b.digest;
}

/** Returns the input of a cell in the addresses of its own state. */
export function inputOf({ cell, state }: StatedCell, place: CellPlace): Input {
  return state.coding.decode(cell, place, state.structure);
}

/** Returns the input of a cell of one state in the addresses of another. */
export function carriedInput(side: StatedCell, to: BranchState, place: CellPlace): Input {
  const { cell, state } = side;
  const input = inputOf(side, place);
  if (typeof input !== 'object' || input === null || 'error' in input) return input;
  const move = { from: state.structure, to: to.structure, sheetId: place.sheetId };
  const { array: _array, ...plain } = input;
  const formula = moveFormula(input.formula, move, to.coding.formulas);
  const array = input.array === undefined ? undefined : arrayIn(to, cell, place);
  return { ...plain, formula, ...(array !== undefined && { array }) };
}

/** Returns the range of a legacy array formula in this state. */
function arrayIn({ coding, structure }: BranchState, cell: CodedCell, place: CellPlace) {
  const input = coding.decode(cell, place, structure);
  return typeof input === 'object' && input !== null && 'array' in input ? input.array : undefined;
}

/** A cell that two states may hold differently. */
export interface UnequalCell {
  readonly place: CellPlace;
  readonly from: StatedCell;
  readonly to: StatedCell;
}

/** Yields the cells of a sheet that are stored differently in two states which both have it. */
export function* unequalPlaces(
  from: BranchState,
  to: BranchState,
  sheetId: string,
): Generator<UnequalCell> {
  const [was, is] = [from, to].map(({ structure }) => structure.withId(sheetId));
  if (!was || !is) return;
  for (const { column, place: rows, ...held } of blockDifferences(
    from.cellsOf(was),
    to.cellsOf(is),
  )) {
    const [one, other] = [held.from?.block, held.to?.block];
    for (const lane of unequalCells(one, other)) {
      yield {
        place: placeOf(rows, lane, { sheetId, column }),
        from: { cell: laneAt(one, lane), state: from },
        to: { cell: laneAt(other, lane), state: to },
      };
    }
  }
}

/** Returns whether a sheet has the same cells in two states, values and formats. */
export function sameCells(
  a: { readonly state: BranchState; readonly sheet: SheetOutline },
  b: { readonly state: BranchState; readonly sheet: SheetOutline },
): boolean {
  const sheetId = a.sheet.id;
  for (const difference of blockDifferences(a.state.cellsOf(a.sheet), b.state.cellsOf(b.sheet))) {
    const { column, place: rows, from, to } = difference;
    const [mine, their] = [from?.block, to?.block];
    if (unequalStyles(mine, their).length > 0) return false;
    for (const lane of unequalCells(mine, their)) {
      const place = placeOf(rows, lane, { sheetId, column });
      const one = { cell: laneAt(mine, lane), state: a.state };
      if (!sameCell(one, { cell: laneAt(their, lane), state: b.state }, place)) return false;
    }
  }
  return true;
}

export function placeOf(
  { branch, sequence, index }: Pick<Block, 'branch' | 'sequence' | 'index'>,
  lane: number,
  { sheetId, column }: { readonly sheetId: string; readonly column: LineId },
): CellPlace {
  return { sheetId, row: { branch, sequence, offset: index * blockLanes + lane }, column };
}
