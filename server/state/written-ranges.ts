import { columnLimit, rowLimit } from '../model/address.ts';
import { cellCount, rangeAround, type Range } from '../model/range.ts';
import type { Order } from './ids/order.ts';
import type { FlatSpans } from './plan/resolved.ts';
import type { SheetOutline, Structure } from './structure/structure.ts';
import type { WrittenCells } from './written-cells.ts';

const numbersPerId = 3;
const numbersPerCell = 2 * numbersPerId;
const numbersPerSpan = 4;
/** Ranges of a sheet; more become the one around them all. */
const rangesMost = 64;
/** Ranges that are gathered before they become one. */
const gatheredMost = 1_024;

interface Piece {
  readonly position: number;
  readonly length: number;
}

/** Returns where written cells are in a state, by the id of their sheet; none for what is gone. */
export function writtenRanges(
  structure: Structure,
  written: Iterable<WrittenCells>,
): ReadonlyMap<string, readonly Range[]> {
  const found = new Map<string, Range[]>();
  const add = (sheet: SheetOutline, range: Range): void => {
    const ranges = found.get(sheet.id) ?? [];
    found.set(sheet.id, joined(ranges, range));
  };
  for (const cells of written) addCells(structure, cells, add);
  for (const [id, ranges] of found) if (ranges.length > rangesMost) found.set(id, fewer(ranges));
  return found;
}

function addCells(
  structure: Structure,
  written: WrittenCells,
  add: (sheet: SheetOutline, range: Range) => void,
): void {
  if (written.type === 'several') {
    for (const part of written.parts) addCells(structure, part, add);
    return;
  }
  if (written.type === 'cells') {
    addSingleCells(structure, written, add);
    return;
  }
  const sheet = structure.withId(written.sheet ?? '');
  if (!sheet) return;
  for (const range of rangesOf(sheet, written)) add(sheet, range);
}

function addSingleCells(
  structure: Structure,
  { ids, sheetOf, isWritten }: Extract<WrittenCells, { type: 'cells' }>,
  add: (sheet: SheetOutline, range: Range) => void,
): void {
  for (let at = 0; at < ids.length; at += numbersPerCell) {
    const index = at / numbersPerCell;
    const sheet = isWritten(index) ? structure.withId(sheetOf(index) ?? '') : undefined;
    const row = sheet && positionIn(sheet.rows, ids, at);
    const column = sheet && positionIn(sheet.columns, ids, at + numbersPerId);
    if (!sheet || row === undefined || column === undefined) continue;
    add(sheet, { row0: row, column0: column, row1: row, column1: column });
  }
}

function positionIn(order: Order, ids: readonly number[], at: number): number | undefined {
  return order.positionOf(ids[at] ?? 0, ids[at + 1] ?? 0, ids[at + 2] ?? 0);
}

function* rangesOf(
  sheet: SheetOutline,
  written: Extract<WrittenCells, { type: 'areas' | 'lines' | 'sheet' }>,
): Generator<Range> {
  const allRows = [{ position: 0, length: rowLimit }];
  const allColumns = [{ position: 0, length: columnLimit }];
  if (written.type === 'areas') {
    for (const { rows, columns } of written.areas) {
      yield* crossings(piecesIn(sheet.rows, rows), piecesIn(sheet.columns, columns));
    }
  } else if (written.type === 'sheet') yield* crossings(allRows, allColumns);
  else if (written.axis === 'row')
    yield* crossings(piecesIn(sheet.rows, written.spans), allColumns);
  else yield* crossings(allRows, piecesIn(sheet.columns, written.spans));
}

function piecesIn(order: Order, spans: FlatSpans): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < spans.length; at += numbersPerSpan) {
    const [branch = 0, sequence = 0, offset = 0, length = 0] = spans.slice(at, at + numbersPerSpan);
    pieces.push(...order.piecesOf({ branch, sequence, offset, length }));
  }
  return pieces;
}

function* crossings(rows: readonly Piece[], columns: readonly Piece[]): Generator<Range> {
  for (const row of rows) {
    for (const column of columns) {
      yield {
        row0: row.position,
        column0: column.position,
        row1: row.position + row.length - 1,
        column1: column.position + column.length - 1,
      };
    }
  }
}

/** Adds a range: the last one becomes larger where both make one block. */
function joined(ranges: Range[], range: Range): Range[] {
  const last = ranges.at(-1);
  const block = last && rangeAround([last, range]);
  if (last && block && cellCount(block) === cellCount(last) + cellCount(range)) {
    ranges[ranges.length - 1] = block;
    return ranges;
  }
  ranges.push(range);
  return ranges.length > gatheredMost ? fewer(ranges) : ranges;
}

function fewer(ranges: readonly Range[]): Range[] {
  const around = rangeAround(ranges);
  return around ? [around] : [];
}
