import {
  cellName,
  columnLimit,
  columnName,
  parseAddress,
  parseColumn,
  parseRow,
  rowLimit,
  type Address,
} from './address.ts';

/** A rectangle of cells, ends included; rows and columns count from zero. */
export interface Range {
  readonly row0: number;
  readonly column0: number;
  readonly row1: number;
  readonly column1: number;
}

/** A parsed range argument: an optional sheet and one or more rectangles. */
export interface SheetRange {
  readonly sheet: string | undefined;
  readonly areas: readonly Range[];
}

export function rowCount(range: Range): number {
  return range.row1 - range.row0 + 1;
}

export function columnCount(range: Range): number {
  return range.column1 - range.column0 + 1;
}

export function cellCount(range: Range): number {
  return rowCount(range) * columnCount(range);
}

export function holdsCell(range: Range, { row, column }: Address): boolean {
  const { row0, row1, column0, column1 } = range;
  return row >= row0 && row <= row1 && column >= column0 && column <= column1;
}

export function holdsRange(outer: Range, inner: Range): boolean {
  return (
    outer.row0 <= inner.row0 &&
    outer.row1 >= inner.row1 &&
    outer.column0 <= inner.column0 &&
    outer.column1 >= inner.column1
  );
}

export function overlaps(a: Range, b: Range): boolean {
  return a.row0 <= b.row1 && b.row0 <= a.row1 && a.column0 <= b.column1 && b.column0 <= a.column1;
}

/** The smallest range around ranges; undefined for none. */
export function rangeAround(ranges: readonly Range[]): Range | undefined {
  const [first, ...rest] = ranges;
  if (!first) return undefined;
  return rest.reduce(
    (around, { row0, column0, row1, column1 }) => ({
      row0: Math.min(around.row0, row0),
      column0: Math.min(around.column0, column0),
      row1: Math.max(around.row1, row1),
      column1: Math.max(around.column1, column1),
    }),
    first,
  );
}

/** The cells that two ranges share. */
export function intersection(a: Range, b: Range): Range | undefined {
  if (!overlaps(a, b)) return undefined;
  return {
    row0: Math.max(a.row0, b.row0),
    column0: Math.max(a.column0, b.column0),
    row1: Math.min(a.row1, b.row1),
    column1: Math.min(a.column1, b.column1),
  };
}

function ordered(row0: number, column0: number, row1: number, column1: number): Range {
  return {
    row0: Math.min(row0, row1),
    column0: Math.min(column0, column1),
    row1: Math.max(row0, row1),
    column1: Math.max(column0, column1),
  };
}

/** `A1`, `B2:C4`, `A:C`, `2:7`, with `$` and either case allowed; no sheet. */
export function parseRange(text: string): Range | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) {
    const cell = parseAddress(text);
    return cell && ordered(cell.row, cell.column, cell.row, cell.column);
  }
  const from = text.slice(0, colon);
  const to = text.slice(colon + 1);
  const start = parseAddress(from);
  const end = parseAddress(to);
  if (start && end) return ordered(start.row, start.column, end.row, end.column);
  return start || end ? undefined : parseLines(from, to);
}

/** `A:C` as `A` and `C`, or `2:7` as `2` and `7`. */
function parseLines(from: string, to: string): Range | undefined {
  const fromLine = from.startsWith('$') ? from.slice(1) : from;
  const toLine = to.startsWith('$') ? to.slice(1) : to;
  const column0 = parseColumn(fromLine);
  const column1 = parseColumn(toLine);
  if (column0 !== undefined && column1 !== undefined) {
    return ordered(0, column0, rowLimit - 1, column1);
  }
  const row0 = parseRow(fromLine);
  const row1 = parseRow(toLine);
  if (row0 === undefined || row1 === undefined) return undefined;
  return ordered(row0, 0, row1, columnLimit - 1);
}

/** The shortest A1 text of a range: `B7`, `B2:C4`, `A:C`, `2:7`. */
export function rangeName(range: Range): string {
  const { row0, column0, row1, column1 } = range;
  if (row0 === 0 && row1 === rowLimit - 1) return `${columnName(column0)}:${columnName(column1)}`;
  if (column0 === 0 && column1 === columnLimit - 1) return `${row0 + 1}:${row1 + 1}`;
  const start = cellName(row0, column0);
  return row0 === row1 && column0 === column1 ? start : `${start}:${cellName(row1, column1)}`;
}

/** Splits `Plan!B2`, `'It''s here'!B2` into sheet and the rest; undefined if the quotes are broken. */
export function splitSheet(text: string): { sheet: string | undefined; rest: string } | undefined {
  if (!text.startsWith("'")) {
    const mark = text.lastIndexOf('!');
    if (mark < 0) return { sheet: undefined, rest: text };
    return mark === 0 ? undefined : { sheet: text.slice(0, mark), rest: text.slice(mark + 1) };
  }
  const match = /^'((?:[^']|'')+)'!(.*)$/su.exec(text);
  if (!match) return undefined;
  return { sheet: (match[1] ?? '').replaceAll("''", "'"), rest: match[2] ?? '' };
}

/**
 * A range argument of an operation or a query: `B2:C4`, `Plan!B2:C4`, and a union `A5:A6,A9:A11`,
 * which is how a range reads after rows of other writers came in between.
 */
export function parseSheetRange(text: string): SheetRange | undefined {
  const split = splitSheet(text);
  if (!split) return undefined;
  const areas: Range[] = [];
  for (const part of split.rest.split(',')) {
    const area = parseRange(part.trim());
    if (!area) return undefined;
    areas.push(area);
  }
  return { sheet: split.sheet, areas };
}

const plainSheetName = /^[\p{L}_][\p{L}\p{N}_.]*$/u;

/** A sheet's name as formulas spell it: quoted wherever it could be read as something else. */
export function quoteSheet(name: string): string {
  const plain =
    plainSheetName.test(name) && !parseAddress(name) && !/^(r|c|rc|true|false)\d*$/iu.test(name);
  return plain ? name : `'${name.replaceAll("'", "''")}'`;
}
