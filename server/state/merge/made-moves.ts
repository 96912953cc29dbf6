import type { Resolved } from '../plan/resolved.ts';
import {
  carriedOver,
  cellMove,
  cross,
  isShift,
  originOf,
  takenBack,
  type CellMove,
  type Meet,
} from './cell-shifts.ts';
import type { OperationPart } from './parts.ts';

interface Done {
  readonly kind: string;
  readonly payload: unknown;
  readonly resolved: Resolved;
}

/** The place of an operation in the journals. */
interface DoneAt {
  readonly branchNo: number;
  readonly seq: number;
}

/** A shift that a merge takes back, and the number of its parts before that did so. */
interface Withdrawal {
  readonly of: string;
  readonly parts: number;
}

/**
 * A move of an operation or of a part of it, a shift that it takes back, and how it does so, or a
 * sheet that goes with all that was moved on it.
 */
export type MoveStep =
  | { readonly move: CellMove }
  | { readonly of: string; readonly made: readonly CellMove[] }
  | { readonly goneSheet: string };

/** The cells that a side moved since the base, the earliest move first, as its journal tells. */
export class MadeMoves {
  #moves: CellMove[] = [];

  get moves(): readonly CellMove[] {
    return this.#moves;
  }

  /** Adds what an operation moved, and leaves out what it takes back. */
  add(steps: readonly MoveStep[]): void {
    for (const step of steps) {
      if ('move' in step) this.#moves.push(step.move);
      else if ('goneSheet' in step) this.#moves = this.#moves.filter(notOn(step.goneSheet));
      else if (isIn(this.#moves, step.of)) this.#moves = without(this.#moves, step.of).left;
      else this.#moves.push(...step.made);
    }
  }

  /** Adds the blocks that an operation cut which was undone later: of its shifts nothing is left. */
  addCuts(steps: readonly MoveStep[]): void {
    for (const step of steps) {
      if ('move' in step && !isShift(step.move)) this.#moves.push(step.move);
    }
  }

  /** Returns whether a merge that brought in what the base has matters for these moves. */
  isTouchedBy(merge: readonly MoveStep[]): boolean {
    return this.#moves.length > 0 || merge.some((step) => !('move' in step));
  }

  /**
   * Puts the moves where they are after a merge that brought in what the base has: the moves of its
   * source. Those that it took back are left out here, or are taken back now.
   */
  carryOver(merge: readonly MoveStep[], ofSource: MadeMoves): void {
    let own = this.#moves;
    let brought = ofSource.moves;
    const back: CellMove[] = [];
    for (const step of merge) {
      if ('move' in step) continue;
      if ('goneSheet' in step) {
        const isLeft = notOn(step.goneSheet);
        [own, brought] = [own.filter(isLeft), brought.filter(isLeft)];
        continue;
      }
      const { of, made } = step;
      if (isIn(brought, of)) {
        const rest = without(brought, of);
        brought = rest.left;
        back.push(...rest.back);
      } else own = isIn(own, of) ? without(own, of).left : [...own, ...made];
    }
    this.#moves = [...back, ...carriedOver(own, brought)];
  }
}

function notOn(sheetId: string): (move: CellMove) => boolean {
  return ({ from, to }) => from.sheetId !== sheetId || to.sheetId !== sheetId;
}

/** Shifts that a merge leaves do not exclude one another: it takes back those that do. */
const together: Meet = (a, b) => [a, b];

/** Takes a shift out of a list; those after it are where they would be without it. */
function without(moves: readonly CellMove[], name: string) {
  const back: CellMove[] = [];
  let left = [...moves];
  for (let at = moves.length - 1; at >= 0; at--) {
    const move = left[at];
    if (!move || !isShift(move) || originOf(move).name !== name) continue;
    const crossing = cross(takenBack(move), left.slice(at + 1), together);
    left = [...left.slice(0, at), ...crossing.others];
    back.push(...crossing.made.flatMap(({ there }) => there ?? []));
  }
  return { left, back };
}

function isIn(moves: readonly CellMove[], name: string): boolean {
  return moves.some((move) => originOf(move).name === name);
}

/** Returns the moves and withdrawals of an operation, in the order of its parts. */
export function moveSteps(done: Done, { branchNo, seq }: DoneAt): MoveStep[] {
  const steps: MoveStep[][] = [];
  for (const [at, one] of doneIn(done).entries()) {
    const move = cellMove(one);
    const name = `${branchNo}.${seq}.${at}`;
    const kept = movesKept(one).map((made, index) => ({ ...made, name: `${name}.${index}` }));
    const moved = move ? [{ ...move, name }] : kept;
    const own: MoveStep[] = moved.map((made) => ({ move: made }));
    if (one.kind === 'sheet.delete') own.push({ goneSheet: one.resolved.sheet ?? '' });
    if (one.kind === ('restore.shift' satisfies OperationPart['kind'])) {
      // The part has the payload of its kind.
      const { of, parts } = one.payload as Withdrawal;
      const taken = steps.slice(steps.length - parts).flat();
      for (let part = steps.length - parts; part < steps.length; part++) steps[part] = [];
      const made = taken.flatMap((step) => ('move' in step ? step.move : []));
      own.push(...taken.filter((step) => !('move' in step)), { of, made });
    }
    steps.push(own);
  }
  return steps.flat();
}

/** Returns the moves on a sheet that a merge keeps with all that its source did there. */
function movesKept({ kind, payload }: Done): readonly CellMove[] {
  if (kind !== ('restore.moves' satisfies OperationPart['kind'])) return [];
  // The part has the payload of its kind.
  return (payload as { readonly moves: readonly CellMove[] }).moves;
}

/** Returns the parts of an operation, or itself when it has none. */
function doneIn({ kind, payload, resolved }: Done): readonly Done[] {
  const { parts } = resolved;
  if (!parts) return [{ kind, payload, resolved }];
  // The journal has the parts of an undo or a merge beside their results, in the same order.
  const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
  return ops.map((part, index) => ({ ...part, resolved: parts[index] ?? {} }));
}
