import { plainFormula, writeInput } from '../../model/input.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import { sameLane, type CellPlace } from '../cells/cell-coding.ts';
import { isSameFormula } from '../cells/formula-identity.ts';
import { unequalCells } from '../cells/unequal-lanes.ts';
import { arrayContests, type ArrayContests } from './array-contests.ts';
import { changedBlocks, sharedSheets, type ChangedBlock } from './changed-blocks.ts';
import {
  areAlike,
  carriedInput,
  inputOf,
  laneAt,
  placeOf,
  sameCell,
  sideAt,
  type StatedCell,
} from '../compare/same-lanes.ts';
import { choiceOf, isTheirs, type ContestedCell } from './contested-cell.ts';
import type { Choice } from './judge.ts';
import { tellReaders } from './lost-cells.ts';
import { isUnwritten, mergedFormula, soleWriter } from './merged-references.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { contestedParts, type ContestedParts } from './granularity.ts';
import { spotOf } from './side-cells.ts';
import { columnAt, headerAt } from './table-place.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { WantedCells } from './wanted-cells.ts';

/** Conflicts between two pauses: each reads formulas of both sides, which takes long. */
const contestedBetweenPauses = 32;

/**
 * Merges the content of cells, including formulas that nobody edited but whose references changed.
 */
export function* mergeCells(merging: Merging): Generator<void, void> {
  const wanted = new WantedCells(merging.theirs, stateOf(merging));
  const granularity = merging.policy?.conflictGranularity ?? 'cell';
  const parts = granularity === 'cell' ? undefined : yield* contestedParts(merging, granularity);
  const arrays = yield* wantSheets(merging, parts, wanted);
  for (const one of arrays.values()) if (one) yield* one.tellResized(wanted);
  yield* tellReaders(merging, wanted);
  for (const part of yield* wanted.parts()) yield* merging.parts.add(part);
  for (const place of wanted.mute) merging.mute.push(place);
}

/** Collects the cells to write, sheet by sheet; returns the overlaps of arrays by sheet. */
function* wantSheets(
  merging: Merging,
  parts: ContestedParts | undefined,
  wanted: WantedCells,
): Generator<void, ReadonlyMap<string, ArrayContests | undefined>> {
  const arrays = new Map<string, ArrayContests | undefined>();
  for (const sheets of sharedSheets(merging)) {
    const { sheet } = sheets;
    arrays.set(sheet.id, yield* arrayContests(merging, sheet, parts));
    for (const block of changedBlocks(merging, sheets)) {
      yield* wantLanes(merging, { block, parts, arrays: arrays.get(sheet.id) }, wanted);
      yield;
    }
  }
  for (const { sheet, place, at, base, side: ours } of parts?.ours ?? []) {
    if (arrays.get(sheet.id)?.settle(at, wanted) === true) continue;
    settle(
      merging,
      { sheet, place, at, base, ours, theirs: sideAt(merging.theirs, place) },
      wanted,
    );
  }
  return arrays;
}

interface Contests {
  readonly parts: ContestedParts | undefined;
  readonly arrays: ArrayContests | undefined;
}

function* wantLanes(
  merging: Merging,
  { block, ...contests }: Contests & { readonly block: ChangedBlock },
  wanted: WantedCells,
): Generator<void, void> {
  const { sheet, column, positions } = block;
  let contestedCount = 0;
  for (const lane of unequalCells(block.theirs, block.base)) {
    const row = positions[lane] ?? -1;
    if (row < 0) continue;
    const place = placeOf(block.rows, lane, { sheetId: sheet.id, column: block.columnId });
    const base = { cell: laneAt(block.base, lane), state: merging.base };
    const ours = { cell: laneAt(block.ours, lane), state: merging.ours };
    const theirs = { cell: laneAt(block.theirs, lane), state: merging.theirs };
    const cell = { sheet, place, at: { row, column }, base, ours, theirs };
    if (isLeft(merging, { kind: 'cell.input', place }) || isSameStored(cell)) continue;
    const isContested = wantCell(merging, cell, { ...contests, wanted });
    if (isContested && ++contestedCount % contestedBetweenPauses === 0) yield;
  }
}

/**
 * Collects what one cell shall hold; returns true when that took a decision between two changes.
 */
function wantCell(
  merging: Merging,
  cell: ContestedCell,
  { parts, arrays, wanted }: Contests & { readonly wanted: WantedCells },
): boolean {
  const { sheet, place, at, base, ours, theirs } = cell;
  if (arrays?.settle(at, wanted) === true) return true;
  const isTaken = sameLane(base.cell, ours.cell) || sameCell(base, ours, place);
  const isWhole = parts?.has(place) === true;
  if (isTaken && !isWhole) {
    if (!isNamedAgain(merging, cell)) wanted.add(sheet, at, theirs.cell);
    return false;
  }
  if (areAlike(theirs, ours, place)) return false;
  if (isWhole || !settleUnwritten(merging, cell, wanted)) settle(merging, cell, wanted);
  return true;
}

/**
 * Returns whether theirs differs only by references to a sheet that it deleted and the merge keeps.
 */
function isNamedAgain(merging: Merging, { place, base, ours, theirs }: ContestedCell): boolean {
  const isFormula = [base, ours, theirs].every(({ cell }) => cell.tag === cellTag.formula);
  const isKept = ({ id }: SheetOutline) => !merging.base.structure.withId(id);
  if (!isFormula || !merging.common.structure.sheets.some(isKept)) return false;
  const lostIn = ({ cell, state }: StatedCell, { structure } = state) => {
    const input = state.coding.decode(cell, place, structure);
    return JSON.stringify(input).split('#REF!').length;
  };
  const lost = lostIn(theirs);
  if (lost === 1 || lostIn(ours, stateOf(merging)) >= lost) return false;
  return sameCell(base, theirs, place);
}

/**
 * Settles a formula that at most one side edited, while moved lines changed its references on the
 * other or on both. Returns whether it is such a formula.
 */
function settleUnwritten(merging: Merging, cell: ContestedCell, wanted: WantedCells): boolean {
  if (!merging.judge.isBetweenBranches) return false;
  const { sheet, place, at, base, ours, theirs } = cell;
  const isWrittenHere = !isUnwritten(base, ours, place);
  const isWrittenThere = !isUnwritten(base, theirs, place) && !sameCell(base, theirs, place);
  if (isWrittenHere) return !isWrittenThere || settleSorted(merging, cell, wanted);
  const merged = isWrittenThere ? undefined : mergedFormula(merging, place, { ours, theirs });
  if (merged === undefined) wanted.add(sheet, at, theirs.cell);
  else wanted.write(sheet, at, merged);
  return true;
}

/**
 * Settles a formula that names others on both sides, where one of them only sorted it, or both the
 * blank row of an empty table. Returns whether it is such a formula.
 */
function settleSorted(merging: Merging, cell: ContestedCell, wanted: WantedCells): boolean {
  const { sheet, place, at, theirs } = cell;
  const sole = soleWriter(merging, place, cell);
  if (sole === 'theirs') wanted.add(sheet, at, theirs.cell);
  const first = sole ? undefined : ofFirstRows(merging, cell);
  if (first !== undefined) wanted.write(sheet, at, first);
  return sole !== undefined || first !== undefined;
}

/**
 * Returns a formula that named the blank row of an empty table, and on each side names the first of
 * the rows that came instead: it names the upper one of these. Undefined for any other formula.
 */
function ofFirstRows(
  merging: Merging,
  { place, base, ours, theirs }: Pick<ContestedCell, 'place' | 'base' | 'ours' | 'theirs'>,
): string | undefined {
  const sides = [ours, theirs];
  const texts = [base, ...sides].map((side) => plainFormula(inputOf(side, place)));
  if (texts.includes(undefined) || new Set(texts).size > 1) return undefined;
  const carriedTo = (side: StatedCell, to: BranchState) =>
    plainFormula(carriedInput(side, to, place)) ?? '#REF!';
  if (!sides.every(({ state }) => carriedTo(base, state).includes('#REF!'))) return undefined;
  const to = stateOf(merging);
  const named = sides.map((side) => carriedTo(side, to)).filter((text) => !text.includes('#REF!'));
  const { formulas } = to.coding;
  const depthOf = (text: string) =>
    formulas.references(text).reduce((sum, { row0 }) => sum + row0, 0);
  return named.toSorted((a, b) => depthOf(a) - depthOf(b))[0];
}

/** Settles a cell that both sides changed. */
function settle(merging: Merging, cell: ContestedCell, wanted: WantedCells): void {
  const { sheet, place, at, base, theirs } = cell;
  const choice = decidedWithColumn(merging, cell) ?? choiceOf(merging, cell);
  if (isTheirs(choice, cell)) wanted.add(sheet, at, theirs.cell);
  else if (choice === 'base') {
    wanted.write(sheet, at, writeInput(carriedInput(base, stateOf(merging), place)));
  } else if (typeof choice === 'object' && 'input' in choice) {
    wanted.write(sheet, at, choice.input);
  }
}

/**
 * The content of a cell whose table was merged before: the name or the formula of the column. Where
 * a header went elsewhere there is what the other side has.
 */
function decidedWithColumn(
  merging: Merging,
  { sheet, place, at, ours, theirs }: ContestedCell,
): Choice | undefined {
  const calculated = calculatedAt(merging, { place, ours, theirs });
  if (calculated !== undefined) return { input: calculated };
  const [mine, yours] = [saysHeader(ours, place), saysHeader(theirs, place)];
  if (!mine && !yours) return undefined;
  const header = headerAt(stateOf(merging), { sheetId: sheet.id, ...at });
  if (header !== undefined) return { input: `'${header}` };
  if (mine && yours) return { input: null };
  return mine ? 'theirs' : 'ours';
}

/**
 * The formula of the merged column, when on both sides the cell holds the formula of its column.
 */
function calculatedAt(
  merging: Merging,
  { place, ours, theirs }: Pick<ContestedCell, 'place' | 'ours' | 'theirs'>,
): string | undefined {
  const isOwn = (side: StatedCell) => {
    const formula = columnAt(side.state, place)?.formula;
    const input = inputOf(side, place);
    return input !== null && formula !== undefined && writeInput(input) === formula;
  };
  return isOwn(ours) && isOwn(theirs) ? columnAt(stateOf(merging), place)?.formula : undefined;
}

/** Returns whether a cell holds the name of the column of a table whose header it is. */
function saysHeader(side: StatedCell, place: CellPlace): boolean {
  const { state } = side;
  const sheet = state.structure.withId(place.sheetId);
  const at = sheet && spotOf(sheet, place);
  const header = at && headerAt(state, { sheetId: place.sheetId, ...at });
  return header !== undefined && inputOf(side, place) === header;
}

/**
 * Returns whether base and theirs have the same formula. Indexes in the dictionary may differ all
 * the same.
 */
function isSameStored({ place, base, theirs }: ContestedCell): boolean {
  const [a, b] = [base.cell, theirs.cell];
  if (a.tag !== cellTag.formula || b.tag !== cellTag.formula) return false;
  return isSameFormula(theirs.state.coding.dictionary, [a.number, b.number], place);
}
