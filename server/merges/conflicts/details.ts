import { cellName } from '../../model/address.ts';
import { writeInput, type WireInput } from '../../model/input.ts';
import { lineText } from '../../state/structure/area.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { isCell, type ContestPlace } from '../../state/merge/judge.ts';
import { newCells, newRecords } from '../../state/merge/touched-lines.ts';
import type { LineId } from '../../state/ids/order.ts';
import { shown } from '../../state/records/record-formulas.ts';
import type { StoredType } from '../../state/records/stored-record.ts';
import { rangeOf } from '../../state/structure/tables.ts';
import type { Conflict } from '../../state/outcome/merged-state.ts';
import { triedBaseValues, type TrialParts } from '../findings/base-values.ts';
import type { Finding } from '../findings/findings.ts';
import type { OpenLook } from '../look.ts';
import {
  cellOn,
  placeOf,
  sideValues,
  type ReadSide,
  type SideValue,
  type ValueReading,
} from '../side-values.ts';

export type SideName = 'base' | 'ours' | 'theirs';

/** A cell that one side wrote in a line that the other side deleted. */
interface WrittenCell {
  readonly a1: string;
  /** The written input. */
  readonly input?: WireInput;
  /** Records set on the cell, by type: note, comment, link, image or chart. */
  readonly note?: unknown;
  readonly comment?: unknown;
  readonly link?: unknown;
  readonly image?: unknown;
  readonly chart?: unknown;
}

type TableRow = Readonly<Record<string, WireInput>>;

/** Members of a conflict other than its three sides. */
export interface ConflictDetails {
  readonly unit: string | undefined;
  /** Value of the cell on each side that has it; left out for several bases. */
  readonly values: Readonly<Partial<Record<SideName, SideValue>>>;
  /** Row of the table on each side. */
  readonly row: Readonly<Record<SideName, TableRow | null>> | undefined;
  /** Some cells written in a line that one side deleted. */
  readonly cells: readonly WrittenCell[] | undefined;
}

const cellsMost = 100;
const sideNames = ['base', 'ours', 'theirs'] as const;

/** Reads the members of a page's conflicts and findings that a merge does not keep. */
export class ConflictReader {
  readonly #reading: ValueReading & TrialParts;
  /** Values of the base that were read last, by the outcome of the merge. */
  readonly #ofBases = new WeakMap<OpenLook['outcome'], ReadonlyMap<string, SideValue>>();

  constructor(reading: ValueReading & TrialParts) {
    this.#reading = reading;
  }

  async detailsOf(
    look: OpenLook,
    conflicts: readonly Conflict[],
  ): Promise<(conflict: Conflict) => ConflictDetails> {
    const { outcome } = look;
    const units = new Map(
      outcome.units.flatMap(({ id, conflicts: ids }) => ids.map((one) => [one, id] as const)),
    );
    const values = await this.#valuesOf(look, conflicts);
    const written = writtenCells(look, conflicts);
    return (conflict) => ({
      unit: units.get(conflict.id),
      values: values(conflict.id),
      row: conflict.contest.kind.startsWith('tablerow.')
        ? rowsOf(outcome, conflict.contest.place)
        : undefined,
      cells: written.get(conflict.id),
    });
  }

  /** Reads the base's values in the cells of findings; empty for several bases. */
  async baseValues(
    look: OpenLook,
    findings: readonly Finding[],
  ): Promise<ReadonlyMap<string, SideValue>> {
    const { base, ours } = sidesOf(look);
    const cells = findings.filter(({ value }) => value !== undefined);
    if (!base) return new Map<string, SideValue>();
    const known = this.#ofBases.get(look.outcome);
    if (known && cells.every(({ id }) => known.has(id))) return known;
    const tried = ours && (await triedBaseValues(cells, { base, ours }, this.#reading));
    const values = tried ?? (await sideValues(cells, base, this.#reading));
    this.#ofBases.set(look.outcome, values);
    return values;
  }

  async #valuesOf(
    look: OpenLook,
    conflicts: readonly Conflict[],
  ): Promise<(id: string) => ConflictDetails['values']> {
    const cells = conflicts.flatMap(({ id, contest }) =>
      isCell(contest) ? [{ id, place: contest.place }] : [],
    );
    const sides = sidesOf(look);
    const read: Partial<Record<SideName, ReadonlyMap<string, SideValue>>> = {};
    for (const name of sideNames) {
      const side = sides[name];
      if (side) read[name] = await sideValues(cells, side, this.#reading);
    }
    return (id) =>
      Object.fromEntries(
        sideNames.flatMap((name) => {
          const value = read[name]?.get(id);
          return value === undefined ? [] : [[name, value]];
        }),
      );
  }
}

function sidesOf({ record, outcome }: OpenLook): Readonly<Record<SideName, ReadSide | undefined>> {
  const { workbookId, targetNo, targetSeq, sourceNo, sourceSeq } = record;
  const [position, ...others] = outcome.bases;
  const isOne = position !== undefined && others.length === 0;
  return {
    base: isOne ? { state: outcome.base, place: placeOf(workbookId, position) } : undefined,
    ours: { state: outcome.ours, place: placeOf(workbookId, { no: targetNo, seq: targetSeq }) },
    theirs: { state: outcome.theirs, place: placeOf(workbookId, { no: sourceNo, seq: sourceSeq }) },
  };
}

/** Reads the rows with the key of a conflict on each side, by names of columns. */
function rowsOf(
  { bases, base, ours, theirs }: OpenLook['outcome'],
  place: ContestPlace,
): ConflictDetails['row'] {
  const then = bases.length === 1 ? rowIn(base, place) : null;
  return { base: then, ours: rowIn(ours, place), theirs: rowIn(theirs, place) };
}

function rowIn(state: BranchState, { tableId = '', row }: ContestPlace): TableRow | null {
  const table = state.tables.withId(tableId);
  const sheet = table && state.structure.withId(table.sheetId);
  const down = row && sheet?.rows.positionOf(row.branch, row.sequence, row.offset);
  if (!table || !sheet || down === undefined) return null;
  const { row0, row1, column0 } = rangeOf(table, state.structure);
  if (down < row0 || down > row1) return null;
  return Object.fromEntries(
    table.columns.map(({ name }, at) => [
      name,
      writeInput(state.inputAt(sheet, down, column0 + at)),
    ]),
  );
}

interface DeletedLine {
  readonly id: string;
  readonly sheetId: string;
  readonly axis: 'row' | 'column';
  readonly line: LineId;
  readonly writer: 'ours' | 'theirs';
}

/** Collects the cells written in lines that the other side deleted, by id of the conflict. */
function writtenCells(
  { outcome }: OpenLook,
  conflicts: readonly Conflict[],
): ReadonlyMap<string, readonly WrittenCell[]> {
  const found = new Map<string, WrittenCell[]>();
  const lines = conflicts.flatMap(deletedLine);
  const groups = new Map<string, DeletedLine[]>();
  for (const line of lines) {
    const key = `${line.sheetId} ${line.axis} ${line.writer}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  for (const group of groups.values()) {
    for (const [id, cell] of cellsOf(outcome, group)) {
      const cells = found.get(id) ?? [];
      found.set(id, cells);
      if (cells.length < cellsMost) cells.push(cell);
    }
  }
  return found;
}

/**
 * Yields cells that one side wrote in lines of one sheet and axis, each with the id of the line's
 * conflict.
 */
function* cellsOf(
  outcome: OpenLook['outcome'],
  lines: readonly DeletedLine[],
): Generator<readonly [id: string, cell: WrittenCell]> {
  const [first] = lines;
  if (!first) return;
  const { sheetId, axis, writer } = first;
  const state = outcome[writer];
  const ids = new Map(lines.map(({ id, line }) => [lineText(line), id]));
  const spans = lines.map(({ line }) => ({ ...line, length: 1 }));
  const sides = { base: outcome.base, ours: state };
  for (const place of newCells(sides, { sheetId, axis, spans })) {
    const id = ids.get(lineText(place[axis]));
    const at = cellOn(state, { sheetId, ...place });
    if (id === undefined || !at) continue;
    const input = writeInput(state.inputAt(at.sheet, at.row, at.column));
    yield [id, { a1: cellName(at.row, at.column), input }];
  }
  for (const { record, line } of newRecords(sides, { sheetId, axis, spans })) {
    const id = ids.get(lineText(line));
    const sheet = state.structure.withId(sheetId);
    const [range] = sheet ? state.records.rangesOf(record, sheet) : [];
    const name = placedNames[record.type];
    if (id === undefined || !range || name === undefined) continue;
    const value = shown(record, state.structure, state.coding.formulas);
    yield [id, { a1: cellName(range.row0, range.column0), [name]: value }];
  }
}

/** Names of members by type of record on a cell. */
const placedNames: Readonly<Partial<Record<StoredType, Exclude<keyof WrittenCell, 'a1'>>>> = {
  note: 'note',
  thread: 'comment',
  hyperlink: 'link',
  image: 'image',
  chart: 'chart',
};

function deletedLine({ id, contest }: Conflict): DeletedLine[] {
  const { kind, place, sides } = contest;
  const { sheetId, row, column } = place;
  if (!kind.endsWith('.edit_delete') || sheetId === undefined) return [];
  const writer = sides().ours === 'removed' ? 'theirs' : 'ours';
  if (row) return [{ id, sheetId, axis: 'row', line: row, writer }];
  return column ? [{ id, sheetId, axis: 'column', line: column, writer }] : [];
}
