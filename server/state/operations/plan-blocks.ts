import { columnLimit, rowLimit } from '../../model/address.ts';
import type { Input } from '../../model/cell-value.ts';
import type { WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { columnCount, rowCount, type Range } from '../../model/range.ts';
import { pointedError, Rejection } from '../../model/rejection.ts';
import { leaveCell, type PlanContext, type PlannedBlock, type Planning } from '../plan/plan.ts';
import { hasPattern, numberFormatAt } from './plan-formats.ts';
import { readAt, type ReadInput } from './plan-inputs.ts';
import {
  allDeleted,
  areasText,
  checkCellCount,
  findRange,
  isMoved,
  mapArea,
  resolveAreas,
  type MappedArea,
  type RangeTarget,
  type SheetTarget,
} from '../plan/plan-target.ts';
import type { SheetOutline } from '../structure/structure.ts';

type BlockPayload = Payload<'range.set'>;
type Fmts = (string | null | undefined)[][] | undefined;

const cellsBetweenPauses = 256;

/** A part of the submitted block whose cells are still together at the head. */
interface Part {
  readonly range: Range;
  readonly wires: (WireInput | undefined)[][];
  readonly fmts: Fmts;
  /** Row and column of its first input in the payload. */
  readonly start: { readonly row: number; readonly column: number };
}

interface ReadPart extends Part {
  readonly block: PlannedBlock;
  readonly moved: boolean;
}

export function* planBlock(payload: BlockPayload, context: PlanContext): Planning {
  const target = fitted(findRange(payload, context), payload);
  checkCellCount(target.areas, limits.cellsPerOperation);
  const { sheet } = target;
  const clipped: string[] = [];
  const parts = mappedParts(target, payload, clipped);
  if (parts.length === 0) throw allDeleted(clipped);
  const read: ReadPart[] = [];
  for (const part of parts) {
    read.push(yield* readPart(part, payload, { sheet, context }));
  }
  const areas = parts.map(({ range }) => range);
  const rebased = isMoved(target, areas) || read.some(({ moved }) => moved);
  const keeps = !rebased && payload.parse !== true;
  return {
    plan: { type: 'blocks', sheet: sheet.head, blocks: read.map(({ block }) => block) },
    kind: 'range.set',
    payload: keeps ? payload : journalled(payload, target, read),
    resolved: { sheet: sheet.head.id, areas: resolveAreas(sheet.head, areas) },
    rebased,
    clipped,
  };
}

/** Extends a target of one cell to a block of the size of the inputs. */
function fitted(target: RangeTarget, { inputs, fmts }: BlockPayload): RangeTarget {
  const width = inputs.reduce((most, row) => Math.max(most, row.length), 1);
  const [corner] = target.areas;
  const isCorner =
    corner !== undefined &&
    target.areas.length === 1 &&
    rowCount(corner) * columnCount(corner) === 1;
  if (isCorner) {
    const row1 = corner.row0 + inputs.length - 1;
    const column1 = corner.column0 + width - 1;
    if (row1 >= rowLimit || column1 >= columnLimit) {
      throw new Rejection('outside_grid', 'the inputs reach beyond the last row or column');
    }
    return { ...target, areas: [{ ...corner, row1, column1 }] };
  }
  for (const rows of fmts === undefined ? [inputs] : [inputs, fmts]) checkShape(target.areas, rows);
  return target;
}

function checkShape(areas: readonly Range[], rows: readonly (readonly unknown[])[]): void {
  let next = 0;
  for (const area of areas) {
    const width = columnCount(area);
    for (const row of rows.slice(next, next + rowCount(area))) {
      if (row.length === width) continue;
      throw new Rejection('shape_mismatch', `a row has ${row.length} inputs for ${width} columns`);
    }
    next += rowCount(area);
  }
  if (rows.length !== next) {
    throw new Rejection('shape_mismatch', `${rows.length} rows of inputs for ${next} rows`);
  }
}

/** Splits a block into parts at the head; several areas take the rows of inputs in turn. */
function mappedParts(target: RangeTarget, payload: BlockPayload, clipped: string[]): Part[] {
  const parts: Part[] = [];
  let firstRow = 0;
  for (const area of target.areas) {
    for (const mapped of mapArea(target.sheet, area, clipped)) {
      parts.push({
        range: mapped.range,
        wires: cut(payload.inputs, firstRow, mapped),
        fmts: payload.fmts && cut(payload.fmts, firstRow, mapped),
        start: { row: firstRow + mapped.skippedRows, column: mapped.skippedColumns },
      });
    }
    firstRow += rowCount(area);
  }
  return parts;
}

function cut<Item>(
  rows: readonly (readonly Item[])[],
  firstRow: number,
  { range, skippedRows, skippedColumns }: MappedArea,
): Item[][] {
  const start = firstRow + skippedRows;
  const width = columnCount(range);
  return rows
    .slice(start, start + rowCount(range))
    .map((row) => row.slice(skippedColumns, skippedColumns + width));
}

interface PartReader {
  readonly sheet: SheetTarget;
  readonly context: PlanContext;
}

function* readPart(
  part: Part,
  payload: BlockPayload,
  { sheet, context }: PartReader,
): Generator<void, ReadPart> {
  const width = columnCount(part.range);
  const hasFormats = part.fmts !== undefined || payload.parse === true;
  const draft = new PartDraft(part, { sheet: sheet.head, context, hasFormats });
  let place: PartPlace = { rowIndex: 0, columnIndex: 0 };
  const flags =
    payload.parse === true
      ? { ...payload, hasPattern: (pattern: string) => draft.hasPattern(pattern, place) }
      : payload;
  for (const [rowIndex, row] of part.wires.entries()) {
    draft.beginRow();
    for (const [columnIndex, wire] of row.entries()) {
      const index = rowIndex * width + columnIndex;
      if (index % cellsBetweenPauses === cellsBetweenPauses - 1) yield;
      try {
        const isLeft = wire === null || wire === undefined;
        place = { rowIndex, columnIndex };
        const read = isLeft ? undefined : readAt(wire, flags, sheet.base.id, context);
        draft.add(read, wire, place);
      } catch (error) {
        const { row: startRow, column: startColumn } = part.start;
        const pointer = `/inputs/${startRow + rowIndex}/${startColumn + columnIndex}`;
        throw pointedError(error, pointer);
      }
    }
  }
  return draft.finish();
}

/** The row and column of a cell in its part, from 0. */
interface PartPlace {
  readonly rowIndex: number;
  readonly columnIndex: number;
}

/** Reads the cells of a part row by row. */
class PartDraft {
  readonly #part: Part;
  readonly #context: PlanContext;
  readonly #sheet: SheetOutline;
  readonly #width: number;
  readonly #tags: Uint8Array;
  readonly #numbers: Float64Array;
  readonly #formats: Int32Array | undefined;
  readonly #fmts: Fmts;
  readonly #inputs: (Input | undefined)[][] = [];
  readonly #wires: (WireInput | undefined)[][] = [];
  #inputRow: (Input | undefined)[] = [];
  #wireRow: (WireInput | undefined)[] = [];
  #moved = false;

  constructor(
    part: Part,
    {
      sheet,
      context,
      hasFormats,
    }: { sheet: SheetOutline; context: PlanContext; hasFormats: boolean },
  ) {
    this.#part = part;
    this.#context = context;
    this.#sheet = sheet;
    const width = columnCount(part.range);
    const cellTotal = rowCount(part.range) * width;
    this.#width = width;
    this.#tags = new Uint8Array(cellTotal).fill(leaveCell);
    this.#numbers = new Float64Array(cellTotal);
    this.#formats = hasFormats ? new Int32Array(cellTotal).fill(-1) : undefined;
    this.#fmts = hasFormats
      ? part.wires.map(() => Array<string | null>(width).fill(null))
      : undefined;
  }

  beginRow(): void {
    this.#inputRow = [];
    this.#wireRow = [];
    this.#inputs.push(this.#inputRow);
    this.#wires.push(this.#wireRow);
  }

  add(
    read: ReadInput | undefined,
    wire: WireInput | undefined,
    { rowIndex, columnIndex }: PartPlace,
  ): void {
    this.#inputRow.push(read?.input);
    this.#wireRow.push(read?.wire ?? wire);
    const index = rowIndex * this.#width + columnIndex;
    if (read) {
      this.#moved ||= read.moved;
      const { row0, column0 } = this.#part.range;
      this.#encode(read.input, index, { row: row0 + rowIndex, column: column0 + columnIndex });
    }
    const fmt = this.#part.fmts?.[rowIndex]?.[columnIndex] ?? read?.format;
    if (fmt !== undefined) this.#setFormat(fmt, index, { rowIndex, columnIndex });
  }

  hasPattern(pattern: string, place: PartPlace): boolean {
    const fmt = this.#part.fmts?.[place.rowIndex]?.[place.columnIndex];
    return hasPattern(pattern, { fmt, ...this.#cellAt(place) }, this.#context);
  }

  #setFormat(fmt: string, index: number, place: PartPlace): void {
    const fmtRow = this.#fmts?.[place.rowIndex];
    if (!this.#formats || !fmtRow) return;
    fmtRow[place.columnIndex] = fmt;
    this.#formats[index] = numberFormatAt(fmt, this.#cellAt(place), this.#context) ?? -1;
  }

  #cellAt({ rowIndex, columnIndex }: PartPlace) {
    const sheet = this.#sheet;
    const { row0, column0 } = this.#part.range;
    const row = sheet.rows.idAt(row0 + rowIndex);
    return { sheet, row, column: sheet.columns.idAt(column0 + columnIndex) };
  }

  #encode(input: Input, index: number, at: { row: number; column: number }): void {
    const coded = this.#context.coding.encode(input, at, this.#context.head);
    this.#tags[index] = coded.tag;
    this.#numbers[index] = coded.number;
  }

  finish(): ReadPart {
    const { range } = this.#part;
    const [inputs, tags, numbers] = [this.#inputs, this.#tags, this.#numbers];
    return {
      ...this.#part,
      wires: this.#wires,
      fmts: this.#fmts,
      block: { range, inputs, tags, numbers, formats: this.#formats },
      moved: this.#moved,
    };
  }
}

function journalled(
  payload: BlockPayload,
  { sheet }: RangeTarget,
  parts: readonly ReadPart[],
): BlockPayload {
  const fmts = parts.flatMap((part) => part.fmts ?? []);
  const argument = sheet.argument ?? sheet.head.id;
  return {
    sheet: argument,
    range: areasText(parts.map(({ range }) => range)),
    inputs: parts.flatMap(({ wires }) => wires.map((row) => row.map((wire) => wire ?? null))),
    ...(fmts.length > 0 && { fmts: fmts.map((row) => row.map((fmt) => fmt ?? null)) }),
    ...(payload.legacy && { legacy: true }),
    ...(payload.raw && { raw: true }),
  };
}
