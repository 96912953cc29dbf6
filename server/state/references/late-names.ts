import { definedChange } from './defined-renames.ts';
import { renameInFormula } from '../formulas/formula-names.ts';
import type { NameChange } from './formula-renames.ts';
import type { PlanContext } from '../plan/plan.ts';
import { carryTableNames } from './table-names.ts';

/** Renames by context, because one submission may have thousands of formulas. */
const changes = new WeakMap<PlanContext, readonly NameChange[]>();

/** Replaces names in a formula that was written against an older base by those at the head. */
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
    // A name of the formula's sheet takes precedence over one of the workbook.
    const ofSheets = renames.filter(({ scopeId }) => scopeId !== undefined);
    const ofWorkbook = renames.filter(({ scopeId }) => scopeId === undefined);
    known = [...ofSheets, ...ofWorkbook].map((rename) => definedChange(rename, context));
    changes.set(context, known);
  }
  return known;
}
