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

/** An edit of lines, with its effect on references. */
export interface RecordStep {
  readonly change: LineChange;
  readonly references: StepReferences;
  readonly formulas: FormulaService;
}

/**
 * Returns records whose formulas must be stored again after an edit, because one loses the end of a
 * range or another cell becomes the first one. Areas are those before the edit.
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

/** Returns the formulas after the edit; undefined when they do not change. */
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
  /** The areas after the edit. */
  readonly left: readonly Area[];
}

/** Finds the first cell before and after the edit; undefined when the record is deleted. */
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

/** Returns the formulas as they read in the new first cell. */
function elsewhere(
  record: StoredRecord,
  { was, is }: FirstCells,
  { references, formulas }: RecordStep,
): JsonObject | undefined {
  const { before, after } = references;
  const { sheetId } = record;
  const [from, next] = [placeIn(was, before), placeIn(is, before)];
  // In an area of all lines, an inserted line becomes the first; the former one still exists.
  const to = placeIn(next ? is : was, after);
  if (!from || !to) return undefined;
  const text = mapFormulas(asWritten(record, before, formulas), (formula) =>
    references.carry(shiftText(formula, { from, to: next ?? from }, formulas), sheetId, formulas),
  );
  return relative(text, to, formulas);
}

/** Returns the formulas with new ends; undefined when they keep theirs. */
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

/** Ends by record, which is immutable. */
const recordEnds = new WeakMap<StoredRecord, readonly EndSpan[]>();

/** Returns the lines at which ranges of a record's formulas begin or end. */
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
  // Only then: after edits of lines, another cell may be the one to read the formulas from.
  if (anchor.isFirst) recordEnds.set(record, ends);
  return ends;
}

/** Rewrites formulas of records on sorted rows, which keep their relative targets. */
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

/** Returns a record on other areas, with formulas as their first cell had them. */
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
