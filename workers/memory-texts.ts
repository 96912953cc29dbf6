/** Memory of a kernel, whose buffer is another one after it has grown. */
export interface GrowingMemory {
  readonly buffer: SharedArrayBuffer;
}

/** Texts up to here are written unit by unit, which takes less than a native call. */
const shortUnits = 64;

/**
 * Texts in the memory of a kernel, as bare UTF-16 units. Not TextDecoder: it would replace half a
 * surrogate pair, which a cell may hold.
 */
export class MemoryTexts {
  readonly #memory: GrowingMemory;
  /** Shared memory that has grown is the same as before as far as it reached. */
  #bytes: Buffer;
  #units: Uint16Array;

  constructor(memory: GrowingMemory) {
    this.#memory = memory;
    this.#bytes = Buffer.from(memory.buffer);
    this.#units = new Uint16Array(memory.buffer);
  }

  read(address: number, unitCount: number): string {
    const end = address + 2 * unitCount;
    return this.#reaching(end).toString('utf16le', address, end);
  }

  write(address: number, text: string): void {
    const bytes = this.#reaching(address + 2 * text.length);
    if (text.length > shortUnits) bytes.write(text, address, 'utf16le');
    else this.#writeUnits(address >>> 1, text);
  }

  #writeUnits(start: number, text: string): void {
    const units = this.#units;
    for (let at = 0; at < text.length; at++) units[start + at] = text.charCodeAt(at);
  }

  #reaching(end: number): Buffer {
    if (this.#bytes.length >= end) return this.#bytes;
    this.#bytes = Buffer.from(this.#memory.buffer);
    this.#units = new Uint16Array(this.#memory.buffer);
    return this.#bytes;
  }
}
