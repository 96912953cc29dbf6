import type { BranchAddress } from '../branches/journal-store.ts';
import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import { parseRange } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import { formatsOf } from '../state/plan/plan.ts';
import { readFormats } from '../state/cells/sheet-formats.ts';
import { ShownTexts } from '../../workers/shown-text.ts';
import type { Slice } from './slice.ts';

/** Number formats of slices, at the position of their values. */
export interface SliceFormats {
  readonly texts: ShownTexts;
  readonly slices: readonly SlicePatterns[];
}

/** Access to the state of a position. */
export interface FormatSource {
  readAt<Result>(
    address: BranchAddress,
    seq: number,
    look: (state: BranchState) => Generator<void, Result>,
  ): Promise<Result>;
}

interface SlicePatterns {
  /** Index in `patterns` of each cell's number format, row by row. */
  readonly cells: Uint16Array;
  readonly patterns: ReadonlyMap<number, string>;
}

/** Cells formatted between two looks at the clock; some tens of microseconds. */
export const cellsAtOnce = 16;

/** Makes a formatter for a state, and the number format of each of its styles. */
export function shownTextsOf(state: BranchState): {
  readonly texts: ShownTexts;
  readonly patternOf: (style: number) => string;
} {
  const named = [...state.looks.styles.entries()].map(([, style]) => style);
  const texts = new ShownTexts(state.settings.get('dateSystem') === 1904, named);
  const { styles } = state.coding.dictionary;
  const known = new Map<number, string>();
  const patternOf = (index: number): string => {
    const pattern = known.get(index) ?? texts.formatOf(styles.style(index));
    known.set(index, pattern);
    return pattern;
  };
  return { texts, patternOf };
}

/** Reads the number format of each cell of the slices, from cell, row, column or style. */
export function* readSliceFormats(
  state: BranchState,
  slices: readonly Slice[],
): Generator<void, SliceFormats> {
  const { texts, patternOf } = shownTextsOf(state);
  const found: SlicePatterns[] = [];
  for (const { sheet: name, range } of slices) {
    const sheet = state.structure.find(name);
    const area = parseRange(range);
    if (!sheet || !area) throw new Error(`${name}!${range} is not in the state it was read from`);
    const cells = readFormats(formatsOf(state, sheet), area);
    yield;
    const patterns = new Map<number, string>();
    for (const index of new Set(cells)) patterns.set(index, patternOf(index));
    found.push({ cells, patterns });
    yield;
  }
  return { texts, slices: found };
}

/** Formats the values of slices as texts. */
export async function showSlices(
  slices: readonly Slice[],
  formats: SliceFormats,
  environment: Environment,
): Promise<Slice[]> {
  const pace = new Pace(environment);
  const shown: Slice[] = [];
  for (const [index, slice] of slices.entries()) {
    shown.push({ ...slice, rows: await pace.run(shownRows(slice, formats, index)) });
  }
  return shown;
}

/** Formats the values of slices with the formats of their position. */
export async function showSlicesAt(
  { source, environment }: { readonly source: FormatSource; readonly environment: Environment },
  { address, seq }: { readonly address: BranchAddress; readonly seq: number },
  slices: readonly Slice[],
): Promise<Slice[]> {
  const formats = await source.readAt(address, seq, (state) => readSliceFormats(state, slices));
  return showSlices(slices, formats, environment);
}

function* shownRows(
  { rows }: Slice,
  { texts, slices }: SliceFormats,
  index: number,
): Generator<void, (string | null)[][]> {
  const own = slices[index];
  const shown: (string | null)[][] = [];
  let place = 0;
  for (const values of rows) {
    const row: (string | null)[] = [];
    shown.push(row);
    for (const value of values) {
      row.push(texts.show(value, own?.patterns.get(own.cells[place] ?? 0) ?? 'General'));
      place++;
      if (place % cellsAtOnce === 0) yield;
    }
  }
  return shown;
}
