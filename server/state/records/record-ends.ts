import type { FormulaService } from '../../model/formula-service.ts';
import { sameJson } from '../../model/plain-json.ts';
import { followArea, rangeOf, type LineChange } from '../structure/area.ts';
import { endsOfText, type EndSpan, type LeavingLines } from '../cells/end-spans.ts';
import {
  anchorCell,
  asWritten,
  formulasOf,
  mapFormulas,
  relative,
  shiftText,
} from './record-formulas.ts';
import type { StepReferences } from '../references/step-references.ts';
import type { StoredRecord } from './stored-record.ts';
import { orderOf, type Structure } from '../structure/structure.ts';

/** An edit of lines, and what it does to references. */
export interface RecordStep {
  readonly change: LineChange;
  readonly references: StepReferences;
  readonly formulas: FormulaService;
}

/**
 * The records of which a formula loses the end of a range, with their formulas written anew; the
 * areas are those of before.
 */
export function restoredRecords(
  records: Iterable<StoredRecord>,
  leaving: LeavingLines,
  step: RecordStep,
): StoredRecord[] {
  const restored: StoredRecord[] = [];
  for (const record of records) {
    if (!record.structure || !leaving.meets(endsOfRecord(record, step))) continue;
    const value = restoredValue(record, step);
    if (value) restored.push({ ...record, value, structure: step.references.after });
  }
  return restored;
}

/** Undefined when the formulas keep their ends, or the record goes. */
function restoredValue(
  record: StoredRecord,
  { change, references, formulas }: RecordStep,
): StoredRecord['value'] | undefined {
  const { before, after } = references;
  const cell = cellThatStays(record, { change, before, after });
  if (!cell) return undefined;
  const text = mapFormulas(asWritten(record, before, formulas), (formula) =>
    shiftText(formula, { from: cell.first, to: cell.before }, formulas),
  );
  const { sheetId } = record;
  const loses = formulasOf(text)
    .flatMap((formula) => formulas.references(formula))
    .some((reference) => references.loses(reference, sheetId));
  if (!loses) return undefined;
  const carried = mapFormulas(text, (formula) => references.carry(formula, sheetId, formulas));
  return relative(carried, cell.after, formulas);
}

interface Between {
  readonly change: LineChange;
  readonly before: Structure;
  readonly after: Structure;
}

/** The first cell of a record after an edit, and where it and the first one stood before. */
function cellThatStays({ areas, sheetId }: StoredRecord, { change, before, after }: Between) {
  const was = before.withId(sheetId);
  const is = after.withId(sheetId);
  const isEdited = sheetId === change.before.id;
  const [area] = areas.flatMap((one) => (isEdited ? (followArea(one, change) ?? []) : one));
  const range = is && area && rangeOf(area, is);
  const first = was && areas[0] && rangeOf(areas[0], was);
  if (!range || !first) return undefined;
  const row = is.rows.idAt(range.row0);
  const column = is.columns.idAt(range.column0);
  const rowBefore = orderOf(was, 'row').positionOf(row.branch, row.sequence, row.offset);
  const columnBefore = was.columns.positionOf(column.branch, column.sequence, column.offset);
  if (rowBefore === undefined || columnBefore === undefined) return undefined;
  return {
    first: { row: first.row0, column: first.column0 },
    before: { row: rowBefore, column: columnBefore },
    after: { row: range.row0, column: range.column0 },
  };
}

/** Records never change in place. */
const recordEnds = new WeakMap<StoredRecord, readonly EndSpan[]>();

/** Ends of the ranges in its formulas. */
function endsOfRecord(record: StoredRecord, { references, formulas }: RecordStep) {
  const known = recordEnds.get(record);
  if (known) return known;
  const { structure, sheetId, value } = record;
  const anchor = structure && anchorCell(record, references.before);
  if (!structure || !anchor) return [];
  const ends = formulasOf(value).flatMap((r1c1) => {
    const text = formulas.fromR1C1(r1c1, anchor.written.row, anchor.written.column);
    return endsOfText(text, { structure, sheetId }, formulas);
  });
  // Another cell may be the one to read its formulas from once lines have come, gone or moved.
  if (anchor.isFirst) recordEnds.set(record, ends);
  return ends;
}

/** Formulas of rows that are sorted go on meaning the same places, relative to where they stand. */
export function keptFormulas(
  records: Iterable<StoredRecord>,
  { before, after }: { readonly before: Structure; readonly after: Structure },
  formulas: FormulaService,
): StoredRecord[] {
  const kept: StoredRecord[] = [];
  for (const record of records) {
    const sheet = before.withId(record.sheetId);
    const range = sheet && record.areas[0] && rangeOf(record.areas[0], sheet);
    if (!record.structure || !range) continue;
    const cell = { row: range.row0, column: range.column0 };
    const value = relative(asWritten(record, before, formulas), cell, formulas);
    const isSame = after === record.structure && sameJson(value, record.value);
    if (!isSame) kept.push({ ...record, value, structure: after });
  }
  return kept;
}
