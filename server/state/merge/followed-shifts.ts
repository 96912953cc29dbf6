import type { Input } from '../../model/cell-value.ts';
import { inputsEqual } from '../../model/input.ts';
import { overlaps, rangeName } from '../../model/range.ts';
import type { Operation } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import { planOperation } from '../planning.ts';
import { presentRules } from '../plan/plan.ts';
import { rangeOf as rangeOfTable } from '../structure/tables.ts';
import { isShift, originOf, type CellMove, type CrossedMove, type Shift } from './cell-shifts.ts';
import { inputsOf, rangeOf, type MovedBlock } from './moved-block.ts';

interface Sides {
  readonly base: BranchState;
  readonly other: BranchState;
}

type MoveOperation = Extract<Operation, { kind: 'range.move' | Shift['kind'] }>;

/** Returns a move as an operation on a state; undefined where its cells do not stand together. */
export function moveOperation(move: CellMove, state: BranchState): MoveOperation | undefined {
  return isShift(move) ? shiftOperation(move.shift, state) : cutOperation(move, state);
}

function shiftOperation({ kind, direction: shift, area }: Shift, state: BranchState) {
  const range = rangeOf(area, state);
  const payload = range && { sheet: area.sheetId, range: rangeName(range), shift };
  // TypeScript cannot tell that kind and payload belong together.
  return payload && ({ kind, payload } as Extract<Operation, { kind: Shift['kind'] }>);
}

function cutOperation({ from, to }: MovedBlock, state: BranchState): MoveOperation | undefined {
  const [source, target] = [rangeOf(from, state), rangeOf(to, state)];
  if (!source || !target) return undefined;
  const payload = {
    sheet: from.sheetId,
    source: rangeName(source),
    toSheet: to.sheetId,
    to: rangeName(target),
  };
  return { kind: 'range.move', payload };
}

/**
 * Returns whether a shift can be repeated: there is room for it, and unless it is `decided` the
 * other side has nothing of its own in cells that were deleted.
 */
export function* isShiftFollowed(
  { own, there }: CrossedMove,
  { base, other }: Sides,
  decided: ReadonlySet<CellMove>,
): Generator<void, boolean> {
  const { shift } = own;
  if (!shift || addsColumns(shift, base) || !(yield* isPossible(own, base))) return false;
  if (!there?.shift) return there === undefined;
  if (shift.kind === 'range.delete' && !decided.has(originOf(own))) {
    const [was, is] = [inputsOf(base, shift.area), inputsOf(other, there.shift.area)];
    const isLeft = (input: Input, at: number) => inputsEqual(input, was?.[at] ?? null);
    if (!was || !is?.every((input, at) => input === null || isLeft(input, at))) return false;
  }
  return yield* isPossible(there, other);
}

/** Returns whether a shift may add columns to a table, which would be others elsewhere. */
function addsColumns({ kind, direction, area }: Shift, base: BranchState): boolean {
  const range = kind === 'range.insert' && direction === 'right' ? rangeOf(area, base) : undefined;
  const tables = range ? base.tables.onSheet(area.sheetId) : [];
  return tables.some((table) => range && overlaps(rangeOfTable(table, base.structure), range));
}

/** Returns whether a move can be made on a state. */
export function* isPossible(move: CellMove, state: BranchState): Generator<void, boolean> {
  const operation = moveOperation(move, state);
  if (!operation) return false;
  try {
    const context = state.contextAt(state.structure, 'journal', {
      ...presentRules,
      keepsTables: false,
    });
    yield* planOperation(operation, context);
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}
