import type { BranchAddress } from '../branches/journal-store.ts';
import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import { parseRange } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import { formatsOf } from '../state/plan/plan.ts';
import { readFormats } from '../state/cells/sheet-formats.ts';
import { ShownTexts } from '../../workers/shown-text.ts';
import type { Slice } from './slice.ts';

/** Number formats of slices, of the position that their values are of. */
export interface SliceFormats {
  readonly texts: ShownTexts;
  readonly slices: readonly SlicePatterns[];
}

/** A look at a state of a position. */
export interface FormatSource {
  readAt<Result>(
    address: BranchAddress,
    seq: number,
    look: (state: BranchState) => Generator<void, Result>,
  ): Promise<Result>;
}

interface SlicePatterns {
  /** Row by row, the place in `patterns` of each cell's number format. */
  readonly cells: Uint16Array;
  readonly patterns: ReadonlyMap<number, string>;
}

/** Cells that are formatted before the clock is asked; some tens of microseconds. */
export const cellsAtOnce = 16;

/** The texts that a state shows, and the number format of each style in it. */
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

/** Reads which number format each cell of the slices has, also by its row, column or style. */
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

/** Turns the values of slices into the texts that a person sees. */
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

/** The same with the formats of the position that the values are of. */
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
