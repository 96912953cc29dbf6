import type { Payload } from '../../model/operation.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import { followRows } from './first-rows.ts';
import { TableDraft } from './table-draft.ts';
import { lineAt } from './table-execute.ts';
import { changeRows } from './minted-rows.ts';
import type { PlacedRow, RowsParts } from './table-row-parts.ts';
import { footprintOf, keysAt, noteKeys, resolvedRows } from './table-row-record.ts';
import { addedWrite, emptyRows, fillCalculated, updateWrite } from './table-row-writes.ts';
import { followShift } from './table-shift.ts';
import { readRows, respelledRows, type ReadRows } from './table-rows.ts';
import { findTable, plannedTable } from './table-target.ts';

/** The payload of rows.upsert; that of rows.import is the same. */
type RowsPayload = Payload<'rows.upsert'>;

/** Updates rows whose key exists with the columns sent, and adds all others below the last row. */
export function* planRowsUpsert(payload: Payload<'rows.upsert'>, context: PlanContext): Planning {
  const target = findTable(payload.table, context);
  const read = yield* readRows(payload, { target, isImport: false }, context);
  const added = read.rows.filter(({ known }) => known === undefined);
  const draft = new TableDraft(context);
  const layout = changeRows(draft, target, { removed: [], addedCount: added.length }, context);
  return yield* finishRows(
    'rows.upsert',
    { payload, read, removed: [] },
    {
      target,
      draft,
      layout,
      context,
    },
  );
}

/** Replaces the rows of a table. Rows whose key stays keep their identity. */
export function* planRowsImport(payload: Payload<'rows.import'>, context: PlanContext): Planning {
  const target = findTable(payload.table, context);
  const read = yield* readRows(payload, { target, isImport: true }, context);
  const kept = new Set(read.rows.map(({ known }) => known?.position));
  const removed: number[] = [];
  for (let row = target.data.row0; row <= target.data.row1; row++) {
    if (!kept.has(row)) removed.push(row);
  }
  const added = read.rows.filter(({ known }) => known === undefined);
  const draft = new TableDraft(context);
  const change = { removed, addedCount: added.length };
  const layout = changeRows(draft, target, change, context);
  return yield* finishRows(
    'rows.import',
    { payload, read, removed },
    {
      target,
      draft,
      layout,
      context,
    },
  );
}

const rowsBetweenPauses = 256;

interface RowsWork {
  readonly payload: RowsPayload;
  readonly read: ReadRows;
  readonly removed: readonly number[];
}

function* finishRows(
  kind: 'rows.upsert' | 'rows.import',
  { payload, read, removed }: RowsWork,
  parts: RowsParts,
): Planning {
  const { target, draft, layout } = parts;
  yield* followRows(parts);
  yield* followShift(removed, parts);
  const sheet = draft.sheetOf(target.table);
  let next = layout.addedAt;
  const placed: PlacedRow[] = [];
  const there: PlacedRow[] = [];
  const added: PlacedRow[] = [];
  for (let at = 0; at < read.rows.length; at++) {
    const row = read.rows[at];
    if (!row) continue;
    const { index, key, known, values } = row;
    const position = known ? layout.placeOf(known.position) : next++;
    // A row that stays in place keeps its sheet row.
    const line = known?.position === position ? known : lineAt(sheet, 'row', position);
    const one = { index, key, known, values, line };
    placed.push(one);
    (known ? there : added).push(one);
    if (placed.length % rowsBetweenPauses === 0) yield;
  }
  there.sort((a, b) => a.line.position - b.line.position);
  const update = yield* updateWrite(there, read.columns, parts);
  draft.writes.push(update);
  draft.writes.push(yield* addedWrite(added, parts));
  yield;
  fillCalculated(
    added.map(({ line }) => line),
    parts,
  );
  emptyRows(parts);
  const removedKeys = keysAt(removed, parts);
  noteKeys(added, removedKeys, parts);
  yield;
  const { columns } = read;
  const footprint = footprintOf({ rows: placed, columns, removed, removedKeys }, parts);
  yield;
  const { table } = target;
  const isRespelled = read.isRespelled || target.argument !== payload.table;
  const respelled = () => ({
    table: target.argument,
    rows: respelledRows(read.rows, table.columns),
    ...(payload.raw && { raw: true }),
  });
  return plannedTable(
    draft.finish(footprint),
    { kind, payload: isRespelled ? respelled() : payload },
    {
      resolved: resolvedRows(placed, parts),
      rebased: isRespelled,
      clipped: read.clipped,
      rows: {
        inserted: added.length,
        updated: update.rows.length,
        unchanged: there.length - update.rows.length,
        deleted: removedKeys.length,
        ...read.faults,
      },
    },
  );
}
