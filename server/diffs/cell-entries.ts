import { cellName } from '../model/address.ts';
import { isFormulaInput } from '../model/cell-value.ts';
import { writeInput, type WireInput } from '../model/input.ts';
import { rangeName } from '../model/range.ts';
import { lineText } from '../state/structure/area.ts';
import { blockLanes, cellTag } from '../state/cells/block.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { CellPlace, CodedCell } from '../state/cells/cell-coding.ts';
import type { ChangedCell, CollapsedCells } from '../state/diff/cell-list.ts';
import type { ChangedRun } from '../state/diff/run-list.ts';
import type { SheetDiff, StateDiff } from '../state/diff/diff.ts';
import type { SheetPair } from '../state/diff/sides.ts';
import type { DiffEntry, EntrySource } from './entry.ts';
import { sheetName } from './sheet-names.ts';

/** Content of a cell, as an operation would enter it. */
export interface ShownInput {
  readonly input: WireInput;
  readonly array?: string;
  readonly legacy?: true;
}

/** Returns sources of the cells of a sheet, each made on demand: there may be a million. */
export function cellSources(diff: StateDiff, sheet: SheetDiff): EntrySource[] {
  const { pair, cells, collapsed } = sheet;
  const cellAt = (index: number): DiffEntry | undefined => {
    const cell = cells.at(index);
    return cell && { list: 'cells', pair, cell, show: () => shownCell(diff, pair, cell) };
  };
  const collapsedAt = (index: number): DiffEntry | undefined => {
    const one = collapsed[index];
    const show = () => (one ? shownCollapsed(diff, pair, one) : {});
    return one && { list: 'collapsed', pair, collapsed: one, show };
  };
  return [
    { length: cells.length, at: cellAt },
    { length: collapsed.length, at: collapsedAt },
  ];
}

/** Addresses of a cell on each side; null where it is not there. */
export function placesOf({ run, skipped }: ChangedCell) {
  const { fromRow, toRow, block } = run;
  return {
    from: fromRow < 0 ? null : cellName(fromRow + skipped, block.fromColumn),
    to: toRow < 0 ? null : cellName(toRow + skipped, block.toColumn),
  };
}

export function identityOf(
  pair: SheetPair,
  { run: { block, lane }, skipped }: ChangedCell,
): CellPlace {
  const { branch, sequence, index } = block.place;
  const row = { branch, sequence, offset: index * blockLanes + lane + skipped };
  return { sheetId: pair.id, row, column: block.columnId };
}

/** Content of a changed cell before and after; null where it was or is blank. */
export function inputsOf({ from, to }: StateDiff, pair: SheetPair, cell: ChangedCell) {
  const { was, is, change } = cell.run;
  const place = identityOf(pair, cell);
  return {
    before: change === 'added' ? null : shownInput(from, was, place),
    after: change === 'removed' ? null : shownInput(to, is, place),
  };
}

function shownCell(diff: StateDiff, pair: SheetPair, cell: ChangedCell) {
  const place = identityOf(pair, cell);
  return {
    sheet: sheetName(pair),
    a1: placesOf(cell),
    row: lineText(place.row),
    col: lineText(place.column),
    change: cell.run.change,
    ...inputsOf(diff, pair, cell),
    cause: 'edited',
  };
}

function shownInput(state: BranchState, cell: CodedCell, place: CellPlace): ShownInput {
  const input = state.coding.decode(cell, place, state.structure);
  const { array, legacy } = isFormulaInput(input) ? input : plain;
  return {
    input: writeInput(input),
    ...(array !== undefined && { array }),
    ...(legacy && { legacy }),
  };
}

const plain: { readonly array?: string; readonly legacy?: true } = {};

/** Entry of cells with the same formula, in R1C1: each names cells at the same distance. */
function shownCollapsed(diff: StateDiff, pair: SheetPair, collapsed: CollapsedCells) {
  const { change, range, count, first, isMixed } = collapsed;
  const { before, after } = inputsOf(diff, pair, { run: first, skipped: 0 });
  const wasFormula = first.change !== 'added' && first.was.tag === cellTag.formula;
  const isFormulaNow = first.change !== 'removed' && first.is.tag === cellTag.formula;
  const old = wasFormula && !isMixed ? relative(diff.from, first, before, 'from') : undefined;
  const now = isFormulaNow ? relative(diff.to, first, after, 'to') : undefined;
  return {
    sheet: sheetName(pair),
    range: rangeName(range),
    change,
    formula: now ?? (change === 'removed' ? old : undefined) ?? null,
    count,
    before: isMixed ? 'mixed' : old === undefined ? before : { formula: old },
    after: now === undefined ? after : { formula: now },
  };
}

function relative(
  { coding }: BranchState,
  { block, fromRow, toRow }: ChangedRun,
  shown: ShownInput | null,
  side: 'from' | 'to',
): string | undefined {
  const [row, column] = side === 'to' ? [toRow, block.toColumn] : [fromRow, block.fromColumn];
  if (typeof shown?.input !== 'string' || row < 0 || column < 0) return undefined;
  return coding.formulas.toR1C1(shown.input, row, column);
}
