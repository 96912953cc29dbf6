import { inputsEqual, writeInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { typeOf } from '../../server/model/table-column.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { contentMutations } from '../../server/state/content-mutations.ts';
import { changedNames } from '../../server/state/diff/changed-names.ts';
import { RenamedNames } from '../../server/state/diff/renamed-names.ts';
import type { CellPlace } from '../../server/state/cells/cell-coding.ts';
import type { LineId } from '../../server/state/ids/order.ts';
import { positionIn } from '../../server/state/merge/relocation.ts';
import { cellMove, isShift, type CellMove } from '../../server/state/merge/cell-shifts.ts';
import { partOfBlock, sharedParts } from '../../server/state/merge/final-moves.ts';
import type { Block } from '../../server/state/merge/moved-block.ts';
import { readSpans } from '../../server/state/merge/restoration.ts';
import {
  columnAt,
  headerAt,
  tablePlace,
  type TablePlace,
} from '../../server/state/merge/table-place.ts';
import type { FlatSpans } from '../../server/state/plan/resolved.ts';
import type { SheetOutline } from '../../server/state/structure/structure.ts';
import { rangeOf, sameLine } from '../../server/state/structure/tables.ts';
import { admitUndo } from '../../server/state/undo/admit-undo.ts';
import { writtenCells } from '../../server/state/written-cells.ts';
import { CellIndex } from '../../server/values/blame/cell-index.ts';
import { valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';
import { mayBeSame, seenCells, type Seen } from './diff-checks.ts';
import type { MergeDriver, MergeOutcome } from './merge-driver.ts';
import { checkSame, hashOf, mergedOnly, playHistories, type Histories } from './merge-histories.ts';
import { inputIn, isAsIn, oneAfterTheOther } from './one-branch.ts';
import { drive, type StateDriver } from './state-driver.ts';
import { contentOf } from './undo-driver.ts';

// Laws for the result of a merge after two histories of one base.

const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: 39, column1: 15 };

/** Checks that an abandoned merge leaves its three sides as they were. */
function checkAbort(driver: MergeDriver): void {
  const sides = [driver.base.state, driver.ours.state, driver.theirs.state];
  const before = sides.map((state) => `${hashOf(state)} ${JSON.stringify(contentOf(state))}`);
  mergedOnly(() => driver.merge({ otherwise: 'theirs' }));
  mergedOnly(() => driver.mirror());
  for (const [index, state] of sides.entries()) {
    const after = `${hashOf(state)} ${JSON.stringify(contentOf(state))}`;
    if (after !== before[index]) throw new Error(`side ${index} is not what it was`);
  }
}

/**
 * Checks a second merge, as after a squashed one, with the same base. If one of two tables was
 * dropped to make room for the other, the second merge asks about that one again.
 */
function checkAgain(driver: MergeDriver, { driver: merged, conflicts }: MergeOutcome): void {
  if (conflicts.some(({ contest }) => contest.register.startsWith('table place'))) return;
  const again = mergedOnly(() => driver.mergeInto(merged.state, { otherwise: 'theirs' }));
  if (!again) throw new Error('what was merged cannot be merged again');
  checkSame(again.driver.state, merged.state, 'merging again did something');
}

/**
 * Compares the cells of two states: a cell is the same if both have it with the same content, or
 * neither has it.
 */
class CellSides {
  readonly #renamed: RenamedNames;
  readonly #sides: readonly BranchState[];

  constructor(from: BranchState, to: BranchState) {
    this.#renamed = new RenamedNames(from, changedNames({ from, to }));
    this.#sides = [from, to];
  }

  /** Ids of the cells of a sheet that differ. */
  differing(sheetId: string): Set<string> {
    const [was, is] = this.#sides.map((state) => this.#cells(state, sheetId));
    const keys = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
    const isSame = (one: Seen | undefined, other: Seen | undefined) =>
      one && other ? mayBeSame(one, other, sheetId, this.#renamed) : one === other;
    return new Set([...keys].filter((key) => !isSame(was?.get(key), is?.get(key))));
  }

  #cells(state: BranchState, sheetId: string): ReadonlyMap<string, Seen> {
    return seenCells(state, state.structure.withId(sheetId));
  }
}

/**
 * Checks that cells changed by theirs are as in theirs. Exceptions: names of columns above them;
 * rows that ours has under the same key; values whose column has another type in ours; the blank
 * row that stands in for rows of ours; rows and formulas that ours deleted and theirs did not
 * write; cells that ours cut. Moves, cuts and renames of ours apply as to cells that are written on
 * one branch afterwards, or before if ours did not write them or shifted cells there; a cell that
 * ours wrote after it had shifted it may have what theirs wrote to it. For cells that both shifted,
 * merge-shift-laws.test.ts counts what is there.
 */
function checkTheirs(driver: MergeDriver, outcome: MergeOutcome): void {
  const theirs = driver.theirs.state;
  const merged = outcome.driver.state;
  const theirChanges = new CellSides(driver.base.state, theirs);
  const left = new CellSides(theirs, merged);
  const onOneBranch = new OneBranch(driver);
  for (const { id } of theirs.structure.sheets) {
    const others = left.differing(id);
    for (const key of theirChanges.differing(id)) {
      if (!others.has(key)) continue;
      const place = placeIn(id, key);
      if (isNamed(theirs, merged, place) || isJoined(theirs, merged, place)) continue;
      if (isStandIn(theirs, merged, place) || isBroughtBack(driver, place)) continue;
      if (isGone(driver, merged, place)) continue;
      if (isConverted(theirs, merged, place) || isCut(driver, place)) continue;
      if (onOneBranch.hasAs(merged, { place, key })) continue;
      throw new Error(`${id} ${key} is not as theirs has it`);
    }
  }
}

/** Both sides on one branch in either order, for comparing cells. */
class OneBranch {
  readonly #driver: MergeDriver;
  #ends: { readonly theirsLast: BranchState; readonly oursLast: BranchState } | undefined;

  constructor(driver: MergeDriver) {
    this.#driver = driver;
  }

  hasAs(merged: BranchState, { place, key }: { place: CellPlace; key: string }): boolean {
    const { base, ours, theirs } = this.#driver;
    this.#ends ??= {
      theirsLast: oneAfterTheOther(base.state, ours, theirs),
      oursLast: oneAfterTheOther(base.state, theirs, ours),
    };
    if (isAsIn(this.#ends.theirsLast, merged, place)) return true;
    const isWritten = new CellSides(base.state, ours.state).differing(place.sheetId).has(key);
    const shifting = [ours, theirs].filter((side) => shiftsOn(side, place).length > 0);
    const isStill = [ours, theirs].every(({ state }) => hasLinesOf(state, base.state, place));
    if (shifting.length === 2 || (shifting.length === 1 && !isStill)) return true;
    if (isTheirsMoved(this.#driver, merged, place)) return true;
    const held = inputIn(theirs.state, place);
    if (shifting.length > 0 && typeof held === 'object' && held !== null) return true;
    if (isWritten && !isShifted(ours, place)) return false;
    return isAsIn(this.#ends.oursLast, merged, place);
  }
}

function placeIn(sheetId: string, key: string): CellPlace {
  const [row, column] = key.split('/').map((text): LineId => {
    const [branch = 0, sequence = 0, offset = 0] = text.split('.').map(Number);
    return { branch, sequence, offset };
  });
  if (!row || !column) throw new Error(`${key} is no cell`);
  return { sheetId, row, column };
}

/** Returns whether a cell has the name of a column, or the same text without being one. */
function isNamed(theirs: BranchState, merged: BranchState, place: CellPlace): boolean {
  return isHeader(merged, place) || isNamedAlike(theirs, merged, place);
}

/** Returns whether a cell holds the name of the column of a table below it. */
function isHeader(state: BranchState, { sheetId, row, column }: CellPlace): boolean {
  const sheet = state.structure.withId(sheetId);
  const down = sheet && positionIn(sheet, 'row', row);
  const across = sheet && positionIn(sheet, 'column', column);
  if (!sheet || down === undefined || across === undefined) return false;
  const header = headerAt(state, { sheetId, row: down, column: across });
  return header !== undefined && state.inputAt(sheet, down, across) === header;
}

/** Returns whether a cell has the name of a column that keeps this name. */
function isNamedAlike(theirs: BranchState, merged: BranchState, place: CellPlace): boolean {
  if (!isHeader(theirs, place)) return false;
  const table = theirs.tables
    .onSheet(place.sheetId)
    .find(({ columns }) => columns.some(({ line }) => sameLine(line, place.column)));
  const column = table?.columns.find(({ line }) => sameLine(line, place.column));
  const now = merged.tables.withId(table?.id ?? '')?.columns.find(({ id }) => id === column?.id);
  return column !== undefined && now?.name === column.name;
}

/** Returns whether a row of a table was joined with one of the same key on another line. */
function isJoined(theirs: BranchState, merged: BranchState, { sheetId, row }: CellPlace): boolean {
  const was = tablePlace(theirs, { sheetId, row });
  return was !== undefined && linesUnder(merged, was).some((line) => !sameLine(line, row));
}

/** The lines of a keyed table that have a key. */
function linesUnder(state: BranchState, { tableId, key }: TablePlace): LineId[] {
  const table = tableId === undefined ? undefined : state.tables.withId(tableId);
  const sheet = table && state.structure.withId(table.sheetId);
  if (!table || !sheet) return [];
  const { row0, row1 } = rangeOf(table, state.structure);
  return Array.from({ length: row1 - row0 + 1 }, (_, at) => sheet.rows.idAt(row0 + at)).filter(
    (row) => tablePlace(state, { sheetId: sheet.id, row })?.key === key,
  );
}

/** Returns whether theirs only restored a row, by its key, that ours deleted. */
function isBroughtBack({ base, ours, theirs }: MergeDriver, place: CellPlace): boolean {
  const was = tablePlace(theirs.state, place);
  const [row] = was ? linesUnder(base.state, was) : [];
  if (!was || !row || linesUnder(ours.state, was).length > 0) return false;
  return inputsEqual(
    inputIn(base.state, { ...place, row }) ?? null,
    inputIn(theirs.state, place) ?? null,
  );
}

/** Returns whether a formula that theirs did not write is on a line that ours deleted. */
function isGone({ base, theirs }: MergeDriver, merged: BranchState, place: CellPlace): boolean {
  const [was, is] = [base, theirs].map(({ state }) => inputIn(state, place));
  const isFormula = [was, is].every(
    (input) => typeof input === 'object' && input !== null && 'formula' in input,
  );
  return isFormula && !isWritten(theirs, place) && inputIn(merged, place) === undefined;
}

/** Returns whether an operation entered something in a cell. */
function isWritten({ admitted }: StateDriver, { sheetId, row, column }: CellPlace): boolean {
  return admitted.some(({ kind, payload, resolved }) => {
    const index = new CellIndex(sheetId, [{ index: 0, row, column }]);
    return index.take(writtenCells(kind, payload, resolved).values).length > 0;
  });
}

/** Returns whether a cell is in the blank row of a table that has rows of ours instead. */
function isStandIn(theirs: BranchState, merged: BranchState, { sheetId, row }: CellPlace): boolean {
  const was = tablePlace(theirs, { sheetId, row });
  const table = was?.tableId === undefined ? undefined : theirs.tables.withId(was.tableId);
  const [sheet, now] = [theirs, merged].map(({ structure }) => structure.withId(sheetId));
  const down = sheet && positionIn(sheet, 'row', row);
  if (!sheet || !now || !table || down === undefined) return false;
  const isBlank = table.columns.every(({ line, formula }) => {
    const across = positionIn(sheet, 'column', line);
    const input = across === undefined ? null : writeInput(theirs.inputAt(sheet, down, across));
    return input === null || input === formula;
  });
  return isBlank && positionIn(now, 'row', row) === undefined;
}

/** Returns whether a cell is in a column of a table that has another type now. */
function isConverted(theirs: BranchState, merged: BranchState, place: CellPlace): boolean {
  const [was, is] = [theirs, merged].map((state) => columnAt(state, place));
  return was !== undefined && is?.id === was.id && typeOf(is) !== typeOf(was);
}

/** Returns whether ours cut a cell and pasted it elsewhere, or both pasted into it. */
function isCut({ ours, theirs }: MergeDriver, place: CellPlace): boolean {
  const isAt = ({ admitted }: StateDriver, end: 'from' | 'to') =>
    admitted.some((done) => {
      const move = cellMove(done);
      return move !== undefined && !isShift(move) && isWithin(move[end], place);
    });
  return isAt(ours, 'from') || (isAt(ours, 'to') && isAt(theirs, 'to'));
}

/** Returns whether a sheet has the lines of the base, in their order. */
function hasLinesOf(state: BranchState, base: BranchState, { sheetId }: CellPlace): boolean {
  const [one, other] = [state, base].map(({ structure }) => structure.withId(sheetId));
  const text = (sheet: SheetOutline | undefined) =>
    JSON.stringify([sheet?.rows.spansAt(0, 100), sheet?.columns.spansAt(0, 100)]);
  return text(one) === text(other);
}

/** Returns whether a cell has what theirs has in the cell that ours shifted to it. */
function isTheirsMoved(
  { ours, theirs }: MergeDriver,
  merged: BranchState,
  place: CellPlace,
): boolean {
  const was = shiftsOn(ours, place).reduceRight(placeBefore, place);
  const [held, is] = [inputIn(theirs.state, was), inputIn(merged, place)];
  return held !== undefined && is !== undefined && inputsEqual(held, is);
}

function placeBefore({ sheetId, row, column }: CellPlace, { from, to }: CellMove): CellPlace {
  const flat = (line: LineId) => [line.branch, line.sequence, line.offset, 1];
  const cell = { sheetId, rows: flat(row), columns: flat(column) };
  const [part] = sharedParts(cell, to);
  if (!part) return { sheetId, row, column };
  const { rows, columns } = partOfBlock(from, part.rows.other, part.columns.other);
  const [down, across] = [readSpans(rows)[0], readSpans(columns)[0]];
  return { sheetId, row: down ?? row, column: across ?? column };
}

/** Returns whether a side shifted a cell, or others to it. */
function isShifted(side: StateDriver, place: CellPlace): boolean {
  return shiftsOn(side, place).some(({ from, to }) => isWithin(from, place) || isWithin(to, place));
}

function shiftsOn({ admitted }: StateDriver, { sheetId }: CellPlace): CellMove[] {
  return admitted.flatMap((done) => {
    const move = cellMove(done);
    return move && isShift(move) && move.from.sheetId === sheetId ? move : [];
  });
}

function isWithin({ sheetId, rows, columns }: Block, place: CellPlace): boolean {
  const holds = (flat: FlatSpans, line: LineId) =>
    [...readSpans(flat)].some(
      ({ branch, sequence, offset, length }) =>
        branch === line.branch &&
        sequence === line.sequence &&
        line.offset >= offset &&
        line.offset < offset + length,
    );
  return sheetId === place.sheetId && holds(rows, place.row) && holds(columns, place.column);
}

/** Checks that reverting the merge restores the state before it. */
function checkRevert({ ours }: MergeDriver, { driver: merged }: MergeOutcome): void {
  const trial = merged.state.fork();
  const view = new ClientView(trial.structure);
  const undone = { spans: [{ theirs: ours.state, base: merged.state }] };
  const of = merged.state.head;
  const operation = { kind: 'undo', payload: { of } } as const;
  const result = drive(admitUndo(trial, operation, { view, strict: undefined, undone }));
  if (result instanceof Rejection) return;
  checkSame(trial, ours.state, 'a merge taken back');
}

/**
 * Checks that three kernels agree: one that got the mutations, one of the merged state, and one of
 * its formula texts.
 */
function checkValues({ ours }: MergeDriver, outcome: MergeOutcome): void {
  checkKernels(ours.state, outcome);
}

/** As the law of values, for a merge into a state. */
export function checkKernels(ours: BranchState, { driver, mutations }: MergeOutcome): void {
  const { state } = driver;
  const content = [...contentMutations(state)];
  const texts = [...content.filter(({ kind }) => !isOfCells(kind)), ...cellTexts(state)];
  const [seen, made, entered] = [
    valuesOf(state, [[...contentMutations(ours)], mutations]),
    valuesOf(state, [content]),
    valuesOf(state, [texts]),
  ];
  if (seen !== made) throw new Error(`who saw the merge has ${seen}, and not ${made}`);
  if (entered !== made) throw new Error(`its texts come to ${entered}, and not to ${made}`);
}

function isOfCells(kind: Mutation['kind']): boolean {
  return ['cell', 'block', 'column', 'fill'].includes(kind);
}

function* cellTexts(state: BranchState): Generator<Mutation> {
  const width = area.column1 + 1;
  for (const sheet of state.structure.sheets) {
    for (let at = 0; at < width * (area.row1 + 1); at++) {
      const [row, column] = [Math.floor(at / width), at % width];
      const input = state.inputAt(sheet, row, column);
      if (input !== null) yield { kind: 'cell', sheet: sheet.key, row, column, input };
    }
  }
}

function valuesOf(state: BranchState, batches: readonly (readonly Mutation[])[]): string {
  const kernel = Kernel.create();
  for (const mutations of batches) {
    kernel.apply(mutations);
    while (!kernel.recalculate(now, 1e8)) continue;
  }
  const values = state.structure.sheets.map(({ key }) =>
    kernel.readRange(key, area, { lens: 'value', form: valueForm }),
  );
  return JSON.stringify(values);
}

type Check = (driver: MergeDriver, outcome: MergeOutcome) => void;

/** By name. */
export const outcomeLaws: Readonly<Record<string, Check>> = {
  checkAbort,
  checkAgain,
  checkTheirs,
  checkRevert,
  checkValues,
};

/** Holds a law against a merge; returns whether there was one. */
export function hold(check: Check, histories: Histories): boolean {
  const driver = playHistories(histories);
  const outcome = mergedOnly(() => driver.merge({ otherwise: 'theirs' }));
  if (outcome) check(driver, outcome);
  return outcome !== undefined;
}
