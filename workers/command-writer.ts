const initialBytes = 64 * 1024;
/** From this many units on, one native call is quicker than a loop. */
const longTextUnits = 24;

const numberBits = new Float64Array(1);
const numberWords = new Int32Array(numberBits.buffer);

/**
 * A growable buffer in the shape the kernel reads: little endian words, texts as UTF-16 with their
 * length in front, everything a multiple of four bytes. Kept between uses, so that a command costs
 * no allocation.
 */
export class CommandWriter {
  #bytes = Buffer.alloc(initialBytes);
  #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, initialBytes >> 2);
  #units = new Uint16Array(this.#bytes.buffer, this.#bytes.byteOffset, initialBytes >> 1);
  /** In words; commands never end between two. */
  #at = 0;

  get byteCount(): number {
    return this.#at << 2;
  }

  /** Bytes that fit without the buffer growing. */
  get capacityBytes(): number {
    return this.#bytes.length;
  }

  /** Where the next word goes; for `patch`. */
  get position(): number {
    return this.#at;
  }

  /**
   * Returns the bytes written so far, valid until the next write. Not a Buffer, whose `slice` would
   * not copy.
   */
  bytes(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset, this.byteCount);
  }

  reset(): void {
    this.#at = 0;
  }

  word(value: number): void {
    if (this.#at === this.#words.length) this.#grow(4);
    this.#words[this.#at++] = value;
  }

  /** Replaces a word that was written before its value was known. */
  patch(position: number, value: number): void {
    this.#words[position] = value;
  }

  number(value: number): void {
    numberBits[0] = value;
    this.word(numberWords[0] ?? 0);
    this.word(numberWords[1] ?? 0);
  }

  text(text: string): void {
    const { length } = text;
    this.word(length);
    const wordCount = (length + 1) >> 1;
    if (this.#at + wordCount > this.#words.length) this.#grow(wordCount << 2);
    // An odd text leaves half a word, which must not keep what an earlier command wrote there.
    if (wordCount > 0) this.#words[this.#at + wordCount - 1] = 0;
    if (length >= longTextUnits) this.#bytes.write(text, this.#at << 2, 'utf16le');
    else {
      const start = this.#at << 1;
      for (let index = 0; index < length; index++) {
        this.#units[start + index] = text.charCodeAt(index);
      }
    }
    this.#at += wordCount;
  }

  #grow(byteCount: number): void {
    const least = this.byteCount + byteCount;
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, (least + 3) & ~3));
    this.#bytes.copy(bytes, 0, 0, this.byteCount);
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#units = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
  }
}
