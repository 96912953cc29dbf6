import type { Range } from '../../server/model/range.ts';
import { operationLimits } from '../../server/model/operation-limits.ts';
import { cellKind, type ColumnCells } from './sheet-cells.ts';

/** Equal cells below one another, which one fill makes; its first cell has `index` in `column`. */
export interface Fill {
  readonly range: Range;
  readonly column: ColumnCells;
  readonly index: number;
}

/** Cells of a column that no fill covers, from one index up to another. */
export interface Rest {
  readonly column: ColumnCells;
  readonly spans: readonly (readonly [from: number, to: number])[];
}

const formulaRunMin = 8;
const constantRunMin = 64;

/**
 * Finds cells that were filled down: runs of rows with one formula template or one constant. Equal
 * runs of neighbouring columns become one rectangle.
 */
export function findFills(columns: readonly ColumnCells[]): { fills: Fill[]; rests: Rest[] } {
  const fills: Fill[] = [];
  const rests: Rest[] = [];
  /** Fills that end in the column before, by their content and rows. */
  let open = new Map<string, number>();
  let openColumn = -2;
  for (const column of columns) {
    const { runs, spans } = runsOf(column);
    const next = new Map<string, number>();
    for (const [from, to] of runs) {
      const key = runKey(column, from, to);
      const neighbour = openColumn === column.column - 1 ? open.get(key) : undefined;
      const index = neighbour === undefined ? undefined : widen(fills, neighbour);
      next.set(key, index ?? fills.push(fillOf(column, from, to)) - 1);
    }
    open = next;
    openColumn = column.column;
    if (spans.length > 0) rests.push({ column, spans });
  }
  return { fills, rests };
}

function fillOf(column: ColumnCells, from: number, to: number): Fill {
  const row0 = column.rows[from] ?? 0;
  const row1 = column.rows[to - 1] ?? 0;
  const range = { row0, row1, column0: column.column, column1: column.column };
  return { range, column, index: from };
}

/** Returns a fill that is one column wider; undefined if an operation may not fill so much. */
function widen(fills: Fill[], index: number): number | undefined {
  const fill = fills[index];
  if (fill === undefined) return undefined;
  const { range } = fill;
  const rows = range.row1 - range.row0 + 1;
  const columns = range.column1 - range.column0 + 2;
  if (rows * columns > operationLimits.cellsPerFill) return undefined;
  fills[index] = { ...fill, range: { ...range, column1: range.column1 + 1 } };
  return index;
}

function runKey(column: ColumnCells, from: number, to: number): string {
  const { rows, kinds, data } = column;
  return `${rows[from]}:${rows[to - 1]}:${kinds[from]}:${data[from]}`;
}

interface Runs {
  readonly runs: [number, number][];
  readonly spans: [number, number][];
}

function runsOf(column: ColumnCells): Runs {
  const runs: [number, number][] = [];
  const spans: [number, number][] = [];
  let restFrom = 0;
  for (let from = 0; from < column.count;) {
    const to = runEnd(column, from);
    const isFormula = column.kinds[from] === cellKind.formula;
    if (to - from >= (isFormula ? formulaRunMin : constantRunMin)) {
      if (restFrom < from) spans.push([restFrom, from]);
      runs.push([from, to]);
      restFrom = to;
    }
    from = to;
  }
  if (restFrom < column.count) spans.push([restFrom, column.count]);
  return { runs, spans };
}

function runEnd({ rows, kinds, data, count }: ColumnCells, from: number): number {
  let to = from + 1;
  if (kinds[from] === cellKind.array) return to;
  const shift = (rows[from] ?? 0) - from;
  while (
    to < count &&
    kinds[to] === kinds[from] &&
    data[to] === data[from] &&
    (rows[to] ?? 0) - to === shift
  ) {
    to++;
  }
  return to;
}
