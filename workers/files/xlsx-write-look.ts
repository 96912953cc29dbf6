import { rowLimit } from '../../server/model/address.ts';
import type { CellStyle } from '../../server/model/cell-style.ts';
import type { LineValue } from '../../server/state/structure/line-value.ts';
import { RunCursor, type LineRun, type SheetLook } from './sheet-look.ts';
import { colorElement } from './xlsx-colors.ts';
import { cellName } from '../../server/model/address.ts';
import { pointsOfPixels, widthOfPixels } from './xlsx-sheet-look.ts';

/** Number of hidden rows at the end from which they are not written row by row. */
const hiddenRowsMost = 1_000;
/** Greatest height in points and width in characters that spreadsheet programs accept. */
const heightMost = 409.5;
const widthMost = 255;

/**
 * Width in characters of a column without one, in a file without a default: a column with a style
 * needs a width.
 */
const usualWidth = 9.140_625;

export type StyleIndex = (style: CellStyle) => number;

/** Returns the elements before the cells of a worksheet. */
export function sheetStart(look: SheetLook, styleIndex: StyleIndex, isFirst: boolean): string {
  const { properties, rows, columns } = look;
  const { tabColor, summaryBelow, summaryRight, rowPx, colPx } = properties;
  const outline =
    (summaryBelow === false ? ' summaryBelow="0"' : '') +
    (summaryRight === false ? ' summaryRight="0"' : '');
  const page = colorElement('tabColor', tabColor) + (outline && `<outlinePr${outline}/>`);
  const height = rowPx === undefined ? 15 : Math.min(pointsOfPixels(rowPx), heightMost);
  const defaults =
    ` defaultRowHeight="${height}"${rowPx === undefined ? '' : ' customHeight="1"'}` +
    (colPx === undefined ? '' : ` defaultColWidth="${columnWidth(colPx)}"`) +
    (hiddenFrom(rows) === undefined ? '' : ' zeroHeight="1"') +
    levels('outlineLevelRow', rows) +
    levels('outlineLevelCol', columns);
  return (
    (page && `<sheetPr>${page}</sheetPr>`) +
    `<sheetViews>${viewElement(look, isFirst)}</sheetViews>` +
    `<sheetFormatPr${defaults}/>${columnElements(look, styleIndex)}`
  );
}

function levels(name: string, runs: readonly LineRun[]): string {
  const most = runs.reduce((level, { value }) => Math.max(level, value.level ?? 0), 0);
  return most === 0 ? '' : ` ${name}="${most}"`;
}

function viewElement({ properties }: SheetLook, isFirst: boolean): string {
  const { gridlines, rtl, zoom, freezeRows = 0, freezeCols = 0 } = properties;
  const attributes =
    (gridlines === false ? ' showGridLines="0"' : '') +
    (rtl === true ? ' rightToLeft="1"' : '') +
    (isFirst ? ' tabSelected="1"' : '') +
    (zoom === undefined ? '' : ` zoomScale="${zoom}" zoomScaleNormal="${zoom}"`);
  const start = `<sheetView${attributes} workbookViewId="0"`;
  if (freezeRows + freezeCols === 0) return `${start}/>`;
  const splits =
    (freezeCols === 0 ? '' : ` xSplit="${freezeCols}"`) +
    (freezeRows === 0 ? '' : ` ySplit="${freezeRows}"`);
  const pane = freezeRows === 0 ? 'topRight' : freezeCols === 0 ? 'bottomLeft' : 'bottomRight';
  const corner = cellName(freezeRows, freezeCols);
  return (
    `${start}><pane${splits} topLeftCell="${corner}" activePane="${pane}" state="frozen"/>` +
    `<selection pane="${pane}"/></sheetView>`
  );
}

function columnElements({ columns, properties }: SheetLook, styleIndex: StyleIndex): string {
  const isAfter = properties.summaryRight !== false;
  const elements = withSummaries(columns, isAfter).map(({ from, to, value, isSummary }) => {
    const { px, style } = value;
    const index = style === undefined ? 0 : styleIndex(style);
    const usual = properties.colPx === undefined ? usualWidth : columnWidth(properties.colPx);
    return (
      `<col min="${from + 1}" max="${to + 1}"` +
      (px === undefined ? ` width="${usual}"` : ` width="${columnWidth(px)}" customWidth="1"`) +
      `${index === 0 ? '' : ` style="${index}"`}${outlineAttributes(value, isSummary)}/>`
    );
  });
  return elements.length === 0 ? '' : `<cols>${elements.join('')}</cols>`;
}

function columnWidth(px: number): number {
  return Math.min(widthOfPixels(px), widthMost);
}

function outlineAttributes({ hidden, level }: LineValue, isSummary: boolean): string {
  return (
    (hidden ? ' hidden="1"' : '') +
    (level === undefined ? '' : ` outlineLevel="${level}"`) +
    (isSummary ? ' collapsed="1"' : '')
  );
}

interface WrittenRun extends LineRun {
  /** True when the line has the button of a collapsed group. */
  readonly isSummary: boolean;
}

/**
 * Returns the runs with a run of its own for each line that has the button of a collapsed group.
 */
function withSummaries(runs: readonly LineRun[], isAfter: boolean): WrittenRun[] {
  const summaries = new Set<number>();
  for (const [index, run] of runs.entries()) {
    const line = run.value.collapsed
      ? summaryOf(run, runs[index + (isAfter ? 1 : -1)], isAfter)
      : -1;
    if (line >= 0 && line < rowLimit) summaries.add(line);
  }
  const written: WrittenRun[] = [];
  for (const run of runs) cutOut(run, summaries, written);
  for (const line of summaries) {
    written.push({ from: line, to: line, value: {}, isSummary: true });
  }
  return written.sort((left, right) => left.from - right.from);
}

/** Returns the line with the button of a collapsed run; -1 if its group goes on there. */
function summaryOf(run: LineRun, beside: LineRun | undefined, isAfter: boolean): number {
  const line = isAfter ? run.to + 1 : run.from - 1;
  const isThere = beside !== undefined && beside.from <= line && line <= beside.to;
  const level = (isThere ? beside.value.level : undefined) ?? 0;
  return level < (run.value.level ?? 0) ? line : -1;
}

/** Splits a run around the summary lines in it, which keep their properties. */
function cutOut(run: LineRun, summaries: Set<number>, written: WrittenRun[]): void {
  const { value } = run;
  let { from } = run;
  for (const line of [run.from, run.to]) {
    if (!summaries.delete(line)) continue;
    if (line > from) written.push({ from, to: line - 1, value, isSummary: false });
    written.push({ from: line, to: line, value, isSummary: true });
    from = line + 1;
  }
  if (from <= run.to) written.push({ from, to: run.to, value, isSummary: false });
}

/**
 * Returns the first of the trailing hidden rows that are too many to be written; undefined if they
 * are not.
 */
function hiddenFrom(rows: readonly LineRun[]): number | undefined {
  const last = rows.at(-1);
  if (last?.to !== rowLimit - 1 || last.to - last.from < hiddenRowsMost) return undefined;
  return Object.keys(last.value).join() === 'hidden' ? last.from : undefined;
}

/** Rows with properties, for the writer that goes through cells row by row. */
export class RowElements {
  readonly #cursor: RunCursor;
  readonly #summaries: ReadonlySet<number>;
  readonly #styleIndex: StyleIndex;
  /** Row from which rows are only written if they have cells. */
  readonly #end: number;
  /** True when unlisted rows are hidden, so that every row has to be written. */
  readonly #writesAll: boolean;

  constructor({ rows, properties }: SheetLook, styleIndex: StyleIndex) {
    const runs = withSummaries(rows, properties.summaryBelow !== false);
    const hidden = hiddenFrom(rows);
    this.#cursor = new RunCursor(runs);
    this.#summaries = new Set(runs.flatMap(({ from, isSummary }) => (isSummary ? [from] : [])));
    this.#styleIndex = styleIndex;
    this.#writesAll = hidden !== undefined;
    this.#end = hidden ?? Infinity;
  }

  /** Returns the first row from here on that is written even without cells. */
  next(from: number): number {
    if (from >= this.#end) return Infinity;
    if (this.#writesAll) return from;
    const run = this.#cursor.seek(from);
    return run === undefined ? Infinity : Math.max(run.from, from);
  }

  /** Returns the attributes of a row, its number first. */
  attributes(row: number): string {
    const value = this.#cursor.valueAt(row) ?? {};
    const { px, style } = value;
    const index = style === undefined ? 0 : this.#styleIndex(style);
    const height = px === undefined ? '' : ` ht="${rowHeight(px)}" customHeight="1"`;
    const format = index === 0 ? '' : ` s="${index}" customFormat="1"`;
    const outline = outlineAttributes(value, this.#summaries.has(row));
    return ` r="${row + 1}"${format}${height}${outline}`;
  }
}

function rowHeight(px: number): number {
  return Math.min(pointsOfPixels(px), heightMost);
}
