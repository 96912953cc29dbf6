import { moveFormula } from '../formulas/formula-text.ts';
import { editedSheet, type LinePlan } from '../structure/line-steps.ts';
import type { DefinedName } from '../references/names.ts';
import { genesisOrder, type IdSpan, type LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { LineSpan } from '../structure/line-span.ts';
import type { StoredRecord } from '../records/stored-record.ts';
import type { Axis, SheetOutline, Structure } from '../structure/structure.ts';
import type { Retargeting } from '../references/retarget.ts';
import { retargetTables } from '../references/table-carry.ts';
import { followTables } from '../references/table-follow.ts';
import type {
  ChangedKeys,
  FollowedReferences,
  TableFill,
  TableFootprint,
  TablePlan,
  TableWrite,
} from '../plan/table-plan.ts';
import { sheetOfTable, type StoredTable } from '../structure/tables.ts';

/**
 * A plan for a table under construction. Edits of lines change the draft's structure at once, so
 * that later writes are planned in final positions.
 */
export class TableDraft {
  readonly writes: TableWrite[] = [];
  readonly fills: TableFill[] = [];
  readonly names: DefinedName[] = [];
  readonly records: StoredRecord[] = [];
  keys: ChangedKeys | undefined;
  followed: FollowedReferences | undefined;
  /** True once the rule `keepsTables` made a difference to the plan. */
  keepsTables = false;
  readonly #context: PlanContext;
  readonly #lines: LinePlan[] = [];
  #structure: Structure;
  #added: SheetOutline | undefined;
  #dropped: SheetOutline | undefined;

  constructor(context: PlanContext) {
    this.#context = context;
    this.#structure = context.head;
  }

  get structure(): Structure {
    return this.#structure;
  }

  /** The run of the ids that this operation makes. */
  get run(): { branch: number; sequence: number } {
    const { branch, sequence } = this.#context.next();
    return { branch, sequence };
  }

  sheetOf(table: StoredTable): SheetOutline {
    return sheetOfTable(table, this.#structure);
  }

  table(id: string): StoredTable {
    const table = this.#structure.tables.withId(id);
    if (!table) throw new Error(`the draft has lost the table ${id}`);
    return table;
  }

  set(table: StoredTable): void {
    const known = this.#structure.tables.withId(table.id);
    if (known === table) return;
    this.#structure = this.#structure.withTables(this.#structure.tables.with(table));
  }

  drop(table: StoredTable): void {
    const tables = this.#structure.tables.without(new Set([table.id]));
    this.#structure = this.#structure.withTables(tables);
  }

  /**
   * Returns the formula of a calculated column in the addresses of the draft. The formulas in its
   * tables are carried along only when the plan is applied.
   */
  carried(formula: string, sheetId: string): string {
    const { head, coding } = this.#context;
    return moveFormula(formula, { from: head, to: this.#structure, sheetId }, coding.formulas);
  }

  /** Does the same under the present rules; old plans left the formula unchanged. */
  carriedByRules(formula: string, sheetId: string): string {
    const carried = this.#context.keepsTables ? this.carried(formula, sheetId) : formula;
    this.keepsTables ||= carried !== formula;
    return carried;
  }

  /** Rewrites the formulas of calculated columns that refer to moved cells. */
  retarget(retargeting: Retargeting): void {
    this.#structure = retargetTables(this.#structure, retargeting);
  }

  addSheet(name: string): SheetOutline {
    const { branch, sequence, sheetKey: key } = this.#context.next();
    const id = `s${branch}.${sequence}.0`;
    const sheet = { id, key, name, rows: genesisOrder, columns: genesisOrder };
    this.#structure = this.#structure.add(sheet, this.#structure.sheets.length);
    this.#added = sheet;
    return sheet;
  }

  dropSheet(sheet: SheetOutline): void {
    this.#structure = this.#structure.remove(sheet.id);
    this.#dropped = sheet;
  }

  insert(axis: Axis, sheet: SheetOutline, { from: position, count }: LineSpan): void {
    // New rows inherit the look of the row above; new columns get the format of their type.
    const inherit = axis === 'row' && position > 0 ? sheet.rows.idAt(position - 1) : undefined;
    this.edit({ type: 'insert', axis, sheet, position, count, inherit });
  }

  /** Inserts rows with given ids, which inherit the look of a given row or none. */
  mint(
    sheet: SheetOutline,
    rows: { position: number; count: number; ids: IdSpan[]; inherit?: LineId },
  ): void {
    this.edit({ type: 'insert', axis: 'row', sheet, inherit: undefined, ...rows });
  }

  /** Deletes lines. The spans are sorted and do not touch. */
  delete(axis: Axis, sheet: SheetOutline, spans: readonly LineSpan[]): void {
    if (spans.length > 0) this.edit({ type: 'delete', axis, sheet, spans });
  }

  move(
    axis: Axis,
    sheet: SheetOutline,
    { span, before }: { span: LineSpan; before: number },
  ): void {
    this.edit({ type: 'move', axis, sheet, spans: [span], before });
  }

  /** Applies an edit of lines to the draft. */
  edit(plan: LinePlan): void {
    const before = this.#structure;
    const after = editedSheet(plan, this.run);
    const moved = plan.type === 'move' ? { axis: plan.axis, spans: plan.spans } : undefined;
    const tables = followTables(before.tables, before, { before: plan.sheet, after, moved });
    this.#structure = before.replace(after).withTables(tables);
    this.#lines.push(plan);
  }

  finish(footprint: TableFootprint): TablePlan {
    return {
      type: 'table',
      after: this.#structure,
      added: this.#added,
      dropped: this.#dropped,
      lines: this.#lines,
      followed: this.followed,
      writes: this.writes.filter(({ rows, columns }) => rows.length > 0 && columns.length > 0),
      fills: this.fills.filter(({ rowCount }) => rowCount > 0),
      names: this.names,
      ...(this.records.length > 0 && { records: { puts: this.records, deletes: [] } }),
      keys: this.keys,
      footprint,
    };
  }
}

/** Returns whether the plan would change nothing. */
export function isEmptyPlan(plan: TablePlan, head: Structure): boolean {
  const { writes, fills, names, records } = plan;
  const isWritten = writes.length + fills.length + names.length > 0 || records !== undefined;
  return plan.after === head && plan.lines.length === 0 && !isWritten;
}

/** Returns the ids of contiguous lines. */
export function idsAt(sheet: SheetOutline, axis: Axis, { from, count }: LineSpan): LineId[] {
  const order = axis === 'row' ? sheet.rows : sheet.columns;
  return order
    .spansAt(from, count)
    .flatMap(({ branch, sequence, offset, length }) =>
      Array.from({ length }, (_, at) => ({ branch, sequence, offset: offset + at })),
    );
}

/** Turns ascending positions into spans. */
export function spansOfPositions(positions: Iterable<number>): LineSpan[] {
  const spans: { from: number; count: number }[] = [];
  let last: { from: number; count: number } | undefined;
  for (const position of positions) {
    if (last && last.from + last.count === position) last.count++;
    else spans.push((last = { from: position, count: 1 }));
  }
  return spans;
}
