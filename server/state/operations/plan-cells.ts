import { cellName } from '../../model/address.ts';
import type { FormulaInput, Input } from '../../model/cell-value.ts';
import type { WireInput } from '../../model/input.ts';
import type { Payload } from '../../model/operation.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import { parseRange, rangeName, splitSheet, type Range } from '../../model/range.ts';
import { pointedError, Rejection } from '../../model/rejection.ts';
import type { PlanContext, Planned, PlannedCell, Planning } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { arrayArea } from './array-parts.ts';
import { filledCells } from './filled-cells.ts';
import { hasPattern, numberFormatAt } from './plan-formats.ts';
import { readAt, type ReadInput } from './plan-inputs.ts';
import { allDeleted, findCell, findSheet, type SheetTarget } from '../plan/plan-target.ts';

type CellsPayload = Payload<'cells.set'>;
type CellPayload = CellsPayload['cells'][number];

/** Cells between two pauses; at most a few milliseconds of formula parsing. */
const cellsBetweenPauses = 256;

/** Plans a few cells at once; undefined for so many that planning must pause. */
export function planFewCells(payload: CellsPayload, context: PlanContext): Planned | undefined {
  if (payload.cells.length >= cellsBetweenPauses) return undefined;
  const draft = new CellsDraft(payload, context);
  for (const [index, cell] of payload.cells.entries()) draft.add(cell, index);
  return draft.finish();
}

export function* planCells(payload: CellsPayload, context: PlanContext): Planning {
  const draft = new CellsDraft(payload, context);
  for (const [index, cell] of payload.cells.entries()) {
    if (index % cellsBetweenPauses === cellsBetweenPauses - 1) yield;
    draft.add(cell, index);
  }
  return draft.finish();
}

/** Plans the cells of a `cells.set`, one after the other. */
class CellsDraft {
  readonly #payload: CellsPayload;
  readonly #context: PlanContext;
  readonly #cells: PlannedCell[] = [];
  /** Cells respelled for the journal; undefined where it keeps the payload. */
  readonly #wires: CellPayload[] | undefined;
  readonly #ids: number[] = [];
  readonly #clipped: string[] = [];
  /** Entered arrays, each with the address of its first cell. */
  readonly #arrays: { readonly sheet: SheetOutline; readonly a1: string; readonly area: Range }[] =
    [];
  #rebased = false;

  constructor(payload: CellsPayload, context: PlanContext) {
    this.#payload = payload;
    this.#context = context;
    const isPlain = context.base === context.head && payload.parse !== true;
    this.#wires = isPlain && payload.cells.every(isUnconditional) ? undefined : [];
  }

  /** Plans a cell; `index` is its place in the payload. */
  add(cell: CellPayload, index: number): void {
    try {
      this.#add(cell);
    } catch (error) {
      throw pointedError(error, `/cells/${index}`);
    }
  }

  #add(cell: CellPayload): void {
    const [payload, context] = [this.#payload, this.#context];
    const found = findCell(cell.a1, payload.sheet, context);
    const { sheet } = found;
    const row = sheet.rows.position(found.row);
    const column = sheet.columns.position(found.column);
    if (row === undefined || column === undefined) {
      this.#clipped.push(cell.a1);
      return;
    }
    const at = { row, column };
    const isMoved = row !== found.row || column !== found.column;
    const a1 = isMoved ? movedAddress(cell.a1, at) : cell.a1;
    const wires = this.#wires;
    const planned = planCell(cell, payload, { sheet, context, at, a1, wires });
    this.#rebased ||= isMoved || planned.rewritten || found.isRenamed;
    this.#put(planned.cell);
    const area = arrayArea(planned.cell.input);
    if (area) this.#arrays.push({ sheet: sheet.head, a1, area });
  }

  #put(cell: PlannedCell): void {
    this.#cells.push(cell);
    const { rowId, columnId } = cell;
    this.#ids.push(rowId.branch, rowId.sequence, rowId.offset);
    this.#ids.push(columnId.branch, columnId.sequence, columnId.offset);
  }

  /**
   * Clears the other cells in the ranges of entered arrays, as Excel does; returns those cells as
   * the journal spells them.
   */
  #clearCovered(): CellPayload[] {
    const { formulaOrigin, coding, head } = this.#context;
    if (formulaOrigin === 'journal' || this.#arrays.length === 0) return [];
    const keyOf = (sheet: SheetOutline, { row, column }: CellAt) => `${sheet.id} ${row} ${column}`;
    const own = this.#cells.filter(({ input }) => input !== undefined);
    const written = new Set(own.map((cell) => keyOf(cell.sheet, cell)));
    const cleared: CellPayload[] = [];
    for (const { sheet, a1, area } of this.#arrays) {
      for (const at of filledCells(sheet, area, this.#context)) {
        if (written.has(keyOf(sheet, at))) continue;
        written.add(keyOf(sheet, at));
        const ids = { rowId: sheet.rows.idAt(at.row), columnId: sheet.columns.idAt(at.column) };
        const coded = coding.encode(null, at, head);
        this.#put({ sheet, ...at, ...ids, input: null, coded, format: undefined });
        cleared.push({ a1: movedAddress(a1, at), input: null });
        checkClearedCount(cleared.length);
      }
    }
    return cleared;
  }

  finish(): Planned {
    const [cells, clipped, wires] = [this.#cells, this.#clipped, this.#wires];
    const cleared = this.#clearCovered();
    wires?.push(...cleared);
    const payload =
      cleared.length === 0 || wires
        ? this.#payload
        : { ...this.#payload, cells: [...this.#payload.cells, ...cleared] };
    const [first] = cells;
    if (!first) throw allDeleted(clipped);
    const rebased = this.#rebased || clipped.length > 0;
    const isRespelled =
      rebased || payload.parse === true || !this.#payload.cells.every(isUnconditional);
    return {
      plan: { type: 'cells', cells },
      kind: 'cells.set',
      payload: isRespelled && wires ? journalled(payload, wires, this.#context) : payload,
      resolved: { sheet: first.sheet.id, cells: this.#ids, ...sheetsOf(cells) },
      rebased,
      clipped,
    };
  }
}

function checkClearedCount(count: number): void {
  const most = limits.cellsPerOperation;
  if (count <= most) return;
  const message = `the array would be entered over more than ${most} filled cells`;
  throw new Rejection('range_too_large', message).advise('Clear its range first.');
}

type CellAt = Pick<PlannedCell, 'row' | 'column'>;

/** Names the sheets, if there are several. */
function sheetsOf(cells: readonly PlannedCell[]): { sheets?: string[] } {
  const isOne = cells.every(({ sheet }) => sheet === cells[0]?.sheet);
  return isOne ? {} : { sheets: cells.map(({ sheet }) => sheet.id) };
}

function isUnconditional({ expect }: CellPayload): boolean {
  return expect === undefined;
}

interface Planner {
  readonly sheet: SheetTarget;
  readonly context: PlanContext;
  /** Position at the head. */
  readonly at: { readonly row: number; readonly column: number };
  readonly a1: string;
  readonly wires: CellPayload[] | undefined;
}

function planCell(cell: CellPayload, payload: CellsPayload, planner: Planner) {
  const { sheet, context, at, a1, wires } = planner;
  const { coding, head } = context;
  if (cell.input === undefined && cell.fmt === undefined) {
    throw new Rejection('shape_mismatch', `${cell.a1} has neither input nor fmt`);
  }
  const { array: sentArray, legacy } = cell;
  const read = readCell(cell, payload, planner);
  const array = sentArray === undefined ? undefined : movedArray(sentArray, sheet);
  const input = read && withArray(read.input, array);
  const fmt = cell.fmt ?? read?.format;
  const coded = input === undefined ? undefined : coding.encode(input, at, head);
  const rowId = sheet.head.rows.idAt(at.row);
  const columnId = sheet.head.columns.idAt(at.column);
  const place = { sheet: sheet.head, row: rowId, column: columnId };
  const planned: PlannedCell = {
    sheet: sheet.head,
    row: at.row,
    column: at.column,
    rowId,
    columnId,
    input,
    coded,
    format: numberFormatAt(fmt, place, context),
  };
  wires?.push(wireOf({ a1, input: read?.wire, fmt, array, legacy }));
  return { cell: planned, rewritten: read?.moved === true || array !== sentArray };
}

function readCell(
  { input, legacy, fmt }: CellPayload,
  payload: CellsPayload,
  { sheet, context, at }: Planner,
): ReadInput | undefined {
  if (input === undefined) return undefined;
  const { raw, parse } = payload;
  if (parse !== true) return readAt(input, { raw, legacy }, sheet.base.id, context);
  const isIn = (pattern: string) => {
    const { rows, columns } = sheet.head;
    const place = { row: rows.idAt(at.row), column: columns.idAt(at.column) };
    return hasPattern(pattern, { fmt, sheet: sheet.head, ...place }, context);
  };
  return readAt(input, { raw, parse, legacy, hasPattern: isIn }, sheet.base.id, context);
}

/** Copies a cell of a payload without members that are undefined. */
function wireOf({ a1, input, fmt, array, legacy }: CellPayload): CellPayload {
  const wire: CellPayload = { a1 };
  if (input !== undefined) wire.input = input;
  if (fmt !== undefined) wire.fmt = fmt;
  if (array !== undefined) wire.array = array;
  if (legacy === true) wire.legacy = true;
  return wire;
}

function withArray(input: Input, array: string | undefined): Input {
  if (array === undefined) return input;
  if (typeof input !== 'object' || input === null || 'error' in input) {
    throw new Rejection('bad_formula', 'only a formula can have an array range');
  }
  const formula: FormulaInput = { formula: input.formula, array };
  return formula;
}

function movedArray(text: string, sheet: SheetTarget): string {
  const range = parseRange(text);
  if (!range) throw new Rejection('bad_range', `${text} is not a range`);
  const rows = sheet.rows.range(range.row0, range.row1);
  const columns = sheet.columns.range(range.column0, range.column1);
  if (!rows || !columns) throw new Rejection('target_deleted', `${text} was deleted`);
  const moved = { row0: rows[0], row1: rows[1], column0: columns[0], column1: columns[1] };
  return sheet.unchanged ? text : rangeName(moved);
}

function movedAddress(a1: string, at: { row: number; column: number }): string {
  return a1.slice(0, a1.lastIndexOf('!') + 1) + cellName(at.row, at.column);
}

function journalled(
  payload: CellsPayload,
  wires: readonly CellPayload[],
  context: PlanContext,
): CellsPayload {
  // A sheet named in an address may have been renamed: the cell keeps its sheet by id.
  const cells = wires.map((cell) => {
    const prefix = cell.a1.includes('!') ? splitSheet(cell.a1) : undefined;
    const target = prefix && findSheet(prefix.sheet, context);
    if (!target || target.argument === prefix.sheet) return cell;
    return { ...cell, a1: `${target.argument ?? ''}!${prefix.rest}` };
  });
  // The sheet of the payload matters only if a cell names none itself.
  const isUsed = wires.some(({ a1 }) => !a1.includes('!'));
  const sheet = isUsed ? findSheet(payload.sheet, context).argument : payload.sheet;
  return {
    ...(sheet !== undefined && { sheet }),
    cells,
    ...(payload.raw && { raw: true }),
  };
}

/** The expected side of a precondition: the input as the input lens shows it, or its hash. */
export type Expected = WireInput | { readonly hash: string };
