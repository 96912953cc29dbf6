import type { Place } from '../../branches/place.ts';
import { cellName, columnLimit, columnName, rowLimit } from '../../model/address.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { WireInput } from '../../model/input.ts';
import {
  columnCount,
  parseRange,
  parseSheetRange,
  quoteSheet,
  rangeName,
  rowCount,
  type Range,
  type SheetRange,
} from '../../model/range.ts';
import { readExtents, type Extents } from '../../values/extent.ts';
import type { ModelView } from '../../values/model-view.ts';
import { showSlicesAt } from '../../values/shown-slices.ts';
import { SliceReader, type Slice } from '../../values/slice.ts';
import type { McpServices } from '../services.ts';

export type ReadLens = 'value' | 'formula' | 'input' | 'both' | 'formatted';

export interface Budget {
  readonly cells: number;
  readonly bytes: number;
}

/** A range as far as it was read. */
export interface ReadRange {
  readonly sheet: string;
  readonly range: string;
  readonly rows: readonly (readonly WireInput[])[];
  /** Formulas beside the values, with lens `both`. */
  readonly formulas?: readonly (readonly WireInput[])[];
  /** Values that the texts show, with lens `formatted`. */
  readonly values?: readonly (readonly WireInput[])[];
}

export interface RangesRead {
  readonly seq: number;
  readonly ranges: readonly ReadRange[];
  /** The ranges that the budget left over, as a caller is to ask for them. */
  readonly rest: readonly string[];
  readonly cells: number;
}

interface Part {
  readonly sheet: string;
  readonly area: Range;
}

export function readRangeText(text: string, pointer: string): SheetRange {
  const range = parseSheetRange(text);
  if (range) return range;
  throw new Failure('invalidRange', {
    detail: `${pointer}: "${text.slice(0, 100)}" is not an A1 range.`,
    hint: "Write A1:C10, Plan!B2 or 'My sheet'!A:C.",
    errors: [{ pointer, code: 'invalid_range', message: 'This must be an A1 range.' }],
  });
}

/** Reads ranges from the first on, until the budget is used up. */
export async function readRanges(
  { models, branches, environment }: Pick<McpServices, 'models' | 'branches' | 'environment'>,
  place: Place,
  asked: {
    readonly ranges: readonly SheetRange[];
    readonly lens: ReadLens;
    readonly budget: Budget;
  },
): Promise<RangesRead> {
  const { ranges, lens, budget } = asked;
  const isBoth = lens === 'both';
  const main = isBoth || lens === 'formatted' ? 'value' : lens;
  const read = async (view: ModelView) => {
    const { wanted, rest } = withinCells(view, ranges, budget.cells);
    const slices = await slicesOf(view, wanted, { lens: main, environment });
    const formulas = isBoth ? await slicesOf(view, wanted, { lens: 'formula', environment }) : [];
    return { seq: view.position.seq, slices, formulas, rest };
  };
  const { seq, slices, formulas, rest } = isBoth
    ? await models.use(place, true, read)
    : await models.look(place, { ranges, lens: main }, read);
  const at = { address: place.address, seq };
  const isShown = lens === 'formatted';
  const shown = isShown
    ? await showSlicesAt({ source: branches, environment }, at, slices)
    : slices;
  const beside = { formulas, values: isShown ? slices : [] };
  const cut = withinBytes(shown, beside, budget.bytes);
  const cells = cut.ranges.reduce((sum, { rows }) => sum + rows.length * (rows[0]?.length ?? 0), 0);
  const parts = [...cut.rest, ...rest].map(
    ({ sheet, area }) => `${quoteSheet(sheet)}!${rangeName(area)}`,
  );
  return { seq, ranges: cut.ranges, rest: parts, cells };
}

async function slicesOf(
  view: ModelView,
  parts: readonly Part[],
  {
    lens,
    environment,
  }: { readonly lens: 'value' | 'formula' | 'input'; readonly environment: Environment },
): Promise<readonly Slice[]> {
  const ranges = parts.map(({ sheet, area }) => ({ sheet, areas: [area] }));
  return new SliceReader(view, lens, environment).read(ranges);
}

/** Cuts a range to whole rows that fit, and names the rest. */
function withinCells(
  view: ModelView,
  ranges: readonly SheetRange[],
  most: number,
): { wanted: Part[]; rest: Part[] } {
  const wanted: Part[] = [];
  const rest: Part[] = [];
  let left = most;
  for (const part of partsOf(view, ranges)) {
    const { sheet, area } = part;
    const width = columnCount(area);
    if (width > most) throw tooWide(part, most);
    const fitting = Math.min(rowCount(area), Math.floor(left / width));
    if (fitting <= 0) {
      left = 0;
      rest.push(part);
      continue;
    }
    left -= fitting * width;
    wanted.push({ sheet, area: { ...area, row1: area.row0 + fitting - 1 } });
    if (fitting < rowCount(area))
      rest.push({ sheet, area: { ...area, row0: area.row0 + fitting } });
  }
  return { wanted, rest };
}

function tooWide({ sheet, area }: Part, most: number): Failure {
  return new Failure('rangeTooLarge', {
    detail: `One row of ${quoteSheet(sheet)}!${rangeName(area)} has ${columnCount(area)} cells, and a result at most ${most}.`,
    hint: 'Ask for fewer columns.',
  });
}

/** One rectangle each; whole rows and columns end where the content of their sheet ends. */
function partsOf(view: ModelView, ranges: readonly SheetRange[]): Part[] {
  let extents: Extents | undefined;
  const parts: Part[] = [];
  for (const { sheet: named, areas } of ranges) {
    const found = named === undefined ? view.sheets.all[0] : view.sheets.named(named);
    for (const area of areas) {
      const hasEnd = rowCount(area) < rowLimit && columnCount(area) < columnLimit;
      // The read itself fails for a missing sheet.
      if (!found || hasEnd) {
        parts.push({ sheet: found?.name ?? named ?? '', area });
        continue;
      }
      extents ??= readExtents(view);
      const extent = extents.get(found.key) ?? found;
      parts.push({ sheet: found.name, area: clipped(area, extent) });
    }
  }
  return parts;
}

function clipped(area: Range, extent: { rowCount: number; columnCount: number }): Range {
  const hasAllRows = rowCount(area) === rowLimit;
  const hasAllColumns = columnCount(area) === columnLimit;
  const row1 = hasAllRows ? Math.max(extent.rowCount - 1, 0) : area.row1;
  const column1 = hasAllColumns ? Math.max(extent.columnCount - 1, 0) : area.column1;
  return { ...area, row1, column1 };
}

/** Long texts use the budget up before the cells do. There is always one row. */
function withinBytes(
  slices: readonly Slice[],
  { formulas, values }: { readonly formulas: readonly Slice[]; readonly values: readonly Slice[] },
  most: number,
): { ranges: ReadRange[]; rest: Part[] } {
  const ranges: ReadRange[] = [];
  const rest: Part[] = [];
  let left = most;
  for (const [index, { sheet, range, rows }] of slices.entries()) {
    const beside = formulas[index]?.rows;
    let count = 0;
    while (count < rows.length && left > 0) {
      left -= rowBytes(rows[count]) + rowBytes(beside?.[count]);
      count++;
    }
    const area = parseRange(range);
    if (!area) throw new Error(`a slice has the range ${range}`);
    if (count < rows.length) rest.push({ sheet, area: { ...area, row0: area.row0 + count } });
    if (count === 0) continue;
    const shown = rangeName({ ...area, row1: area.row0 + count - 1 });
    const found = { sheet, range: shown, rows: rows.slice(0, count) };
    const plain = values[index]?.rows;
    ranges.push({
      ...found,
      ...(beside && { formulas: beside.slice(0, count) }),
      ...(plain && { values: plain.slice(0, count) }),
    });
  }
  return { ranges, rest };
}

function rowBytes(row: readonly WireInput[] = []): number {
  let bytes = 2;
  for (const value of row) bytes += typeof value === 'string' ? value.length + 3 : 8;
  return bytes;
}

/** Letters of the columns and number of the first row of a range that was read. */
export function headingsOf(range: string): { columns: string[]; firstRow: number } {
  const area = parseRange(range) ?? { row0: 0, row1: 0, column0: 0, column1: 0 };
  const columns = Array.from({ length: columnCount(area) }, (_, at) =>
    columnName(area.column0 + at),
  );
  return { columns, firstRow: area.row0 + 1 };
}

/** Cells that hold an error, the first of them. */
export function errorCells({ range, rows, values = rows }: ReadRange, most: number) {
  const area = parseRange(range);
  const found: { cell: string; error: string }[] = [];
  if (!area) return found;
  for (const [down, row] of values.entries()) {
    for (const [right, value] of row.entries()) {
      if (typeof value !== 'object' || value === null) continue;
      found.push({ cell: cellName(area.row0 + down, area.column0 + right), error: value.error });
      if (found.length === most) return found;
    }
  }
  return found;
}
