import type { Mutation } from '../model/mutation.ts';
import { foldName } from '../model/names.ts';
import { executeLook, formatAreas } from './plan/execute-looks.ts';
import {
  clearAreas,
  editLineCells,
  fillAreas,
  writeBlocks,
  writeCells,
  writeLanes,
} from './plan/execute.ts';
import type { FormulaMove } from './formulas/formula-text.ts';
import { followLines } from './plan/inherit-lines.ts';
import { lineSteps, type LinePlan, type LineStep } from './structure/line-steps.ts';
import { MergeWatch } from './operations/merged-areas.ts';
import { meaningAgain, nameMutation } from './references/awaited-sheets.ts';
import { genesisOrder } from './ids/order.ts';
import { clearingPatch } from './operations/plan-formats.ts';
import { isLookPlan, isSheetPlan, type Plan, type SheetPlan } from './plan/plan.ts';
import { isCellPlan, type CellPlan } from './plan/registers.ts';
import { rewriteCells, sortOf, writeRun, type RewritePlan } from './references/rewrite.ts';
import { copySheet } from './operations/sheet-copy.ts';
import { RowWatch } from './operations/row-watch.ts';
import type { StateParts } from './state-parts.ts';
import { StepReferences } from './references/step-references.ts';
import type { Structure } from './structure/structure.ts';
import { executeFill, executeWrites } from './tables/table-execute.ts';
import { carryTableFormulas, followTables, tableMutations } from './references/table-follow.ts';
import type { FollowedReferences, TablePlan } from './plan/table-plan.ts';

type PlanOf<Type extends Plan['type']> = Extract<Plan, { type: Type }>;
type NamePlan = PlanOf<'nameSet' | 'nameDelete'>;

/**
 * Applies a plan; new things get their ids from `sequence`. Returns the mutations for a kernel.
 * Yields now and then, and nobody may look at the state in between.
 */
export function* executePlan(
  plan: Plan,
  sequence: number,
  parts: StateParts,
): Generator<void, Mutation[]> {
  const watch = RowWatch.of(plan, parts);
  const merges = MergeWatch.of(plan, parts);
  const mutations = yield* carryOut(plan, sequence, parts);
  if (merges) mutations.push(...merges.changes());
  if (watch) for (const change of watch.changes(mutations)) mutations.push(change);
  return mutations;
}

function* carryOut(plan: Plan, sequence: number, parts: StateParts): Generator<void, Mutation[]> {
  if (isSheetPlan(plan)) return editSheets(plan, sequence, parts);
  if (isLookPlan(plan)) return executeLook(plan, parts.looks);
  if (isCellPlan(plan)) return yield* editCells(plan, parts);
  switch (plan.type) {
    case 'insert':
    case 'delete':
    case 'move':
      return yield* editLines(plan, sequence, parts);
    case 'rewrite':
      return yield* rewrite(plan, parts);
    case 'table':
      return yield* editTable(plan, sequence, parts);
    case 'nameRename':
      return yield* renameName(plan, sequence, parts);
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

function* rewrite(plan: RewritePlan, parts: StateParts): Generator<void, Mutation[]> {
  for (const { sheet } of plan.written) parts.forgetUsed(sheet);
  yield* rewriteCells(plan, parts.cellsOf);
  followCells(plan, parts);
  const before = parts.structure;
  parts.structure = plan.after;
  return [...plan.mutations, ...tableMutations(before, plan.after)];
}

/**
 * Moves names and records along with cells that left their rows and columns, as planned or with
 * sorted rows. No other code does so.
 */
function followCells(plan: RewritePlan, parts: StateParts): void {
  const { names, records } = parts.content;
  for (const name of plan.names) names.set(name);
  const change = sortOf(plan);
  if (change) {
    const { structure, coding, links } = parts;
    records.followSort(change, { structure, formulas: coding.formulas, links });
  }
  if (plan.records) records.apply(plan.records, parts.structure);
}

function* editLines(
  plan: LinePlan,
  sequence: number,
  parts: StateParts,
): Generator<void, Mutation[]> {
  const seen = parts.structure;
  if (plan.type !== 'insert') yield* parts.ends.prepare(seen, parts);
  // The write count of a restored column starts again, so its key index cannot be trusted.
  if (plan.type === 'insert' && plan.ids) parts.keys.drop(plan.sheet);
  const steps = lineSteps(plan, { branch: parts.branchNo, sequence });
  const moves = yield* followEdit(plan, steps, { parts, structure: seen, sequence });
  const mutations = yield* editLineCells(plan, steps, parts.cellsOf);
  const after = moves.at(-1)?.to ?? seen;
  const sheet = after.withId(plan.sheet.id) ?? plan.sheet;
  parts.forgetUsed(sheet);
  const moved = plan.type === 'move' ? plan : undefined;
  const edit = { before: plan.sheet, after: sheet, moved };
  setStructure(parts, after.withTables(followTables(seen.tables, seen, edit)), moves);
  return [...mutations, ...tableMutations(seen, parts.structure)];
}

type Move = Omit<FormulaMove, 'sheetId'>;

/** Sets the structure; `moves` lead to it, and carry the formulas of calculated columns. */
function setStructure(parts: StateParts, structure: Structure, moves: readonly Move[]): void {
  const tables = carryTableFormulas(structure.tables, moves, parts.coding.formulas);
  parts.structure = structure.withTables(tables);
}

interface Following {
  readonly parts: StateParts;
  /** The structure before the edit. */
  readonly structure: Structure;
  readonly sequence: number;
}

/** Updates records, looks and ends of ranges after an edit of lines. */
function* followEdit(
  plan: LinePlan,
  steps: readonly LineStep[],
  { parts, structure, sequence }: Following,
): Generator<void, Move[]> {
  const { coding, content, cellsOf } = parts;
  if (plan.type !== 'move') yield* followLines(plan, { branch: parts.branchNo, sequence }, parts);
  const moves: Move[] = [];
  for (const step of steps) {
    const references = new StepReferences(moves.at(-1)?.to ?? structure, step);
    const own = { references, coding, names: content.names, cellsOf };
    // Inserted lines are not the end of any existing range.
    if (plan.type !== 'insert') parts.ends.restore(step, own);
    content.records.followStep(step, { references, formulas: coding.formulas, links: parts.links });
    moves.push(references.moveOn(undefined));
  }
  return moves;
}

function* editCells(plan: CellPlan, parts: StateParts): Generator<void, Mutation[]> {
  if (plan.type !== 'cells') return yield* editAreas(plan, parts);
  const { cells } = plan;
  for (const { sheet } of cells) parts.forgetUsed(sheet);
  return yield* writeCells(cells, parts.cellsOf);
}

function* editAreas(
  plan: Exclude<CellPlan, PlanOf<'cells'>>,
  parts: StateParts,
): Generator<void, Mutation[]> {
  const cells = parts.cellsOf(plan.sheet);
  parts.forgetUsed(plan.sheet);
  if (plan.type === 'blocks') return yield* writeBlocks(plan, cells);
  if (plan.type === 'clear') {
    if (plan.formats) yield* formatAreas(plan, clearingPatch(parts), parts);
    if (plan.records) parts.content.records.apply(plan.records, parts.structure);
    return yield* clearAreas(plan, cells);
  }
  if (plan.type === 'lanes') {
    yield* writeLanes(plan, cells);
    return [];
  }
  if (plan.format) yield* formatAreas(plan, plan.format, parts);
  return plan.type === 'fill' ? yield* fillAreas(plan, cells, parts.coding) : [];
}

function* editTable(
  plan: TablePlan,
  sequence: number,
  parts: StateParts,
): Generator<void, Mutation[]> {
  const before = parts.structure;
  const { cellsOf } = parts;
  const mutations: Mutation[] = [];
  if (plan.added) mutations.push(parts.addSheet(plan.added, plan.after.sheets.length - 1));
  const { keys } = plan;
  const noteKeys = keys && parts.keys.expect(keys.sheet, keys, cellsOf(keys.sheet));
  const moves = yield* editTableLines(plan, { parts, structure: before, sequence }, mutations);
  mutations.push(...tableMutations(before, plan.after));
  for (const mutation of yield* writeTable(plan, parts)) mutations.push(mutation);
  if (noteKeys) yield* noteKeys();
  for (const { sheet } of [...plan.lines, ...plan.writes, ...plan.fills]) parts.forgetUsed(sheet);
  setStructure(parts, plan.after, moves);
  if (plan.added) parts.ends.meet(plan.added.name, parts);
  for (const name of plan.names) {
    parts.content.names.set(name);
    mutations.push(nameMutation(name, parts));
  }
  if (plan.records) parts.content.records.apply(plan.records, parts.structure);
  return plan.dropped ? [...mutations, ...parts.dropSheet(plan.dropped)] : mutations;
}

/** Edits lines for a table; returns the moves that lead to the structure of the plan. */
function* editTableLines(
  plan: TablePlan,
  { parts, structure, sequence }: Following,
  mutations: Mutation[],
): Generator<void, Move[]> {
  const moves: Move[] = [];
  let from = structure;
  if (plan.lines.length === 0 && plan.followed) follow(plan.followed, parts, mutations);
  for (const edit of plan.lines) {
    const steps = lineSteps(edit, { branch: parts.branchNo, sequence });
    for (const move of yield* followEdit(edit, steps, { parts, structure: from, sequence })) {
      moves.push(move);
      from = move.to;
    }
    const edited = yield* editLineCells(edit, steps, parts.cellsOf);
    for (const mutation of edited) mutations.push(mutation);
    if (edit === plan.lines[0] && plan.followed) follow(plan.followed, parts, mutations);
  }
  return [...moves, { from, to: plan.after }];
}

function follow(followed: FollowedReferences, parts: StateParts, mutations: Mutation[]): void {
  const { names, records } = parts.content;
  for (const run of followed.runs) writeRun(run, parts.cellsOf(run.sheet));
  for (const name of followed.names) names.set(name);
  if (followed.records) records.apply(followed.records, followed.structure);
  for (const mutation of followed.mutations) mutations.push(mutation);
}

function* writeTable(
  { writes, fills }: TablePlan,
  { cellsOf }: StateParts,
): Generator<void, Mutation[]> {
  const mutations: Mutation[] = [];
  for (const write of writes) {
    for (const mutation of yield* executeWrites(write, cellsOf)) mutations.push(mutation);
  }
  for (const fill of fills) {
    mutations.push(executeFill(fill, cellsOf));
    yield;
  }
  return mutations;
}

function editSheets(plan: SheetPlan, sequence: number, parts: StateParts): Mutation[] {
  if (plan.type === 'sheetAdd') return addSheet(plan, sequence, parts);
  const { sheet } = plan;
  const before = parts.structure;
  if (plan.type === 'sheetRename') {
    const renamed = before.replace({ ...sheet, name: plan.name });
    setStructure(parts, renamed, [{ from: before, to: renamed }]);
    parts.ends.meet(plan.name, parts);
    return [{ kind: 'sheetRename', sheet: sheet.key, name: plan.name }];
  }
  if (plan.type === 'sheetMove') {
    parts.structure = before.move(sheet.id, plan.index);
    return [{ kind: 'sheetMove', sheet: sheet.key, index: plan.index }];
  }
  const lost = new Set(before.tables.onSheet(sheet.id).map(({ id }) => id));
  const left = before.remove(sheet.id).withTables(before.tables.without(lost));
  setStructure(parts, left, [{ from: before, to: left }]);
  return [...tableMutations(before, parts.structure), ...parts.dropSheet(sheet)];
}

function addSheet(plan: PlanOf<'sheetAdd'>, sequence: number, parts: StateParts): Mutation[] {
  const { name, index, copy, restored } = plan;
  const orders = copy?.source ?? restored;
  const { rows, columns } = orders ?? { rows: genesisOrder, columns: genesisOrder };
  const id = restored?.id ?? `s${parts.branchNo}.${sequence}.0`;
  const outline = { id, key: parts.nextSheetKey, name, rows, columns };
  parts.structure = parts.structure.add(outline, index);
  const added = parts.addSheet(outline, index);
  parts.ends.meet(name, parts);
  if (restored) return [added, ...meaningAgain(outline, parts)];
  if (!copy) return [added];
  const before = parts.structure;
  parts.structure = before.withTables(before.tables.with(...copy.tables));
  const copied = copySheet(copy, outline, parts);
  parts.fillSheet(outline, copied.cells);
  return [added, ...tableMutations(before, parts.structure), ...copied.mutations];
}

function editNames(plan: NamePlan, { content, structure }: StateParts): Mutation[] {
  const { names } = content;
  const scopeId = plan.scope?.id;
  const scope = plan.scope?.key;
  if (plan.type === 'nameSet') {
    const { name, formula, comment, written = { formula, structure } } = plan;
    names.set({ name, scopeId, ...written, comment });
    return [{ kind: 'nameSet', name, scope, formula }];
  }
  names.delete(plan.name, scopeId);
  return [{ kind: 'nameDelete', name: plan.name, scope }];
}

/** Sets the new name first, so that no formula refers to a missing name in between. */
function* renameName(
  plan: PlanOf<'nameRename'>,
  sequence: number,
  parts: StateParts,
): Generator<void, Mutation[]> {
  const { rename, scope, renamed, formulas } = plan;
  const { name, to } = rename;
  const { names } = parts.content;
  names.delete(name, scope?.id);
  names.set(renamed);
  const mutations = [nameMutation(renamed, parts)];
  for (const mutation of yield* editTable(formulas, sequence, parts)) mutations.push(mutation);
  parts.structure = parts.structure.withRename(rename);
  if (foldName(name) === foldName(to)) return mutations;
  return [...mutations, { kind: 'nameDelete', name, scope: scope?.key }];
}
