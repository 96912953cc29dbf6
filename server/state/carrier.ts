import type { BranchState } from './branch-state.ts';
import { moveFormula, type FormulaMove } from './formulas/formula-text.ts';
import { carryTableNames } from './references/table-names.ts';

/**
 * Carries (rebases) formulas of one state into the addresses, sheet names and table names of
 * another.
 */
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
