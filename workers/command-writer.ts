const initialBytes = 64 * 1024;
/** Length from which one native call is faster than a loop. */
const longTextUnits = 24;

const numberBits = new Float64Array(1);
const numberWords = new Int32Array(numberBits.buffer);

/**
 * A growable buffer in the kernel's format: little-endian words, texts as UTF-16 behind their
 * length, all padded to four bytes. It is reused, so that a command allocates nothing.
 */
export class CommandWriter {
  #bytes = Buffer.alloc(initialBytes);
  #words = new Int32Array(this.#bytes.buffer, this.#bytes.byteOffset, initialBytes >> 2);
  #units = new Uint16Array(this.#bytes.buffer, this.#bytes.byteOffset, initialBytes >> 1);
  /** Length so far, in words; each command ends at a word. */
  #at = 0;

  get byteCount(): number {
    return this.#at << 2;
  }

  /** Bytes that fit without growth. */
  get capacityBytes(): number {
    return this.#bytes.length;
  }

  /** Index of the next word, for `patch`. */
  get position(): number {
    return this.#at;
  }

  /**
   * Returns the bytes so far, valid until the next write. It is no Buffer, because `slice` of a
   * Buffer makes no copy.
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

  /** Writes a word whose value was not known at its place. */
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
    // A text of odd length leaves half a word, which must not keep bytes of an earlier command.
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
