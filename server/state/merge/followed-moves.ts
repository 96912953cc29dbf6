import { isFormulaInput, type Input } from '../../model/cell-value.ts';
import { inputsEqual } from '../../model/input.ts';
import { overlaps, rangeName } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import type { Judge, Side } from './judge.ts';
import type { LineMove } from './line-moves.ts';
import { Carrier } from '../carrier.ts';
import { partsOn, type OperationParts } from './parts.ts';
import { hasLines, inputsOf, rangeOf, type MovedBlock } from './moved-block.ts';
import { settleMovedTwice, type SettledMove } from './moved-twice.ts';
import { cellIn, sameCell } from '../compare/same-lanes.ts';

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

interface States {
  readonly base: BranchState;
  readonly theirs: BranchState;
}

/**
 * Repeats the cut and paste of one side in the base and on the other side, so that an edit of the
 * old place becomes an edit of the new one and formulas follow. A move is not repeated when rows or
 * columns of its target are gone, or when the other side moved the same cells, deleted what
 * formulas in them name, wrote to the target, or wrote a formula that names the target.
 */
export function* followMoves(
  { base, theirs }: States,
  ours: OperationParts,
  { moves, judge }: { readonly moves: Moves | undefined; readonly judge: Judge },
): Generator<void, States> {
  if (!moves || !judge.isBetweenBranches || moves.ours.length + moves.theirs.length === 0) {
    return { base, theirs };
  }
  const sides = { ours, theirs: partsOn(theirs) };
  const common = partsOn(base);
  yield* followChosen(settleMovedTwice(moves, { base, ours: ours.state, theirs }, judge), {
    common,
    sides,
  });
  for (const [side, other] of [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const) {
    for (const block of moves[side]) {
      const states = { base: common.state, mover: sides[side].state, other: sides[other].state };
      if (moves[other].some((theirBlock) => meets(block, theirBlock, base))) continue;
      if (!isFollowed(block, states) || (yield* namesTarget(block, states))) continue;
      for (const parts of [common, sides[other]]) yield* move(parts, block);
    }
  }
  return {
    base: common.parts.length > 0 ? common.state : base,
    theirs: sides.theirs.parts.length > 0 ? sides.theirs.state : theirs,
  };
}

interface Followers {
  readonly common: OperationParts;
  readonly sides: Readonly<Record<Side, OperationParts>>;
}

/** Moves blocks that both sides cut to the place of the chosen side. */
function* followChosen(
  settled: Iterable<SettledMove>,
  { common, sides }: Followers,
): Generator<void, void> {
  for (const { onBase, elsewhere } of settled) {
    yield* move(common, onBase);
    if (elsewhere) yield* move(sides[elsewhere.side], elsewhere.move);
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
  if (!hasLines(mover, to)) return false;
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
    if (!isFormulaInput(input)) return false;
    return lost(carrier.carry(input.formula, sheetId)) > lost(input.formula);
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
    const [was, is] = [base, other].map((state) => ({ state, cell: cellIn(state, place) }));
    return !was || !is || !sameCell(was, is, place);
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
