import { cellName, columnLimit, rowLimit } from '../../model/address.ts';
import { orderedStyle, plainStyle, type CellStyle } from '../../model/cell-style.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { columnCount, holdsRange, rangeName, rowCount, type Range } from '../../model/range.ts';
import { recordTypes } from '../../model/record.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { readLanes } from '../cells/lanes.ts';
import { isSame } from '../compare/merged-members.ts';
import { inputOf, sameCell, sideAt } from '../compare/same-lanes.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import type { SheetOutline } from '../structure/structure.ts';
import {
  keyColumnOf,
  rangeOf as rangeOfTable,
  sameLine,
  type StoredTable,
} from '../structure/tables.ts';
import { flatten } from '../plan/resolved.ts';
import { rangeOf, type Block } from './moved-block.ts';
import { nameOthers } from './renamed-cells.ts';
import type { AlignedSides, OperationParts } from './parts.ts';
import { restoredRecord } from './relocation.ts';
import type { RestoredRecord } from './restoration.ts';
import { placeAt, spotOf, type Spot } from './side-cells.ts';

/** All that a side put into cells which it had inserted. */
interface Stray {
  readonly parts: OperationParts;
  readonly area: Block;
  /** The cells where contents wait. */
  readonly kept: Block;
  /** True where anything names the cells: meanwhile it names those where they wait. */
  readonly isNamed: boolean;
  readonly cells: readonly StrayCell[];
  readonly records: readonly StrayRecord[];
}

interface StrayCell {
  readonly place: CellPlace;
  /** The cell in which the content waits, where no shift comes. */
  readonly kept: CellPlace;
  readonly isFilled: boolean;
  readonly style: CellStyle;
}

interface StrayRecord {
  readonly key: string;
  readonly put: RestoredRecord;
}

/**
 * Cells that a side wrote to where it had inserted them, when that is taken back. Their contents
 * wait at the end of the sheet, where their formulas follow all that is moved yet. Then they are
 * put where the side wrote them, with their formats and the records on them; what else is there is
 * asked about.
 */
export class StrayCells {
  readonly #strays: Stray[] = [];
  /** Lines at the end of the sheet that stay blank, because others are put in. */
  readonly #room: number;
  /** Cells from these on are reserved, in the columns before the end column. */
  #firstRow: number;
  #firstColumn: number;
  #endColumn: number;

  constructor(room = 0) {
    this.#room = room;
    this.#firstRow = rowLimit - room;
    this.#firstColumn = this.#endColumn = columnLimit - room;
  }

  *takeFrom(area: Block, parts: OperationParts): Generator<void, void> {
    const range = rangeOf(area, parts.state);
    const sheet = parts.state.structure.withId(area.sheetId);
    if (!range || !sheet) return;
    const kept = this.#waitingFor(range);
    const isNamed = yield* nameOthers(parts, sheet, { from: range, to: kept });
    const { state } = parts;
    const cells = (yield* cellsIn(range, sheet, state)).map((cell): StrayCell => {
      const [down, across] = [cell.row - range.row0, cell.column - range.column0];
      const spot = { row: kept.row0 + down, column: kept.column0 + across };
      return { ...cell, place: placeAt(sheet, cell), kept: placeAt(sheet, spot) };
    });
    const records = recordsIn(range, sheet, state).map((record) => ({
      key: recordKey(record),
      put: restoredRecord(record, state),
    }));
    const reserved = blockAt(sheet, kept);
    this.#strays.push({ parts, area, kept: reserved, isNamed, cells, records });
    const written = cells.filter(({ isFilled }) => isFilled);
    if (written.length === 0) return;
    const inputs = written.map(({ place, kept: waiting }) => ({
      a1: nameOf(state, waiting) ?? '',
      input: writeInput(inputOf(sideAt(state, place), place)),
    }));
    yield* parts.add({ kind: 'cells.set', payload: { sheet: sheet.id, cells: inputs } });
    const cleared = { sheet: sheet.id, range: rangeName(range), what: ['values' as const] };
    yield* parts.add({ kind: 'range.clear', payload: cleared });
  }

  /** Reserves cells at the end of the sheet, above those that are reserved, else beside them. */
  #waitingFor(range: Range): Range {
    const [height, width] = [rowCount(range), columnCount(range)];
    if (this.#firstRow < height) {
      this.#firstRow = rowLimit - this.#room;
      this.#endColumn = this.#firstColumn;
    }
    const [row1, column1] = [this.#firstRow - 1, this.#endColumn - 1];
    this.#firstRow -= height;
    const column0 = column1 - width + 1;
    this.#firstColumn = Math.min(this.#firstColumn, column0);
    return { row0: this.#firstRow, column0, row1, column1 };
  }

  /** Puts what waited where it was written, and names it there. */
  *putBack({ base, ours, theirs }: AlignedSides): Generator<void, void> {
    for (const stray of this.#strays) {
      const other = stray.parts === ours ? theirs : ours;
      yield* putAgain({ own: stray.parts, base, other }, stray);
    }
    for (const { parts, area, kept, isNamed } of this.#strays) {
      if (!isNamed) continue;
      const [from, to] = [kept, area].map((block) => rangeOf(block, parts.state));
      const sheet = parts.state.structure.withId(area.sheetId);
      if (from && to && sheet) yield* nameOthers(parts, sheet, { from, to });
    }
  }
}

function blockAt({ id: sheetId, rows, columns }: SheetOutline, range: Range): Block {
  return {
    sheetId,
    rows: flatten(rows.spansAt(range.row0, rowCount(range))),
    columns: flatten(columns.spansAt(range.column0, columnCount(range))),
  };
}

function* putAgain(on: Putting, { cells, records, isNamed }: Stray): Generator<void, void> {
  const { own, base } = on;
  for (const record of records) yield* putRecord(on, record);
  for (const { place: former, kept, isFilled, style } of cells) {
    const place = freePlace(on, former);
    yield* putStyle(on, { place, style });
    if (!isFilled) continue;
    const input = inputOf(sideAt(own.state, kept), kept);
    yield* enter(own, kept, null);
    if (isUnchanged(on, place)) yield* enter(base, place, null);
    yield* enter(own, place, writeInput(input));
    if (isNamed && place !== former) yield* nameThere(own, kept, place);
  }
}

/** Names a cell in the place of another one. */
function* nameThere(parts: OperationParts, from: CellPlace, to: CellPlace): Generator<void, void> {
  const [was, is] = [spotIn(parts.state, from), spotIn(parts.state, to)];
  const sheet = parts.state.structure.withId(from.sheetId);
  if (was && is && sheet) yield* nameOthers(parts, sheet, { from: rangeAt(was), to: rangeAt(is) });
}

interface Putting {
  /** The side that wrote it. */
  readonly own: OperationParts;
  readonly base: OperationParts;
  readonly other: OperationParts;
}

/**
 * Returns whether the other side has a cell as the base has it. That is taken out of the base, so
 * that it counts as written by the other side, and is not lost unasked.
 */
function isUnchanged({ base, other }: Putting, place: CellPlace): boolean {
  const [was, is] = [base, other].map(({ state }) => sideAt(state, place));
  return was !== undefined && is !== undefined && sameCell(was, is, place);
}

/** Puts a record back; one that the other side has there as the base has it is asked about. */
function* putRecord(
  { own, base, other }: Putting,
  { key, put }: StrayRecord,
): Generator<void, void> {
  const { sheet } = put;
  const held = own.state.records.get(key);
  const [was, is] = [base, other].map(({ state }) => state.records.get(key));
  if (held && was && is && isSame(was.value, is.value)) {
    yield* base.add({ kind: 'restore.records', payload: { sheet, put: [], delete: [key] } });
  }
  yield* own.add({ kind: 'restore.records', payload: { sheet, put: [put], delete: [] } });
}

/** Adds properties to the format of a cell; others that it has are asked about. */
function* putStyle(
  { own, base, other }: Putting,
  { place, style }: { readonly place: CellPlace; readonly style: CellStyle },
): Generator<void, void> {
  if (isSame(style, plainStyle)) return;
  const [held, was, is] = [own, base, other].map(({ state }) => styleIn(state, place));
  const isContested = ([name, value]: [string, unknown]) =>
    name in style && !isSame(value, style[name as keyof CellStyle]);
  if (isSame(was, is) && Object.entries(was ?? plainStyle).some(isContested)) {
    const rest = Object.entries(was ?? plainStyle).filter((one) => !isContested(one));
    yield* putFormat(base, place, orderedStyle(Object.fromEntries(rest)));
  }
  yield* putFormat(own, place, orderedStyle({ ...held, ...style }));
}

function styleIn(state: BranchState, { sheetId, row, column }: CellPlace): CellStyle {
  const sheet = state.structure.withId(sheetId);
  const found = sheet && state.cellsOf(sheet).find(row, column);
  return state.coding.dictionary.styles.style(found?.block.formatAt(found.lane) ?? 0);
}

function* putFormat(
  parts: OperationParts,
  place: CellPlace,
  style: CellStyle,
): Generator<void, void> {
  const range = nameOf(parts.state, place);
  if (range === undefined) return;
  const given = isSame(style, plainStyle) ? null : style;
  yield* parts.add({
    kind: 'restore.formats',
    payload: { sheet: place.sheetId, range, style: given },
  });
}

/** Enters something in a cell of a side that has it. */
export function* enter(
  parts: OperationParts,
  place: CellPlace,
  input: WireInput,
): Generator<void, void> {
  const a1 = nameOf(parts.state, place);
  if (a1 === undefined) return;
  yield* parts.add({
    kind: 'cells.set',
    payload: { sheet: place.sheetId, cells: [{ a1, input }] },
  });
}

function nameOf(state: BranchState, place: CellPlace): string | undefined {
  const spot = spotIn(state, place);
  return spot && cellName(spot.row, spot.column);
}

/** The cell itself; of the name of a column or a key, the next blank one that is in no table. */
function freePlace({ own, base, other }: Putting, place: CellPlace): CellPlace {
  const sheet = own.state.structure.withId(place.sheetId);
  const spot = sheet && spotOf(sheet, place);
  const states = [own, base, other].map(({ state }) => state);
  if (!spot || !states.some((state) => isNameOrKey(state, place))) return place;
  for (let column = spot.column + 1; column < columnLimit; column++) {
    const next = placeAt(sheet, { row: spot.row, column });
    if (states.every((state) => isFree(state, next))) return next;
  }
  return place;
}

function isFree(state: BranchState, place: CellPlace): boolean {
  return sideAt(state, place).cell.tag === cellTag.blank && tablesAt(state, place).length === 0;
}

/** Returns whether a cell holds the name of a column, or the key of a row. */
function isNameOrKey(state: BranchState, place: CellPlace): boolean {
  const row = spotIn(state, place)?.row;
  return tablesAt(state, place).some((table) => {
    const { row0 } = rangeOfTable(table, state.structure);
    const key = keyColumnOf(table);
    return (table.headerRow && row === row0) || (key && sameLine(key.line, place.column)) === true;
  });
}

function tablesAt(state: BranchState, place: CellPlace): StoredTable[] {
  const spot = spotIn(state, place);
  return state.tables.onSheet(place.sheetId).filter((table) => {
    return spot && holdsRange(rangeOfTable(table, state.structure), rangeAt(spot));
  });
}

function spotIn({ structure }: BranchState, place: CellPlace): Spot | undefined {
  const sheet = structure.withId(place.sheetId);
  return sheet && spotOf(sheet, place);
}

function rangeAt({ row, column }: Spot): Range {
  return { row0: row, row1: row, column0: column, column1: column };
}

interface FoundCell extends Spot {
  readonly isFilled: boolean;
  readonly style: CellStyle;
}

/** Finds the cells of a range that have a content or a format of their own. */
function* cellsIn(
  range: Range,
  sheet: SheetOutline,
  state: BranchState,
): Generator<void, FoundCell[]> {
  const { styles } = state.coding.dictionary;
  const found: FoundCell[] = [];
  for (const { row, column, tags, formats } of yield* readLanes(
    sheet,
    range,
    state.cellsOf(sheet),
  )) {
    for (const [at, tag] of tags.entries()) {
      const isFilled = tag !== cellTag.blank;
      const format = formats[at] ?? 0;
      if (!isFilled && format === 0) continue;
      found.push({ row: row + at, column, isFilled, style: styles.style(format) });
    }
  }
  return found;
}

/** Finds the records that lie on cells of a range alone. */
function recordsIn(range: Range, sheet: SheetOutline, { records }: BranchState): StoredRecord[] {
  return recordTypes.flatMap((type) =>
    records
      .meeting(type, sheet, range)
      .filter((record) => records.rangesOf(record, sheet).every((area) => holdsRange(range, area))),
  );
}
