import { columnLimit, rowLimit } from '../../server/model/address.ts';
import { operationLimits as limits } from '../../server/model/operation-limits.ts';
import type { SheetProperties } from '../../server/model/sheet-properties.ts';
import {
  isBare,
  lineValue,
  sameLine,
  type LineValue,
} from '../../server/state/structure/line-value.ts';
import type { CellFormats } from './cell-formats.ts';
import type { LineRun, SheetLook } from './sheet-look.ts';
import { FilePalette } from './xlsx-colors.ts';
import { isTrue, type XmlAttributes } from './xml-reader.ts';

const usualColumnPixels = 64;
/** Width in pixels of the widest digit of the default font, in which files measure widths. */
const digitPixels = 7;
const pointPixels = 4 / 3;

export function pixelsOfWidth(width: number): number {
  const padded = (256 * width + Math.trunc(128 / digitPixels)) / 256;
  return within(Math.trunc(padded * digitPixels));
}

export function widthOfPixels(pixels: number): number {
  return Math.trunc((pixels / digitPixels) * 256) / 256;
}

export function pixelsOfPoints(points: number): number {
  return within(Math.round(points * pointPixels * 1_000) / 1_000);
}

export function pointsOfPixels(pixels: number): number {
  return Math.round((pixels / pointPixels) * 10_000) / 10_000;
}

function within(pixels: number): number {
  return Math.min(Math.max(pixels, 1), limits.linePixels);
}

interface FileLine {
  readonly value: LineValue;
  /** True when the line has the button of a collapsed group. */
  readonly isSummary: boolean;
}

interface FileRun extends LineRun {
  readonly isSummary: boolean;
}

/** Lines of one axis as a file lists them, usually in ascending order. */
class LineReader {
  readonly runs: FileRun[] = [];

  add(from: number, to: number, { value, isSummary }: FileLine): void {
    const last = this.runs.at(-1);
    const isSame = last !== undefined && !isSummary && !last.isSummary && last.to === from - 1;
    if (isSame && sameLine(last.value, value)) {
      this.runs[this.runs.length - 1] = { ...last, to };
    } else this.runs.push({ from, to, value, isSummary });
  }

  /**
   * Returns the runs in order, with collapsed groups marked; of repeated lines the first counts.
   */
  finish(isSummaryAfter: boolean, rest: { hidden: boolean; count: number }): LineRun[] {
    let runs = this.#sorted();
    if (rest.hidden) runs = filled(runs, rest.count);
    const folded = new Set<FileRun>();
    for (const [index, run] of runs.entries()) {
      if (run.isSummary) markFolded(runs, index, { step: isSummaryAfter ? -1 : 1, folded });
    }
    const joined = new LineReader();
    for (const run of runs) {
      const value = folded.has(run) ? lineValue({ ...run.value, collapsed: true }) : run.value;
      if (!isBare(value)) joined.add(run.from, run.to, { value, isSummary: false });
    }
    return joined.runs.map(({ from, to, value }) => ({ from, to, value }));
  }

  #sorted(): FileRun[] {
    const sorted = this.runs.toSorted((left, right) => left.from - right.from);
    let next = 0;
    return sorted.flatMap((run) => {
      const from = Math.max(run.from, next);
      next = Math.max(next, run.to + 1);
      return from > run.to ? [] : [{ ...run, from }];
    });
  }
}

/** Adds hidden runs for the lines that a file leaves out. */
function filled(runs: readonly FileRun[], count: number): FileRun[] {
  const all: FileRun[] = [];
  let next = 0;
  const hide = (to: number) => {
    if (to >= next) all.push({ from: next, to, value: { hidden: true }, isSummary: false });
  };
  for (const run of runs) {
    hide(run.from - 1);
    all.push(run);
    next = run.to + 1;
  }
  hide(count - 1);
  return all;
}

/** Marks the group beside a summary: adjacent hidden lines of a deeper level. */
function markFolded(
  runs: readonly FileRun[],
  index: number,
  { step, folded }: { step: 1 | -1; folded: Set<FileRun> },
): void {
  const level = runs[index]?.value.level ?? 0;
  let edge = runs[index];
  for (let at = index + step; edge; at += step) {
    const next = runs[at];
    const touches = step < 0 ? next?.to === edge.from - 1 : next?.from === edge.to + 1;
    if (!next || !touches || (next.value.level ?? 0) <= level) return;
    if (next.value.hidden) folded.add(next);
    edge = next;
  }
}

/** Reads the properties of a worksheet apart from its cells. */
export class SheetLookReader {
  readonly #styles: CellFormats;
  readonly #rows = new LineReader();
  readonly #columns = new LineReader();
  readonly #properties: Record<string, unknown> = {};
  readonly #palette = new FilePalette([]);
  #areRowsHidden = false;
  #hasView = false;
  /** Width in pixels of columns without one; files repeat it beside other properties. */
  #defaultWidth = usualColumnPixels;

  /** Takes the styles of the workbook, by the index in the file. */
  constructor(styles: CellFormats) {
    this.#styles = styles;
  }

  /** Returns whether the element is one of those that are kept. */
  see(name: string, attributes: XmlAttributes, depth: number): boolean {
    switch (name) {
      case 'tabColor':
        this.#set('tabColor', this.#palette.read(attributes));
        return true;
      case 'outlinePr':
        if (attributes['summaryBelow'] === '0') this.#set('summaryBelow', false);
        if (attributes['summaryRight'] === '0') this.#set('summaryRight', false);
        return true;
      case 'sheetView':
        this.#readView(attributes);
        return true;
      case 'pane':
        return this.#readPane(attributes);
      case 'sheetFormatPr':
        this.#readDefaults(attributes);
        return true;
      case 'col':
        if (depth === 3) this.#readColumn(attributes);
        return depth === 3;
      default:
        return false;
    }
  }

  seeRow(row: number, attributes: XmlAttributes): void {
    const line = this.#lineOf(attributes, attributes['customFormat'], attributes['s']);
    const { ht } = attributes;
    const px =
      ht !== undefined && isTrue(attributes['customHeight']) && Number(ht) > 0
        ? { px: pixelsOfPoints(Number(ht)) }
        : {};
    const isFlat = ht !== undefined && Number(ht) === 0 && isTrue(attributes['customHeight']);
    const value = lineValue({ ...line.value, ...px, ...(isFlat && { hidden: true }) });
    // Where unlisted lines are hidden, a listed line without properties is visible.
    if (this.#areRowsHidden || line.isSummary || !isBare(value)) {
      this.#rows.add(row, row, { value, isSummary: line.isSummary });
    }
  }

  /** True when a row has a style. */
  get rowStyles(): boolean {
    return this.#rows.runs.some(({ value }) => value.style !== undefined);
  }

  get columnRuns(): readonly LineRun[] {
    return this.#columns.runs;
  }

  finish(isHidden: SheetProperties['hidden']): SheetLook {
    const { summaryBelow, summaryRight } = this.#properties;
    const rest = { hidden: this.#areRowsHidden, count: rowLimit };
    const rows = this.#rows.finish(summaryBelow !== false, rest);
    const columnRest = { hidden: false, count: columnLimit };
    const columns = this.#columns.finish(summaryRight !== false, columnRest);
    if (isHidden !== undefined && isHidden !== false) this.#set('hidden', isHidden);
    return { rows, columns, properties: this.#properties };
  }

  #set(key: keyof SheetProperties, value: unknown): void {
    if (value !== undefined) this.#properties[key] = value;
  }

  #readView(attributes: XmlAttributes): void {
    if (this.#hasView) return;
    this.#hasView = true;
    if (attributes['showGridLines'] === '0') this.#set('gridlines', false);
    if (isTrue(attributes['rightToLeft'])) this.#set('rtl', true);
    const zoom = Number(attributes['zoomScale'] ?? 100);
    if (Number.isInteger(zoom) && zoom >= 10 && zoom <= 400 && zoom !== 100) {
      this.#set('zoom', zoom);
    }
  }

  #readPane(attributes: XmlAttributes): boolean {
    if (!(attributes['state'] ?? 'split').startsWith('frozen')) return false;
    const [rows, columns] = [Number(attributes['ySplit'] ?? 0), Number(attributes['xSplit'] ?? 0)];
    if (Number.isInteger(rows) && rows > 0 && rows < rowLimit) this.#set('freezeRows', rows);
    if (Number.isInteger(columns) && columns > 0 && columns < columnLimit) {
      this.#set('freezeCols', columns);
    }
    return true;
  }

  #readDefaults(attributes: XmlAttributes): void {
    this.#areRowsHidden = isTrue(attributes['zeroHeight']);
    const width = Number(attributes['defaultColWidth'] ?? 0);
    if (width > 0) this.#set('colPx', (this.#defaultWidth = pixelsOfWidth(width)));
    const height = Number(attributes['defaultRowHeight'] ?? 0);
    if (height > 0 && isTrue(attributes['customHeight']))
      this.#set('rowPx', pixelsOfPoints(height));
  }

  #readColumn(attributes: XmlAttributes): void {
    const from = Number(attributes['min']) - 1;
    const to = Math.min(Number(attributes['max']), columnLimit) - 1;
    if (!(from >= 0 && from <= to)) return;
    const line = this.#lineOf(attributes, '1', attributes['style']);
    const width = Number(attributes['width'] ?? 0);
    const px = width > 0 ? pixelsOfWidth(width) : this.#defaultWidth;
    const isOwn = isTrue(attributes['customWidth']) || px !== this.#defaultWidth;
    const value = lineValue({ ...line.value, ...(isOwn && { px }) });
    this.#columns.add(from, to, { value, isSummary: line.isSummary });
  }

  #lineOf(attributes: XmlAttributes, hasStyle: string | undefined, style = ''): FileLine {
    const { hidden, outlineLevel, collapsed } = attributes;
    const level = Number(outlineLevel ?? 0);
    const look = isTrue(hasStyle) && style !== '' ? this.#styles.styleOf(Number(style)) : undefined;
    const value = lineValue({
      ...(isTrue(hidden) && { hidden: true as const }),
      ...(level >= 1 && level <= 7 && { level }),
      ...(look && { style: look }),
    });
    return { value, isSummary: isTrue(collapsed) };
  }
}
