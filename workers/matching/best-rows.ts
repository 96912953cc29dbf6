/** Rows of the index that are nearest to a query, best first, equal ones in ascending order. */
export interface Nearest {
  readonly count: number;
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
}

/**
 * The rows with the highest scores, as a heap whose top is the worst; of equal scores lower rows
 * win.
 */
export class BestRows implements Nearest {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
  count = 0;

  constructor(most: number) {
    this.rows = new Uint32Array(most);
    this.scores = new Float64Array(most);
  }

  /** Score that a row has to exceed to be kept. */
  get least(): number {
    return this.count < this.rows.length ? 0 : (this.scores[0] ?? 0);
  }

  clear(): void {
    this.count = 0;
  }

  offer(row: number, score: number): void {
    if (this.count < this.rows.length) {
      this.#put(this.count, row, score);
      this.#rise(this.count++);
    } else if (this.#isWorse(0, row, score)) {
      this.#put(0, row, score);
      this.#sink(0, this.count);
    }
  }

  /** Sorts the rows, best first; nothing can be added afterwards. */
  sort(): void {
    for (let end = this.count - 1; end > 0; end--) {
      this.#swap(0, end);
      this.#sink(0, end);
    }
  }

  #put(at: number, row: number, score: number): void {
    this.rows[at] = row;
    this.scores[at] = score;
  }

  #isWorse(at: number, row: number, score: number): boolean {
    const own = this.scores[at] ?? 0;
    return own < score || (own === score && (this.rows[at] ?? 0) > row);
  }

  #rise(start: number): void {
    let at = start;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isWorse(at, this.rows[parent] ?? 0, this.scores[parent] ?? 0)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(start: number, end: number): void {
    let at = start;
    for (;;) {
      let worst = at;
      for (let child = 2 * at + 1; child <= 2 * at + 2 && child < end; child++) {
        if (this.#isWorse(child, this.rows[worst] ?? 0, this.scores[worst] ?? 0)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const [row, score] = [this.rows[a] ?? 0, this.scores[a] ?? 0];
    this.#put(a, this.rows[b] ?? 0, this.scores[b] ?? 0);
    this.#put(b, row, score);
  }
}
