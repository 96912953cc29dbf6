import { blockDifferences, type BlockDifference } from '../cells/block-differences.ts';
import { blockLanes, cellTag } from '../cells/block.ts';
import type { BlockPlace } from '../cells/held-block.ts';
import type { RecordType } from '../../model/record.ts';
import { plainColumn } from '../../model/table-column.ts';
import { runKey, type IdSpan, type LineId } from '../ids/order.ts';
import { lineText } from '../structure/area.ts';
import { recordKey, type StoredRecord, type StoredType } from '../records/stored-record.ts';
import type { Axis } from '../structure/structure.ts';
import { rangeOf, type StoredColumn, type StoredTable } from '../structure/tables.ts';
import { bareLine, sameLine } from '../structure/line-value.ts';
import { unequalCells, unequalStyles } from '../cells/unequal-lanes.ts';
import { laneAt, placeOf, sameCell } from '../compare/same-lanes.ts';
import type { BranchState } from '../branch-state.ts';
import type { Merging } from './merging.ts';
import { saysStill } from '../compare/record-faces.ts';

/** A state before (`base`) and after (`ours`) the changes to look at. */
type Sides = Pick<Merging, 'base' | 'ours'>;

interface Lines {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly spans: readonly IdSpan[];
  /** Tells the lines across these whose cells count; left out for all. */
  readonly isAcross?: (line: LineId) => boolean;
}

/** Types of records that belong to a single cell, as its value does. */
const placedTypes: readonly RecordType[] = ['note', 'thread', 'hyperlink', 'image', 'chart'];

/** Returns whether a record is deleted with the line that it lies on. */
export function isPlaced(type: StoredType): boolean {
  return placedTypes.some((placed) => placed === type);
}

/**
 * The change of a line: 'modified' when its content changed, 'formatted' when only its look did.
 */
export type Touch = 'modified' | 'formatted';

export interface TouchedLine {
  readonly offset: number;
  readonly how: Touch;
}

/**
 * Returns a function that lists the changed lines of a span; with `looks`, also those that only
 * look different.
 */
export function touchedLines(
  merging: Sides,
  lines: Lines,
  { looks }: { readonly looks: boolean },
): (span: IdSpan) => TouchedLine[] {
  const touched = new Map<number, Map<number, Touch>>();
  const touch = ({ branch, sequence, offset }: LineId, how: Touch) => {
    const key = runKey(branch, sequence);
    const offsets = touched.get(key) ?? new Map<number, Touch>();
    touched.set(key, offsets);
    if (offsets.get(offset) !== 'modified') offsets.set(offset, how);
  };
  for (const cell of newCells(merging, lines)) touch(cell[lines.axis], 'modified');
  for (const { line } of newRecords(merging, lines)) touch(line, 'modified');
  for (const line of newTables(merging, lines)) touch(line, 'modified');
  for (const line of looks ? newLooks(merging, lines) : []) touch(line, 'formatted');
  return ({ branch, sequence, offset, length }) =>
    [...(touched.get(runKey(branch, sequence)) ?? [])]
      .filter(([line]) => line >= offset && line < offset + length)
      .map(([line, how]) => ({ offset: line, how }))
      .sort((a, b) => a.offset - b.offset);
}

/** Yields lines with another size, level or style, or with a cell that has another format. */
function* newLooks(sides: Sides, lines: Lines): Generator<LineId> {
  const { sheetId, axis, spans } = lines;
  for (const cell of newFormats(sides, lines)) if (isCounted(cell, lines)) yield cell[axis];
  const [was, is] = [sides.base, sides.ours].map(({ looks }) => looks.lines.of(sheetId, axis));
  for (const span of was === is ? [] : spans) {
    for (let { offset } = span; offset < span.offset + span.length; offset++) {
      const line = { ...span, offset };
      if (!sameLine(was?.at(line) ?? bareLine, is?.at(line) ?? bareLine)) yield line;
    }
  }
}

function* newFormats(
  { base, ours }: Sides,
  { sheetId, axis, spans }: Lines,
): Generator<{ row: LineId; column: LineId }> {
  const [then, now] = [base.structure.withId(sheetId), ours.structure.withId(sheetId)];
  if (!then || !now) return;
  for (const difference of blockDifferences(ours.cellsOf(now), base.cellsOf(then))) {
    const { column, place, from, to } = difference;
    if (axis === 'column' && !isAmong(column, spans)) continue;
    const stretches = lanesOf(place, axis === 'row' ? spans : undefined);
    if (stretches.length === 0) continue;
    for (const lane of unequalStyles(from?.block, to?.block)) {
      if (isWithin(lane, stretches)) yield placeOf(place, lane, { sheetId, column });
    }
  }
}

/** Yields cells of some lines that hold new content; blanked cells do not count. */
export function* newCells(
  { base, ours }: Sides,
  counted: Lines,
): Generator<{ row: LineId; column: LineId }> {
  const { sheetId, axis, spans } = counted;
  const [then, now] = [base.structure.withId(sheetId), ours.structure.withId(sheetId)];
  if (!then || !now) return;
  for (const difference of blockDifferences(ours.cellsOf(now), base.cellsOf(then))) {
    const { column, place, from } = difference;
    if (axis === 'column' && !isAmong(column, spans)) continue;
    const lanes = lanesOf(place, axis === 'row' ? spans : undefined);
    if (!from || lanes.length === 0) continue;
    for (const cell of newInBlock({ base, ours }, difference, { sheetId, lanes })) {
      if (isCounted(cell, counted)) yield cell;
    }
  }
}

function isCounted(
  { row, column }: Readonly<Record<Axis, LineId>>,
  { axis, isAcross }: Lines,
): boolean {
  return isAcross === undefined || isAcross(axis === 'row' ? column : row);
}

function* newInBlock(
  { base, ours }: Sides,
  { column, place: rows, from, to }: BlockDifference,
  { sheetId, lanes }: { readonly sheetId: string; readonly lanes: readonly LaneStretch[] },
): Generator<{ row: LineId; column: LineId }> {
  const [block, other] = [from?.block, to?.block];
  for (const lane of unequalCells(block, other)) {
    const held = laneAt(block, lane);
    if (held.tag === cellTag.blank || !isWithin(lane, lanes)) continue;
    const place = placeOf(rows, lane, { sheetId, column });
    const known = { cell: laneAt(other, lane), state: base };
    if (!sameCell(known, { cell: held, state: ours }, place)) yield place;
  }
}

type LaneStretch = readonly [from: number, to: number];

/** Returns the lanes of a block that lie in the spans; all of them without spans. */
function lanesOf(
  { branch, sequence, index }: BlockPlace,
  spans: readonly IdSpan[] | undefined,
): LaneStretch[] {
  if (!spans) return [[0, blockLanes]];
  const first = index * blockLanes;
  return spans.flatMap((span): LaneStretch[] => {
    if (span.branch !== branch || span.sequence !== sequence) return [];
    const from = Math.max(span.offset - first, 0);
    const to = Math.min(span.offset + span.length - first, blockLanes);
    return from < to ? [[from, to]] : [];
  });
}

function isWithin(lane: number, stretches: readonly LaneStretch[]): boolean {
  return stretches.some(([from, to]) => lane >= from && lane < to);
}

function isAmong({ branch, sequence, offset }: LineId, spans: readonly IdSpan[]): boolean {
  return spans.some(
    (span) =>
      span.branch === branch &&
      span.sequence === sequence &&
      offset >= span.offset &&
      offset < span.offset + span.length,
  );
}

/** A record that is new or has another value, and the line it lies on. */
interface NewRecord {
  readonly record: StoredRecord;
  readonly line: LineId;
}

/** Returns records on some lines that are new or have another value. */
export function newRecords({ base, ours }: Sides, lines: Lines): NewRecord[] {
  const { sheetId, axis, spans } = lines;
  const placed = placedTypes
    .flatMap((type) => ours.records.on(type, { id: sheetId }))
    .filter((record) => {
      const then = base.records.get(recordKey(record));
      // A new comment in a thread is no change of its line.
      if (!then || record.type === 'thread') return !then;
      return !saysStill(then, record, { from: base, to: ours });
    });
  return placed.flatMap((record) =>
    record.areas.flatMap(({ rows, columns }) => {
      const [row, column] = [rows?.first, columns?.first];
      const line = axis === 'row' ? row : column;
      if (!line || !isAmong(line, spans)) return [];
      return !row || !column || isCounted({ row, column }, lines) ? [{ record, line }] : [];
    }),
  );
}

/** Returns lines that became the first or last row of a table, or whose table column changed. */
function newTables({ base, ours }: Sides, { sheetId, axis, spans }: Lines): LineId[] {
  return ours.tables.onSheet(sheetId).flatMap((table) => {
    const then = base.tables.withId(table.id);
    const lines = axis === 'row' ? newEnds(table, then, base) : newColumns(table, then);
    return lines.filter((line) => isAmong(line, spans));
  });
}

/**
 * Returns the new ends of a table. A row that it had before does not count: the end slid there when
 * the former one was deleted.
 */
function newEnds(
  { firstRow, lastRow }: StoredTable,
  then: StoredTable | undefined,
  { structure }: BranchState,
): LineId[] {
  const sheet = then && structure.withId(then.sheetId);
  if (!then || !sheet) return [firstRow, lastRow];
  const { row0, row1 } = rangeOf(then, structure);
  return [firstRow, lastRow].filter(({ branch, sequence, offset }) => {
    const position = sheet.rows.positionOf(branch, sequence, offset) ?? -1;
    return position < row0 || position > row1;
  });
}

function newColumns({ columns }: StoredTable, then: StoredTable | undefined): LineId[] {
  const known = new Set(then?.columns.map(saidOf));
  return columns.filter((column) => !known.has(saidOf(column))).map(({ line }) => line);
}

function saidOf(column: StoredColumn): string {
  return `${lineText(column.line)} ${JSON.stringify(plainColumn(column))}`;
}
