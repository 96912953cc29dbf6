import { referenceFlags, type FormulaReference } from '../../model/formula-service.ts';
import type { Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import { part, type FormulaRun, type FormulaRuns } from '../cells/formula-runs.ts';
import { formulaRuns, permuted, type LaneColumn } from '../cells/lanes.ts';
import { shownName, type DefinedName } from '../references/names.ts';
import { pushSpan, type IdSpan, type LineId } from '../ids/order.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SortArea } from './plan-sort.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import { ReferenceScan } from '../formulas/reference-scan.ts';
import { movesWithRow } from '../references/retarget.ts';
import type { RewriteDraft } from '../references/rewrite-draft.ts';
import type { RewritePlan, SortedRows } from '../references/rewrite.ts';
import { mergedRuns } from '../references/rewrite-mutations.ts';
import type { SheetOutline, Structure } from '../structure/structure.ts';
import { keepTables } from '../references/table-carry.ts';

const { absoluteRow0, absoluteRow1, wholeColumns } = referenceFlags;

/**
 * Plans a sort of whole rows, which move by id with all they carry. References are not part of
 * that: as in Excel they keep meaning the same places, and those inside the rows shift as copies
 * do. Formulas that would mean something else by id are stored anew.
 */
export function* sortWholeRows(
  area: SortArea,
  rows: Uint32Array,
  { draft, context }: { draft: RewriteDraft; context: PlanContext },
): Generator<void, RewritePlan> {
  const sheet = area.found.target.head;
  const sorted = context.head.replace(reordered(sheet, area.range, rows));
  const after = keepTables(context.head, sorted, sheet.id);
  const { range } = area;
  yield* draft.atHead(area.lanes, sheet);
  const moved = area.lanes.map((lane) => permuted(lane, rows));
  yield* draft.show(sheet, area.lanes, moved);
  const places = new Uint32Array(rows.length);
  for (const [place, row] of rows.entries()) places[row] = place;
  for (const [index, lane] of area.lanes.entries()) {
    const target = moved[index];
    if (!target) continue;
    draft.restore(restoredWithin(lane, target, { places, sheet, after, formulas: draft.formulas }));
    yield;
  }
  draft.restore(yield* restoredElsewhere(sheet, range, { draft, context, after }));
  return draft.finish({
    written: [{ sheet, range }],
    names: restoredNames({ sheet, range }, context, after),
    order: sheet,
    after,
    sorted: { sheet, range, rows },
  });
}

function reordered(sheet: SheetOutline, range: Range, rows: Uint32Array): SheetOutline {
  const ids = Array.from(rows, (row) => sheet.rows.idAt(range.row0 + row));
  return withRows(sheet, range.row0, ids);
}

/** Returns the sheet with these rows in place of as many others. */
function withRows(sheet: SheetOutline, from: number, ids: readonly LineId[]): SheetOutline {
  const spans: IdSpan[] = [];
  for (const { branch, sequence, offset } of ids) {
    pushSpan(spans, { branch, sequence, offset, length: 1 });
  }
  return { ...sheet, rows: sheet.rows.delete(from, ids.length).insert(from, spans) };
}

/** Sorts the same rows in another structure of the workbook. */
export function sortedAlike(seen: Structure, { sheet, range, rows }: SortedRows): Structure {
  const target = seen.withId(sheet.id);
  if (!target) return seen;
  const found = Array.from(rows, (row) => {
    const id = sheet.rows.idAt(range.row0 + row);
    const place = target.rows.positionOf(id.branch, id.sequence, id.offset);
    return place === undefined ? [] : [{ id, place }];
  }).flat();
  const places = found.map(({ place }) => place).sort((a, b) => a - b);
  const [first] = places;
  const last = places.at(-1);
  if (first === undefined || last === undefined) return seen;
  const ids = Array.from({ length: last - first + 1 }, (_, at) => target.rows.idAt(first + at));
  for (const [index, place] of places.entries()) {
    const id = found[index]?.id;
    if (id) ids[place - first] = id;
  }
  return keepTables(seen, seen.replace(withRows(target, first, ids)), sheet.id);
}

interface Within {
  readonly places: Uint32Array;
  readonly sheet: SheetOutline;
  readonly after: Structure;
  readonly formulas: FormulaRuns;
}

/** Finds formulas of the rows, at their old places, that their new row would change. */
function restoredWithin(
  lane: LaneColumn,
  target: LaneColumn,
  { places, sheet, after, formulas }: Within,
): FormulaRun[] {
  const rows = { row0: lane.row, row1: lane.row + lane.tags.length - 1 };
  const scan = new ReferenceScan();
  const found: FormulaRun[] = [];
  for (const run of formulaRuns(lane, sheet)) {
    const { r1c1, array } = formulas.stored(run.index);
    if (!array && movesWithRow(scan.read(r1c1), rows)) continue;
    for (let skipped = 0; skipped < run.count; skipped++) {
      const place = places[run.row - lane.row + skipped] ?? 0;
      if (target.tags[place] !== cellTag.formula) throw new Error('a formula was lost in sorting');
      const index = formulas.restored(target.numbers[place] ?? 0, after);
      found.push({ ...part(run, skipped, skipped + 1), index });
    }
  }
  return mergedRuns(found);
}

interface Elsewhere {
  readonly draft: RewriteDraft;
  readonly context: PlanContext;
  readonly after: Structure;
}

function* restoredElsewhere(
  sheet: SheetOutline,
  range: Range,
  { draft, context, after }: Elsewhere,
): Generator<void, FormulaRun[]> {
  const { formulas } = draft;
  const area = { sheetId: sheet.id, range };
  const search = new ReaderSearch([area], formulas);
  const found: FormulaRun[] = [];
  for (const run of search.outside([area], context)) {
    for (const current of run ? formulas.atHead(run) : []) {
      for (const reader of reading(current, { sheet, range }, formulas)) {
        found.push({ ...reader, index: formulas.restored(reader.index, after) });
      }
    }
    if (!run) yield;
  }
  return found;
}

interface Rows {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/** Finds the cells of a run that refer to some of the rows. */
function reading(run: FormulaRun, rows: Rows, formulas: FormulaRuns): FormulaRun[] {
  const { coding, head } = formulas;
  const { r1c1 } = formulas.stored(run.index);
  const text = coding.formulas.fromR1C1(r1c1, run.row, run.column);
  const references = coding.formulas.references(text);
  let [from, to] = [run.count, 0];
  for (const reference of references) {
    const sheet = sheetAt(reference, { from: head, to: head, sheetId: run.sheet.id });
    if (sheet?.id !== rows.sheet.id || (reference.flags & wholeColumns) !== 0) continue;
    const [first, last] = readers(reference, run.count, rows.range);
    if (first > last) continue;
    from = Math.min(from, first);
    to = Math.max(to, last + 1);
  }
  return from < to ? [part(run, from, to)] : [];
}

/** Finds the first and last of some consecutive cells in which a reference meets the rows. */
function readers(
  { row0, row1, flags }: FormulaReference,
  count: number,
  range: Range,
): readonly [number, number] {
  const walks0 = (flags & absoluteRow0) === 0;
  const walks1 = (flags & absoluteRow1) === 0;
  const until = (row: number, walks: boolean) => {
    if (row > range.row1) return -1;
    return walks ? range.row1 - row : count;
  };
  const since = (row: number, walks: boolean) => {
    if (row >= range.row0) return 0;
    return walks ? range.row0 - row : count;
  };
  const first = Math.min(since(row0, walks0), since(row1, walks1));
  return [first, Math.min(count - 1, Math.max(until(row0, walks0), until(row1, walks1)))];
}

/** Finds names that refer to some of the rows, and restores what they meant. */
function restoredNames(rows: Rows, { names, head, coding }: PlanContext, after: Structure) {
  return names.list().flatMap((name): DefinedName[] => {
    const formula = shownName(name, head, coding.formulas);
    const move = { from: head, to: head, sheetId: name.scopeId };
    const isReader = coding.formulas.references(formula).some((reference) => {
      const isHere = sheetAt(reference, move)?.id === rows.sheet.id;
      return isHere && reference.row0 <= rows.range.row1 && reference.row1 >= rows.range.row0;
    });
    return isReader ? [{ ...name, formula, structure: after }] : [];
  });
}
