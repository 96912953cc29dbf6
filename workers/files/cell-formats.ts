import type { CellStyle } from '../../server/model/cell-style.ts';
import type { WorkbookPool } from './sheet-cells.ts';

/** Styles by the index in the file; each is converted when it is first used. */
export class CellFormats {
  readonly #pool: WorkbookPool;
  readonly #read: (index: number) => CellStyle;
  /** Index in the styles of the pool, by the index in the file. */
  readonly #places = new Map<number, number>();

  constructor(pool: WorkbookPool, read: (index: number) => CellStyle) {
    this.#pool = pool;
    this.#read = read;
  }

  indexOf(index: number): number {
    let place = this.#places.get(index);
    if (place === undefined) {
      place = this.#pool.styleOf(this.#read(index));
      this.#places.set(index, place);
    }
    return place;
  }

  styleOf(index: number): CellStyle | undefined {
    return this.#pool.styles[this.indexOf(index)];
  }
}
