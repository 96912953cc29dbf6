import type { FormulaInput, Input } from '../../model/cell-value.ts';
import type { FormulaReference } from '../../model/formula-service.ts';
import { foldName } from '../../model/names.ts';
import { parseRange, rangeName, type Range } from '../../model/range.ts';
import { referenceText } from '../formulas/formula-text.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { SheetOutline } from '../structure/structure.ts';

/**
 * Returns the position that now has the content of a row or column; undefined once it was removed.
 */
export type LinePlace = (position: number) => number | undefined;

/** Contents that moved among the cells of an area, while its rows and columns stayed. */
export interface Relocation {
  readonly sheet: SheetOutline;
  readonly area: Range;
  readonly rows: LinePlace;
  readonly columns: LinePlace;
}

interface Moved {
  readonly relocation: Relocation;
  readonly rowShift: number;
  readonly columnShift: number;
}

/** A formula goes on naming the cells it named: those of the area where they are now. */
export function relocated(input: Input, moved: Moved, { coding }: PlanContext): Input {
  if (typeof input !== 'object' || input === null || 'error' in input) return input;
  let { formula } = input;
  for (const reference of coding.formulas.references(formula).toReversed()) {
    const text = movedReference(reference, moved.relocation);
    if (text === undefined) continue;
    formula = formula.slice(0, reference.start) + text + formula.slice(reference.end);
  }
  return withArray({ ...input, formula }, moved);
}

function withArray(input: FormulaInput, { rowShift, columnShift }: Moved): FormulaInput {
  const range = input.array === undefined ? undefined : parseRange(input.array);
  if (!range) return input;
  const array = rangeName({
    row0: range.row0 + rowShift,
    row1: range.row1 + rowShift,
    column0: range.column0 + columnShift,
    column1: range.column1 + columnShift,
  });
  return { ...input, array };
}

/** Returns undefined for a reference to cells that have not moved. */
function movedReference(
  reference: FormulaReference,
  { sheet, area, rows, columns }: Relocation,
): string | undefined {
  const isHere =
    (reference.sheet === undefined || foldName(reference.sheet) === foldName(sheet.name)) &&
    reference.row0 >= area.row0 &&
    reference.row1 <= area.row1 &&
    reference.column0 >= area.column0 &&
    reference.column1 <= area.column1;
  if (!isHere) return undefined;
  const [row0, row1] = ends(reference.row0, reference.row1, rows);
  const [column0, column1] = ends(reference.column0, reference.column1, columns);
  if (row0 === undefined || row1 === undefined) return '#REF!';
  if (column0 === undefined || column1 === undefined) return '#REF!';
  // The sheet's name is within the reference's place and is dropped: the formula stands on it.
  return referenceText({ ...reference, row0, row1, column0, column1 });
}

function ends(from: number, to: number, place: LinePlace): [first?: number, last?: number] {
  const places: number[] = [];
  for (let at = from; at <= to; at++) {
    const now = place(at);
    if (now !== undefined) places.push(now);
  }
  if (places.length === 0) return [];
  return [places.reduce((a, b) => Math.min(a, b)), places.reduce((a, b) => Math.max(a, b))];
}
