import type { Mutation } from '../model/mutation.ts';
import { Rejection } from '../model/rejection.ts';
import { executeLook, formatAreas } from './execute-looks.ts';
import {
  clearAreas,
  deleteLines,
  editedSheet,
  fillAreas,
  insertLines,
  moveLines,
  writeBlocks,
  writeCells,
  type LineEdit,
} from './execute.ts';
import { followLines } from './inherit-lines.ts';
import { nameFormula, type DefinedName } from './names.ts';
import { genesisOrder } from './order.ts';
import { clearingPatch } from './plan-formats.ts';
import { isLookPlan, isSheetPlan, type Plan, type SheetPlan } from './plan.ts';
import { isCellPlan, type CellPlan } from './registers.ts';
import { rewriteCells, sortOf, type RewritePlan } from './rewrite.ts';
import { copySheet } from './sheet-copy.ts';
import type { StateParts } from './state-parts.ts';
import { executeFill, executeLines, executeWrites } from './table-execute.ts';
import { followTables, tableMutations, type MovedLines } from './table-follow.ts';
import type { LinePlan, TablePlan } from './table-plan.ts';

type PlanOf<Type extends Plan['type']> = Extract<Plan, { type: Type }>;
type NamePlan = PlanOf<'nameSet' | 'nameDelete' | 'nameRename'>;

/** Does what a plan says; `sequence` names what is new. Answers what a kernel has to do. */
export function executePlan(plan: Plan, sequence: number, parts: StateParts): Mutation[] {
  if (isSheetPlan(plan)) return editSheets(plan, sequence, parts);
  if (isLookPlan(plan)) return executeLook(plan, parts.looks);
  if (isCellPlan(plan)) return editCells(plan, parts);
  switch (plan.type) {
    case 'insert':
    case 'delete':
    case 'move':
      return editLines(plan, sequence, parts);
    case 'rewrite':
      return rewrite(plan, parts);
    case 'table':
      return editTable(plan, sequence, parts);
    default:
      return editBook(plan, parts);
  }
}

function editBook(
  plan: NamePlan | PlanOf<'settings' | 'policy' | 'commit' | 'records'>,
  parts: StateParts,
): Mutation[] {
  const { settings, policy } = parts.content;
  switch (plan.type) {
    case 'settings':
      return plan.changes.flatMap(([path, value]) => settings.set(path, value));
    case 'records':
      parts.content.records.apply(plan.change, parts.structure);
      return [];
    case 'policy':
      policy.set(plan.policy);
      return [];
    case 'commit':
      return [];
    default:
      return editNames(plan, parts);
  }
}

function rewrite(plan: RewritePlan, parts: StateParts): Mutation[] {
  for (const { sheet } of plan.written) parts.forgetUsed(sheet);
  rewriteCells(plan, parts.cellsOf);
  followCells(plan, parts);
  const before = parts.structure;
  parts.structure = plan.after;
  return [...plan.mutations, ...tableMutations(before, plan.after)];
}

/**
 * The one place that hears of cells that left their rows and columns: `map` says where any cell or
 * range has gone, `sorted` which rows changed places. What is kept by cell follows from here.
 */
function followCells(plan: RewritePlan, parts: StateParts): void {
  const { names, records } = parts.content;
  for (const name of plan.names) names.set(name);
  const change = sortOf(plan);
  if (change) records.follow(change, parts.structure, parts.coding.formulas);
}

function editLines(plan: LinePlan, sequence: number, parts: StateParts): Mutation[] {
  const run = { branch: parts.branchNo, sequence };
  followEdit(plan, run, parts);
  if (plan.type === 'move') return replaceSheet(moveLines(plan), parts, plan);
  if (plan.type === 'insert') return replaceSheet(insertLines(plan, run), parts);
  return replaceSheet(deleteLines(plan, parts.cellsOf(plan.sheet)), parts);
}

/** What lies on lines that come, go or move, and what those look like. */
function followEdit(
  plan: LinePlan,
  run: { readonly branch: number; readonly sequence: number },
  parts: StateParts,
): void {
  if (plan.type !== 'move') followLines(plan, run, parts);
  // Lines that come in are no ends of what was there before.
  if (plan.type === 'insert') return;
  const { sheet: before, axis } = plan;
  const moved = plan.type === 'move' ? plan.spans : [];
  const change = { before, after: editedSheet(plan, run), axis, moved };
  const structure = parts.structure.replace(before);
  parts.content.records.follow(change, structure, parts.coding.formulas);
}

function replaceSheet(
  { sheet, mutations }: LineEdit,
  parts: StateParts,
  moved?: MovedLines,
): Mutation[] {
  const seen = parts.structure;
  const before = seen.withId(sheet.id);
  parts.forgetUsed(sheet);
  const after = seen.replace(sheet);
  const edit = before && { before, after: sheet, moved };
  parts.structure = edit ? after.withTables(followTables(seen.tables, seen, edit)) : after;
  return [...mutations, ...tableMutations(seen, parts.structure)];
}

function editCells(plan: CellPlan, parts: StateParts): Mutation[] {
  if (plan.type !== 'cells') return editAreas(plan, parts);
  const { cells } = plan;
  for (const { sheet } of cells) parts.forgetUsed(sheet);
  return writeCells(cells, parts.cellsOf);
}

function editAreas(plan: Exclude<CellPlan, PlanOf<'cells'>>, parts: StateParts): Mutation[] {
  const cells = parts.cellsOf(plan.sheet);
  parts.forgetUsed(plan.sheet);
  if (plan.type === 'blocks') return writeBlocks(plan, cells);
  if (plan.type === 'clear') {
    if (plan.formats) formatAreas(plan, clearingPatch(parts), parts);
    if (plan.records) parts.content.records.apply(plan.records, parts.structure);
    return clearAreas(plan, cells);
  }
  if (plan.format) formatAreas(plan, plan.format, parts);
  return plan.type === 'fill' ? fillAreas(plan, cells, parts.coding) : [];
}

function editTable(plan: TablePlan, sequence: number, parts: StateParts): Mutation[] {
  const before = parts.structure;
  const { cellsOf } = parts;
  const mutations: Mutation[] = [];
  if (plan.added) mutations.push(parts.addSheet(plan.added, plan.after.sheets.length - 1));
  const { keys } = plan;
  const noteKeys = keys && parts.keys.expect(keys.sheet, keys, cellsOf(keys.sheet));
  const run = { branch: parts.branchNo, sequence };
  for (const edit of plan.lines) followEdit(edit, run, parts);
  for (const mutation of executeLines(plan.lines, run, cellsOf)) mutations.push(mutation);
  mutations.push(...tableMutations(before, plan.after));
  for (const mutation of writeTable(plan, parts)) mutations.push(mutation);
  noteKeys?.();
  for (const { sheet } of [...plan.lines, ...plan.writes, ...plan.fills]) parts.forgetUsed(sheet);
  parts.structure = plan.after;
  for (const name of plan.names) {
    parts.content.names.set(name);
    mutations.push(nameMutation(name, parts));
  }
  return plan.dropped ? [...mutations, ...parts.dropSheet(plan.dropped)] : mutations;
}

function* writeTable({ writes, fills }: TablePlan, { cellsOf }: StateParts): Generator<Mutation> {
  for (const write of writes) yield* executeWrites(write, cellsOf);
  for (const fill of fills) yield executeFill(fill, cellsOf);
}

function nameMutation(name: DefinedName, { structure, coding }: StateParts): Mutation {
  const { scopeId } = name;
  const scope = scopeId === undefined ? undefined : structure.withId(scopeId)?.key;
  const formula = nameFormula(name, structure, coding.formulas);
  return { kind: 'nameSet', name: name.name, scope, formula };
}

function editSheets(plan: SheetPlan, sequence: number, parts: StateParts): Mutation[] {
  if (plan.type === 'sheetAdd') return addSheet(plan, sequence, parts);
  const { sheet } = plan;
  const before = parts.structure;
  if (plan.type === 'sheetRename') {
    parts.structure = before.replace({ ...sheet, name: plan.name });
    return [{ kind: 'sheetRename', sheet: sheet.key, name: plan.name }];
  }
  if (plan.type === 'sheetMove') {
    parts.structure = before.move(sheet.id, plan.index);
    return [{ kind: 'sheetMove', sheet: sheet.key, index: plan.index }];
  }
  const lost = new Set(before.tables.onSheet(sheet.id).map(({ id }) => id));
  parts.structure = before.remove(sheet.id).withTables(before.tables.without(lost));
  return [...tableMutations(before, parts.structure), ...parts.dropSheet(sheet)];
}

function addSheet(plan: PlanOf<'sheetAdd'>, sequence: number, parts: StateParts): Mutation[] {
  const { name, index, copy } = plan;
  const { rows, columns } = copy?.source ?? { rows: genesisOrder, columns: genesisOrder };
  const id = `s${parts.branchNo}.${sequence}.0`;
  const outline = { id, key: parts.nextSheetKey, name, rows, columns };
  parts.structure = parts.structure.add(outline, index);
  const added = parts.addSheet(outline, index);
  if (!copy) return [added];
  const copied = copySheet(copy, outline, parts);
  parts.fillSheet(outline, copied.cells);
  return [added, ...copied.mutations];
}

function editNames(plan: NamePlan, { content, structure }: StateParts): Mutation[] {
  const { names } = content;
  const scopeId = plan.scope?.id;
  const scope = plan.scope?.key;
  if (plan.type === 'nameSet') {
    const { name, formula, comment } = plan;
    names.set({ name, scopeId, formula, structure, comment });
    return [{ kind: 'nameSet', name, scope, formula }];
  }
  if (plan.type === 'nameDelete') {
    names.delete(plan.name, scopeId);
    return [{ kind: 'nameDelete', name: plan.name, scope }];
  }
  const known = names.get(plan.from, scopeId);
  if (!known) throw new Rejection('name_not_found', `there is no name ${plan.from}`);
  names.delete(plan.from, scopeId);
  names.set({ ...known, name: plan.to });
  return [{ kind: 'nameRename', from: plan.from, to: plan.to, scope }];
}
