/**
 * Values by key, for one family of a state's content. A copy costs nothing: both sides share the
 * entries until one of them writes. Values are never changed in place, only replaced.
 */
export class KeyedMap<Value> {
  #entries: Map<string, Value>;
  #isShared = false;
  /** Sorted keys; dropped when a key comes or goes. */
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

  /** In the order of their first writing. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** By key, in the order of code units: the same whatever edits led here. */
  *sorted(): Generator<readonly [string, Value]> {
    this.#keys ??= [...this.#entries.keys()].sort((a, b) => (a < b ? -1 : 1));
    for (const key of this.#keys) {
      const value = this.#entries.get(key);
      if (value !== undefined) yield [key, value];
    }
  }

  /** Keys with this beginning, sorted. */
  *startingWith(prefix: string): Generator<readonly [string, Value]> {
    for (const entry of this.sorted()) if (entry[0].startsWith(prefix)) yield entry;
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#entries = new Map(this.#entries);
    this.#isShared = false;
  }
}
