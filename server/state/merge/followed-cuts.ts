import type { Input } from '../../model/cell-value.ts';
import { formulaOf, inputsEqual } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import { Carrier } from '../carrier.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { sameCell, sideAt } from '../compare/same-lanes.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import { meetsAny, type CellMove, type CrossedMove } from './cell-shifts.ts';
import { presentParts, standingParts } from './final-moves.ts';
import { isPossible, moveOperation } from './followed-shifts.ts';
import type { Judge, Side } from './judge.ts';
import { hasLines, inputsLeft, inputsOf, rangeOf, type MovedBlock } from './moved-block.ts';
import { settleMovedTwice } from './moved-twice.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { putBack, rulesOn } from './relocation.ts';

/** Blocks that each side cut, where they are once all cells are shifted. */
export type Cuts = Readonly<Record<Side, readonly CellMove[]>>;

/**
 * Follows what each side cut when nothing is shifted any more: a block that both cut goes where one
 * of them put it, all others go on the base and on the other side.
 */
export function* followCuts(sides: AlignedSides, cuts: Cuts, judge: Judge): Generator<void, void> {
  const { base, ours, theirs } = sides;
  const states = { base: base.state, ours: ours.state, theirs: theirs.state };
  const twice = [...settleMovedTwice(cuts, states, judge)];
  const present = (side: Side) => cuts[side].flatMap((one) => presentParts(one, states[side]));
  const own = { ours: present('ours'), theirs: present('theirs') };
  for (const { onBase, elsewhere } of twice) {
    yield* move(base, onBase);
    if (elsewhere) yield* move(sides[elsewhere.side], elsewhere.move);
  }
  const [first, second] = inTurn(states);
  for (const mover of [first, second]) {
    const other = mover === first ? second : first;
    const following = { base, mover: sides[mover], other: sides[other] };
    for (const one of own[mover].filter((part) => !meetsAny(part, own[other]))) {
      yield* followCut(one, following);
    }
  }
}

/** Returns which side comes first: the same from both directions. */
export function inTurn({ ours, theirs }: Readonly<Record<Side, BranchState>>) {
  return ours.branchNo < theirs.branchNo ? (['ours', 'theirs'] as const) : theirsFirst;
}

const theirsFirst = ['theirs', 'ours'] as const;

type Following = Readonly<Record<'base' | 'mover' | 'other', OperationParts>>;

/**
 * Makes a cut in the parts that stand together on the base and on the other side. Rules of a block
 * in several parts stay as they are there: the merge has them where the side that cut it has them.
 */
function* followCut(one: CellMove, { base, mover, other }: Following): Generator<void, void> {
  const parts = standingParts(one, [base.state, other.state]);
  const sheets = parts.length > 1 ? new Set([one.from.sheetId, one.to.sheetId]) : [];
  const former = [...sheets].flatMap((sheetId) =>
    [base, other].map((on) => ({ on, sheetId, rules: rulesOn(on.state, sheetId) })),
  );
  for (const part of parts) {
    const by = { base: base.state, mover: mover.state, other: other.state };
    if (!(yield* isCutFollowed({ own: part, there: part }, by))) continue;
    yield* move(base, part);
    yield* move(other, part);
  }
  for (const { on, sheetId, rules } of former) yield* putBack(on, sheetId, rules);
}

/** Returns whether a cut can be made on the base and on the other side. */
export function* isCutFollowed(crossed: CrossedMove, by: MoverStates): Generator<void, boolean> {
  if (!isFollowed(crossed, by)) return false;
  const { own, there } = crossed;
  if (!(yield* isPossible(own, by.base))) return false;
  if (there && !(yield* isPossible(there, by.other))) return false;
  return !(there && (yield* namesTarget(there, by)));
}

export interface MoverStates {
  readonly base: BranchState;
  readonly mover: BranchState;
  readonly other: BranchState;
}

/**
 * Returns whether a move can be repeated: the mover has not put the contents back, the other side
 * has the block in its old place, and the target is as the base had it.
 */
function isFollowed({ own, there }: CrossedMove, { base, mover, other }: MoverStates): boolean {
  if (!there) return hasLines(base, own.to);
  const isSame = inputsEqual;
  const [was, target] = [inputsOf(base, own.from), inputsOf(base, own.to)];
  const targetThere = inputsOf(other, there.to);
  if (!was || !target || !targetThere || !inputsOf(other, there.from)) return false;
  if (losesReferences(was, own.from.sheetId, { base, other })) return false;
  const left = inputsLeft(mover, own.from);
  const filled = was.filter((input) => input !== null).length;
  const staying = was.filter((input, at) => input !== null && isSame(input, left[at] ?? null));
  if (filled === 0 || staying.length * 2 > filled) return false;
  return target.every((input, at) => isSame(input, targetThere[at] ?? null));
}

/** Returns whether formulas of the base would turn to `#REF!` when carried to the other side. */
function losesReferences(
  inputs: readonly Input[],
  sheetId: string,
  { base, other }: Pick<MoverStates, 'base' | 'other'>,
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
function* namesTarget({ to }: MovedBlock, { base, other }: MoverStates): Generator<void, boolean> {
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
  { base, other }: Pick<MoverStates, 'base' | 'other'>,
): boolean {
  return Array.from({ length: count }, (_, at) => row + at).some((position) => {
    const line = { row: sheet.rows.idAt(position), column: sheet.columns.idAt(column) };
    const place = { sheetId: sheet.id, ...line };
    return !sameCell(sideAt(base, place), sideAt(other, place), place);
  });
}

export function* move(parts: OperationParts, cells: CellMove): Generator<void, void> {
  const operation = moveOperation(cells, parts.state);
  if (operation) yield* parts.add(operation);
}
