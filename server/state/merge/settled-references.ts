import { referenceFlags } from '../../model/formula-service.ts';
import { formulaOf, inputsEqual, plainFormula } from '../../model/input.ts';
import { blockDifferences } from '../cells/block-differences.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { unequalCells } from '../cells/unequal-lanes.ts';
import {
  carriedInput,
  cellIn,
  inputOf,
  laneAt,
  placeOf,
  sideAt,
  unequalPlaces,
  type StatedCell,
} from '../compare/same-lanes.ts';
import { respelled, sheetAt } from '../formulas/formula-text.ts';
import { orderOf, type Axis, type SheetOutline, type Structure } from '../structure/structure.ts';
import { placeText } from './contested-cell.ts';
import type { Side } from './judge.ts';
import { restoredFormula, restoreFormulas } from './lost-cells.ts';
import { MergedEnds } from './merged-ends.ts';
import { isSameCoded, isUnwritten, mergedFormula, soleWriter } from './merged-references.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { endingAtMoved } from './moved-ends.ts';
import type { RestoredFormula } from './restoration.ts';
import { spotOf, type Spot } from './side-cells.ts';

const { wholeColumns, wholeRows } = referenceFlags;

/**
 * Corrects references after all passes. Moving lines cuts ranges in ways that depend on how they
 * were moved, and a formula written as text cannot refer to a deleted line. So each formula gets
 * the lines that its writer had, or that both sides make of an unedited one.
 */
export function* settleReferences(of: Merging): Generator<void, void> {
  const ends = {
    ours: new MergedEnds(of, 'ours', { sorts: false }),
    theirs: new MergedEnds(of, 'theirs', { sorts: false }),
  };
  const merging = { ...of, ends, isStill: areStill(of) };
  for (const sheet of stateOf(merging).structure.sheets) {
    const restored = yield* unsettled(merging, sheet);
    yield* restoreFormulas(merging, sheet.id, restored);
  }
}

interface Settling extends Merging {
  readonly ends: Readonly<Record<Side, MergedEnds>>;
  /** True when no lines changed, so that formulas taken from theirs as they are need no check. */
  readonly isStill: boolean;
}

/** Returns whether no side changed sheets or lines, and there is no scope. */
function areStill(merging: Merging): boolean {
  const { base, common, ours, theirs, moves, scope } = merging;
  const { structure } = stateOf(merging);
  const lines = moves?.lines;
  return (
    scope === undefined &&
    (lines === undefined || lines.ours.length + lines.theirs.length === 0) &&
    [base, common, ours, theirs].every((state) => state.structure === structure)
  );
}

function* unsettled(merging: Settling, sheet: SheetOutline): Generator<void, RestoredFormula[]> {
  const before = merging.ours.structure.withId(sheet.id);
  const is = stateOf(merging).cellsOf(sheet);
  const was = before && merging.ours.cellsOf(before);
  const restored: Restored[] = [];
  for (const { column, place: rows, from, to } of blockDifferences(was, is)) {
    yield;
    for (const lane of unequalCells(to?.block, from?.block)) {
      const cell = laneAt(to?.block, lane);
      const place = placeOf(rows, lane, { sheetId: sheet.id, column });
      const at = cell.tag === cellTag.formula ? spotOf(sheet, place) : undefined;
      const formula = at && expected(merging, place, cell);
      if (formula) restored.push({ at, formula });
    }
  }
  for (const one of unmoved(merging, sheet, restored)) restored.push(one);
  // Sorted, because the order of blocks in memory depends on history.
  restored.sort(({ at: a }, { at: b }) => a.column - b.column || a.row - b.row);
  return restored.map(({ formula }) => formula);
}

interface Restored {
  readonly at: Spot;
  readonly formula: RestoredFormula;
}

/**
 * Finds formulas to correct among those that the merge did not write: formulas of ours whose ranges
 * theirs moved, or whose ends slid inwards from lines that ours deleted, and formulas written with
 * `#REF!` that have lost something else.
 */
function unmoved(merging: Settling, sheet: SheetOutline, known: readonly Restored[]): Restored[] {
  const met = new Set(known.map(({ at }) => `${at.row} ${at.column}`));
  const found: Restored[] = [];
  const places = [
    ...merging.mute.filter(({ sheetId }) => sheetId === sheet.id),
    ...endingAtMoved(merging, merging.ends.ours, sheet),
    ...slidHere(merging, sheet),
  ];
  for (const place of places) {
    const at = spotOf(sheet, place);
    if (!at || met.has(`${at.row} ${at.column}`)) continue;
    met.add(`${at.row} ${at.column}`);
    const cell = cellIn(stateOf(merging), place);
    const formula = cell.tag === cellTag.formula && expected(merging, place, cell);
    if (formula) found.push({ at, formula });
  }
  return found;
}

/**
 * Finds formulas of ours that nobody wrote, and whose ranges ended at lines that ours deleted: what
 * theirs inserted in front of such a line is in the range.
 */
function* slidHere({ base, ours, theirs }: Merging, { id }: SheetOutline): Generator<CellPlace> {
  if (base.structure.digest === theirs.structure.digest) return;
  for (const { place, from, to } of unequalPlaces(base, ours, id)) {
    if (from.cell.tag !== cellTag.formula || isSameCoded(from.cell, to.cell, place, to)) continue;
    if (isUnwritten(from, to, place)) yield place;
  }
}

/** Undefined where the formula is as it shall be, or nobody can tell. */
function expected(merging: Settling, place: CellPlace, is: CodedCell): RestoredFormula | undefined {
  if (merging.isStill && isOfTheirs(merging, place, is)) return undefined;
  const wanted = wantedFormula(merging, place, is);
  if (wanted?.tag !== cellTag.formula) return undefined;
  const state = stateOf(merging);
  if (isSameCoded(wanted, is, place, { state, cell: is })) return undefined;
  if (!isAlike(merging, { wanted, is, place })) return undefined;
  const settled = withoutLostEnds(merging, wanted, place);
  if (!settled || isSameCoded(settled, is, place, { state, cell: is })) return undefined;
  return restoredFormula(state, settled.number, place);
}

/** Returns whether the cell holds the formula of theirs, and ours did not change it. */
function isOfTheirs(merging: Settling, place: CellPlace, is: CodedCell): boolean {
  const [base, ours, theirs] = [merging.base, merging.ours, merging.theirs].map((state) =>
    cellIn(state, place),
  );
  const isTaken = theirs?.tag === is.tag && theirs.number === is.number;
  const isUntouched = base?.tag === ours?.tag && base?.number === ours?.number;
  return isTaken && isUntouched && !merging.chosen.has(placeText(place));
}

/** Returns the formula of the side that edited it or, when none did, what both sides make of it. */
function wantedFormula(merging: Settling, place: CellPlace, is: CodedCell): CodedCell | undefined {
  const [base, ours, theirs] = [
    sideAt(merging.base, place),
    sideAt(merging.ours, place),
    sideAt(merging.theirs, place),
  ];
  if (isLeft(merging, { kind: 'cell.input', place })) return carried(merging, 'ours', place);
  if (merging.chosen.has(placeText(place))) return chosenFormula(merging, place, is);
  const isWrittenHere = !isUnwritten(base, ours, place);
  const isWrittenThere = !isUnwritten(base, theirs, place);
  if (!isWrittenHere && !isWrittenThere) return unwrittenFormula(merging, place, { ours, theirs });
  if (isWrittenHere && isWrittenThere && !isSameCoded(ours.cell, theirs.cell, place, ours)) {
    const sole = soleWriter(merging, place, { base, ours, theirs });
    return sole ? carried(merging, sole, place) : chosenFormula(merging, place, is);
  }
  return carried(merging, isWrittenThere ? 'theirs' : 'ours', place);
}

/**
 * Returns the formula that was chosen of two, carried along moves; undefined when none of its
 * ranges was moved.
 */
function chosenFormula(merging: Settling, place: CellPlace, is: CodedCell): CodedCell | undefined {
  const { coding } = stateOf(merging);
  const chosen = (['ours', 'theirs'] as const).find((side) => {
    const input = carriedInput(sideAt(merging[side], place), stateOf(merging), place);
    return inputsEqual(input, coding.decode(is, place, stateOf(merging).structure));
  });
  const ends = chosen && carriedText(merging, chosen, place);
  return ends === undefined ? undefined : encoded(merging, place, ends);
}

/** Returns the formula of one side, carried along the moves of the other. */
function carried(merging: Settling, side: Side, place: CellPlace): CodedCell {
  const text = carriedText(merging, side, place);
  const moved = text === undefined ? undefined : encoded(merging, place, text);
  return moved ?? cellIn(merging[side], place);
}

function carriedText(
  { ends, ...merging }: Settling,
  side: Side,
  place: CellPlace,
): string | undefined {
  const text = plainFormula(inputOf(sideAt(merging[side], place), place));
  return text === undefined ? undefined : ends[side].text(text, place.sheetId);
}

function encoded(merging: Merging, place: CellPlace, text: string): CodedCell | undefined {
  const { coding, structure } = stateOf(merging);
  const sheet = structure.withId(place.sheetId);
  const at = sheet && spotOf(sheet, place);
  return at && coding.encode({ formula: text }, at, structure);
}

/** Returns an unedited formula: that of the side which changed lines, or merged from both. */
function unwrittenFormula(
  merging: Merging,
  place: CellPlace,
  { ours, theirs }: { readonly ours: StatedCell; readonly theirs: StatedCell },
): CodedCell | undefined {
  const { digest } = merging.base.structure;
  if (digest === merging.ours.structure.digest) return theirs.cell;
  if (digest === merging.theirs.structure.digest) return ours.cell;
  const text = mergedFormula(merging, place, { ours, theirs });
  return text === undefined ? theirs.cell : encoded(merging, place, text);
}

/**
 * Returns a formula whose ranges end at existing lines: a deleted end is replaced by the next line
 * inwards. Undefined when this would give `#REF!`.
 */
function withoutLostEnds(
  merging: Merging,
  wanted: CodedCell,
  place: CellPlace,
): CodedCell | undefined {
  const state = stateOf(merging);
  const side = [merging.theirs, merging.ours].find((one) => {
    const { tag, number } = cellIn(one, place);
    return tag === wanted.tag && number === wanted.number;
  });
  if (!side) return wanted;
  const input = inputOf({ state: side, cell: wanted }, place);
  const text = formulaOf(input)?.formula;
  if (text === undefined || !losesEnd(merging, text, { written: side.structure, place })) {
    return wanted;
  }
  // An array formula was written with the ends that are there.
  if (plainFormula(input) === undefined) return undefined;
  const there = plainFormula(carriedInput({ state: side, cell: wanted }, state, place));
  if (there === undefined || there.includes('#REF!')) return undefined;
  return encoded(merging, place, there);
}

/** Returns whether a range of a formula ends at a line that the merged state has not. */
function losesEnd(
  merging: Merging,
  text: string,
  { written, place }: { readonly written: Structure; readonly place: CellPlace },
): boolean {
  const { coding, structure } = stateOf(merging);
  return coding.formulas.references(text).some((reference) => {
    const was = sheetAt(reference, { from: written, to: structure, sheetId: place.sheetId });
    const is = was && structure.withId(was.id);
    if (!was || !is) return false;
    const { row0, row1, column0, column1, flags } = reference;
    const isGone = (axis: Axis, at: number) => {
      const { branch, sequence, offset } = orderOf(was, axis).idAt(at);
      return orderOf(is, axis).positionOf(branch, sequence, offset) === undefined;
    };
    const isRowGone = (flags & wholeColumns) === 0 && (isGone('row', row0) || isGone('row', row1));
    const isColumnGone =
      (flags & wholeRows) === 0 && (isGone('column', column0) || isGone('column', column1));
    return (row0 !== row1 && isRowGone) || (column0 !== column1 && isColumnGone);
  });
}

/** Returns whether two formulas differ at most in the lines that they name. */
function isAlike(
  merging: Merging,
  { wanted, is, place }: { wanted: CodedCell; is: CodedCell; place: CellPlace },
): boolean {
  const { coding, structure } = stateOf(merging);
  const [one, other] = [wanted, is].map((cell) => formulaOf(coding.decode(cell, place, structure)));
  if (!one || !other || one.legacy !== other.legacy) return false;
  if (one.formula === other.formula) return true;
  if (one.formula.includes('#REF!')) return false;
  // Theirs may have lost a line that ours still has; then its text, as written, has `#REF!`.
  if (other.formula.includes('#REF!')) return other.formula === writtenText(merging, wanted, place);
  return skeleton(merging, one.formula) === skeleton(merging, other.formula);
}

/** Returns the text that the merge writes for a formula of theirs. */
function writtenText(merging: Merging, wanted: CodedCell, place: CellPlace): string | undefined {
  const { theirs } = merging;
  const held = cellIn(theirs, place);
  if (held.tag !== wanted.tag || held.number !== wanted.number) return undefined;
  return plainFormula(carriedInput({ state: theirs, cell: held }, stateOf(merging), place));
}

/** Returns a formula without the addresses of its references. */
function skeleton(merging: Merging, text: string): string {
  const { formulas } = stateOf(merging).coding;
  return respelled(
    text,
    formulas.references(text),
    ({ sheet, flags }) => `\u0000${sheet ?? ''}\u0000${flags}\u0000`,
  );
}
