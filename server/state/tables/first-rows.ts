import { FormulaRuns } from '../cells/formula-runs.ts';
import { MoveMap } from '../formulas/reference-map.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { FollowedReferences } from '../plan/table-plan.ts';
import { RecordDraft } from '../references/record-draft.ts';
import { Retargeting } from '../references/retarget.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { Structure } from '../structure/structure.ts';
import type { RowsParts } from './table-row-parts.ts';
import type { TableTarget } from './table-target.ts';

// An empty table has a blank row, which goes when the first rows come. References to it are to the
// first of these from then on, as if that row had been filled.

/** References to the blank row that goes, or to the first row where a blank one comes. */
export function* followRows({ target, layout, draft, context }: RowsParts): Generator<void, void> {
  const { both, blankAt, isMinted } = layout;
  if (!both || !isMinted) return;
  const { table, data } = target;
  if (blankAt !== undefined) {
    const first = { table, data: { ...data, row1: data.row0 } };
    draft.followed = yield* followFirstRow(first, both, context);
  } else if (context.newRows === 'followed') {
    draft.followed = yield* followFirstRow(target, both, context);
  }
}

/** The references to cells of the blank row, in a structure that has both rows. */
export function* followFirstRow(
  { table, data }: Pick<TableTarget, 'table' | 'data'>,
  structure: Structure,
  context: PlanContext,
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
  records.carryOthers();
  const change = records.finish();
  const { runs, mutations } = draft.finish({ written: [] });
  if (runs.length + names.length === 0 && !change) return undefined;
  return { structure, runs, names, records: change, mutations };
}
