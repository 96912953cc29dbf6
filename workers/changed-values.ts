import { columnLimit } from '../server/model/address.ts';
import type { Value } from '../server/model/cell-value.ts';
import type { Kernel } from './kernel.ts';

/** Larger than the number of cells of any workbook. */
const changesMost = 0xffff_ffff;
const firstCapacity = 1_024;

/**
 * Changed cells by columns, so that a hundred thousand of them are transferred without a copy. A
 * value is a number, or the index of one in `others`.
 */
export interface PackedChanges {
  readonly count: number;
  /** Keys of sheets. */
  readonly sheets: Uint32Array<ArrayBuffer>;
  /** Row and column of each cell as one number. */
  readonly places: Float64Array<ArrayBuffer>;
  readonly before: Float64Array<ArrayBuffer>;
  readonly after: Float64Array<ArrayBuffer>;
  /** Bit 1: `before` is an index into `others`; bit 2: `after` is. */
  readonly isOther: Uint8Array<ArrayBuffer>;
  readonly others: readonly Value[];
}

/** Returns all changes since the kernel began to watch, by sheet, row and column. */
export function packChanges(kernel: Kernel): PackedChanges {
  const packing = new Packing();
  kernel.readChanges('all', changesMost, ({ sheet, row, column, from, to }) => {
    packing.add(sheet, row * columnLimit + column, [from, to]);
  });
  return packing.packed();
}

export function valueBefore({ before, isOther, others }: PackedChanges, index: number): Value {
  return valueOf(before[index], others, (isOther[index] ?? 0) & 1);
}

export function valueAfter({ after, isOther, others }: PackedChanges, index: number): Value {
  return valueOf(after[index], others, (isOther[index] ?? 0) & 2);
}

function valueOf(number = 0, others: readonly Value[], isOther: number): Value {
  return isOther === 0 ? number : (others[number] ?? null);
}

class Packing {
  #count = 0;
  #sheets = new Uint32Array(firstCapacity);
  #places = new Float64Array(firstCapacity);
  #before = new Float64Array(firstCapacity);
  #after = new Float64Array(firstCapacity);
  #isOther = new Uint8Array(firstCapacity);
  readonly #others: Value[] = [];
  readonly #plain = new Map<Value, number>();
  readonly #errors = new Map<string, number>();

  add(sheet: number, place: number, [from, to]: readonly [Value, Value]): void {
    const at = this.#count++;
    if (at === this.#places.length) this.#grow(at * 2);
    this.#sheets[at] = sheet;
    this.#places[at] = place;
    const isNumber = { from: typeof from === 'number', to: typeof to === 'number' };
    this.#before[at] = typeof from === 'number' ? from : this.#other(from);
    this.#after[at] = typeof to === 'number' ? to : this.#other(to);
    this.#isOther[at] = (isNumber.from ? 0 : 1) | (isNumber.to ? 0 : 2);
  }

  packed(): PackedChanges {
    const count = this.#count;
    return {
      count,
      sheets: this.#sheets.slice(0, count),
      places: this.#places.slice(0, count),
      before: this.#before.slice(0, count),
      after: this.#after.slice(0, count),
      isOther: this.#isOther.slice(0, count),
      others: this.#others,
    };
  }

  #other(value: Value): number {
    const isError = typeof value === 'object' && value !== null;
    const known = isError ? this.#errors.get(value.error) : this.#plain.get(value);
    if (known !== undefined) return known;
    const index = this.#others.push(value) - 1;
    if (isError) this.#errors.set(value.error, index);
    else this.#plain.set(value, index);
    return index;
  }

  #grow(capacity: number): void {
    const sheets = new Uint32Array(capacity);
    sheets.set(this.#sheets);
    this.#sheets = sheets;
    this.#places = grown(this.#places, capacity);
    this.#before = grown(this.#before, capacity);
    this.#after = grown(this.#after, capacity);
    const isOther = new Uint8Array(capacity);
    isOther.set(this.#isOther);
    this.#isOther = isOther;
  }
}

function grown(values: Float64Array<ArrayBuffer>, capacity: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(capacity);
  larger.set(values);
  return larger;
}
