import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellMove, ShiftMove } from './cell-shifts.ts';
import { moveOperation } from './followed-shifts.ts';
import { partsOn, type OperationParts } from './parts.ts';

/** The states of the base before and after a shift of one side. */
export interface Around {
  readonly before: BranchState;
  readonly after: BranchState;
  /** Number of earlier moves that could not be made. */
  readonly missedCount: number;
}

/** The base after moves, and the moves that were tried there. */
interface Step {
  readonly state: BranchState;
  /** Number of moves that could not be made: the state is without them. */
  readonly missedCount: number;
  readonly next: Map<CellMove, Step>;
}

/** The base of a merge with the moves of its sides: what several lists begin with is made once. */
export class MovedBase {
  readonly state: BranchState;
  readonly #start: Step;
  /** Steps of whole lists that were come to in another way. */
  readonly #known = new WeakMap<readonly CellMove[], Step>();

  constructor(state: BranchState) {
    this.state = state;
    this.#start = { state, missedCount: 0, next: new Map() };
  }

  /** Makes a shift after the earlier moves of its list; undefined if it cannot be made there. */
  *around(moves: readonly CellMove[], shift: ShiftMove): Generator<void, Around | undefined> {
    const earlier = yield* this.after(moves.slice(0, moves.indexOf(shift)));
    const later = yield* after(earlier, shift);
    const { missedCount } = earlier;
    if (later.missedCount > missedCount) return undefined;
    return { before: earlier.state, after: later.state, missedCount };
  }

  /** Makes moves one after the other. */
  *after(moves: readonly CellMove[]): Generator<void, Step> {
    return this.#known.get(moves) ?? (yield* afterAll(this.#start, moves));
  }

  /**
   * Takes an insertion back after all moves, which comes to what the moves that are left come to:
   * the cells that go are blank. So these need not be made.
   */
  *afterBack(
    moves: readonly CellMove[],
    left: readonly CellMove[],
    back: readonly CellMove[],
  ): Generator<void, Step> {
    const step = yield* afterAll(yield* this.after(moves), back);
    this.#known.set(left, step);
    return step;
  }
}

function* afterAll(first: Step, moves: readonly CellMove[]): Generator<void, Step> {
  let step = first;
  for (const move of moves) step = yield* after(step, move);
  return step;
}

function* after(step: Step, move: CellMove): Generator<void, Step> {
  const known = step.next.get(move);
  if (known) return known;
  const parts = partsOn(step.state);
  const isMade = yield* isAdded(move, parts);
  const { missedCount } = step;
  const made = isMade
    ? { state: parts.state, missedCount, next: new Map<CellMove, Step>() }
    : { state: step.state, missedCount: missedCount + 1, next: new Map<CellMove, Step>() };
  step.next.set(move, made);
  return made;
}

/** Makes a move; answers false where it cannot be made. */
function* isAdded(move: CellMove, parts: OperationParts): Generator<void, boolean> {
  const operation = moveOperation(move, parts.state);
  if (!operation) return false;
  try {
    yield* parts.add(operation);
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}
