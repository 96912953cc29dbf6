const firstRecords = 64;

/** Records of so many whole numbers each, one after the other in one typed array. */
export class IntRecords {
  readonly #size: number;
  #values: Int32Array;
  #length = 0;

  constructor(size: number) {
    this.#size = size;
    this.#values = new Int32Array(firstRecords * size);
  }

  /** Makes records of the values of others. */
  static of(size: number, values: Int32Array): IntRecords {
    const made = new IntRecords(size);
    made.#values = values;
    made.#length = values.length / size;
    return made;
  }

  /** The members of all records, one record after the other. */
  get values(): Int32Array {
    return this.#values.subarray(0, this.#length * this.#size);
  }

  /** Number of records. */
  get length(): number {
    return this.#length;
  }

  /** Adds a record of zeros and returns its index. */
  add(): number {
    const at = this.#length * this.#size;
    if (at === this.#values.length) {
      const grown = new Int32Array(Math.max(2 * at, firstRecords * this.#size));
      grown.set(this.#values);
      this.#values = grown;
    }
    return this.#length++;
  }

  /** Returns a member of a record; -1 where there is no such record. */
  get(index: number, member: number): number {
    return this.#values[index * this.#size + member] ?? -1;
  }

  set(index: number, member: number, value: number): void {
    this.#values[index * this.#size + member] = value;
  }
}
