import type { Input } from '../../model/cell-value.ts';
import { formulaOf, inputsEqual } from '../../model/input.ts';
import { overlaps, rangeName } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import { presentParts } from './final-moves.ts';
import type { Judge } from './judge.ts';
import type { LineMove } from './line-moves.ts';
import { Carrier } from '../carrier.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { inputsOf, rangeOf, type MovedBlock } from './moved-block.ts';
import { settleMovedTwice } from './moved-twice.ts';
import { sameCell, sideAt } from '../compare/same-lanes.ts';

/** The blocks of cells that each side cut and pasted since the base, the earliest first. */
export interface Moves {
  readonly ours: readonly MovedBlock[];
  readonly theirs: readonly MovedBlock[];
  /** Moves of rows and columns on each side; undefined when the journals were not read. */
  readonly lines?: {
    readonly ours: readonly LineMove[];
    readonly theirs: readonly LineMove[];
  };
}

/**
 * Does to the base and to the other side what one side moved: an edit of a cell is then an edit
 * of the cell that it was moved to, and what names it names that. What went to rows or columns that
 * are gone since is left alone, and a move where the other side moved the same, deleted what
 * formulas in it name, has anything where it would go, or wrote a formula that names that.
 */
export function* followMoves(
  sides: AlignedSides,
  moves: Moves | undefined,
  judge: Judge,
): Generator<void, void> {
  if (!moves || moves.ours.length + moves.theirs.length === 0) return;
  const base = sides.base.state;
  const states = { base, ours: sides.ours.state, theirs: sides.theirs.state };
  const settled = [...settleMovedTwice(moves, states, judge)];
  for (const { onBase, elsewhere } of settled) {
    yield* move(sides.base, onBase);
    if (elsewhere) yield* move(sides[elsewhere.side], elsewhere.move);
  }
  for (const [side, other] of [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const) {
    for (const block of moves[side].flatMap((one) => presentParts(one, sides[side].state))) {
      const by = { base: sides.base.state, mover: sides[side].state, other: sides[other].state };
      if (moves[other].some((theirBlock) => meets(block, theirBlock, base))) continue;
      if (!isFollowed(block, by) || (yield* namesTarget(block, by))) continue;
      for (const parts of [sides.base, sides[other]]) yield* move(parts, block);
    }
  }
}

interface Movers {
  readonly base: BranchState;
  readonly mover: BranchState;
  readonly other: BranchState;
}

/**
 * Returns whether a move can be repeated: the mover has not put the contents back, the other side
 * has the block in its old place, and the target is as the base had it.
 */
function isFollowed({ from, to }: MovedBlock, { base, mover, other }: Movers): boolean {
  const isSame = inputsEqual;
  const [was, target] = [inputsOf(base, from), inputsOf(base, to)];
  const [left, there] = [inputsOf(mover, from), inputsOf(other, to)];
  if (!was || !target || !left || !there || !inputsOf(other, from)) return false;
  if (losesReferences(was, from.sheetId, { base, other })) return false;
  const filled = was.filter((input) => input !== null).length;
  const staying = was.filter((input, at) => input !== null && isSame(input, left[at] ?? null));
  if (filled === 0 || staying.length * 2 > filled) return false;
  return target.every((input, at) => isSame(input, there[at] ?? null));
}

/** Returns whether formulas of the base would turn to `#REF!` when carried to the other side. */
function losesReferences(
  inputs: readonly Input[],
  sheetId: string,
  { base, other }: Pick<Movers, 'base' | 'other'>,
): boolean {
  const carrier = new Carrier(base, other);
  const lost = (formula: string) => formula.split('#REF!').length;
  return inputs.some((input) => {
    const text = formulaOf(input)?.formula;
    return text !== undefined && lost(carrier.carry(text, sheetId)) > lost(text);
  });
}

/**
 * Returns whether the other side wrote a formula that names the target, which the move would break.
 */
function* namesTarget({ to }: MovedBlock, { base, other }: Movers): Generator<void, boolean> {
  const range = rangeOf(to, other);
  if (!range) return false;
  const area = { sheetId: to.sheetId, range };
  const runs = new FormulaRuns(other.coding, other.structure);
  const search = new ReaderSearch([area], runs);
  for (const run of search.outside([area], other.contextAt(other.structure))) {
    if (run && isNew(run, { base, other })) return true;
    yield;
  }
  return false;
}

function isNew(
  { sheet, row, column, count }: FormulaRun,
  { base, other }: Pick<Movers, 'base' | 'other'>,
): boolean {
  return Array.from({ length: count }, (_, at) => row + at).some((position) => {
    const line = { row: sheet.rows.idAt(position), column: sheet.columns.idAt(column) };
    const place = { sheetId: sheet.id, ...line };
    return !sameCell(sideAt(base, place), sideAt(other, place), place);
  });
}

function meets(a: MovedBlock, b: MovedBlock, state: BranchState): boolean {
  const blocks = [b.from, b.to];
  return [a.from, a.to].some((one) =>
    blocks.some((other) => {
      const [range, otherRange] = [rangeOf(one, state), rangeOf(other, state)];
      return one.sheetId === other.sheetId && range && otherRange && overlaps(range, otherRange);
    }),
  );
}

function* move(parts: OperationParts, { from, to }: MovedBlock): Generator<void, void> {
  const [source, target] = [rangeOf(from, parts.state), rangeOf(to, parts.state)];
  if (!source || !target) return;
  const payload = {
    sheet: from.sheetId,
    source: rangeName(source),
    toSheet: to.sheetId,
    to: rangeName(target),
  };
  yield* parts.add({ kind: 'range.move', payload });
}
