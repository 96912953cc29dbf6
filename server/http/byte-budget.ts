/** The exceeded limit: the share of one key, or the sum of all. */
export interface Overrun {
  readonly of: 'key' | 'all';
  readonly mostBytes: number;
}

/** A body up to this size is taken as long as there is any room. */
const smallBytes = 64 * 1024;
/** Room reserved for small bodies, so that a few large ones cannot keep others out. */
const smallShare = 1 / 4;

/** Counts the bytes held for running requests, by key and in sum. */
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

  /** Returns the limit that more bytes would exceed; undefined when there is room. */
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

/** The bytes that one request holds. */
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

  /** Holds more bytes; returns the limit that this would exceed. */
  add(bytes: number): Overrun | undefined {
    if (!this.#isOpen) return undefined;
    const overrun = this.#budget.overrun(this.#key, this.#bytes, bytes);
    if (overrun === undefined) this.#change(bytes);
    return overrun;
  }

  /** Counts the bytes for another key, because the sender is known only after the head was read. */
  moveTo(key: string): void {
    this.#budget.change(this.#key, -this.#bytes);
    this.#key = key;
    this.#budget.change(key, this.#bytes);
  }

  /** Releases some bytes. */
  give(bytes: number): void {
    this.#change(-Math.min(bytes, this.#bytes));
  }

  /** Releases all bytes; the share cannot be used again. */
  close(): void {
    this.#change(-this.#bytes);
    this.#isOpen = false;
  }

  #change(bytes: number): void {
    this.#bytes += bytes;
    this.#budget.change(this.#key, bytes);
  }
}
