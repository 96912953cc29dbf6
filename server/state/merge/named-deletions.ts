import { columnLimit, rowLimit } from '../../model/address.ts';
import type { FormulaReference } from '../../model/formula-service.ts';
import { formulaOf } from '../../model/input.ts';
import { columnCount, rowCount } from '../../model/range.ts';
import { lineText } from '../structure/area.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import type { IdSpan } from '../ids/order.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';
import { missingFrom, presentIn } from './line-merging.ts';
import { inputOf, sameCell, sideAt } from '../compare/same-lanes.ts';
import type { Scope } from './scope.ts';

/** A deleted part of a workbook: some lines of a sheet, or all of it when `lines` is left out. */
export interface DeletedPart {
  readonly sheetId: string;
  readonly lines?: { readonly axis: Axis; readonly spans: readonly IdSpan[] };
}

/** The three states of a merge, and the changes of theirs to take (left out for all). */
interface Sides {
  readonly base: BranchState;
  readonly ours: BranchState;
  readonly theirs: BranchState;
  readonly scope?: Scope | undefined;
}

/**
 * Finds the sheets and lines that a formula refers to, which one side wrote since the base, and
 * that the other side deleted.
 */
export function namedDeletions(
  place: CellPlace,
  { base, ours, theirs, scope }: Sides,
): DeletedPart[] {
  const isTaken = scope?.({ kind: 'cell.input', place }) !== false;
  return [
    ...deletedUnder(place, { base, writer: ours, other: theirs }),
    ...(isTaken ? deletedUnder(place, { base, writer: theirs, other: ours }) : []),
  ];
}

/** Returns a text that is equal for equal deletions. */
export function deletionsText(parts: readonly DeletedPart[]): string {
  const texts = parts.flatMap(({ sheetId, lines }) =>
    lines ? lines.spans.map((span) => `${sheetId} ${lines.axis} ${spanText(span)}`) : sheetId,
  );
  return [...new Set(texts)].sort().join(', ');
}

function spanText(span: IdSpan): string {
  return `${lineText(span)}+${span.length}`;
}

interface Written {
  readonly base: BranchState;
  readonly writer: BranchState;
  readonly other: BranchState;
}

function deletedUnder(place: CellPlace, states: Written): DeletedPart[] {
  const { base, writer, other } = states;
  const { structure, coding } = writer;
  const formula = writtenFormula(place, states);
  if (formula === undefined) return [];
  const at = { from: structure, to: structure, sheetId: place.sheetId };
  return coding.formulas.references(formula).flatMap((reference) => {
    const sheet = sheetAt(reference, at);
    const was = sheet && base.structure.withId(sheet.id);
    if (!was) return [];
    const is = other.structure.withId(sheet.id);
    if (!is) return [{ sheetId: sheet.id }];
    return (['row', 'column'] as const).flatMap((axis): DeletedPart[] => {
      const named = spansNamed(reference, sheet, axis);
      const spans = presentIn(missingFrom(named, orderOf(is, axis)), orderOf(was, axis));
      return spans.length > 0 ? [{ sheetId: sheet.id, lines: { axis, spans } }] : [];
    });
  });
}

/** Returns the formula that a side wrote in a cell since the base; undefined when it wrote none. */
function writtenFormula(place: CellPlace, { base, writer }: Written): string | undefined {
  const written = sideAt(writer, place);
  if (sameCell(sideAt(base, place), written, place)) return undefined;
  return formulaOf(inputOf(written, place))?.formula;
}

/** The lines of one axis that a reference names; none when it takes the whole axis. */
function spansNamed(reference: FormulaReference, sheet: SheetOutline, axis: Axis): IdSpan[] {
  const { row0, column0 } = reference;
  const [from, count, limit] =
    axis === 'row'
      ? [row0, rowCount(reference), rowLimit]
      : [column0, columnCount(reference), columnLimit];
  return count < limit ? orderOf(sheet, axis).spansAt(from, count) : [];
}
