import type { Payload } from '../../model/operation.ts';
import { withoutFormats } from '../records/format-order.ts';
import { cutAreas } from './plan-links.ts';
import type { RecordPlace } from '../plan/plan-record-target.ts';
import { checkFormats, clearingPatch, planOver } from './plan-formats.ts';
import { findRange } from '../plan/plan-target.ts';
import { formatsOf, type PlanContext, type Planned } from '../plan/plan.ts';
import { joined, recordKey, type RecordChange } from '../records/stored-record.ts';

type Cleared = NonNullable<Payload<'range.clear'>['what']>[number];
type Place = Pick<RecordPlace, 'sheet' | 'ranges'>;

export function planClear(payload: Payload<'range.clear'>, context: PlanContext): Planned {
  const target = findRange(payload, context);
  const what = payload.what ?? ['values'];
  const [values, formats] = [what.includes('values'), what.includes('formats')];
  return planOver(target, { kind: 'range.clear', payload }, (areas) => {
    const sheet = target.sheet.head;
    if (formats) checkFormats(formatsOf(context, sheet), areas, clearingPatch(context));
    const records = clearedRecords(what, { sheet, ranges: areas }, context);
    return { type: 'clear', sheet, areas, values, formats, ...(records && { records }) };
  });
}

/** Plans which records a clear of these kinds removes or cuts; undefined if none. */
function clearedRecords(
  what: readonly Cleared[],
  place: Place,
  context: PlanContext,
): RecordChange | undefined {
  const changes = what.flatMap((kind) => clearedOf(kind, place, context) ?? []);
  return changes.length === 0 ? undefined : joined(changes);
}

function clearedOf(kind: Cleared, place: Place, context: PlanContext): RecordChange | undefined {
  switch (kind) {
    case 'notes':
      return gone('note', place, context);
    case 'comments':
      return gone('thread', place, context);
    case 'validation':
      return cutAreas('validation', place, context);
    case 'hyperlinks':
      return cutAreas('hyperlink', place, context);
    case 'cf':
      return cutFormats(place, context);
    default:
      return undefined;
  }
}

function gone(type: 'note' | 'thread', { sheet, ranges }: Place, { records }: PlanContext) {
  const found = new Set<string>();
  for (const range of ranges) {
    for (const record of records.meeting(type, sheet, range)) found.add(recordKey(record));
  }
  return { puts: [], deletes: [...found].sort() };
}

/** Cuts conditional formats out of a place; a rule without cells also leaves the order of rules. */
function cutFormats(place: Place, context: PlanContext): RecordChange {
  const cut = cutAreas('cf', place, context);
  const empty = cut.deletes.flatMap((key) => context.records.get(key) ?? []);
  return joined([cut, withoutFormats(empty, context)]);
}
