import { cellTag } from '../../state/cells/block.ts';
import type { ColumnValues } from './column-values.ts';
import { WideMap } from './wide-map.ts';

/** The distinct values of a column, and the code of each row's value. */
export interface DistinctValues {
  /** Code of each row. */
  readonly codes: Uint32Array;
  /** Value of each code. */
  readonly values: ColumnValues;
  readonly count: number;
  /** First row of each code. */
  readonly firstRows: Uint32Array;
}

/** Rows that are looked at without a pause. */
export const rowsBetweenPauses = 16_384;
/** Size of the table for low places in the dictionary. */
const tableSize = 1 << 16;

/** Finds the distinct values of a column. */
export function distinctOf(values: ColumnValues): Generator<void, DistinctValues>;
/** Finds the distinct values of a column; undefined if there are more than `most`. */
export function distinctOf(
  values: ColumnValues,
  most: number,
): Generator<void, DistinctValues | undefined>;
export function* distinctOf(
  { tags, numbers, texts }: ColumnValues,
  most = Infinity,
): Generator<void, DistinctValues | undefined> {
  const codes = new Uint32Array(tags.length);
  const firstRows: number[] = [];
  const known = new ValueCodes();
  for (let row = 0; row < tags.length; row++) {
    if (row % rowsBetweenPauses === rowsBetweenPauses - 1) yield;
    const tag = tags[row] ?? cellTag.blank;
    codes[row] = known.codeOf(tag, tag === cellTag.blank ? 0 : (numbers[row] ?? 0));
    if (known.count > most) return undefined;
    if (known.count > firstRows.length) firstRows.push(row);
  }
  const found = { values: known.values(texts), count: known.count };
  return { codes, firstRows: Uint32Array.from(firstRows), ...found };
}

/** Assigns codes from 0 to distinct values in order of appearance. */
class ValueCodes {
  readonly #tags: number[] = [];
  readonly #numbers: number[] = [];
  readonly #byTag = new Map<number, WideMap>();
  /** Codes of texts by place, plus one; 0 for none. */
  readonly #texts = new Uint32Array(tableSize);

  get count(): number {
    return this.#tags.length;
  }

  codeOf(tag: number, number: number): number {
    if (tag !== cellTag.text || number < 0 || number >= tableSize) return this.#mapped(tag, number);
    const code = (this.#texts[number] ?? 0) - 1;
    if (code >= 0) return code;
    this.#texts[number] = this.count + 1;
    return this.#added(tag, number);
  }

  values(texts: readonly string[]): ColumnValues {
    return {
      tags: Uint8Array.from(this.#tags),
      numbers: Float64Array.from(this.#numbers),
      texts,
    };
  }

  #mapped(tag: number, number: number): number {
    let ofTag = this.#byTag.get(tag);
    if (!ofTag) this.#byTag.set(tag, (ofTag = new WideMap()));
    const known = ofTag.get(number);
    if (known !== undefined) return known;
    ofTag.set(number, this.count);
    return this.#added(tag, number);
  }

  #added(tag: number, number: number): number {
    this.#numbers.push(number);
    return this.#tags.push(tag) - 1;
  }
}
