import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { renameInFormula, type Renaming } from '../formulas/formula-names.ts';
import type { ChangedName } from './changed-names.ts';

/** Renamed defined names, to rename them in formulas too. */
export class RenamedNames {
  readonly #from: BranchState;
  /** New names by scope (empty for the workbook) and folded name. */
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

  /** Returns a formula of a sheet with the new names. */
  carry(text: string, sheetId: string): string {
    if (this.isEmpty) return text;
    return renameInFormula(text, this.#renamingOn(sheetId)) ?? text;
  }

  #renamingOn(sheetId: string): Renaming {
    return ({ kind, name, sheet }) => {
      if (kind !== 'word' && kind !== 'name') return undefined;
      const asked = sheet && this.#from.structure.named(sheet.name)?.id;
      const scope = asked ?? sheetId;
      // A name of the sheet takes precedence over one of the workbook.
      const isOwn = this.#from.names.get(name, scope) !== undefined;
      return this.#renamed.get(`${isOwn ? scope : ''}\n${foldName(name)}`);
    };
  }
}
