import { definedChange } from './defined-renames.ts';
import { renameInFormula } from '../formulas/formula-names.ts';
import type { NameChange } from './formula-renames.ts';
import type { PlanContext } from '../plan/plan.ts';
import { carryTableNames } from './table-names.ts';

/** By context, because one submission may bring thousands of formulas. */
const changes = new WeakMap<PlanContext, readonly NameChange[]>();

/** The names in a formula that was written against the base, as they are at the head. */
export function carryLateNames(
  text: string,
  sheetId: string | undefined,
  context: PlanContext,
): string {
  const home = { sheetId, structure: context.head, tableId: undefined };
  return changesSince(context).reduce(
    (formula, { renamingAt }) => renameInFormula(formula, renamingAt(home)) ?? formula,
    carryTableNames(text, context),
  );
}

function changesSince(context: PlanContext): readonly NameChange[] {
  let known = changes.get(context);
  if (!known) {
    const renames = context.head.renamesSince(context.base);
    // Where a sheet had a name of its own, that was meant.
    const ofSheets = renames.filter(({ scopeId }) => scopeId !== undefined);
    const ofWorkbook = renames.filter(({ scopeId }) => scopeId === undefined);
    known = [...ofSheets, ...ofWorkbook].map((rename) => definedChange(rename, context));
    changes.set(context, known);
  }
  return known;
}
