/** A write to the lanes of a block, from `from` up to `to`. */
export interface BlockWrite {
  readonly kind: 'set' | 'fill' | 'format';
  readonly from: number;
  readonly to: number;
  readonly tag: number;
  /** Number of the content, or index of a style. */
  readonly number: number;
}

const writeBytes = 100;

/** Writes to a pending copy of a block, in order. */
export class WaitingWrites {
  readonly #writes: BlockWrite[];
  #hasFormats: boolean;

  constructor(writes: BlockWrite[] = [], hasFormats = false) {
    this.#writes = writes;
    this.#hasFormats = hasFormats;
  }

  copy(): WaitingWrites {
    return new WaitingWrites(this.#writes.slice(), this.#hasFormats);
  }

  get count(): number {
    return this.#writes.length;
  }

  /** True when formats are written too. */
  get hasFormats(): boolean {
    return this.#hasFormats;
  }

  get byteCount(): number {
    return this.#writes.length * writeBytes;
  }

  add(write: BlockWrite): void {
    this.#writes.push(write);
    if (write.kind === 'format') this.#hasFormats = true;
  }

  /** Returns the last write to a cell, or to its format. */
  at(lane: number, isFormat: boolean): BlockWrite | undefined {
    for (let index = this.#writes.length - 1; index >= 0; index--) {
      const write = this.#writes[index];
      if (!write || (write.kind === 'format') !== isFormat) continue;
      if (lane >= write.from && lane < write.to) return write;
    }
    return undefined;
  }

  /** Returns all writes, and forgets them. */
  take(): readonly BlockWrite[] {
    this.#hasFormats = false;
    return this.#writes.splice(0);
  }

  [Symbol.iterator](): Iterator<BlockWrite> {
    return this.#writes.values();
  }
}
