/**
 * Values by key, for one family of a state's content. A copy shares the entries until one side
 * writes. Values are replaced, never changed in place.
 */
export class KeyedMap<Value> {
  #entries: Map<string, Value>;
  #isShared = false;
  /** Sorted keys; forgotten when a key is added or deleted. */
  #keys: readonly string[] | undefined;

  constructor(entries: Iterable<readonly [string, Value]> = []) {
    this.#entries = new Map(entries);
  }

  copy(): KeyedMap<Value> {
    const copy = new KeyedMap<Value>();
    copy.#entries = this.#entries;
    copy.#keys = this.#keys;
    copy.#isShared = true;
    this.#isShared = true;
    return copy;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, value: Value): void {
    if (this.#entries.get(key) === value && value !== undefined) return;
    this.#own();
    if (!this.#entries.has(key)) this.#keys = undefined;
    this.#entries.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.#entries.has(key)) return false;
    this.#own();
    this.#keys = undefined;
    return this.#entries.delete(key);
  }

  /** Values in the order in which their keys were first written. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** Entries by key in the order of code units, regardless of history. */
  *sorted(): Generator<readonly [string, Value]> {
    this.#keys ??= [...this.#entries.keys()].sort((a, b) => (a < b ? -1 : 1));
    for (const key of this.#keys) {
      const value = this.#entries.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  /** Yields the entries whose keys have a prefix, sorted. */
  *startingWith(prefix: string): Generator<readonly [string, Value]> {
    for (const entry of this.sorted()) if (entry[0].startsWith(prefix)) yield entry;
  }

  /** Yields the entries that are not the same value in another map, in no order. */
  *unlike(
    other: KeyedMap<Value>,
  ): Generator<readonly [key: string, own: Value | undefined, others: Value | undefined]> {
    if (this.#entries === other.#entries) return;
    for (const [key, value] of this.#entries) {
      const others = other.#entries.get(key);
      if (others !== value) yield [key, value, others];
    }
    for (const [key, value] of other.#entries) {
      if (!this.#entries.has(key)) yield [key, undefined, value];
    }
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#entries = new Map(this.#entries);
    this.#isShared = false;
  }
}
