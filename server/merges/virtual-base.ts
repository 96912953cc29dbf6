import type { BranchState } from '../state/branch-state.ts';
import type { LineId } from '../state/ids/order.ts';
import { lineText } from '../state/structure/area.ts';
import {
  isCell,
  type Choice,
  type Contest,
  type ContestPlace,
  type Judge,
} from '../state/merge/judge.ts';
import { conflictId, termOf } from '../state/merge/merge-judge.ts';
import type { Moves } from '../state/merge/followed-moves.ts';
import type { Change } from '../state/merge/merging.ts';
import { contestedChange, type Scope, type ScopedChange } from '../state/merge/scope.ts';
import { Failure } from '../model/failure.ts';
import type { Graph, Position } from './graph.ts';

/** The state with which a merge compares its two sides. */
export interface MergeBase {
  readonly state: BranchState;
  /** Returns the last operation of a branch that it holds. */
  readonly heldOf: (branchNo: number) => number;
  /** Values of a register in each of several bases, for registers on which the bases differ. */
  readonly terms: ReadonlyMap<string, readonly string[]>;
}

/** A merge of two bases, and how it is judged. */
interface Joining {
  readonly ours: BranchState;
  readonly judge: Judge;
  readonly scope?: Scope;
}

interface JoinedSides {
  readonly ours: BranchState;
  readonly theirs: BranchState;
  readonly moves: Moves;
}

interface BaseParts {
  readonly stateAt: (position: Position) => Promise<BranchState>;
  readonly merge: (change: Change, into: Joining) => Promise<{ readonly state: BranchState }>;
  /** Finds what two positions moved since what `heldOf` tells. */
  readonly movesOf: (
    target: Position,
    source: Position,
    heldOf: MergeBase['heldOf'],
  ) => Promise<Moves>;
}

/** Depth to which bases of bases are merged; deeper the first one is taken. */
const depthMost = 8;

/** Finds the common ancestor of two positions; merges several of them into one. */
export class BaseFinder {
  readonly #graph: Graph;
  readonly #parts: BaseParts;

  constructor(graph: Graph, parts: BaseParts) {
    this.#graph = graph;
    this.#parts = parts;
  }

  async find(bases: readonly Position[], depth = 0): Promise<MergeBase> {
    const [first, ...others] = bases;
    if (!first) throw new Failure('unrelatedBranches');
    let state = await this.#parts.stateAt(first);
    const terms = new Map<string, readonly string[]>();
    const heldOf = this.#graph.heldBy(bases);
    if (depth >= depthMost) return { state, terms, heldOf };
    for (const position of others) {
      const theirs = await this.#parts.stateAt(position);
      const above = await this.find(this.#graph.bases(first, position), depth + 1);
      const moves = await this.#parts.movesOf(first, position, above.heldOf);
      state = await this.#joined(above, { ours: state, theirs, moves }, terms);
    }
    return { state, terms, heldOf };
  }

  /**
   * Merges two bases. Where they differ the state before both is kept, so that either side of the
   * later merge counts as changed, and the terms tell by whom.
   */
  async #joined(
    above: MergeBase,
    { ours, theirs, moves }: JoinedSides,
    terms: Map<string, readonly string[]>,
  ): Promise<BranchState> {
    const { state: base, heldOf } = above;
    const judge = new BaseJudge(terms);
    const whole = await this.#parts.merge({ base, theirs, heldOf, moves }, { ours, judge });
    if (judge.open.length === 0) return whole.state;
    const scope = outside(judge.open);
    const again = (): Judge => new BaseJudge(new Map());
    const first = { ours: base, judge: again(), scope };
    const { state } = await this.#parts.merge(
      { base, theirs: ours, heldOf, moves: flipped(moves) },
      first,
    );
    const second = { ours: state, judge: again(), scope };
    return (await this.#parts.merge({ base, theirs, heldOf, moves }, second)).state;
  }
}

/** Returns the moves of ours as those of theirs, into a state where nothing was moved. */
function flipped({ ours, lines }: Moves): Moves {
  const moves = { ours: [], theirs: ours };
  return lines ? { ...moves, lines: { ours: [], theirs: lines.ours } } : moves;
}

/**
 * Judges merges of common ancestors: a cell on which they differ gets a text that nobody wrote, and
 * orders of lines and places of blocks stay those of the first.
 */
class BaseJudge implements Judge {
  readonly isBetweenBranches = true;
  /** Conflicts of other kinds, for which nothing is written. */
  readonly open: Contest[] = [];
  readonly #terms: Map<string, readonly string[]>;

  constructor(terms: Map<string, readonly string[]>) {
    this.#terms = terms;
  }

  decide(contest: Contest): Choice {
    const { kind, register, sides, agreed, usual } = contest;
    const settled = agreed ?? usual;
    if (settled !== undefined) return settled;
    const { ours, theirs } = sides();
    const known = this.#terms.get(register) ?? [termOf(ours)];
    this.#terms.set(register, [...new Set([...known, termOf(theirs)])]);
    if (isCell({ kind })) return { input: `'${conflictId(register)} of a base` };
    const isPlace = kind.endsWith('.order') || kind === 'range.move';
    if (!isPlace) this.open.push(contest);
    return 'ours';
  }
}

/** Returns a scope of all changes except those in conflict. */
function outside(open: readonly Contest[]): Scope {
  const names = new Set(open.flatMap((contest) => namesOf(contestedChange(contest))));
  const deletions = open.filter(({ kind }) => /\.edit_(?:delete|drop)$/u.test(kind));
  return (change) =>
    !namesOf(change).some((name) => names.has(name)) &&
    !deletions.some(({ place }) => isIn(change, place));
}

/** Names the thing that a change concerns: a record by its key, and by its type and first cell. */
function namesOf({ kind, place }: ScopedChange): string[] {
  const { sheetId, row, column, name, scopeId, tableId, record } = place;
  if (tableId !== undefined && kind === 'table') return [`table ${tableId}`];
  if (name !== undefined) return [`${kind} ${name} ${scopeId ?? ''}`];
  const at = `${kind} ${sheetId ?? ''} ${row ? lineText(row) : ''} ${column ? lineText(column) : ''}`;
  if (record === undefined) return [at];
  return [`record ${sheetId ?? ''} ${record}`, ...(row || column ? [at] : [])];
}

/**
 * Returns whether a change concerns something in lines, a sheet or a table that one side deleted.
 */
function isIn({ place }: ScopedChange, { sheetId, row, column, tableId }: ContestPlace): boolean {
  if (row) return place.sheetId === sheetId && isAmong(row, place.row);
  if (column) return place.sheetId === sheetId && isAmong(column, place.column);
  if (tableId !== undefined) return place.tableId === tableId;
  return sheetId !== undefined && (place.sheetId ?? place.scopeId) === sheetId;
}

/**
 * Returns whether a line is one of the lines of a change, which names the first and their number.
 */
function isAmong(
  line: LineId,
  others: (LineId & { readonly length?: number }) | undefined,
): boolean {
  if (!others || others.branch !== line.branch || others.sequence !== line.sequence) return false;
  const skipped = line.offset - others.offset;
  return skipped >= 0 && skipped < (others.length ?? 1);
}
