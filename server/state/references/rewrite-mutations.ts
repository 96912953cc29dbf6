import { errorCodes, type Input } from '../../model/cell-value.ts';
import type { Mutation } from '../../model/mutation.ts';
import { columnCount, rowCount, type Range } from '../../model/range.ts';
import { cellTag } from '../cells/block.ts';
import type { CodedCell } from '../cells/cell-coding.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import type { FormulaRun, FormulaRuns } from '../cells/formula-runs.ts';
import type { LaneColumn } from '../cells/lanes.ts';

/** Rows that one block mutation covers, at most. */
const bandRows = 1024;

/** Returns the mutation that clears cells. */
export function blankMutation(sheetKey: number, area: Range): Mutation {
  const at = { sheet: sheetKey, row: area.row0, column: area.column0 };
  const size = { rowCount: rowCount(area), columnCount: columnCount(area) };
  return { kind: 'fill', ...at, ...size, input: null };
}

/** Yields the constants of some columns as dense blocks of adjoining columns. */
export function* constantMutations(
  sheetKey: number,
  columns: readonly LaneColumn[],
  dictionary: Dictionary,
): Generator<Mutation | undefined> {
  for (const [band, parts] of bands(columns)) {
    for (const group of sideBySide(parts)) {
      const block = blockOf(group, band * bandRows, dictionary);
      yield block && { kind: 'block', sheet: sheetKey, ...block };
    }
  }
}

function bands(columns: readonly LaneColumn[]): [number, LaneColumn[]][] {
  const found = new Map<number, LaneColumn[]>();
  for (const column of columns) {
    const last = Math.floor((column.row + column.tags.length - 1) / bandRows);
    for (let band = Math.floor(column.row / bandRows); band <= last; band++) {
      const parts = found.get(band);
      if (parts) parts.push(column);
      else found.set(band, [column]);
    }
  }
  return [...found].sort(([a], [b]) => a - b);
}

function sideBySide(columns: readonly LaneColumn[]): LaneColumn[][] {
  const groups: LaneColumn[][] = [];
  let next = -1;
  for (const column of columns.toSorted((a, b) => a.column - b.column)) {
    if (column.column > next || groups.length === 0) groups.push([]);
    groups.at(-1)?.push(column);
    next = column.column + 1;
  }
  return groups;
}

/** Returns the constants of one band of rows; undefined when there are none. */
function blockOf(columns: readonly LaneColumn[], top: number, dictionary: Dictionary) {
  const column = columns[0]?.column ?? 0;
  const width = (columns.at(-1)?.column ?? 0) - column + 1;
  const rows = Array<(Input | undefined)[] | undefined>(bandRows).fill(undefined);
  for (const lanes of columns) {
    const from = Math.max(top, lanes.row);
    const end = Math.min(top + bandRows, lanes.row + lanes.tags.length);
    for (let row = from; row < end; row++) {
      const input = constantAt(lanes, row - lanes.row, dictionary);
      if (input === undefined) continue;
      const inputs = (rows[row - top] ??= Array<Input | undefined>(width).fill(undefined));
      inputs[lanes.column - column] = input;
    }
  }
  const first = rows.findIndex((row) => row !== undefined);
  if (first < 0) return undefined;
  const last = rows.findLastIndex((row) => row !== undefined);
  const inputs = rows.slice(first, last + 1).map((row) => row ?? []);
  return { row: top + first, column, inputs };
}

function constantAt({ tags, numbers }: LaneColumn, at: number, dictionary: Dictionary) {
  return constantOf({ tag: tags[at] ?? cellTag.blank, number: numbers[at] ?? 0 }, dictionary);
}

/** Returns the constant in a cell; undefined for blanks and formulas. */
export function constantOf({ tag, number }: CodedCell, dictionary: Dictionary): Input | undefined {
  switch (tag) {
    case cellTag.number:
      return number;
    case cellTag.text:
      return dictionary.text(number);
    case cellTag.boolean:
      return number === 1;
    case cellTag.error:
      return { error: errorCodes[number] ?? '#VALUE!' };
    default:
      return undefined;
  }
}

/** Yields formulas as fills, as few as possible. */
export function* formulaMutations(
  runs: readonly FormulaRun[],
  formulas: FormulaRuns,
): Generator<Mutation> {
  for (const run of mergedRuns(runs)) {
    const { sheet, row, column, count, index } = run;
    const at = { sheet: sheet.key, row, column };
    if (count === 1 || formulas.stored(index).array) {
      for (let skipped = 0; skipped < count; skipped++) {
        const input = formulas.input({ ...run, row: row + skipped });
        yield { kind: 'cell', ...at, row: row + skipped, input };
      }
    } else {
      yield { kind: 'fill', ...at, rowCount: count, columnCount: 1, input: formulas.input(run) };
    }
  }
}

/** Joins adjoining runs with the same formula. */
export function mergedRuns(runs: readonly FormulaRun[]): FormulaRun[] {
  const sorted = runs.toSorted(
    (a, b) => a.sheet.key - b.sheet.key || a.column - b.column || a.row - b.row,
  );
  const merged: FormulaRun[] = [];
  for (const run of sorted) {
    const last = merged.at(-1);
    const continues =
      last !== undefined &&
      last.index === run.index &&
      last.column === run.column &&
      last.sheet.key === run.sheet.key &&
      last.row + last.count === run.row;
    if (continues) merged[merged.length - 1] = { ...last, count: last.count + run.count };
    else merged.push(run);
  }
  return merged;
}
