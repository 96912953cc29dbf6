import type { Payload } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import { asSentence } from '../../model/sentence.ts';
import { readColumnValue } from '../../model/table-column.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import { noRows, rejectedRowsMost, type RejectedRow } from '../plan/row-counts.ts';
import { followRows } from './first-rows.ts';
import { TableDraft } from './table-draft.ts';
import { changeRows } from './minted-rows.ts';
import { footprintOf, keysAt, noteKeys, resolvedRows } from './table-row-record.ts';
import { emptyRows } from './table-row-writes.ts';
import { findRow, neededKey } from './table-rows.ts';
import { followShift, moveContents } from './table-shift.ts';
import { findTable, plannedTable, type TableTarget } from './table-target.ts';

type KeysPayload = Extract<Payload<'rows.delete'>, { table: string }>;

const rowsBetweenPauses = 256;

/** Deletes rows by their keys. */
export function* planTableRowsDelete(payload: KeysPayload, context: PlanContext): Planning {
  const target = findTable(payload.table, context);
  const key = neededKey(target);
  const cells = context.cellsOf(target.sheet);
  const lookUp = yield* context.keys.of(target.sheet, key.line, cells);
  const found = new Set<number>();
  const absent: RejectedRow[] = [];
  for (const [index, value] of payload.keys.entries()) {
    if (index % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const coded = codedKey(value, target, context);
    const row = coded && findRow(lookUp(coded), target);
    if (row) found.add(row.position);
    else if (payload.onMissing !== 'ignore') throw missing(value, index, target);
    else absent.push(absentRow(value, index, target));
  }
  const removed = [...found].sort((a, b) => a - b);
  const draft = new TableDraft(context);
  const layout = changeRows(draft, target, { removed, addedCount: 0 }, context);
  const parts = { target, draft, layout, context };
  yield* followRows(parts);
  yield* followShift(removed, parts);
  if (layout.isShifted) draft.writes.push(moveContents(removed, parts));
  emptyRows(parts);
  const removedKeys = keysAt(removed, parts);
  noteKeys([], removedKeys, parts);
  const isRespelled = target.argument !== payload.table;
  return plannedTable(
    draft.finish(footprintOf({ rows: [], columns: [], removed, removedKeys }, parts)),
    {
      kind: 'rows.delete',
      payload: isRespelled ? { ...payload, table: target.argument } : payload,
    },
    {
      resolved: resolvedRows([], parts),
      rebased: isRespelled,
      rows: {
        ...noRows,
        deleted: removed.length,
        rejected: absent.slice(0, rejectedRowsMost),
        rejectedCount: absent.length,
      },
    },
  );
}

function absentRow(key: string | number, row: number, { table }: TableTarget): RejectedRow {
  const message = `${table.name} has no row ${JSON.stringify(key)}`;
  return { row, key, column: null, code: 'key_not_found', message: asSentence(message) };
}

function missing(value: string | number, index: number, { table }: TableTarget): Rejection {
  const message = `${table.name} has no row ${JSON.stringify(value)}`;
  return new Rejection('key_not_found', message, undefined, `/keys/${index}`);
}

/** Returns a key as cells store it; undefined for a text that no cell holds. */
function codedKey(
  value: string | number,
  target: TableTarget,
  { coding, settings }: PlanContext,
): CodedCell | undefined {
  const date1904 = settings.get('dateSystem') === 1904;
  const read = readColumnValue(
    value,
    { ...neededKey(target), enum: undefined },
    { raw: true, date1904 },
  );
  if (typeof read === 'string') return undefined;
  if (typeof read.input === 'number') return { tag: cellTag.number, number: read.input };
  if (typeof read.input !== 'string') return undefined;
  const text = coding.dictionary.knownText(read.input);
  return text === undefined ? undefined : { tag: cellTag.text, number: text };
}
