import { rowLimit } from '../../model/address.ts';
import { Rejection } from '../../model/rejection.ts';
import type { LineId } from '../ids/order.ts';
import type { PlanContext, Planned, Planning } from '../plan/plan.ts';
import { flatten, type BlankBehind, type Resolved } from '../plan/resolved.ts';
import { followTables } from '../references/table-follow.ts';
import { editedSheet, isLinePlan, type LinePlan } from '../structure/line-steps.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { dataRange, hasRows, rangeOf, type StoredTable } from '../structure/tables.ts';
import { followFirstRow } from './first-rows.ts';
import { TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import { writtenAreas } from './table-target.ts';

// Inserting or deleting rows of a sheet also affects tables: new rows get the formulas of
// calculated columns, and a table that keeps its header keeps a row below it.

type RowsLeaving = Exclude<LinePlan, { type: 'insert' }>;

/** Returns whether a plan of lines needs additions for tables. */
export function needsTables({ plan }: Planned, context: PlanContext): boolean {
  if (!context.keepsTables || !isLinePlan(plan) || plan.axis !== 'row') return false;
  if (context.head.tables.onSheet(plan.sheet.id).length === 0) return false;
  if (plan.type === 'insert') return calculatedAt(plan.position, plan.sheet, context);
  return emptied(plan, context.head) !== undefined;
}

/** Plans the same operation again, with the additions for tables. */
export function* withTables(planned: Planned, context: PlanContext): Planning {
  const { plan } = planned;
  if (!isLinePlan(plan) || !needsTables(planned, context)) return planned;
  return plan.type === 'insert'
    ? filled(planned, plan, context)
    : yield* kept(planned, plan, context);
}

/** Returns whether rows inserted at a position are in a table with calculated columns. */
function calculatedAt(position: number, { id }: SheetOutline, { head }: PlanContext): boolean {
  return head.tables.onSheet(id).some((table) => {
    if (table.columns.every(({ formula }) => formula === undefined)) return false;
    const { row0, row1 } = rangeOf(table, head);
    return position > row0 && position <= row1;
  });
}

function filled(
  planned: Planned,
  plan: Extract<LinePlan, { type: 'insert' }>,
  context: PlanContext,
): Planned {
  const draft = new TableDraft(context);
  draft.edit(plan);
  const { branch, sequence } = draft.run;
  const added = { branch, sequence, offset: 0 };
  fillCalculated(draft, { sheet: plan.sheet, added, count: plan.count }, context);
  const lines = [branch, sequence, 0, plan.count];
  return finished(planned, { draft, asked: plan, resolved: { lines } });
}

/** Finds the first table that would keep its header or totals but no data row. */
function emptied(plan: RowsLeaving, structure: Structure): StoredTable | undefined {
  const { sheet: before } = plan;
  const after = editedSheet(plan, { branch: 0, sequence: 0 });
  const moved = plan.type === 'move' ? { axis: plan.axis, spans: plan.spans } : undefined;
  const tables = followTables(structure.tables, structure, { before, after, moved });
  const left = structure.replace(after).withTables(tables);
  return structure.tables.onSheet(before.id).find((table) => {
    const now = tables.withId(table.id);
    return now && hasRows(table, structure) && !hasRows(now, left);
  });
}

/** Adds a blank row to each table that would lose all rows, before these are deleted. */
function* kept(planned: Planned, plan: RowsLeaving, context: PlanContext): Planning {
  const draft = new TableDraft(context);
  const added: LineId[] = [];
  const behind = context.blankBehind ?? (yield* decideBehind(plan, context));
  let leaving = plan;
  for (let table = emptied(leaving, draft.structure); table;) {
    const row = addBlank(draft, table, { offset: added.length, context, behind });
    if (added.length === 0 && plan.type === 'delete') {
      const data = { ...rangeOf(table, context.head), row0: row.after, row1: row.after };
      draft.followed = yield* followFirstRow({ table, data }, draft.structure, context);
    }
    added.push(row.id);
    leaving = carried(leaving, row.after + 1, draft.sheetOf(table));
    table = emptied(leaving, draft.structure);
  }
  draft.edit(leaving);
  const { sheet } = plan;
  for (const id of added) fillCalculated(draft, { sheet, added: id, count: 1 }, context);
  const spans = added.map((id) => ({ ...id, length: 1 }));
  const resolved = { added: flatten(spans), ...(behind !== 'unsaid' && { blankBehind: behind }) };
  return finished(planned, { draft, asked: plan, resolved });
}

/**
 * Decides where the blank row comes. Arrays are loaded first, because one over all of the rows must
 * not be torn.
 */
function* decideBehind({ sheet }: RowsLeaving, context: PlanContext): Generator<void, BlankBehind> {
  yield* context.cellsOf(context.head.withId(sheet.id) ?? sheet).readArrays();
  return context.coding.dictionary.largestArray ? 'last' : 'first';
}

interface Blank {
  /** Number of rows added before. */
  readonly offset: number;
  readonly context: PlanContext;
  readonly behind: BlankBehind | 'unsaid';
}

/**
 * Adds a blank row between deleted ones, so that ranges over all of them end at it; it gets the
 * look of the first.
 */
function addBlank(
  draft: TableDraft,
  table: StoredTable,
  { offset, context, behind }: Blank,
): { readonly id: LineId; readonly after: number } {
  const sheet = draft.sheetOf(table);
  const range = rangeOf(table, draft.structure);
  const { row0, row1 } = dataRange(table, range);
  if (context.isFilledFrom(context.head.withId(sheet.id) ?? sheet, 'row', rowLimit - 1 - offset)) {
    throw new Rejection('grid_full', `there is no room for the blank row of ${table.name}`);
  }
  const isLast = behind === 'unsaid' ? context.coding.dictionary.largestArray : behind === 'last';
  const after = isLast ? row1 : row0;
  const id = { ...draft.run, offset };
  const inherit = sheet.rows.idAt(after);
  draft.mint(sheet, { position: after + 1, count: 1, ids: [{ ...id, length: 1 }], inherit });
  if (after === range.row1) draft.set({ ...draft.table(table.id), lastRow: id });
  return { id, after };
}

/** Returns the plan in positions after a row was inserted. */
function carried(plan: RowsLeaving, position: number, sheet: SheetOutline): RowsLeaving {
  const spans = plan.spans.flatMap(({ from, count }) => {
    if (from >= position) return [{ from: from + 1, count }];
    const above = Math.min(count, position - from);
    const rest = { from: position + 1, count: count - above };
    return rest.count > 0 ? [{ from, count: above }, rest] : [{ from, count }];
  });
  if (plan.type === 'delete') return { ...plan, sheet, spans };
  const before = plan.before >= position ? plan.before + 1 : plan.before;
  return { ...plan, sheet, spans, before };
}

interface NewRows {
  readonly sheet: SheetOutline;
  /** The first added row. */
  readonly added: LineId;
  readonly count: number;
}

/** Fills the calculated columns of all tables around the new rows. */
function fillCalculated(
  draft: TableDraft,
  { sheet: { id: sheetId }, added, count: rows }: NewRows,
  { coding }: PlanContext,
): void {
  const { structure } = draft;
  const sheet = structure.withId(sheetId);
  const row = sheet?.rows.positionOf(added.branch, added.sequence, added.offset);
  if (!sheet || row === undefined) return;
  for (const table of structure.tables.onSheet(sheetId)) {
    const range = rangeOf(table, structure);
    const data = dataRange(table, range);
    if (row < data.row0 || row > data.row1) continue;
    for (const [index, { formula: written }] of table.columns.entries()) {
      if (written === undefined) continue;
      const formula = draft.carried(written, sheetId);
      const column = lineAt(sheet, 'column', range.column0 + index);
      const input = { formula };
      const coded = coding.encode(input, { row, column: column.position }, structure);
      draft.fills.push({ sheet, column, row, rowCount: rows, input, coded, format: -1 });
    }
  }
}

interface Finished {
  readonly draft: TableDraft;
  readonly asked: LinePlan;
  readonly resolved: Pick<Resolved, 'lines' | 'added' | 'blankBehind'>;
}

function finished(planned: Planned, { draft, asked, resolved: more }: Finished): Planned {
  const footprint = { sheet: asked.sheet, ranges: [], names: [] };
  const plan = { ...draft.finish(footprint), asked };
  const wrote = writtenAreas(plan);
  const resolved: Resolved = { ...planned.resolved, ...more, keepsTables: true };
  return { ...planned, plan, resolved: wrote.length > 0 ? { ...resolved, wrote } : resolved };
}
