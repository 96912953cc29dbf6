import type { PlanContext } from '../plan/plan.ts';
import { renameInFormula, type Renaming } from '../formulas/formula-names.ts';
import {
  columnNamed,
  columnWithId,
  type StoredTable,
  type TableList,
} from '../structure/tables.ts';

/**
 * Renamings by context, because one submission may have thousands of formulas; null when there are
 * none.
 */
const renamings = new WeakMap<PlanContext, Renaming | null>();

/** Replaces names of tables and columns in a formula by those at the head. */
export function carryTableNames(formula: string, context: PlanContext): string {
  const { base, head } = context;
  if (base.tables === head.tables) return formula;
  let renaming = renamings.get(context);
  if (renaming === undefined) {
    renaming = renamingBetween(base.tables, head.tables);
    renamings.set(context, renaming);
  }
  return renaming === null ? formula : (renameInFormula(formula, renaming) ?? formula);
}

/** Returns whether a table or a column has another name at the head. */
export function renamesTables(base: TableList, head: TableList): boolean {
  return base !== head && base.all.some((table) => isRenamed(table, head.withId(table.id)));
}

function renamingBetween(base: TableList, head: TableList): Renaming | null {
  if (!renamesTables(base, head)) return null;
  return ({ kind, table: name, name: written }) => {
    if (kind === 'name') return undefined;
    const seen = name === undefined ? undefined : base.named(name);
    const table = seen && head.withId(seen.id);
    if (!table) return undefined;
    if (kind !== 'column') return table.name === seen.name ? undefined : table.name;
    const column = columnNamed(seen, written);
    const now = column && columnWithId(table, column.id);
    return now && now.name !== column.name ? now.name : undefined;
  };
}

function isRenamed(seen: StoredTable, table: StoredTable | undefined): boolean {
  if (!table) return false;
  if (table.name !== seen.name) return true;
  return seen.columns.some(({ id, name }) =>
    table.columns.some((column) => column.id === id && column.name !== name),
  );
}
