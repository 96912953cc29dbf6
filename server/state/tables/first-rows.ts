import { columnLimit } from '../../model/address.ts';
import { recordTypes, type RecordType } from '../../model/record.ts';
import { FormulaRuns } from '../cells/formula-runs.ts';
import { MoveMap } from '../formulas/reference-map.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { FollowedReferences } from '../plan/table-plan.ts';
import { RecordDraft } from '../references/record-draft.ts';
import { Retargeting } from '../references/retarget.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { sheetOfTable } from '../structure/tables.ts';
import type { RowsParts } from './table-row-parts.ts';
import type { TableTarget } from './table-target.ts';

// An empty table has a blank row, which is deleted when the first rows are added. References to it
// then refer to the first new row, and records on it move there, as if the blank row had been
// filled.

/** Types of records that concern a whole column, whatever its rows. */
const columnRecords: readonly RecordType[] = ['validation', 'cf', 'filter', 'protection'];

/** Moves references from the deleted blank row to the first new one, or the other way round. */
export function* followRows({ target, layout, draft, context }: RowsParts): Generator<void, void> {
  const { both, blankAt, isMinted } = layout;
  if (!both || !isMinted) return;
  const { table, data } = target;
  const isCarried = context.newRows === 'carried';
  if (blankAt !== undefined) {
    const first = { table, data: { ...data, row1: data.row0 } };
    // Records over several rows already end at the blank one.
    const types = isCarried && data.row0 === data.row1 ? columnRecords : [];
    draft.followed = yield* followFirstRow(first, both, context, types);
  } else if (isCarried || context.newRows === 'followed') {
    draft.followed = yield* followFirstRow(target, both, context, isCarried ? recordTypes : []);
  }
}

/**
 * Finds references to cells of the blank row, and records of some types on it, in a structure that
 * has both rows.
 */
export function* followFirstRow(
  { table, data }: Pick<TableTarget, 'table' | 'data'>,
  structure: Structure,
  context: PlanContext,
  types: readonly RecordType[] = [],
): Generator<void, FollowedReferences | undefined> {
  const head = { ...context, head: structure };
  const blank = { sheetId: table.sheetId, range: data };
  const first = { ...blank, range: { ...data, row0: data.row1 + 1, row1: data.row1 + 1 } };
  const retargeting = new Retargeting(
    new MoveMap(blank, first),
    new FormulaRuns(context.coding, structure),
  );
  const draft = new RewriteDraft(head);
  const names = yield* draft.retarget(retargeting, [blank]);
  const records = new RecordDraft(head, (text, homeId, sheetId) => {
    return retargeting.name(text, homeId, sheetId) ?? text;
  });
  const sheet = sheetOfTable(table, structure);
  for (const type of types) placeRecords(records, { type, sheet, row: data.row0 }, head);
  records.carryOthers();
  const change = records.finish();
  const { runs, mutations } = draft.finish({ written: [] });
  if (runs.length + names.length === 0 && !change) return undefined;
  return { structure, runs, names, records: change, mutations };
}

/** Extends records of a row to the one below; those on that row alone move there. */
function placeRecords(
  draft: RecordDraft,
  { type, sheet, row }: { type: RecordType; sheet: SheetOutline; row: number },
  context: PlanContext,
): void {
  const line = { row0: row, row1: row, column0: 0, column1: columnLimit - 1 };
  for (const record of context.records.meeting(type, sheet, line)) {
    const placed = draft.rangesOf(record).map((range) => {
      if (range.row1 !== row) return { sheet, range };
      const row0 = range.row0 === row ? row + 1 : range.row0;
      return { sheet, range: { ...range, row0, row1: row + 1 } };
    });
    draft.place(record, placed);
  }
}
