import { isFormulaInput } from '../../model/cell-value.ts';
import type { FormulaReference } from '../../model/formula-service.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { sayOther } from '../formulas/formula-skeleton.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import type { LineId, Piece } from '../ids/order.ts';
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
  return before !== undefined && after !== undefined && areSame(before, after);
}

/** A formula of a name or a rule, in the addresses of its own state. */
export interface TextOn {
  readonly state: BranchState;
  readonly text: string;
  readonly sheetId: string | undefined;
}

/** As `nameSameLines`, for formulas of names and rules. */
export function textsNameSameLines(was: TextOn, is: TextOn): boolean {
  return areSame(placed(was), placed(is));
}

function areSame(before: SpelledFormula, after: SpelledFormula): boolean {
  if (before.rest !== after.rest) return false;
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

interface SpelledFormula {
  readonly references: readonly PlacedReference[];
  /** All of the formula but its references. */
  readonly rest: string;
}

/** Returns the text of a formula in the addresses of its own state. */
function spelled({ state, cell }: FormulaOn, place: CellPlace): SpelledFormula | undefined {
  const { coding, structure } = state;
  const input = coding.decode(cell, place, structure);
  if (!isFormulaInput(input)) return undefined;
  const { array = '', legacy = false } = input;
  return placed({ state, text: input.formula, sheetId: place.sheetId }, [array, legacy]);
}

function placed({ state, text, sheetId }: TextOn, kind: readonly unknown[] = []): SpelledFormula {
  const { coding, structure } = state;
  const found = coding.formulas.references(text);
  const move = { from: structure, to: structure, sheetId };
  const references = found.map((reference): PlacedReference => {
    return { reference, sheet: sheetAt(reference, move) };
  });
  const between: string[] = [];
  let next = 0;
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    between.push(text.slice(next, start));
    next = end;
  }
  return { references, rest: JSON.stringify([...kind, ...between, text.slice(next)]) };
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
 * Returns whether two ranges name the same lines, ignoring lines that only one side has. An end is
 * on both sides, or a new line in the place of one that is gone.
 */
function sameLines(
  { from, to, axis }: { from: SheetOutline; to: SheetOutline; axis: Axis },
  was: Ends,
  is: Ends,
): boolean {
  const [before, after] = [orderOf(from, axis), orderOf(to, axis)];
  const within = (position: number, [first, last]: Ends) => position >= first && position <= last;
  const find = (order: typeof before, { branch, sequence, offset }: LineId) =>
    order.positionOf(branch, sequence, offset);
  for (const at of [0, 1] as const) {
    const position = find(before, after.idAt(is[at]));
    const isGone = position === undefined && find(after, before.idAt(was[at])) === undefined;
    if (!isGone && (position === undefined || !within(position, was))) return false;
  }
  const shared = (one: typeof before, other: typeof after, [first, last]: Ends) =>
    one.spansAt(first, last - first + 1).flatMap((span) => other.piecesOf(span));
  const isInside = (pieces: readonly Piece[], ends: Ends) =>
    pieces.every(
      ({ position, length }) => within(position, ends) && within(position + length - 1, ends),
    );
  const left = shared(before, after, was);
  return left.length > 0 && isInside(left, is) && isInside(shared(after, before, is), was);
}
