import { cutText } from '../../model/cut-text.ts';
import { definedNameFault, definedNameLength, foldName } from '../../model/names.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { Rejection } from '../../model/rejection.ts';
import { renameInFormula, type Renaming } from '../formulas/formula-names.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { StoredTable } from '../structure/tables.ts';

/** Copies the tables of a sheet to a copy of it, under new names. */
export class CopiedTables {
  readonly #tables: readonly StoredTable[];
  readonly #context: PlanContext;
  /** New names of tables, by folded old name. */
  readonly #names = new Map<string, string>();
  readonly #renaming: Renaming;

  constructor(source: SheetOutline, context: PlanContext) {
    const { head, names } = context;
    this.#tables = head.tables.onSheet(source.id);
    this.#context = context;
    if (head.tables.size + this.#tables.length > limits.tableCount) {
      throw new Rejection('too_many_tables', `a workbook has at most ${limits.tableCount} tables`);
    }
    const taken = new Set([...head.tables.all, ...names.list()].map(({ name }) => foldName(name)));
    for (const { name } of this.#tables) this.#names.set(foldName(name), freeName(name, taken));
    this.#renaming = ({ kind, table = '' }) => {
      // A single word means a defined name of the sheet, if there is one.
      if (kind === 'word' && names.get(table, source.id)) return undefined;
      return kind === 'word' || kind === 'table' ? this.#names.get(foldName(table)) : undefined;
    };
  }

  /** Rewrites a formula of the sheet for the copy. */
  renamed(formula: string): string {
    if (this.#tables.length === 0) return formula;
    return renameInFormula(formula, this.#renaming) ?? formula;
  }

  /** Returns the copied tables. `renamed` rewrites column formulas for the copy. */
  copies(renamed: (formula: string) => string): StoredTable[] {
    const { branch, sequence } = this.#context.next();
    return this.#tables.map((table, index) => ({
      ...table,
      id: `t${branch}.${sequence}.${index}`,
      name: this.#names.get(foldName(table.name)) ?? table.name,
      sheetId: `s${branch}.${sequence}.0`,
      columns: table.columns.map((column) => {
        const { formula } = column;
        return formula === undefined ? column : { ...column, formula: renamed(formula) };
      }),
      // Deleting the copied table should not delete the copied sheet.
      ownsSheet: false,
    }));
  }
}

/** Returns a free name with a number at its end, as Excel makes it. */
function freeName(name: string, taken: Set<string>): string {
  for (let count = 2; ; count++) {
    const plain = withSuffix(name, `${count}`);
    // A name such as `Tab2` is an address.
    const free = definedNameFault(plain) === undefined ? plain : withSuffix(name, `_${count}`);
    if (taken.has(foldName(free))) continue;
    taken.add(foldName(free));
    return free;
  }
}

function withSuffix(name: string, suffix: string): string {
  return cutText(name, definedNameLength - suffix.length) + suffix;
}
