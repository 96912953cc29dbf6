import { cellName, columnLimit } from '../model/address.ts';
import type { WireInput } from '../model/input.ts';
import { cellCount, parseRange, rangeAround, rangeName, type Range } from '../model/range.ts';
import type { ViewportValues } from '../values/viewport.ts';
import { Frame } from './frame.ts';

export interface Viewport {
  readonly sheet: string;
  readonly range: string;
}

export type Cause = 'op' | 'recalc' | 'merge' | 'table';

/** The changed cells of a viewport. */
export interface Changes {
  /** The changed cells, as blocks; a single range when there are many. */
  readonly ranges: readonly string[];
  /** The smallest range with all changed cells; undefined when the cells are unknown. */
  readonly box: Range | undefined;
}

const rangesMost = 64;
/** News of more cells has no values; the client reads them as a slice. */
const valuesMost = 256;

export function wholeOf({ range }: Viewport): Changes {
  return { ranges: [range], box: parseRange(range) };
}

/** Compares values with those that were sent before. */
export function changesIn(
  viewport: Viewport,
  before: ViewportValues | undefined,
  now: ViewportValues,
): Changes {
  const area = parseRange(viewport.range);
  if (!area || !before || before.rows.length !== now.rows.length) return wholeOf(viewport);
  const runs = new Runs();
  for (const [at, row] of now.rows.entries()) {
    const isNew = (column: number): boolean =>
      !isSame(row[column], before.rows[at]?.[column]) ||
      now.formats[at]?.[column] !== before.formats[at]?.[column];
    for (let column = 0; column < row.length; column++) {
      if (!isNew(column)) continue;
      const first = column;
      while (column + 1 < row.length && isNew(column + 1)) column++;
      const row0 = area.row0 + at;
      const [column0, column1] = [area.column0 + first, area.column0 + column];
      runs.add({ row0, column0, row1: row0, column1 });
    }
  }
  const box = rangeAround(runs.all);
  if (!box) return { ranges: [], box };
  return { ranges: (runs.all.length > rangesMost ? [box] : runs.all).map(nameOf), box };
}

/** Runs of changed cells, row by row; those of the same columns in rows in a row are one. */
class Runs {
  readonly all: Range[] = [];
  /** Index of the lowest run with its columns, by both of these. */
  readonly #lowest = new Map<number, number>();

  add(run: Range): void {
    const columns = run.column0 * columnLimit + run.column1;
    const at = this.#lowest.get(columns);
    const above = at === undefined ? undefined : this.all[at];
    if (at !== undefined && above?.row1 === run.row0 - 1) {
      this.all[at] = { ...above, row1: run.row1 };
      return;
    }
    this.#lowest.set(columns, this.all.length);
    this.all.push(run);
  }
}

export function nameOf(range: Range): string {
  const { row0, column0, row1, column1 } = range;
  return row0 === row1 && column0 === column1 ? cellName(row0, column0) : rangeName(range);
}

/**
 * Returns the news of a viewport: with all of its values if it is small, else with those of the box
 * around the changes.
 */
export function valuesFrame(
  { sheet, range }: Viewport,
  values: ViewportValues | undefined,
  told: { seq: number; ranges: readonly string[]; box: Range | undefined; cause: Cause },
): Frame {
  const { seq, ranges, box, cause } = told;
  const activity = { kind: 'cell_activity', seq, sheet, ranges, cause };
  const area = parseRange(range);
  const sent = area && cellCount(area) <= valuesMost ? area : box;
  if (!values || !area || !sent || cellCount(sent) > valuesMost) {
    return new Frame({ ...activity, truncated: true });
  }
  const part = <Cell>(rows: readonly (readonly Cell[])[]): Cell[][] =>
    rows
      .slice(sent.row0 - area.row0, sent.row1 - area.row0 + 1)
      .map((row) => row.slice(sent.column0 - area.column0, sent.column1 - area.column0 + 1));
  const data = part(values.rows);
  const types = data.map((row) => row.map(typeOf));
  const formats = part(values.formats);
  const name = sent === area ? range : nameOf(sent);
  return new Frame({ ...activity, values: { range: name, data, types, formats } });
}

function isSame(a: WireInput | undefined, b: WireInput | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  return a.error === b.error;
}

/** Returns the type of a value: n number, s text, b boolean, e error, z blank. */
function typeOf(value: WireInput): string {
  if (value === null) return 'z';
  if (typeof value === 'number') return 'n';
  if (typeof value === 'boolean') return 'b';
  return typeof value === 'string' ? 's' : 'e';
}
