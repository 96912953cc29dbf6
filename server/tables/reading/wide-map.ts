const partCount = 256;

/**
 * A map of many numbers. A growing Map rewrites all entries, which blocks the thread for a million;
 * this one grows in parts.
 */
export class WideMap {
  readonly #parts = Array.from({ length: partCount }, () => new Map<number, number>());
  readonly #number = new Float64Array(1);
  readonly #halves = new Uint32Array(this.#number.buffer);

  get(key: number): number | undefined {
    return this.#partOf(key)?.get(key);
  }

  set(key: number, value: number): void {
    this.#partOf(key)?.set(key, value);
  }

  /** Returns the part of a key by its low bits, so that consecutive keys are in different parts. */
  #partOf(key: number): Map<number, number> | undefined {
    // Both zeros are the same key.
    this.#number[0] = key + 0;
    const mixed = (this.#halves[0] ?? 0) ^ Math.imul(this.#halves[1] ?? 0, 0x9e3779b1);
    return this.#parts[(mixed ^ (mixed >>> 8) ^ (mixed >>> 16) ^ (mixed >>> 24)) & (partCount - 1)];
  }
}
