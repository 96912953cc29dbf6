import { cellName } from '../../model/address.ts';
import type { Operation, Payload } from '../../model/operation.ts';
import type { RecordKind } from '../../model/payload-records.ts';
import { canonicalObject } from '../../model/plain-json.ts';
import { cellCount, overlaps, rangeName, type Range } from '../../model/range.ts';
import { Rejection } from '../../model/rejection.ts';
import {
  planCommentAdd,
  planCommentDelete,
  planCommentEdit,
  planCommentReply,
  planCommentResolve,
} from './plan-comments.ts';
import { rangeOf } from '../structure/tables.ts';
import { planHyperlinkSet } from './plan-links.ts';
import {
  planFilterClear,
  planFilterSet,
  planObjectSet,
  planProtectSet,
} from './plan-sheet-records.ts';
import { areasText } from '../plan/plan-target.ts';
import {
  checkRoom,
  findOneCell,
  findPlaces,
  plainRecord,
  planned,
  putOne,
  type RecordPlace,
} from '../plan/plan-record-target.ts';
import { planFormatMove, planFormatSet, planRuleDelete, planValidationSet } from './plan-rules.ts';
import type { PlanContext, Planned } from '../plan/plan.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';

export type RecordOperation = Extract<Operation, { kind: RecordKind }>;

export function planRecord(operation: RecordOperation, context: PlanContext): Planned {
  switch (operation.kind) {
    case 'cellmerge.add':
      return planMerge(operation.payload, context);
    case 'cellmerge.remove':
      return planUnmerge(operation.payload, context);
    case 'note.set':
      return planNoteSet(operation.payload, context);
    case 'note.delete':
      return planNoteDelete(operation.payload, context);
    case 'hyperlink.set':
      return planHyperlinkSet(operation.payload, context);
    case 'filter.set':
      return planFilterSet(operation.payload, context);
    case 'filter.clear':
      return planFilterClear(operation.payload, context);
    case 'protect.set':
      return planProtectSet(operation.payload, context);
    case 'protect.delete':
      return planRuleDelete('protection', operation.payload, context);
    default:
      return planNamed(operation, context);
  }
}

type NamedOperation = Extract<
  RecordOperation,
  { kind: `${'comment' | 'validation' | 'cf' | 'image' | 'chart'}.${string}` }
>;

function planNamed(operation: NamedOperation, context: PlanContext): Planned {
  switch (operation.kind) {
    case 'comment.add':
      return planCommentAdd(operation.payload, context);
    case 'comment.reply':
      return planCommentReply(operation.payload, context);
    case 'comment.edit':
      return planCommentEdit(operation.payload, context);
    case 'comment.resolve':
      return planCommentResolve(operation.payload, context);
    case 'comment.delete':
      return planCommentDelete(operation.payload, context);
    case 'image.set':
      return planObjectSet('image', operation.payload, context);
    case 'chart.set':
      return planObjectSet('chart', operation.payload, context);
    default:
      return planRule(operation, context);
  }
}

type RuleOperation = Extract<
  NamedOperation,
  { kind: `${'validation' | 'cf'}.${string}` | `${'image' | 'chart'}.delete` }
>;

function planRule(operation: RuleOperation, context: PlanContext): Planned {
  switch (operation.kind) {
    case 'validation.set':
      return planValidationSet(operation.payload, context);
    case 'cf.set':
      return planFormatSet(operation.payload, context);
    case 'cf.move':
      return planFormatMove(operation.payload, context);
    case 'validation.delete':
      return planRuleDelete('validation', operation.payload, context);
    case 'cf.delete':
      return planRuleDelete('cf', operation.payload, context);
    case 'image.delete':
      return planRuleDelete('image', operation.payload, context);
    case 'chart.delete':
      return planRuleDelete('chart', operation.payload, context);
    default:
      return operation satisfies never;
  }
}

/** Merges cells; the content of covered cells is hidden and kept. */
function planMerge(payload: Payload<'cellmerge.add'>, context: PlanContext): Planned {
  const place = findPlaces(payload.sheet, [payload.range], context);
  const { sheet, ranges, areas } = place;
  checkRoom('cellmerge', ranges.length, context);
  checkApart(ranges);
  const puts = ranges.map((range, at) => {
    checkMergeable(range, place, context);
    return plainRecord('cellmerge', { sheet, areas: areas.slice(at, at + 1) }, {});
  });
  return planned({
    kind: 'cellmerge.add',
    payload: respelled(payload, place),
    change: { puts, deletes: [] },
    place,
  });
}

function checkApart(ranges: readonly Range[]): void {
  for (const [at, range] of ranges.entries()) {
    const other = ranges.slice(0, at).find((earlier) => overlaps(earlier, range));
    if (other) throw overlapping(`${rangeName(range)} and ${rangeName(other)} overlap`);
  }
}

function checkMergeable(range: Range, { sheet }: RecordPlace, context: PlanContext): void {
  const { records, head } = context;
  if (cellCount(range) === 1) {
    throw new Rejection('bad_range', `${rangeName(range)} is a single cell`);
  }
  for (const merge of records.meeting('cellmerge', sheet, range)) {
    const there = areasText(records.rangesOf(merge, sheet));
    if (there !== rangeName(range)) throw overlapping(`${there} is merged already`);
  }
  const tables = head.tables.onSheet(sheet.id);
  const table = tables.find((other) => overlaps(rangeOf(other, head), range));
  if (table) throw overlapping(`the table ${table.name} lies there`);
}

function overlapping(message: string): Rejection {
  return new Rejection('merge_overlap', message);
}

/** Unmerges all merged cells that the range touches, as Excel does. */
function planUnmerge(payload: Payload<'cellmerge.remove'>, context: PlanContext): Planned {
  const place = findPlaces(payload.sheet, [payload.range], context);
  const found = new Set<string>();
  for (const range of place.ranges) {
    const merges = context.records.meeting('cellmerge', place.sheet, range);
    for (const merge of merges) found.add(recordKey(merge));
  }
  return planned({
    kind: 'cellmerge.remove',
    payload: respelled(payload, place),
    change: { puts: [], deletes: [...found].sort() },
    place,
  });
}

function respelled(payload: Payload<'cellmerge.add'>, place: RecordPlace) {
  if (!place.isMoved) return payload;
  return { sheet: place.argument, range: areasText(place.ranges) };
}

function planNoteSet(payload: Payload<'note.set'>, context: PlanContext): Planned {
  const place = findOneCell(payload, context);
  const { text, author } = payload;
  const note = plainRecord('note', place, canonicalObject({ text, author }));
  if (!context.records.get(recordKey(note))) checkRoom('note', 1, context);
  return planned({
    kind: 'note.set',
    payload: cellRespelled(payload, place),
    change: putOne(note, undefined),
    place,
  });
}

function planNoteDelete(payload: Payload<'note.delete'>, context: PlanContext): Planned {
  const place = findOneCell(payload, context);
  const note: StoredRecord = plainRecord('note', place, {});
  return planned({
    kind: 'note.delete',
    payload: cellRespelled(payload, place),
    change: { puts: [], deletes: [recordKey(note)] },
    place,
  });
}

function cellRespelled<P extends { a1: string }>(payload: P, place: RecordPlace): P {
  const [range] = place.ranges;
  if (!place.isMoved || !range) return payload;
  return { ...payload, sheet: place.argument, a1: cellName(range.row0, range.column0) };
}
