import { rangeName, type Range } from '../../model/range.ts';
import { NamingMap } from '../formulas/reference-map.ts';
import type { PlanContext } from '../plan/plan.ts';
import { RecordDraft } from '../references/record-draft.ts';
import { Retargeting } from '../references/retarget.ts';
import { RewriteDraft } from '../references/rewrite-draft.ts';
import type { RewritePlan } from '../references/rewrite.ts';
import { retargetTables } from '../references/table-carry.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { OperationParts } from './parts.ts';

/** Plans that all which names cells of one range names those of another one instead. */
export function* planNaming(
  { id: sheetId }: SheetOutline,
  { from, to }: { readonly from: Range; readonly to: Range },
  context: PlanContext,
): Generator<void, RewritePlan> {
  const draft = new RewriteDraft(context);
  const map = new NamingMap({ sheetId, range: from }, { sheetId, range: to });
  const retargeting = new Retargeting(map, draft.formulas);
  const names = yield* draft.retarget(retargeting, []);
  const records = new RecordDraft(context, (text, homeId) => {
    return retargeting.name(text, homeId) ?? text;
  });
  records.carryOthers();
  const after = retargetTables(context.head, retargeting);
  return draft.finish({ written: [], names, after, records: records.finish() });
}

/** Names other cells on a side; returns false, and does nothing, where nothing names any of them. */
export function* nameOthers(
  parts: OperationParts,
  sheet: SheetOutline,
  ranges: { readonly from: Range; readonly to: Range },
): Generator<void, boolean> {
  const { state } = parts;
  const plan = yield* planNaming(sheet, ranges, state.contextAt(state.structure));
  const { runs, names, records, after } = plan;
  const isInTables = after.tables !== state.tables;
  if (runs.length + names.length === 0 && !records && !isInTables) return false;
  const [from, to] = [rangeName(ranges.from), rangeName(ranges.to)];
  yield* parts.add({ kind: 'restore.readers', payload: { sheet: sheet.id, from, to } });
  return true;
}
