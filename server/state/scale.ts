/** Adds up about how many bytes of memory things take; what several of them share counts once. */
export class Scale {
  readonly #seen = new Set<object>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Whether the thing was not on the scale yet; from now on it is. */
  isNew(thing: object): boolean {
    if (this.#seen.has(thing)) return false;
    this.#seen.add(thing);
    return true;
  }
}
