import { isFormulaInput, type Input } from '../../model/cell-value.ts';
import type { WireInput } from '../../model/input.ts';
import { operationLimits as limits } from '../../model/operation-limits.ts';
import type { Payload } from '../../model/operation.ts';
import { columnCount, rowCount, type Range } from '../../model/range.ts';
import { fillsEvenly } from '../formulas/formula-text.ts';
import { formatsOf, type PlanContext, type Planning } from '../plan/plan.ts';
import { planBlock } from './plan-blocks.ts';
import { checkFormats, isPattern, numberFormatPatch, patternShare } from './plan-formats.ts';
import { readAt } from './plan-inputs.ts';
import {
  areasText,
  checkCellCount,
  findRange,
  isMoved,
  mapAreas,
  resolveAreas,
  type RangeTarget,
} from '../plan/plan-target.ts';

type FillPayload = Payload<'range.fill'>;

export function* planFill(payload: FillPayload, context: PlanContext): Planning {
  const target = findRange(payload, context);
  checkCellCount(target.areas, limits.cellsPerFill);
  const { sheet } = target;
  const patterns = new FillPatterns(payload, target, context);
  const flags = { ...payload, hasPattern: (pattern: string) => patterns.areAll(pattern) };
  const read = readAt(payload.input, flags, sheet.base.id, context);
  if (patterns.areMixed) {
    return yield* planBlock(spelledTyped(read.input, payload, target, context), context);
  }
  if (
    isFormulaInput(read.input) &&
    context.base !== context.head &&
    !isEven(payload, target, context)
  ) {
    return yield* planBlock(spelledOut(payload, target, context), context);
  }
  const clipped: string[] = [];
  const areas = mapAreas(target, clipped);
  const [first] = areas;
  if (!first) throw new Error('mapAreas returns at least one area');
  const { coding, head } = context;
  const rebased = read.moved || isMoved(target, areas);
  const fmt = payload.fmt ?? read.format;
  const format = fmt === undefined ? undefined : numberFormatPatch(fmt, context);
  if (format) checkFormats(formatsOf(context, sheet.head), areas, format);
  const coded = coding.encode(read.input, { row: first.row0, column: first.column0 }, head);
  return {
    plan: { type: 'fill', sheet: sheet.head, areas, input: read.input, coded, format },
    kind: 'range.fill',
    payload:
      rebased || payload.parse === true
        ? journalledFill(payload, target, { areas, fmt, input: read.wire })
        : payload,
    resolved: { sheet: sheet.head.id, areas: resolveAreas(sheet.head, areas) },
    rebased,
    clipped,
  };
}

/** Counts the number formats in the cells of a fill, once a typed text asks for one. */
class FillPatterns {
  readonly #payload: FillPayload;
  readonly #target: RangeTarget;
  readonly #context: PlanContext;
  /** True if some cells have a format that matters and some do not: the text is read for each. */
  areMixed = false;

  constructor(payload: FillPayload, target: RangeTarget, context: PlanContext) {
    this.#payload = payload;
    this.#target = target;
    this.#context = context;
  }

  areAll(pattern: string): boolean {
    const { fmt } = this.#payload;
    if (fmt !== undefined) return isPattern(pattern, fmt);
    const formats = formatsOf(this.#context, this.#target.sheet.head);
    const share = patternShare(pattern, formats, mapAreas(this.#target, []));
    this.areMixed = share === 'some';
    return share === 'all';
  }
}

/** Returns whether one formula at the head means in each cell what the fill meant at the base. */
function isEven(payload: FillPayload, { sheet, areas }: RangeTarget, context: PlanContext) {
  const [area] = areas;
  if (!area || areas.length > 1 || typeof payload.input !== 'string') return false;
  const rows = sheet.rows.pieces(area.row0, rowCount(area));
  const columns = sheet.columns.pieces(area.column0, columnCount(area));
  const isWhole =
    rows.length === 1 &&
    columns.length === 1 &&
    rows[0]?.length === rowCount(area) &&
    columns[0]?.length === columnCount(area);
  if (!isWhole) return false;
  const shape = {
    row: area.row0,
    column: area.column0,
    rowCount: rowCount(area),
    columnCount: columnCount(area),
  };
  const move = { from: context.base, to: context.head, sheetId: sheet.base.id };
  return fillsEvenly(context.coding.formulas.references(payload.input), shape, move);
}

/**
 * Spells a fill as one formula for each cell at the base, because inserted lines part the cells.
 */
function spelledOut(
  payload: FillPayload,
  { areas }: RangeTarget,
  context: PlanContext,
): Payload<'range.set'> {
  checkCellCount(areas, limits.cellsPerOperation);
  const [first] = areas;
  if (!first || typeof payload.input !== 'string') throw new Error('only formulas are spelled out');
  const { formulas } = context.coding;
  const r1c1 = formulas.toR1C1(payload.input, first.row0, first.column0);
  const inputs = inputsOver(areas, (row, column) => formulas.fromR1C1(r1c1, row, column));
  const { sheet, range, legacy, fmt } = payload;
  const fmts = fmt === undefined ? undefined : inputs.map((row) => row.map(() => fmt));
  return { sheet, range, inputs, ...(fmts && { fmts }), ...(legacy && { legacy }) };
}

/**
 * Spells a fill of a typed text as one input for each cell, because cells read the text
 * differently.
 */
function spelledTyped(
  read: Input,
  payload: FillPayload,
  target: RangeTarget,
  context: PlanContext,
): Payload<'range.set'> {
  const { sheet, range, input, parse } = payload;
  if (isFormulaInput(read)) return { ...spelledOut(payload, target, context), parse };
  checkCellCount(target.areas, limits.cellsPerOperation);
  return { sheet, range, inputs: inputsOver(target.areas, () => input), parse };
}

function inputsOver(
  areas: readonly Range[],
  inputAt: (row: number, column: number) => WireInput,
): WireInput[][] {
  const inputs: WireInput[][] = [];
  for (const area of areas) {
    for (let row = area.row0; row <= area.row1; row++) {
      const texts: WireInput[] = [];
      for (let column = area.column0; column <= area.column1; column++) {
        texts.push(inputAt(row, column));
      }
      inputs.push(texts);
    }
  }
  return inputs;
}

function journalledFill(
  payload: FillPayload,
  { sheet }: RangeTarget,
  { areas, input, fmt }: { areas: readonly Range[]; input: WireInput; fmt: string | undefined },
): FillPayload {
  return {
    sheet: sheet.argument ?? sheet.head.id,
    range: areasText(areas),
    input,
    ...(fmt !== undefined && { fmt }),
    ...(payload.legacy && { legacy: true }),
    ...(payload.raw && { raw: true }),
  };
}
