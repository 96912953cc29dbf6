import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { renameInFormula, type Renaming } from '../formulas/formula-names.ts';
import type { ChangedName } from './changed-names.ts';

/** Defined names that only have another name now, for formulas that follow them. */
export class RenamedNames {
  readonly #from: BranchState;
  /** By the scope, empty for the workbook, and the folded name. */
  readonly #renamed = new Map<string, string>();

  constructor(from: BranchState, changed: readonly ChangedName[]) {
    this.#from = from;
    for (const { was, is, scopeId } of changed) {
      if (!was || !is || was.name === is.name) continue;
      this.#renamed.set(`${scopeId ?? ''}\n${foldName(was.name)}`, is.name);
    }
  }

  get isEmpty(): boolean {
    return this.#renamed.size === 0;
  }

  /** A formula of a sheet with the names of now. */
  carry(text: string, sheetId: string): string {
    if (this.isEmpty) return text;
    return renameInFormula(text, this.#renamingOn(sheetId)) ?? text;
  }

  #renamingOn(sheetId: string): Renaming {
    return ({ kind, name, sheet }) => {
      if (kind !== 'word' && kind !== 'name') return undefined;
      const asked = sheet && this.#from.structure.named(sheet.name)?.id;
      const scope = asked ?? sheetId;
      // A name of the sheet hides one of the workbook.
      const isOwn = this.#from.names.get(name, scope) !== undefined;
      return this.#renamed.get(`${isOwn ? scope : ''}\n${foldName(name)}`);
    };
  }
}
