import { inputsEqual } from '../../model/input.ts';
import type { Input } from '../../model/cell-value.ts';
import { blockLanes, cellTag, type Block } from '../block.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cell-coding.ts';
import { moveFormula } from '../formula-text.ts';
import type { LineId } from '../order.ts';
import type { SheetCells } from '../sheet-cells.ts';
import type { SheetOutline } from '../structure.ts';

export const blankLane: CodedCell = { tag: cellTag.blank, number: 0 };

export function laneAt(block: Block | undefined, lane: number): CodedCell {
  return block ? { tag: block.tagAt(lane), number: block.numberAt(lane) } : blankLane;
}

/** The block of these rows in a column; undefined if there is none. */
export function blockOf(
  cells: SheetCells | undefined,
  { branch, sequence, index }: Pick<Block, 'branch' | 'sequence' | 'index'>,
  column: LineId,
): Block | undefined {
  return cells?.find({ branch, sequence, offset: index * blockLanes }, column)?.block;
}

/** Whether a cell holds the same in two states; formulas may be kept relative to other structures. */
export function sameCell(
  a: { readonly cell: CodedCell; readonly state: BranchState },
  b: { readonly cell: CodedCell; readonly state: BranchState },
  place: CellPlace,
): boolean {
  if (a.cell.tag !== b.cell.tag) return false;
  if (a.cell.number === b.cell.number) return true;
  if (a.cell.tag !== cellTag.formula) return false;
  return inputsEqual(
    carriedInput(a, b.state, place),
    b.state.coding.decode(b.cell, place, b.state.structure),
  );
}

/** What a cell of one state holds, in the addresses of another. */
export function carriedInput(
  { cell, state }: { readonly cell: CodedCell; readonly state: BranchState },
  to: BranchState,
  place: CellPlace,
): Input {
  const input = state.coding.decode(cell, place, state.structure);
  if (typeof input !== 'object' || input === null || 'error' in input) return input;
  const move = { from: state.structure, to: to.structure, sheetId: place.sheetId };
  return { ...input, formula: moveFormula(input.formula, move, to.coding.formulas) };
}

/** Whether a sheet has the same cells in two states, values and formats. */
export function sameCells(
  a: { readonly state: BranchState; readonly sheet: SheetOutline },
  b: { readonly state: BranchState; readonly sheet: SheetOutline },
): boolean {
  return covers(a, b) && covers(b, a);
}

/** Whether `b` has all that `a` has. */
function covers(
  a: { readonly state: BranchState; readonly sheet: SheetOutline },
  b: { readonly state: BranchState; readonly sheet: SheetOutline },
): boolean {
  const theirs = b.state.cellsOf(b.sheet);
  for (const { column, block } of a.state.cellsOf(a.sheet).blocks()) {
    const other = blockOf(theirs, block, column);
    if (other === block) continue;
    for (let lane = 0; lane < blockLanes; lane++) {
      if (block.formatAt(lane) !== (other?.formatAt(lane) ?? 0)) return false;
      const [mine, their] = [laneAt(block, lane), laneAt(other, lane)];
      if (mine.tag === their.tag && mine.number === their.number) continue;
      const place = placeOf(block, lane, { sheetId: a.sheet.id, column });
      if (!sameCell({ cell: mine, state: a.state }, { cell: their, state: b.state }, place)) {
        return false;
      }
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
