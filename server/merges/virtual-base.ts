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
import type { Change } from '../state/merge/merging.ts';
import { contestedChange, type Scope, type ScopedChange } from '../state/merge/scope.ts';
import { Failure } from '../model/failure.ts';
import type { Graph, Position } from './graph.ts';

/** The state that a merge compares its two sides with. */
export interface MergeBase {
  readonly state: BranchState;
  /** The last operation of a branch that it holds. */
  readonly heldOf: (branchNo: number) => number;
  /** Values that each of several bases has, by register, where they do not agree. */
  readonly terms: ReadonlyMap<string, readonly string[]>;
}

/** A side of a merge of bases, and how it is judged. */
interface Joining {
  readonly ours: BranchState;
  readonly judge: Judge;
  readonly scope?: Scope;
}

interface BaseParts {
  readonly stateAt: (position: Position) => Promise<BranchState>;
  readonly merge: (change: Change, into: Joining) => Promise<{ readonly state: BranchState }>;
}

/** Bases of bases are merged down to this depth; deeper ones take the first. */
const depthMost = 8;

/** Finds the common ancestor of two positions, or merges those that there are after merges that crossed. */
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
      state = await this.#joined(above, { ours: state, theirs }, terms);
    }
    return { state, terms, heldOf };
  }

  /**
   * Merges two bases. What they do not agree on is left as it was before both, so that either side
   * of a later merge counts as having changed it, and the terms tell who did.
   */
  async #joined(
    above: MergeBase,
    { ours, theirs }: { readonly ours: BranchState; readonly theirs: BranchState },
    terms: Map<string, readonly string[]>,
  ): Promise<BranchState> {
    const { state: base, heldOf } = above;
    const judge = new BaseJudge(terms);
    const whole = await this.#parts.merge({ base, theirs, heldOf }, { ours, judge });
    if (judge.open.length === 0) return whole.state;
    const scope = outside(judge.open);
    const again = (): Judge => new BaseJudge(new Map());
    const first = { ours: base, judge: again(), scope };
    const { state } = await this.#parts.merge({ base, theirs: ours, heldOf }, first);
    const second = { ours: state, judge: again(), scope };
    return (await this.#parts.merge({ base, theirs, heldOf }, second)).state;
  }
}

/**
 * Judges merges of common ancestors that do not agree: a cell that they contest gets a text that
 * nobody wrote. Orders of lines stay those of the first.
 */
class BaseJudge implements Judge {
  readonly isBetweenBranches = true;
  /** Conflicts of other kinds, which nothing can be written for. */
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
    if (!kind.endsWith('.order')) this.open.push(contest);
    return 'ours';
  }
}

/** Returns a scope of all changes but those that conflicts are about. */
function outside(open: readonly Contest[]): Scope {
  const names = new Set(open.flatMap((contest) => namesOf(contestedChange(contest))));
  const deletions = open.filter(({ kind }) => /\.edit_(?:delete|drop)$/u.test(kind));
  return (change) =>
    !namesOf(change).some((name) => names.has(name)) &&
    !deletions.some(({ place }) => isIn(change, place));
}

/** Names of what a change is about: a record is the same by its key, and by its type and first cell. */
function namesOf({ kind, place }: ScopedChange): string[] {
  const { sheetId, row, column, name, scopeId, tableId, record } = place;
  if (tableId !== undefined && kind === 'table') return [`table ${tableId}`];
  if (name !== undefined) return [`${kind} ${name} ${scopeId ?? ''}`];
  const at = `${kind} ${sheetId ?? ''} ${row ? lineText(row) : ''} ${column ? lineText(column) : ''}`;
  if (record === undefined) return [at];
  return [`record ${sheetId ?? ''} ${record}`, ...(row || column ? [at] : [])];
}

/** Returns whether a change is about something in lines, a sheet or a table that one side deleted. */
function isIn({ place }: ScopedChange, { sheetId, row, column, tableId }: ContestPlace): boolean {
  if (row) return place.sheetId === sheetId && isAmong(row, place.row);
  if (column) return place.sheetId === sheetId && isAmong(column, place.column);
  if (tableId !== undefined) return place.tableId === tableId;
  return sheetId !== undefined && (place.sheetId ?? place.scopeId) === sheetId;
}

/** Returns whether a line is among others: a change of lines names the first, and how many. */
function isAmong(
  line: LineId,
  others: (LineId & { readonly length?: number }) | undefined,
): boolean {
  if (!others || others.branch !== line.branch || others.sequence !== line.sequence) return false;
  const skipped = line.offset - others.offset;
  return skipped >= 0 && skipped < (others.length ?? 1);
}
