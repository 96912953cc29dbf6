import type { Dropped } from './imported-workbook.ts';

/** A part that is kept unchanged. */
export interface KeptPart {
  /** Name in the archive. */
  readonly name: string;
  readonly contentType: string;
  /** True when the part has relationships, which are kept unchanged too. */
  readonly hasLinks: boolean;
}

/** Parts that a drawing or a chart sheet needs. */
interface KeptRoot {
  /** Part that the workbook or a sheet refers to. */
  readonly part: string;
  /** Indexes in `parts` of all that it needs, itself included. */
  readonly parts: readonly number[];
  /** Names of sheets whose cells its charts show. */
  readonly refersTo: readonly string[];
}

export interface KeptDrawing extends KeptRoot {
  /** Name in the file of the sheet that has it. */
  readonly sheet: string;
}

export interface KeptChartSheet extends KeptRoot {
  readonly name: string;
  readonly hidden: false | 'hidden' | 'veryHidden';
  /** Name of the worksheet before it in the file; null if there is none. */
  readonly after: string | null;
  /** True when it is a selected tab. */
  readonly isSelected: boolean;
}

/** Parts of a file that an import keeps without reading them. */
export interface KeptManifest {
  readonly parts: readonly KeptPart[];
  readonly drawings: readonly KeptDrawing[];
  readonly chartSheets: readonly KeptChartSheet[];
}

/** A sheet at the time of an export. */
export interface SheetNow {
  readonly name: string;
  /** Name in the imported file. */
  readonly fileSheet: string | undefined;
  /** True when no row or column was inserted, deleted or moved, or all are back in place. */
  readonly isPristine: boolean;
}

/** Parts of a manifest that an export writes back. */
export interface KeptChoice {
  /** Indexes in `drawings`, by the index of their sheet. */
  readonly drawings: ReadonlyMap<number, number>;
  /** Indexes in `chartSheets` with the number of worksheets before each, in order. */
  readonly chartSheets: readonly { readonly index: number; readonly before: number }[];
  readonly lost: readonly Dropped[];
}

/**
 * Chooses the parts to write back: charts and pictures stand on cells, so their cells must be
 * unmoved.
 */
export function chooseKept(manifest: KeptManifest, sheets: readonly SheetNow[]): KeptChoice {
  const lost: Dropped[] = [];
  const drawings = new Map<number, number>();
  for (const [index, drawing] of manifest.drawings.entries()) {
    const at = placeNow(drawing.sheet, sheets);
    const why = at === -1 ? 'the sheet was deleted' : drawingFault(drawing, sheets[at], sheets);
    if (why === undefined && !drawings.has(at)) drawings.set(at, index);
    else lose('charts and images', drawing.sheet, why);
  }
  const chartSheets = [];
  const names = new Set(sheets.map(({ name }) => name.toLowerCase()));
  for (const [index, sheet] of manifest.chartSheets.entries()) {
    const isTaken = names.has(sheet.name.toLowerCase());
    const why = isTaken ? 'another sheet has its name' : referenceFault(sheet, sheets);
    if (why !== undefined) lose('chart sheets', sheet.name, why);
    else chartSheets.push({ index, before: worksheetsBefore(sheet, manifest, sheets) });
  }
  chartSheets.sort((a, b) => a.before - b.before || a.index - b.index);
  return { drawings, chartSheets, lost };

  function lose(what: string, where: string, why = 'two sheets have them'): void {
    lost.push({ what, where, count: 1, why });
  }
}

/**
 * Returns the index of the sheet that came from a sheet of the file; of a sheet and its copy, the
 * one with the old name.
 */
function placeNow(fileSheet: string, sheets: readonly SheetNow[]): number {
  const own = sheets.findIndex((sheet) => {
    return sheet.fileSheet === fileSheet && sheet.name === fileSheet;
  });
  return own === -1 ? sheets.findIndex((sheet) => sheet.fileSheet === fileSheet) : own;
}

function drawingFault(
  drawing: KeptDrawing,
  sheet: SheetNow | undefined,
  sheets: readonly SheetNow[],
): string | undefined {
  if (sheet?.isPristine !== true) return 'rows or columns of the sheet were changed';
  return referenceFault(drawing, sheets);
}

function referenceFault({ refersTo }: KeptRoot, sheets: readonly SheetNow[]): string | undefined {
  for (const name of refersTo) {
    const sheet = sheets.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (sheet?.fileSheet?.toLowerCase() !== name.toLowerCase()) {
      return `a chart shows cells of ${name}, which was renamed or deleted`;
    }
    if (!sheet.isPristine)
      return `a chart shows cells of ${name}, whose rows or columns were changed`;
  }
  return undefined;
}

function worksheetsBefore(
  { after }: KeptChartSheet,
  { chartSheets }: KeptManifest,
  sheets: readonly SheetNow[],
): number {
  if (after === null) return 0;
  const at = placeNow(after, sheets);
  if (at !== -1) return at + 1;
  // Its neighbour is gone, so it goes behind an earlier one.
  const earlier = new Set(chartSheets.map((sheet) => sheet.after));
  return Math.min(earlier.size, sheets.length);
}
