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
import { bareLine, sameLine } from '../structure/line-properties.ts';
import { unequalCells, unequalStyles } from '../cells/unequal-lanes.ts';
import { laneAt, placeOf, sameCell } from '../compare/same-lanes.ts';
import type { BranchState } from '../branch-state.ts';
import type { Merging } from './merging.ts';
import { saysStill } from '../compare/record-faces.ts';

/** The state before, and the state that somebody made of it. */
type Sides = Pick<Merging, 'base' | 'ours'>;

interface Lines {
  readonly sheetId: string;
  readonly axis: Axis;
  readonly spans: readonly IdSpan[];
}

/** Records that somebody put on a cell like a value. */
const placedTypes: readonly RecordType[] = ['note', 'thread', 'hyperlink', 'image', 'chart'];

/** Returns whether a record is lost with the line that it lies on. */
export function isPlaced(type: StoredType): boolean {
  return placedTypes.some((placed) => placed === type);
}

/**
 * The change of a line: 'modified' when it holds anything new, 'formatted' when it only looks
 * otherwise.
 */
export type Touch = 'modified' | 'formatted';

export interface TouchedLine {
  readonly offset: number;
  readonly how: Touch;
}

/**
 * The lines of a span that hold anything which was not there after the span; `looks` asks for those
 * too that only look otherwise.
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

/** Lines of which a cell has another format, or that have another size, level or style. */
function* newLooks(sides: Sides, lines: Lines): Generator<LineId> {
  yield* newFormats(sides, lines);
  const { sheetId, axis, spans } = lines;
  const [was, is] = [sides.base, sides.ours].map(({ looks }) => looks.lines.of(sheetId, axis));
  for (const span of was === is ? [] : spans) {
    for (let { offset } = span; offset < span.offset + span.length; offset++) {
      const line = { ...span, offset };
      if (!sameLine(was?.at(line) ?? bareLine, is?.at(line) ?? bareLine)) yield line;
    }
  }
}

function* newFormats({ base, ours }: Sides, { sheetId, axis, spans }: Lines): Generator<LineId> {
  const [then, now] = [base.structure.withId(sheetId), ours.structure.withId(sheetId)];
  if (!then || !now) return;
  for (const difference of blockDifferences(ours.cellsOf(now), base.cellsOf(then))) {
    const { column, place, from, to } = difference;
    if (axis === 'column' && !isAmong(column, spans)) continue;
    const stretches = lanesOf(place, axis === 'row' ? spans : undefined);
    if (stretches.length === 0) continue;
    for (const lane of unequalStyles(from?.block, to?.block)) {
      if (isWithin(lane, stretches)) yield placeOf(place, lane, { sheetId, column })[axis];
    }
  }
}

/** Cells of some lines that hold what they did not hold before. */
export function* newCells(
  { base, ours }: Sides,
  { sheetId, axis, spans }: Lines,
): Generator<{ row: LineId; column: LineId }> {
  const [then, now] = [base.structure.withId(sheetId), ours.structure.withId(sheetId)];
  if (!then || !now) return;
  for (const difference of blockDifferences(ours.cellsOf(now), base.cellsOf(then))) {
    const { column, place, from } = difference;
    if (axis === 'column' && !isAmong(column, spans)) continue;
    const lanes = lanesOf(place, axis === 'row' ? spans : undefined);
    if (from && lanes.length > 0) yield* newInBlock({ base, ours }, difference, { sheetId, lanes });
  }
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

/** Lanes of a block that are among the lines; all where there are none to be among. */
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

/** A record that was not there, or says something else by now. */
interface NewRecord {
  readonly record: StoredRecord;
  readonly line: LineId;
}

/** Records that lie on some lines, and that somebody put there or wrote anew. */
export function newRecords({ base, ours }: Sides, { sheetId, axis, spans }: Lines): NewRecord[] {
  const placed = placedTypes
    .flatMap((type) => ours.records.on(type, { id: sheetId }))
    .filter((record) => {
      const then = base.records.get(recordKey(record));
      // A conversation goes on wherever its cells go.
      if (!then || record.type === 'thread') return !then;
      return !saysStill(then, record, { from: base, to: ours });
    });
  return placed.flatMap((record) =>
    record.areas.flatMap(({ rows, columns }) => {
      const line = (axis === 'row' ? rows : columns)?.first;
      return line && isAmong(line, spans) ? [{ record, line }] : [];
    }),
  );
}

/**
 * Lines that tables have got to begin and end with, or that they have as columns which are said to
 * be something else.
 */
function newTables({ base, ours }: Sides, { sheetId, axis, spans }: Lines): LineId[] {
  return ours.tables.onSheet(sheetId).flatMap((table) => {
    const then = base.tables.withId(table.id);
    const lines = axis === 'row' ? newEnds(table, then, base) : newColumns(table, then);
    return lines.filter((line) => isAmong(line, spans));
  });
}

/** An end that slid to a row which the table had already is not of anybody's making. */
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
