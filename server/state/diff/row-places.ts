import { IntRecords } from './int-records.ts';

/** Positions of rows before and after; -1 on a side without the row. */
export class RowPlaces {
  readonly #records = new IntRecords(2);

  get length(): number {
    return this.#records.length;
  }

  /** Adds a row and returns its index. */
  push(was: number, is: number): number {
    const index = this.#records.add();
    this.put(index, was, is);
    return index;
  }

  was(index: number): number {
    return this.#records.get(index, 0);
  }

  is(index: number): number {
    return this.#records.get(index, 1);
  }

  put(index: number, was: number, is: number): void {
    this.#records.set(index, 0, was);
    this.#records.set(index, 1, is);
  }
}
