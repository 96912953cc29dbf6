import type { FormulaService } from '../../model/formula-service.ts';
import { sameJson, type JsonObject } from '../../model/plain-json.ts';
import { followArea, rangeOf, type Area, type LineChange } from '../structure/area.ts';
import { endsOfText, type EndSpan, type LeavingLines } from '../cells/end-spans.ts';
import type { FormulaHome } from '../cells/known-identities.ts';
import {
  anchorCell,
  asWritten,
  firstCell,
  formulasOf,
  isSameCell,
  mapFormulas,
  placeIn,
  relative,
  shiftText,
} from './record-formulas.ts';
import { formerAfter, formerOn } from './record-former.ts';
import type { StepReferences } from '../references/step-references.ts';
import type { StoredRecord } from './stored-record.ts';
import type { Structure } from '../structure/structure.ts';

/** An edit of lines, and what it does to references. */
export interface RecordStep {
  readonly change: LineChange;
  readonly references: StepReferences;
  readonly formulas: FormulaService;
}

/**
 * The records whose formulas an edit has written anew, because one loses the end of a range or
 * another cell is the first one from then on; the areas are those of before.
 */
export function rewrittenRecords(
  records: Iterable<StoredRecord>,
  leaving: LeavingLines,
  step: RecordStep,
): StoredRecord[] {
  const rewritten: StoredRecord[] = [];
  for (const record of records) {
    const cells = record.structure && firstCells(record, step);
    if (!cells) continue;
    const isMet = leaving.spans.length > 0 && leaving.meets(endsOfRecord(record, step));
    const now = isMet || !isSameCell(cells.was, cells.is) ? formulasAfter(record, cells, step) : {};
    const { former = record.former } = now;
    const next = former && { former: formerAfter(record, cells.left, step) };
    if (now.value || next) rewritten.push({ ...record, ...now, ...next });
  }
  return rewritten;
}

/** None when the formulas stay as they are; in another cell they are other ones for former versions. */
function formulasAfter(
  record: StoredRecord,
  cells: FirstCells,
  step: RecordStep,
): Partial<Pick<StoredRecord, 'value' | 'structure' | 'former'>> {
  const isElsewhere = !isSameCell(cells.was, cells.is);
  const value = isElsewhere ? elsewhere(record, cells, step) : carried(record, cells.was, step);
  if (!value) return {};
  const { structure } = record;
  const former = isElsewhere ? { value: record.value, structure } : record.former;
  return { value, structure: step.references.after, former };
}

interface FirstCells {
  readonly was: FormulaHome;
  readonly is: FormulaHome;
  /** Areas after the edit. */
  readonly left: readonly Area[];
}

/** Undefined when the record goes. */
function firstCells(
  record: StoredRecord,
  { change, references: { before, after } }: RecordStep,
): FirstCells | undefined {
  const { areas, sheetId } = record;
  const isEdited = sheetId === change.before.id;
  const left = isEdited ? areas.flatMap((one) => followArea(one, change) ?? []) : areas;
  const was = firstCell(record, before);
  const is = firstCell({ areas: left, sheetId }, after);
  return was && is && { was, is, left };
}

/** The formulas as they read in the cell that is the first one from now on. */
function elsewhere(
  record: StoredRecord,
  { was, is }: FirstCells,
  { references, formulas }: RecordStep,
): JsonObject | undefined {
  const { before, after } = references;
  const { sheetId } = record;
  const [from, next] = [placeIn(was, before), placeIn(is, before)];
  // A line that came in is first in what has all lines; then the former first one is still there.
  const to = placeIn(next ? is : was, after);
  if (!from || !to) return undefined;
  const text = mapFormulas(asWritten(record, before, formulas), (formula) =>
    references.carry(shiftText(formula, { from, to: next ?? from }, formulas), sheetId, formulas),
  );
  return relative(text, to, formulas);
}

/** Undefined when the formulas keep their ends. */
function carried(
  record: StoredRecord,
  cell: FormulaHome,
  { references, formulas }: RecordStep,
): JsonObject | undefined {
  const { sheetId } = record;
  const text = asWritten(record, references.before, formulas);
  const loses = formulasOf(text)
    .flatMap((formula) => formulas.references(formula))
    .some((reference) => references.loses(reference, sheetId));
  const to = placeIn(cell, references.after);
  if (!loses || !to) return undefined;
  const moved = mapFormulas(text, (formula) => references.carry(formula, sheetId, formulas));
  return relative(moved, to, formulas);
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
    if (!isSame) kept.push({ ...record, value, structure: after, former: undefined });
  }
  return kept;
}

/** The record on other areas, with the formulas that their first cell had. */
export function onAreas(
  record: StoredRecord,
  areas: readonly Area[],
  { structure, formulas }: { readonly structure: Structure; readonly formulas: FormulaService },
): StoredRecord {
  const was = firstCell(record, structure);
  const is = firstCell({ ...record, areas }, structure);
  const cell = was && placeIn(was, structure);
  if (!record.structure || !is || !cell || isSameCell(was, is)) return { ...record, areas };
  const value = relative(asWritten(record, structure, formulas), cell, formulas);
  const former = formerOn(record, areas, { before: structure, after: structure, formulas });
  return { ...record, areas, value, structure, former };
}
