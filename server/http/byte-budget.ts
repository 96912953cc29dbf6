/** The limit that would be exceeded: the share of one key, or the sum of all. */
export interface Overrun {
  readonly of: 'key' | 'all';
  readonly mostBytes: number;
}

/** A body that is no larger than this is taken as long as there is any room at all. */
const smallBytes = 64 * 1024;
/** Room that only small ones may use, so that a few large ones keep nobody out. */
const smallShare = 1 / 4;

/** Counts the bytes held in memory for requests under way, by key and in sum. */
export class ByteBudget {
  readonly #mostBytes: number;
  readonly #keyMostBytes: number;
  readonly #keyBytes = new Map<string, number>();
  #bytes = 0;

  constructor(mostBytes: number, keyMostBytes: number) {
    this.#mostBytes = mostBytes;
    this.#keyMostBytes = keyMostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  bytesOf(key: string): number {
    return this.#keyBytes.get(key) ?? 0;
  }

  open(key: string): HeldBytes {
    return new HeldBytes(this, key);
  }

  /** Returns the limit that so many more bytes would exceed; undefined when there is room. */
  overrun(key: string, held: number, more: number): Overrun | undefined {
    if (this.bytesOf(key) + more > this.#keyMostBytes) {
      return { of: 'key', mostBytes: this.#keyMostBytes };
    }
    const isSmall = held + more <= smallBytes;
    const most = isSmall ? this.#mostBytes : this.#mostBytes * (1 - smallShare);
    return this.#bytes + more > most ? { of: 'all', mostBytes: most } : undefined;
  }

  change(key: string, bytes: number): void {
    this.#bytes += bytes;
    const left = this.bytesOf(key) + bytes;
    if (left > 0) this.#keyBytes.set(key, left);
    else this.#keyBytes.delete(key);
  }
}

/** The bytes that one request holds of the budget. */
export class HeldBytes {
  readonly #budget: ByteBudget;
  #key: string;
  #bytes = 0;
  #isOpen = true;

  constructor(budget: ByteBudget, key: string) {
    this.#budget = budget;
    this.#key = key;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Holds more, unless that runs over. */
  add(bytes: number): Overrun | undefined {
    if (!this.#isOpen) return undefined;
    const overrun = this.#budget.overrun(this.#key, this.#bytes, bytes);
    if (overrun === undefined) this.#change(bytes);
    return overrun;
  }

  /** Counts for another key from now on: the sender is known only after the head is read. */
  moveTo(key: string): void {
    this.#budget.change(this.#key, -this.#bytes);
    this.#key = key;
    this.#budget.change(key, this.#bytes);
  }

  /** Lets go of some of it. */
  give(bytes: number): void {
    this.#change(-Math.min(bytes, this.#bytes));
  }

  /** Lets go of all, for good. */
  close(): void {
    this.#change(-this.#bytes);
    this.#isOpen = false;
  }

  #change(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.change(this.#key, bytes);
  }
}
