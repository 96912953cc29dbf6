import { isFormulaInput } from '../../model/cell-value.ts';
import type { FormulaReference } from '../../model/formula-service.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { sayOther } from '../formulas/formula-skeleton.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import { orderOf, type Axis, type SheetOutline } from '../structure/structure.ts';

const wholeColumns = 16;
const wholeRows = 32;

interface FormulaOn {
  readonly state: BranchState;
  readonly cell: CodedCell;
}

/**
 * Returns whether two formulas of one cell name the same lines and differ at most at the ends of
 * ranges: a deleted end slides inwards, and an end moved by a sort is replaced by its neighbour.
 */
export function nameSameLines(was: FormulaOn, is: FormulaOn, place: CellPlace): boolean {
  if (cannotBeSame(was, is)) return false;
  const [before, after] = [spelled(was, place), spelled(is, place)];
  if (!before || !after || before.rest !== after.rest) return false;
  if (before.references.length !== after.references.length) return false;
  return before.references.every((reference, index) => {
    const other = after.references[index];
    return other !== undefined && namesSame(reference, other);
  });
}

/** Returns whether two contents surely differ; a cheap test before texts are made. */
function cannotBeSame(was: FormulaOn, is: FormulaOn): boolean {
  if (was.cell.tag !== cellTag.formula || is.cell.tag !== cellTag.formula) return true;
  const { dictionary } = is.state.coding;
  const [before, after] = [was, is].map(({ cell }) => dictionary.formula(cell.number).r1c1);
  return before !== undefined && after !== undefined && sayOther(before, after);
}

interface PlacedReference {
  readonly reference: FormulaReference;
  readonly sheet: SheetOutline | undefined;
}

/** Returns the text of a formula in the addresses of its own state. */
function spelled({ state, cell }: FormulaOn, place: CellPlace) {
  const { coding, structure } = state;
  const input = coding.decode(cell, place, structure);
  if (!isFormulaInput(input)) return undefined;
  const found = coding.formulas.references(input.formula);
  const move = { from: structure, to: structure, sheetId: place.sheetId };
  const references = found.map((reference): PlacedReference => {
    return { reference, sheet: sheetAt(reference, move) };
  });
  const between: string[] = [];
  let next = 0;
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    between.push(input.formula.slice(next, start));
    next = end;
  }
  const { array = '', legacy = false } = input;
  const rest = JSON.stringify([array, legacy, ...between, input.formula.slice(next)]);
  return { references, rest };
}

function namesSame(was: PlacedReference, is: PlacedReference): boolean {
  const [a, b] = [was.reference, is.reference];
  const [from, to] = [was.sheet, is.sheet];
  if (!from || !to || from.id !== to.id || a.flags !== b.flags) return false;
  const sides = { from, to };
  const isRowsSame =
    (a.flags & wholeColumns) !== 0 ||
    sameLines({ ...sides, axis: 'row' }, [a.row0, a.row1], [b.row0, b.row1]);
  if (!isRowsSame || (a.flags & wholeRows) !== 0) return isRowsSame;
  return sameLines({ ...sides, axis: 'column' }, [a.column0, a.column1], [b.column0, b.column1]);
}

type Ends = readonly [first: number, last: number];

/**
 * Returns whether two ranges name the same lines, ignoring lines that only one side has. The ends
 * exist on both sides.
 */
function sameLines(
  { from, to, axis }: { from: SheetOutline; to: SheetOutline; axis: Axis },
  was: Ends,
  is: Ends,
): boolean {
  const [before, after] = [orderOf(from, axis), orderOf(to, axis)];
  const within = (position: number, [first, last]: Ends) => position >= first && position <= last;
  for (const end of is) {
    const { branch, sequence, offset } = after.idAt(end);
    const position = before.positionOf(branch, sequence, offset);
    if (position === undefined || !within(position, was)) return false;
  }
  const isInside = (one: typeof before, other: typeof after, a: Ends, b: Ends) =>
    one
      .spansAt(a[0], a[1] - a[0] + 1)
      .flatMap((span) => other.piecesOf(span))
      .every(({ position, length }) => within(position, b) && within(position + length - 1, b));
  return isInside(before, after, was, is) && isInside(after, before, is, was);
}
