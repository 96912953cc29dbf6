import type { BranchState } from '../branch-state.ts';
import type { FormulaMove } from '../formula-text.ts';
import { moveFormula } from '../formula-text.ts';
import { carryTableNames } from '../table-names.ts';
import type { SheetArea } from '../reference-map.ts';
import type { OperationParts } from './parts.ts';

const listedMost = 100;

/** What stays as it is because others changed it since. */
export class Skipped {
  readonly #texts = new Set<string>();
  #count = 0;

  add(text: string): void {
    if (this.#texts.has(text)) return;
    this.#count++;
    if (this.#texts.size < listedMost) this.#texts.add(text);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get list(): string[] {
    const more = this.#count - this.#texts.size;
    return more > 0 ? [...this.#texts, `and ${more} more`] : [...this.#texts];
  }
}

/** The states before and after operations that follow one another. */
export interface UndoneSpan {
  readonly before: BranchState;
  readonly after: BranchState;
}

/**
 * One span of operations on its way back. Whatever differs between `before` and `after` becomes as
 * it was before, where `ours` still has it as it was after.
 */
export interface SpanUndo extends UndoneSpan {
  /** What there is when the undoing of the span begins. */
  readonly ours: BranchState;
  readonly parts: OperationParts;
  readonly skipped: Skipped;
  /** Cells, in the addresses of before, that formulas lost sight of. */
  readonly lost: SheetArea[];
  /** Lines, in the addresses of before, that stood elsewhere since. */
  readonly moved: SheetArea[];
}

/** What is undone so far. */
export function stateOf({ parts }: SpanUndo): BranchState {
  return parts.state;
}

/** Formulas of one state in the addresses of another, tables by the names that they have there. */
export class Carrier {
  readonly #from: BranchState;
  readonly #to: BranchState;
  readonly #structures: Omit<FormulaMove, 'sheetId'>;
  readonly #context: Parameters<typeof carryTableNames>[1];

  constructor(from: BranchState, to: BranchState) {
    this.#from = from;
    this.#to = to;
    this.#structures = { from: from.structure, to: to.structure };
    this.#context = { ...to.contextAt(to.structure), base: from.structure };
  }

  carry(text: string, sheetId: string | undefined): string {
    const { formulas } = this.#to.coding;
    const moved = moveFormula(text, { ...this.#structures, sheetId }, formulas);
    return this.names(moved);
  }

  names(text: string): string {
    return this.#from.tables === this.#to.tables ? text : carryTableNames(text, this.#context);
  }
}
