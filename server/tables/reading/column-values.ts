import { Pace } from '../../branches/pace.ts';
import type { Place } from '../../branches/place.ts';
import { errorCodes, type Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import type { WireInput } from '../../model/input.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { cellTag } from '../../state/cells/block.ts';
import type { StoredColumn } from '../../state/structure/tables.ts';
import { readColumn } from '../../state/tables/table-cells.ts';
import type { TableExtent } from '../../state/tables/table-extent.ts';
import type { Models } from '../../values/models.ts';
import { SliceReader } from '../../values/slice.ts';

/** All values of a column of a table, from its first row to its last. */
export interface ColumnValues {
  readonly tags: Uint8Array;
  /** Numbers, or places in the dictionary; negative for texts from formulas. */
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
}

const stretchRows = 16_384;

interface LoaderParts {
  readonly models: Pick<Models, 'look'>;
  readonly environment: Environment;
}

export interface LoadedFrom {
  readonly state: BranchState;
  /** Place pinned to the position of the state. */
  readonly place: Place;
  readonly extent: TableExtent;
}

/** Loads whole columns; those with formulas from the computed values. */
export class ColumnLoader {
  readonly #parts: LoaderParts;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  async load(from: LoadedFrom, column: StoredColumn): Promise<ColumnValues> {
    const pace = new Pace(this.#parts.environment);
    const held = await pace.run(readWhole(from, column));
    return held.tags.includes(cellTag.formula) ? this.#computed(from, column, held) : held;
  }

  async #computed(
    { place, extent, state }: LoadedFrom,
    { line }: StoredColumn,
    { tags, numbers }: ColumnValues,
  ): Promise<ColumnValues> {
    const { models, environment } = this.#parts;
    const { sheet, data, rowCount } = extent;
    const { branch, sequence, offset } = line;
    const column = sheet.columns.positionOf(branch, sequence, offset) ?? 0;
    const whole = { row0: data.row0, row1: data.row1, column0: column, column1: column };
    const name = state.structure.withId(sheet.id)?.name;
    const texts: string[] = [];
    const places = new Map<string, number>();
    const textOf = (text: string): number => {
      const known = places.get(text);
      if (known !== undefined) return known;
      const number = -texts.push(text);
      places.set(text, number);
      return number;
    };
    const ranges = [{ sheet: name, areas: [whole] }];
    await models.look(place, { ranges, lens: 'value' }, async (view) => {
      for (let at = 0; at < rowCount; at += stretchRows) {
        const row0 = data.row0 + at;
        const area = { ...whole, row0, row1: Math.min(data.row1, row0 + stretchRows - 1) };
        const reader = new SliceReader(view, 'value', environment);
        const [slice] = await reader.read([{ sheet: name, areas: [area] }]);
        for (const [index, row] of (slice?.rows ?? []).entries()) {
          const cell = codedOf(row[0] ?? null, textOf);
          tags[at + index] = cell.tag;
          numbers[at + index] = cell.number;
        }
      }
    });
    return { tags, numbers, texts };
  }
}

function* readWhole(
  { state, extent: { sheet, data, rowCount } }: LoadedFrom,
  { line }: StoredColumn,
): Generator<void, ColumnValues> {
  const tags = new Uint8Array(rowCount);
  const numbers = new Float64Array(rowCount);
  const cells = state.cellsOf(sheet);
  for (let at = 0; at < rowCount; at += stretchRows) {
    const row0 = data.row0 + at;
    const range = { ...data, row0, row1: Math.min(data.row1, row0 + stretchRows - 1) };
    const read = readColumn(cells, sheet, { column: line, range });
    tags.set(read.tags, at);
    numbers.set(read.numbers, at);
    yield;
  }
  return { tags, numbers, texts: [] };
}

function codedOf(value: WireInput, textOf: (text: string) => number) {
  if (value === null) return { tag: cellTag.blank, number: 0 };
  if (typeof value === 'number') return { tag: cellTag.number, number: value };
  if (typeof value === 'boolean') return { tag: cellTag.boolean, number: Number(value) };
  if (typeof value === 'string') return { tag: cellTag.text, number: textOf(value) };
  return { tag: cellTag.error, number: errorCodes.indexOf(value.error) };
}

/** Makes a reader of texts from the numbers that stand for them in a column. */
export function textsOf({ texts }: ColumnValues, { coding }: BranchState) {
  return {
    text: (number: number): string =>
      number < 0 ? (texts[-number - 1] ?? '') : coding.dictionary.text(number),
  };
}

export function valueAt(column: ColumnValues, at: number, state: BranchState): Value {
  const number = column.numbers[at] ?? 0;
  switch (column.tags[at]) {
    case cellTag.number:
      return number;
    case cellTag.boolean:
      return number === 1;
    case cellTag.text:
      return textsOf(column, state).text(number);
    case cellTag.error:
      return { error: errorCodes[number] ?? '#VALUE!' };
    default:
      return null;
  }
}
