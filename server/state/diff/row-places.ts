/** Positions of rows before and after; -1 on a side without the row. */
export class RowPlaces {
  #values = new Int32Array(128);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a row and returns its index. */
  push(was: number, is: number): number {
    const at = 2 * this.#length;
    if (at === this.#values.length) {
      const grown = new Int32Array(2 * at);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[at] = was;
    this.#values[at + 1] = is;
    return this.#length++;
  }

  was(index: number): number {
    return this.#values[2 * index] ?? -1;
  }

  is(index: number): number {
    return this.#values[2 * index + 1] ?? -1;
  }

  put(index: number, was: number, is: number): void {
    this.#values[2 * index] = was;
    this.#values[2 * index + 1] = is;
  }
}
