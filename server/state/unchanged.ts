import { columnCount, rowCount, type Range } from '../model/range.ts';
import { sameSetting } from '../model/settings.ts';
import { cellTag, type Block } from './cells/block.ts';
import { sameLane, type CellCoding } from './cells/cell-coding.ts';
import { lookIsSo } from './plan/execute-looks.ts';
import { HeldCells } from './held-cells.ts';
import type { Looks } from './structure/looks.ts';
import { nameFormula, type NameTable } from './references/names.ts';
import { clearingPatch } from './operations/plan-formats.ts';
import {
  formatsOf,
  isLookPlan,
  leaveCell,
  type Plan,
  type PlannedBlock,
  type PlannedCell,
} from './plan/plan.ts';
import type { LineSpan } from './structure/line-span.ts';
import type { PolicyDocument } from './records/policy-document.ts';
import type { Records } from './records/records.ts';
import type { RewritePlan } from './references/rewrite.ts';
import type { Settings } from './structure/settings.ts';
import type { SheetCells } from './cells/sheet-cells.ts';
import { formatsAreSo } from './cells/sheet-formats.ts';
import type { RecordChange } from './records/stored-record.ts';
import type { FormatPatch } from './cells/style-list.ts';
import type { SheetOutline, Structure } from './structure/structure.ts';
import { isEmptyPlan } from './tables/table-draft.ts';

export interface Current {
  readonly structure: Structure;
  readonly coding: CellCoding;
  readonly names: NameTable;
  readonly settings: Settings;
  readonly policy: PolicyDocument;
  readonly looks: Looks;
  readonly records: Records;
  cellsOf(sheet: SheetOutline): SheetCells;
}

const cellsBetweenPauses = 512;

/** Returns whether a plan would change nothing, with pauses where it names many cells. */
export function* changesNothing(plan: Plan, current: Current): Generator<void, boolean> {
  switch (plan.type) {
    case 'cells':
      return yield* cellsAreSo(plan.cells, current);
    case 'blocks':
      return yield* everyOf(plan.blocks, (block) => blockIsSo(plan.sheet, block, current));
    case 'fill':
      return yield* fillIsSo(plan, current);
    case 'clear':
      return recordsAreSo(plan.records, current) && clearIsSo(plan, current);
    case 'format':
      return areasLookSo(plan, current);
    case 'delete':
    case 'move':
      return linesAreSo(plan);
    case 'nameSet':
    case 'nameRename':
      return nameIsSo(plan, current);
    case 'rewrite':
      return yield* isRewrittenSo(plan, current);
    default:
      return bookIsSo(plan, current);
  }
}

function* everyOf<Item>(
  items: readonly Item[],
  isSo: (item: Item) => Generator<void, boolean>,
): Generator<void, boolean> {
  for (const item of items) if (!(yield* isSo(item))) return false;
  return true;
}

function* cellsAreSo(cells: readonly PlannedCell[], current: Current): Generator<void, boolean> {
  let count = 0;
  for (const cell of cells) {
    if (!cellIsSo(cell, current)) return false;
    if (++count % cellsBetweenPauses === 0) yield;
  }
  return true;
}

function* isRewrittenSo(plan: RewritePlan, current: Current): Generator<void, boolean> {
  if (!recordsAreSo(plan.records, current)) return false;
  const { after, runs, names } = plan;
  if (after !== current.structure || runs.length + names.length > 0) return false;
  return yield* new HeldCells(current).areRewritten(plan);
}

function recordsAreSo(change: RecordChange | undefined, current: Current): boolean {
  const { records, structure, coding } = current;
  return change === undefined || records.isSo(change, structure, coding.formulas);
}

function* fillIsSo(
  plan: Extract<Plan, { type: 'fill' }>,
  current: Current,
): Generator<void, boolean> {
  const { sheet, areas, coded, format } = plan;
  const held = new HeldCells(current);
  const isSo = yield* everyOf(areas, (area) => held.areFilled(sheet, area, coded));
  return isSo && (format === undefined || areasLookSo({ sheet, areas, format }, current));
}

function areasLookSo(
  { sheet, areas, format }: { sheet: SheetOutline; areas: readonly Range[]; format: FormatPatch },
  current: Current,
): boolean {
  const formats = formatsOf(current, sheet);
  return areas.every((area) => formatsAreSo(formats, area, format));
}

function linesAreSo(plan: Extract<Plan, { type: 'delete' | 'move' }>): boolean {
  if (plan.type === 'delete') return plan.spans.length === 0;
  return plan.spans.every((span) => isAmid(plan.before, span));
}

function bookIsSo(plan: Plan, current: Current): boolean {
  const { structure, settings, policy } = current;
  if (isLookPlan(plan)) return lookIsSo(plan, current);
  switch (plan.type) {
    case 'sheetRename':
      return plan.sheet.name === plan.name;
    case 'sheetMove':
      return structure.sheets[plan.index]?.id === plan.sheet.id;
    case 'settings':
      return plan.changes.every(([path, value]) => sameSetting(settings.get(path), value));
    case 'policy':
      return policy.is(plan.policy);
    case 'table':
      return isEmptyPlan(plan, structure);
    case 'records':
      return recordsAreSo(plan.change, current);
    default:
      return false;
  }
}

/**
 * Returns whether a position lies at an end of some lines or among them, so that moving them there
 * changes nothing.
 */
function isAmid(place: number, { from, count }: LineSpan): boolean {
  return place >= from && place <= from + count;
}

const blankLane = { tag: cellTag.blank, number: 0, format: 0 };

function cellIsSo(cell: PlannedCell, current: Current): boolean {
  const { sheet, rowId, columnId, coded, format } = cell;
  const found = current.cellsOf(sheet).find(rowId, columnId);
  const held = found ? laneOf(found) : blankLane;
  if (format !== undefined && format !== held.format) return false;
  if (coded === undefined || sameLane(coded, held)) return true;
  if (held.tag !== cellTag.formula || coded.tag !== cellTag.formula) return false;
  const { row, column } = cell;
  const run = { sheet, row, column, count: 1, index: held.number };
  return new HeldCells(current).readsAs(run, coded.number);
}

function laneOf({ block, lane }: { block: Block; lane: number }) {
  return { tag: block.tagAt(lane), number: block.numberAt(lane), format: block.formatAt(lane) };
}

function* blockIsSo(
  sheet: SheetOutline,
  planned: PlannedBlock,
  current: Current,
): Generator<void, boolean> {
  const { range, inputs } = planned;
  const width = columnCount(range);
  const columns = Array.from({ length: width }, (_, at) => {
    return { column: range.column0 + at, columnId: sheet.columns.idAt(range.column0 + at) };
  });
  let count = 0;
  for (let rowIndex = 0; rowIndex < rowCount(range); rowIndex++) {
    const row = range.row0 + rowIndex;
    const rowId = sheet.rows.idAt(row);
    for (const [columnIndex, { column, columnId }] of columns.entries()) {
      if (++count % cellsBetweenPauses === 0) yield;
      const written = writtenAt(planned, count - 1);
      if (!written) continue;
      const input = inputs[rowIndex]?.[columnIndex];
      const cell = { sheet, row, column, rowId, columnId, input, ...written };
      if (!cellIsSo(cell, current)) return false;
    }
  }
  return true;
}

/** Content and format that a block gives to one of its cells; undefined for one that it leaves. */
function writtenAt(
  { tags, numbers, formats }: PlannedBlock,
  index: number,
): Pick<PlannedCell, 'coded' | 'format'> | undefined {
  const tag = tags[index] ?? leaveCell;
  const format = formats?.[index] ?? -1;
  if (tag === leaveCell && format < 0) return undefined;
  return {
    coded: tag === leaveCell ? undefined : { tag, number: numbers[index] ?? 0 },
    format: format < 0 ? undefined : format,
  };
}

function clearIsSo(plan: Extract<Plan, { type: 'clear' }>, current: Current): boolean {
  const { sheet, areas, values, formats } = plan;
  if (values && !areas.every((area) => areaIsBlank(sheet, area, current))) return false;
  return !formats || areasLookSo({ sheet, areas, format: clearingPatch(current) }, current);
}

function areaIsBlank(sheet: SheetOutline, area: Range, current: Current): boolean {
  const cells = current.cellsOf(sheet);
  const rows = sheet.rows.spansAt(area.row0, rowCount(area));
  for (const id of cells.columnIds()) {
    const column = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (column === undefined || column < area.column0 || column > area.column1) continue;
    for (const { block, from, to } of cells.stretches(rows, id)) {
      if (!block.isBlank(from, to)) return false;
    }
  }
  return true;
}

function nameIsSo(
  plan: Extract<Plan, { type: 'nameSet' | 'nameRename' }>,
  { names, structure, coding }: Current,
): boolean {
  if (plan.type === 'nameRename') return plan.rename.name === plan.rename.to;
  const known = names.get(plan.name, plan.scope?.id);
  return (
    known !== undefined &&
    !('written' in plan) &&
    known.name === plan.name &&
    known.comment === plan.comment &&
    nameFormula(known, structure, coding.formulas) === plan.formula
  );
}
