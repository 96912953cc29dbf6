import type { BranchState } from '../branch-state.ts';
import type { CellMove, ShiftMove } from './cell-shifts.ts';
import { addsColumns, isPossible, moveOperation } from './followed-shifts.ts';
import { partsOn } from './parts.ts';

/** The states of the base before and after a shift of one side. */
export interface Around {
  readonly before: BranchState;
  readonly after: BranchState;
}

/** The base after moves, and the moves that were tried there. */
interface Step {
  readonly state: BranchState;
  /** False when the last move could not be made: the state is that before it. */
  readonly isMade: boolean;
  readonly next: Map<CellMove, Step>;
}

/** The base of a merge with the moves of its sides: what several lists begin with is made once. */
export class MovedBase {
  readonly state: BranchState;
  readonly #start: Step;

  constructor(state: BranchState) {
    this.state = state;
    this.#start = { state, isMade: true, next: new Map() };
  }

  /** Makes a shift after the earlier moves of its list; undefined if it cannot be made there. */
  *around(moves: readonly CellMove[], shift: ShiftMove): Generator<void, Around | undefined> {
    let earlier = this.#start;
    for (const one of moves.slice(0, moves.indexOf(shift))) earlier = yield* after(earlier, one);
    if (addsColumns(shift.shift, earlier.state)) return undefined;
    const later = yield* after(earlier, shift);
    return later.isMade ? { before: earlier.state, after: later.state } : undefined;
  }
}

function* after(step: Step, move: CellMove): Generator<void, Step> {
  const known = step.next.get(move);
  if (known) return known;
  const parts = partsOn(step.state);
  const operation = moveOperation(move, parts.state);
  const isMade = operation !== undefined && (yield* isPossible(move, parts.state));
  if (isMade) yield* parts.add(operation);
  const made = { state: parts.state, isMade, next: new Map<CellMove, Step>() };
  step.next.set(move, made);
  return made;
}
