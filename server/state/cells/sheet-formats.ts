import { columnLimit, rowLimit } from '../../model/address.ts';
import { plainStyle, styleText, type CellStyle } from '../../model/cell-style.ts';
import { cellCount, columnCount, rowCount, type Range } from '../../model/range.ts';
import { columnIds } from '../ids/id-span.ts';
import { keepsFormats, type FormatPiece } from './format-lanes.ts';
import type { LineProperties } from '../structure/line-properties.ts';
import { lineValue, type LineValue } from '../structure/line-value.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import type { SheetCells, Stretch } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import type { FormatPatch, StyleList } from './style-list.ts';

/** The formats of one sheet: its cells, and below them what whole rows and columns have. */
export interface SheetFormats {
  readonly sheet: SheetOutline;
  readonly cells: SheetCells;
  readonly rows: LineProperties;
  readonly columns: LineProperties;
  readonly styles: StyleList;
}

/** The result of patching the formats of an area: styles of whole lines, and pieces of cells. */
export interface FormatEdit {
  readonly rows: LineProperties;
  readonly columns: LineProperties;
  readonly pieces: readonly FormatPiece[];
}

/** Lines of one axis that have the same style before, and the same after. */
interface Band {
  readonly spans: IdSpan[];
  readonly before: number;
  readonly after: number;
}

/** The style of a row or column as an index; 0 when it has none. */
function styleIndex({ style }: LineValue, styles: StyleList): number {
  return style === undefined ? 0 : styles.indexOf(style);
}

/**
 * Returns the index of the style that a cell without one of its own shows. A row's style goes
 * before that of a column.
 */
export function formatBelow(formats: SheetFormats, row: LineId, column: LineId): number {
  const { rows, columns, styles } = formats;
  if (!rows.hasStyles && !columns.hasStyles) return 0;
  return styleIndex(rows.at(row), styles) || styleIndex(columns.at(column), styles);
}

/** Returns the number format of one cell: its own, or that of its row or column. */
export function patternAt(
  formats: SheetFormats,
  { row, column }: { readonly row: LineId; readonly column: LineId },
): string {
  const found = formats.cells.find(row, column);
  const own = found ? found.block.formatAt(found.lane) : 0;
  return formats.styles.pattern(own === 0 ? formatBelow(formats, row, column) : own);
}

/** The lane of one cell with a patch on top. */
export function patchCell(
  formats: SheetFormats,
  at: { readonly row: LineId; readonly column: LineId },
  patch: FormatPatch,
): number {
  const found = formats.cells.find(at.row, at.column);
  const format = found ? found.block.formatAt(found.lane) : 0;
  const below = formatBelow(formats, at.row, at.column);
  return patchLane(format, { patch, styles: formats.styles, before: below, after: below });
}

interface LanePatch {
  readonly patch: FormatPatch;
  readonly styles: StyleList;
  /** Style of row or column below the cell, before the patch and after. */
  readonly before: number;
  readonly after: number;
}

function patchLane(format: number, { patch, styles, before, after }: LanePatch): number {
  if (before === 0 && after === 0) return patch.apply(format);
  const plain = styles.plainOverLine;
  const shown = format === 0 ? before : format;
  const result = patch.apply(shown === plain ? 0 : shown);
  const isBelow = result === after || (result === 0 && after === plain);
  if (format === 0 && isBelow) return 0;
  return result === 0 && after !== 0 ? plain : result;
}

/**
 * Whole rows and columns take a style themselves; then only the cells change that have formats of
 * their own, or where rows and columns with styles cross.
 */
export function editFormats(formats: SheetFormats, area: Range, patch: FormatPatch): FormatEdit {
  const { sheet, styles } = formats;
  const areaRows = sheet.rows.spansAt(area.row0, rowCount(area));
  const areaColumns = sheet.columns.spansAt(area.column0, columnCount(area));
  let { rows, columns } = formats;
  if (isPlain(formats, area)) {
    const change = (format: number) => patch.apply(format);
    return { rows, columns, pieces: [{ rows: areaRows, columns: areaColumns, change }] };
  }
  const hasAllRows = rowCount(area) === rowLimit;
  const hasAllColumns = columnCount(area) === columnLimit;
  if (hasAllRows) columns = columns.update(areaColumns, (value) => patched(value, patch));
  const below = columns.hasStyles ? styles.style(styles.plainOverLine) : plainStyle;
  if (hasAllRows && hasAllColumns) {
    const styled = [...rows.stretches(areaRows)].filter(({ value }) => value.style !== undefined);
    rows = rows.update(styled, (value) => patched(value, patch, below));
  } else if (hasAllColumns) {
    const usual = usualStyle(formats, areaColumns);
    rows = rows.update(areaRows, (value) => {
      if (value.style !== undefined) return patched(value, patch, below);
      const isKept = styleText(patch.patched(usual)) === styleText(usual);
      return isKept ? value : patched({ ...value, style: usual }, patch, below);
    });
  }
  const after = { ...formats, rows, columns };
  return { rows, columns, pieces: piecesOf({ formats, after, areaRows, areaColumns }, patch) };
}

/** Returns whether only cells change, with no style of a row or column below them. */
function isPlain({ rows, columns }: SheetFormats, area: Range): boolean {
  if (rows.hasStyles || columns.hasStyles) return false;
  return rowCount(area) < rowLimit && columnCount(area) < columnLimit;
}

function patched(value: LineValue, patch: FormatPatch, below = plainStyle): LineValue {
  const style = patch.patched(unhidden(value.style ?? plainStyle));
  return lineValue({ ...value, style: styleText(style) === '' ? below : style });
}

/** Turns the style that only hides the one below into the style that says nothing. */
function unhidden(style: CellStyle): CellStyle {
  return styleText(style) === '{"named":"Normal"}' ? plainStyle : style;
}

/**
 * Returns the style that most of the columns have: a row that takes it over leaves the fewest cells
 * to be written.
 */
function usualStyle({ columns }: SheetFormats, spans: readonly IdSpan[]): CellStyle {
  const counts = new Map<string, { style: CellStyle; count: number }>();
  let most = { style: plainStyle, count: 0 };
  for (const { length, value } of columns.stretches(spans)) {
    const { style = plainStyle } = value;
    const text = styleText(style);
    const count = (counts.get(text)?.count ?? 0) + length;
    counts.set(text, { style, count });
    if (count > most.count) most = { style, count };
  }
  return most.style;
}

interface PieceParts {
  readonly formats: SheetFormats;
  readonly after: SheetFormats;
  readonly areaRows: readonly IdSpan[];
  readonly areaColumns: readonly IdSpan[];
}

function piecesOf(parts: PieceParts, patch: FormatPatch): FormatPiece[] {
  const { formats, after, areaRows, areaColumns } = parts;
  const { styles } = formats;
  const rowBands = bandsOf(areaRows, [formats.rows, after.rows], styles);
  const columnBands = bandsOf(areaColumns, [formats.columns, after.columns], styles);
  return rowBands.flatMap((row) =>
    columnBands.map((column) => {
      const ends = { before: row.before || column.before, after: row.after || column.after };
      const lane = { patch, styles, ...ends };
      const change = (format: number) => patchLane(format, lane);
      return { rows: row.spans, columns: column.spans, change };
    }),
  );
}

function bandsOf(
  spans: readonly IdSpan[],
  [before, after]: readonly [LineProperties, LineProperties],
  styles: StyleList,
): Band[] {
  if (!before.hasStyles && !after.hasStyles) return [{ spans: [...spans], before: 0, after: 0 }];
  const bands = new Map<string, Band>();
  for (const old of before.stretches(spans)) {
    for (const { value, branch, sequence, offset, length } of after.stretches([old])) {
      const ends = { before: styleIndex(old.value, styles), after: styleIndex(value, styles) };
      const key = `${ends.before} ${ends.after}`;
      const band = bands.get(key) ?? { ...ends, spans: [] };
      band.spans.push({ branch, sequence, offset, length });
      bands.set(key, band);
    }
  }
  return [...bands.values()];
}

/** Cells that get a format of their own for the first time, at most. */
export function freshCellCount(formats: SheetFormats, area: Range, patch: FormatPatch): number {
  if (isPlain(formats, area)) return patch.apply(0) === 0 ? 0 : cellCount(area);
  const lengthOf = (spans: readonly IdSpan[]) => spans.reduce((sum, { length }) => sum + length, 0);
  let count = 0;
  for (const { rows, columns, change } of editFormats(formats, area, patch).pieces) {
    if (change(0) !== 0) count += lengthOf(rows) * lengthOf(columns);
  }
  return count;
}

/** Returns whether the area looks as the patch wants it already. */
export function formatsAreSo(formats: SheetFormats, area: Range, patch: FormatPatch): boolean {
  const { rows, columns, pieces } = editFormats(formats, area, patch);
  if (!rows.equals(formats.rows) || !columns.equals(formats.columns)) return false;
  return pieces.every((piece) => keepsFormats(formats.cells, piece));
}

/** Row by row, the number format of each cell. */
export function readNumberFormats(formats: SheetFormats, range: Range): string[][] {
  const width = columnCount(range);
  const found = readFormats(formats, range);
  return Array.from({ length: rowCount(range) }, (_, row) =>
    Array.from(found.subarray(row * width, (row + 1) * width), (index) =>
      formats.styles.pattern(index),
    ),
  );
}

/** Row by row, the index of the style that each cell of a range shows. */
export function readFormats(formats: SheetFormats, range: Range): Uint16Array {
  const { sheet, cells } = formats;
  const width = columnCount(range);
  const found = new Uint16Array(rowCount(range) * width);
  const rowSpans = sheet.rows.spansAt(range.row0, rowCount(range));
  const columnSpans = sheet.columns.spansAt(range.column0, width);
  readLines(formats, { rowSpans, columnSpans, width }, found);
  let column = 0;
  for (const id of columnIds(columnSpans)) {
    for (const stretch of cells.stretches(rowSpans, id)) {
      readLanes(stretch, { column, width }, found);
    }
    column++;
  }
  return found;
}

function readLines(
  { rows, columns, styles }: SheetFormats,
  at: { rowSpans: readonly IdSpan[]; columnSpans: readonly IdSpan[]; width: number },
  found: Uint16Array,
): void {
  const { rowSpans, columnSpans, width } = at;
  if (!rows.hasStyles && !columns.hasStyles) return;
  for (const { value, length, skipped } of columns.stretches(columnSpans)) {
    const format = styleIndex(value, styles);
    if (format === 0) continue;
    for (let cell = skipped; cell < found.length; cell += width) {
      found.fill(format, cell, cell + length);
    }
  }
  for (const { value, length, skipped } of rows.stretches(rowSpans)) {
    const format = styleIndex(value, styles);
    if (format !== 0) found.fill(format, skipped * width, (skipped + length) * width);
  }
}

function readLanes(
  { block, from, to, skipped }: Stretch,
  { column, width }: { column: number; width: number },
  found: Uint16Array,
): void {
  for (let lane = from; lane < to; lane++) {
    const format = block.formatAt(lane);
    if (format !== 0) found[(skipped + lane - from) * width + column] = format;
  }
}
