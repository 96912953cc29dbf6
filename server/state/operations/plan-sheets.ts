import { definedNameFault, sheetNameFault } from '../../model/names.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { parseSheetRange, quoteSheet } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import { columnName } from '../../model/address.ts';
import { carryLate } from '../references/late-formulas.ts';
import { carryLateNames } from '../references/late-names.ts';
import { checkStaysVisible } from './plan-looks.ts';
import type { Plan, PlanContext, Planned, Planning } from '../plan/plan.ts';
import { findSheet, type SheetTarget } from '../plan/plan-target.ts';
import { planSheetCopy } from './sheet-copy.ts';
import type { OperationKind } from '../../model/operation.ts';

export function planned(
  plan: Plan,
  operation: { kind: OperationKind; payload: unknown },
  about: { sheetId?: string | undefined; rebased: boolean },
): Planned {
  const resolved = about.sheetId === undefined ? {} : { sheet: about.sheetId };
  return { plan, ...operation, resolved, rebased: about.rebased, clipped: [] };
}

function checkSheetName(name: string, context: PlanContext, ownId?: string): void {
  const fault = sheetNameFault(name);
  if (fault !== undefined) throw new Rejection('bad_name', fault);
  const other = context.head.named(name);
  if (other && other.id !== ownId) {
    throw new Rejection('name_taken', `there is a sheet ${other.name} already`);
  }
}

export function planSheetAdd(payload: Payload<'sheet.add'>, context: PlanContext): Planned {
  checkSheetName(payload.name, context);
  const count = context.head.sheets.length;
  if (count >= limits.sheetCount) {
    throw new Rejection('too_many_sheets', `a workbook has at most ${limits.sheetCount} sheets`);
  }
  const index = Math.min(payload.index ?? count, count);
  const plan = { type: 'sheetAdd', name: payload.name, index, copy: undefined } as const;
  return planned(plan, { kind: 'sheet.add', payload }, { rebased: false });
}

export function* planSheetCopyOf(
  payload: Payload<'sheet.add'>,
  copyOf: string,
  context: PlanContext,
): Planning {
  const added = planSheetAdd(payload, context);
  const source = findSheet(copyOf, context);
  const copy = yield* planSheetCopy(source.head, payload.name, context);
  if (added.plan.type !== 'sheetAdd') throw new Error('a sheet is added by adding it');
  const rebased = source.argument !== copyOf;
  return {
    ...added,
    plan: { ...added.plan, copy },
    payload: rebased ? { ...payload, copyOf: source.head.id } : payload,
    resolved: { source: source.head.id },
    rebased,
  };
}

export function planSheetRename(payload: Payload<'sheet.rename'>, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  checkSheetName(payload.name, context, sheet.head.id);
  const plan = { type: 'sheetRename', sheet: sheet.head, name: payload.name } as const;
  const operation = { kind: 'sheet.rename', payload: respelled(payload, sheet) } as const;
  return planned(plan, operation, options(payload, sheet));
}

export function planSheetDelete(payload: Payload<'sheet.delete'>, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  if (context.head.sheets.length === 1) {
    throw new Rejection('last_sheet', `${sheet.head.name} is the only sheet`);
  }
  checkStaysVisible(sheet.head.id, context);
  const plan = { type: 'sheetDelete', sheet: sheet.head } as const;
  const operation = { kind: 'sheet.delete', payload: respelled(payload, sheet) } as const;
  return planned(plan, operation, options(payload, sheet));
}

export function planSheetMove(payload: Payload<'sheet.move'>, context: PlanContext): Planned {
  const sheet = findSheet(payload.sheet, context);
  const index = Math.min(payload.index, context.head.sheets.length - 1);
  const plan = { type: 'sheetMove', sheet: sheet.head, index } as const;
  const operation = { kind: 'sheet.move', payload: respelled(payload, sheet) } as const;
  return planned(plan, operation, options(payload, sheet));
}

function respelled<P extends { sheet: string }>(payload: P, sheet: SheetTarget): P {
  return sheet.argument === payload.sheet ? payload : { ...payload, sheet: sheet.head.id };
}

function options(payload: { sheet: string }, sheet: SheetTarget) {
  return { sheetId: sheet.head.id, rebased: sheet.argument !== payload.sheet };
}

export function planNameSet(payload: Payload<'name.set'>, context: PlanContext): Planned {
  const scope = scopeOf(payload, context);
  checkDefinedName(payload.name, scope, context);
  if (!context.names.get(payload.name, scope?.head.id) && context.names.size >= limits.nameCount) {
    throw new Rejection('too_many_names', `a workbook has at most ${limits.nameCount} names`);
  }
  const written = nameText(payload, scope, context);
  context.coding.checkFormula(written, context.formulaOrigin);
  const placed = carryLate(written, scope?.base.id, context);
  const formula = carryLateNames(placed, scope?.head.id, context);
  const rebased = formula !== written || isRespelled(payload, scope);
  const { name, comment } = payload;
  const moved = {
    name,
    ...(scope && { scope: scope.head.id }),
    formula,
    ...(comment !== undefined && { comment }),
  };
  const plan = { type: 'nameSet', name, scope: scope?.head, formula, comment } as const;
  const operation = { kind: 'name.set', payload: rebased ? moved : payload } as const;
  return planned(plan, operation, { sheetId: scope?.head.id, rebased });
}

/**
 * Turns `ref`, a range in any spelling, into a formula with absolute references and a sheet name.
 */
function nameText(
  { ref, formula }: Payload<'name.set'>,
  scope: SheetTarget | undefined,
  context: PlanContext,
): string {
  if ((ref === undefined) === (formula === undefined)) {
    throw new Rejection('position_missing', 'give either ref or formula');
  }
  if (formula !== undefined) return formula.startsWith('=') ? formula : `=${formula}`;
  const parsed = parseSheetRange(ref ?? '');
  if (!parsed) throw new Rejection('bad_range', `${ref ?? ''} is not a range`);
  const sheet = findSheet(parsed.sheet ?? scope?.base.id, context);
  const prefix = `${quoteSheet(sheet.base.name)}!`;
  const areas = parsed.areas.map(({ row0, column0, row1, column1 }) => {
    const start = `$${columnName(column0)}$${row0 + 1}`;
    const isCell = row0 === row1 && column0 === column1;
    return prefix + (isCell ? start : `${start}:$${columnName(column1)}$${row1 + 1}`);
  });
  return `=${areas.join(',')}`;
}

export function planNameDelete(payload: Payload<'name.delete'>, context: PlanContext): Planned {
  const scope = scopeOf(payload, context);
  const known = knownName(payload.name, scope, context);
  const rebased = isRespelled(payload, scope);
  const plan = { type: 'nameDelete', name: known.name, scope: scope?.head } as const;
  const moved = rebased && scope ? { ...payload, scope: scope.head.id } : payload;
  const operation = { kind: 'name.delete', payload: moved } as const;
  return planned(plan, operation, { sheetId: scope?.head.id, rebased });
}

export function knownName(name: string, scope: SheetTarget | undefined, context: PlanContext) {
  const known = context.names.get(name, scope?.head.id);
  if (known) return known;
  throw new Rejection('name_not_found', `there is no name ${name}`);
}

export function scopeOf(
  { scope }: { scope?: string | undefined },
  context: PlanContext,
): SheetTarget | undefined {
  return scope === undefined ? undefined : findSheet(scope, context);
}

export function isRespelled(
  { scope }: { scope?: string | undefined },
  sheet: SheetTarget | undefined,
): boolean {
  return sheet !== undefined && sheet.argument !== scope;
}

export function checkDefinedName(
  name: string,
  scope: SheetTarget | undefined,
  context: PlanContext,
): void {
  const fault = definedNameFault(name);
  if (fault !== undefined) throw new Rejection('bad_name', fault);
  // A sheet may have a name like that of a table, which is what the word alone means there.
  const table = scope ? undefined : context.head.tables.named(name);
  if (table) throw new Rejection('name_taken', `there is a table ${table.name} already`);
}
