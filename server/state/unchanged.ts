import { columnCount, rowCount } from '../model/range.ts';
import { inputsEqual } from '../model/input.ts';
import { cellTag, type Block } from './block.ts';
import type { CellCoding, CodedCell } from './cell-coding.ts';
import { columnIds, isFilled } from './execute.ts';
import { nameFormula, type NameTable } from './names.ts';
import {
  leaveCell,
  type LineSpan,
  type Plan,
  type PlannedBlock,
  type PlannedCell,
} from './plan.ts';
import type { Records } from './records.ts';
import type { Settings } from './settings.ts';
import type { SheetCells, Stretch } from './sheet-cells.ts';
import type { RecordChange } from './stored-record.ts';
import type { SheetOutline, Structure } from './structure.ts';

export interface Current {
  readonly structure: Structure;
  readonly coding: CellCoding;
  readonly names: NameTable;
  readonly settings: Settings;
  readonly records: Records;
  cellsOf(sheet: SheetOutline): SheetCells;
}

/** Whether all is already as the plan wants it, so that nothing needs to be done. */
export function changesNothing(plan: Plan, current: Current): boolean {
  switch (plan.type) {
    case 'cells':
      return plan.cells.every((cell) => cellIsSo(cell, current));
    case 'blocks':
      return plan.blocks.every((block) => blockIsSo(plan.sheet, block, current));
    case 'fill':
      return fillIsSo(plan, current);
    case 'clear':
      return recordsAreSo(plan.records, current) && clearIsSo(plan, current);
    case 'records':
      return recordsAreSo(plan.change, current);
    case 'format':
      return formatIsSo(plan, current);
    case 'delete':
    case 'move':
      return linesAreSo(plan);
    case 'nameSet':
    case 'nameRename':
      return nameIsSo(plan, current);
    default:
      return bookIsSo(plan, current);
  }
}

function recordsAreSo(change: RecordChange | undefined, current: Current): boolean {
  const { records, structure, coding } = current;
  return change === undefined || records.isSo(change, structure, coding.formulas);
}

function fillIsSo(plan: Extract<Plan, { type: 'fill' }>, current: Current): boolean {
  const cells = current.cellsOf(plan.sheet);
  return plan.areas.every((area) => isFilled(plan.sheet, area, { ...plan, cells }));
}

function linesAreSo(plan: Extract<Plan, { type: 'delete' | 'move' }>): boolean {
  if (plan.type === 'delete') return plan.spans.length === 0;
  return plan.spans.every((span) => isAmid(plan.before, span));
}

function bookIsSo(plan: Plan, { structure, settings }: Current): boolean {
  switch (plan.type) {
    case 'sheetRename':
      return plan.sheet.name === plan.name;
    case 'sheetMove':
      return structure.sheets[plan.index]?.id === plan.sheet.id;
    case 'setting':
      return settings.get(plan.path) === plan.value;
    default:
      return false;
  }
}

/** Whether the place is at an end of the lines or among them, where moving them does nothing. */
function isAmid(place: number, { from, count }: LineSpan): boolean {
  return place >= from && place <= from + count;
}

const blankLane = { tag: cellTag.blank, number: 0, format: 0 };

function cellIsSo(cell: PlannedCell, current: Current): boolean {
  const { sheet, rowId, columnId, coded, format } = cell;
  const found = current.cellsOf(sheet).find(rowId, columnId);
  const held = found ? laneOf(found) : blankLane;
  if (format !== undefined && format !== held.format) return false;
  if (coded === undefined || same(coded, held)) return true;
  if (held.tag !== cellTag.formula || coded.tag !== cellTag.formula) return false;
  // The same text may be kept relative to an older structure; within one, the dictionary has it once.
  const { dictionary } = current.coding;
  const writtenIn = dictionary.formula(held.number).structure;
  if (writtenIn === dictionary.formula(coded.number).structure) return false;
  const place = { sheetId: sheet.id, row: rowId, column: columnId };
  const shown = current.coding.decode(held, place, current.structure);
  return inputsEqual(shown, current.coding.decode(coded, place, current.structure));
}

function laneOf({ block, lane }: { block: Block; lane: number }) {
  return { tag: block.tagAt(lane), number: block.numberAt(lane), format: block.formatAt(lane) };
}

function blockIsSo(sheet: SheetOutline, planned: PlannedBlock, current: Current): boolean {
  const { range, tags, numbers, formats, inputs } = planned;
  const width = columnCount(range);
  for (let index = 0; index < tags.length; index++) {
    const tag = tags[index] ?? leaveCell;
    const format = formats?.[index] ?? -1;
    if (tag === leaveCell && format < 0) continue;
    const [rowIndex, columnIndex] = [Math.floor(index / width), index % width];
    const [row, column] = [range.row0 + rowIndex, range.column0 + columnIndex];
    const cell = {
      sheet,
      row,
      column,
      rowId: sheet.rows.idAt(row),
      columnId: sheet.columns.idAt(column),
      input: inputs[rowIndex]?.[columnIndex],
      coded: tag === leaveCell ? undefined : { tag, number: numbers[index] ?? 0 },
      format: format < 0 ? undefined : format,
    };
    if (!cellIsSo(cell, current)) return false;
  }
  return true;
}

function same(a: CodedCell, b: CodedCell): boolean {
  return a.tag === b.tag && a.number === b.number;
}

function clearIsSo(plan: Extract<Plan, { type: 'clear' }>, current: Current): boolean {
  const cells = current.cellsOf(plan.sheet);
  for (const area of plan.areas) {
    const rows = plan.sheet.rows.spansAt(area.row0, rowCount(area));
    for (const id of cells.columnIds()) {
      const column = plan.sheet.columns.positionOf(id.branch, id.sequence, id.offset);
      if (column === undefined || column < area.column0 || column > area.column1) continue;
      if (![...cells.stretches(rows, id)].every((stretch) => isCleared(stretch, plan)))
        return false;
    }
  }
  return true;
}

function isCleared(
  { block, from, to }: Stretch,
  { values, formats }: { values: boolean; formats: boolean },
): boolean {
  if (values && !block.isBlank(from, to)) return false;
  return !formats || block.isFormattedAs(from, to, 0);
}

function formatIsSo(plan: Extract<Plan, { type: 'format' }>, current: Current): boolean {
  const cells = current.cellsOf(plan.sheet);
  for (const area of plan.areas) {
    const rows = plan.sheet.rows.spansAt(area.row0, rowCount(area));
    const columns = plan.sheet.columns.spansAt(area.column0, columnCount(area));
    for (const id of columnIds(columns)) {
      const stretches = [...cells.stretches(rows, id)];
      const isSo = stretches.every(({ block, from, to }) => {
        return block.isFormattedAs(from, to, plan.format);
      });
      const covered = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
      if (!isSo || (plan.format !== 0 && covered < rowCount(area))) return false;
    }
  }
  return true;
}

function nameIsSo(
  plan: Extract<Plan, { type: 'nameSet' | 'nameRename' }>,
  { names, structure, coding }: Current,
): boolean {
  if (plan.type === 'nameRename') return plan.from === plan.to;
  const known = names.get(plan.name, plan.scope?.id);
  return (
    known !== undefined &&
    known.name === plan.name &&
    known.comment === plan.comment &&
    nameFormula(known, structure, coding.formulas) === plan.formula
  );
}
