import { cellName } from '../../model/address.ts';
import { writeInput } from '../../model/input.ts';
import { lineText } from '../structure/area.ts';
import { cellTag } from '../cells/block.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace, CodedCell } from '../cells/cell-coding.ts';
import { isSameFormula } from '../cells/formula-identity.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { lanesIn, unequalLanes } from '../cells/unequal-lanes.ts';
import { changedBlocks, sharedSheets, type ChangedBlock } from './changed-blocks.ts';
import { carriedInput, cellIn, laneAt, placeOf, sameCell } from '../compare/same-lanes.ts';
import type { Choice } from './judge.ts';
import type { Sides } from '../compare/merged-members.ts';
import { tellReaders } from './lost-cells.ts';
import { isUnwritten, mergedFormula } from './merged-references.ts';
import { isLeft, stateOf, type Merging } from './merging.ts';
import { arrayAround, heldWithin } from './array-covers.ts';
import { contestedParts, type ContestedParts } from './granularity.ts';
import { positionIn } from './relocation.ts';
import { columnAt, headerAt, tablePlace, type TablePlace } from './table-place.ts';
import { WantedCells } from './wanted-cells.ts';

/**
 * Deciding a conflict reads both sides, which takes long for formulas, so the pass pauses this
 * often.
 */
const contestedBetweenPauses = 32;

/**
 * Merges the content of cells, and the formulas whose references the span spoiled without writing
 * to them.
 */
export function* mergeCells(merging: Merging): Generator<void, void> {
  const wanted = new WantedCells(merging.theirs, stateOf(merging));
  const granularity = merging.policy?.conflictGranularity ?? 'cell';
  const parts = granularity === 'cell' ? undefined : yield* contestedParts(merging, granularity);
  for (const sheets of sharedSheets(merging)) {
    for (const block of changedBlocks(merging, sheets)) {
      yield* wantLanes(merging, { block, parts }, wanted);
      yield;
    }
  }
  for (const { sheet, place, at, base, side: ours } of parts?.ours ?? []) {
    const theirs = { cell: cellIn(merging.theirs, place), state: merging.theirs };
    settle(merging, { sheet, place, at, base, ours, theirs }, wanted);
  }
  yield* tellReaders(merging, wanted);
  for (const part of yield* wanted.parts()) yield* merging.parts.add(part);
  for (const place of wanted.mute) merging.mute.push(place);
}

function* wantLanes(
  merging: Merging,
  { block, parts }: { readonly block: ChangedBlock; readonly parts: ContestedParts | undefined },
  wanted: WantedCells,
): Generator<void, void> {
  const { sheet, column, positions } = block;
  let contestedCount = 0;
  for (const lane of unequalLanes(lanesIn(block.theirs), lanesIn(block.base))) {
    const row = positions[lane] ?? -1;
    if (row < 0) continue;
    const place = placeOf(block.rows, lane, { sheetId: sheet.id, column: block.columnId });
    const base = { cell: laneAt(block.base, lane), state: merging.base };
    const ours = { cell: laneAt(block.ours, lane), state: merging.ours };
    const theirs = { cell: laneAt(block.theirs, lane), state: merging.theirs };
    const cell = { sheet, place, at: { row, column }, base, ours, theirs };
    if (isLeft(merging, { kind: 'cell.input', place }) || isSameStored(cell)) continue;
    const isContested = wantCell(merging, cell, { parts, wanted });
    if (isContested && ++contestedCount % contestedBetweenPauses === 0) yield;
  }
}

/** Returns whether both sides changed the cell. */
function wantCell(
  merging: Merging,
  cell: ContestedCell,
  { parts, wanted }: { readonly parts: ContestedParts | undefined; readonly wanted: WantedCells },
): boolean {
  const { sheet, place, at, base, ours, theirs } = cell;
  const array = arrayAround(merging, cell);
  if (array) {
    // Whatever is written there, the array of ours does not fill the cell any more.
    if (settle(merging, cell, wanted) !== 'kept') wanted.add(sheet, array.at, array.theirs.cell);
    return true;
  }
  const isTaken = isSameLane(base.cell, ours.cell) || sameCell(base, ours, place);
  const held = heldWithin(merging, cell).map((one) => settle(merging, one, wanted));
  if (held.some((outcome) => outcome !== 'theirs')) {
    // The array cannot come; what both sides wrote in its first cell is asked about all the same.
    if (!isTaken) settle(merging, cell, new WantedCells(merging.theirs, stateOf(merging)));
    return true;
  }
  const isWhole = parts?.has(place) === true;
  if (isTaken && !isWhole) {
    wanted.add(sheet, at, theirs.cell);
    return false;
  }
  if (sameCell(theirs, ours, place)) return false;
  if (isWhole || !settleUnwritten(merging, cell, wanted)) settle(merging, cell, wanted);
  return true;
}

/**
 * Settles a formula that not both sides wrote: one moved lines and no more, or both did. Returns
 * whether it is such a formula.
 */
function settleUnwritten(
  merging: Merging,
  { sheet, place, at, base, ours, theirs }: ContestedCell,
  wanted: WantedCells,
): boolean {
  if (!merging.judge.isBetweenBranches) return false;
  const isWrittenHere = !isUnwritten(base, ours, place);
  const isWrittenThere = !isUnwritten(base, theirs, place) && !sameCell(base, theirs, place);
  if (isWrittenHere) return !isWrittenThere;
  const merged = isWrittenThere ? undefined : mergedFormula(merging, place, { ours, theirs });
  if (merged === undefined) wanted.add(sheet, at, theirs.cell);
  else wanted.write(sheet, at, merged);
  return true;
}

/** A cell that both sides wrote to. */
interface ContestedCell extends Sides<Side> {
  readonly sheet: SheetOutline;
  readonly place: CellPlace;
  readonly at: { readonly row: number; readonly column: number };
}

/** Decides about a cell; returns whether it is as ours has it, as theirs, or as neither. */
function settle(
  merging: Merging,
  cell: ContestedCell,
  wanted: WantedCells,
): 'kept' | 'theirs' | 'written' {
  const { sheet, place, at, base, ours, theirs } = cell;
  const isFormula = [ours, theirs].every((side) => side.cell.tag === cellTag.formula);
  const held = ({ state, cell: coded }: Side) => {
    const input = state.coding.decode(coded, place, state.structure);
    return input === null ? undefined : writeInput(input);
  };
  const decided = decidedWithColumn(merging, cell);
  if (decided) {
    if (decided.input !== undefined) wanted.write(sheet, at, decided.input);
    return decided.input === undefined ? 'kept' : 'written';
  }
  const inTable = tablePlace(ours.state, place) ?? tablePlace(theirs.state, place);
  const choice = merging.judge.decide({
    kind: inTable ? 'tablerow.cell' : isFormula ? 'cell.formula' : 'cell.value',
    register: `cell ${place.sheetId} ${rowText(merging, { ...place, ...inTable })} ${lineText(place.column)}`,
    text: `${sheet.name}!${cellName(at.row, at.column)}`,
    place: { ...place, ...inTable },
    sides: () => ({ base: held(base), ours: held(ours), theirs: held(theirs) }),
  });
  if (isTheirs(choice, { ours, theirs })) {
    wanted.add(sheet, at, theirs.cell);
    return 'theirs';
  }
  if (choice === 'base') {
    wanted.write(sheet, at, writeInput(carriedInput(base, stateOf(merging), place)));
    return 'written';
  }
  if (typeof choice !== 'object' || !('input' in choice)) return 'kept';
  wanted.write(sheet, at, choice.input);
  return 'written';
}

/** A row that the merge itself put on a line is told by its key, the same from both directions. */
function rowText(merging: Merging, { row, tableId, key }: CellPlace & TablePlace): string {
  const { branchNo, head } = stateOf(merging);
  const isOwn = tableId !== undefined && row.branch === branchNo && row.sequence === head;
  return isOwn ? `${tableId} ${JSON.stringify(key)}` : lineText(row);
}

/**
 * The content of a cell whose table was merged before: the name or the formula of the column. A
 * cell whose header went elsewhere stays as it is.
 */
function decidedWithColumn(
  merging: Merging,
  { sheet, place, at, ours, theirs }: ContestedCell,
): { readonly input: string | undefined } | undefined {
  const calculated = calculatedAt(merging, { place, ours, theirs });
  if (calculated !== undefined) return { input: calculated };
  if (![ours, theirs].some((side) => saysHeader(side, place))) return undefined;
  const header = headerAt(stateOf(merging), { sheetId: sheet.id, ...at });
  return { input: header === undefined ? undefined : `'${header}` };
}

/** The formula of the merged column where the cell of either side holds that of its own column. */
function calculatedAt(
  merging: Merging,
  { place, ours, theirs }: Pick<ContestedCell, 'place' | 'ours' | 'theirs'>,
): string | undefined {
  const isOwn = ({ state, cell }: Side) => {
    const formula = columnAt(state, place)?.formula;
    const input = state.coding.decode(cell, place, state.structure);
    return input !== null && formula !== undefined && writeInput(input) === formula;
  };
  return isOwn(ours) && isOwn(theirs) ? columnAt(stateOf(merging), place)?.formula : undefined;
}

/** Returns whether a cell holds the name of the column of a table whose header it is. */
function saysHeader({ state, cell }: Side, place: CellPlace): boolean {
  const sheet = state.structure.withId(place.sheetId);
  const row = sheet && positionIn(sheet, 'row', place.row);
  const column = sheet && positionIn(sheet, 'column', place.column);
  if (row === undefined || column === undefined) return false;
  const header = headerAt(state, { sheetId: place.sheetId, row, column });
  return header !== undefined && state.coding.decode(cell, place, state.structure) === header;
}

/** Combined, a side that holds anything wins over one that does not. */
function isTheirs(
  choice: Choice,
  { ours, theirs }: { readonly ours: Side; readonly theirs: Side },
): boolean {
  if (typeof choice !== 'object' || !('combine' in choice)) return choice === 'theirs';
  const [isOursBlank, isTheirsBlank] = [ours, theirs].map(({ cell }) => cell.tag === cellTag.blank);
  if (isOursBlank !== isTheirsBlank) return isOursBlank === true;
  return choice.combine === 'theirs';
}

/** Formulas of one cell that name the same lines; their indexes say nothing. */
function isSameStored({ place, base, theirs }: ContestedCell): boolean {
  const [a, b] = [base.cell, theirs.cell];
  if (a.tag !== cellTag.formula || b.tag !== cellTag.formula) return false;
  return isSameFormula(theirs.state.coding.dictionary, [a.number, b.number], place);
}

function isSameLane(a: CodedCell, b: CodedCell): boolean {
  return a.tag === b.tag && a.number === b.number;
}

interface Side {
  readonly state: BranchState;
  readonly cell: CodedCell;
}
