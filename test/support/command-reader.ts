/** Reads command buffers back, as the kernel does, for tests of the writer. */
export class CommandReader {
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#view.byteLength;
  }

  word(): number {
    const value = this.#view.getInt32(this.#at, true);
    this.#at += 4;
    return value;
  }

  words(count: number): number[] {
    return Array.from({ length: count }, () => this.word());
  }

  number(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += 8;
    return value;
  }

  text(): string {
    const length = this.word();
    let text = '';
    for (let index = 0; index < length; index++) {
      text += String.fromCharCode(this.#view.getUint16(this.#at + 2 * index, true));
    }
    if (length % 2 === 1 && this.#view.getUint16(this.#at + 2 * length, true) !== 0) {
      throw new Error('the padding of a text is not zero');
    }
    this.#at += ((length + 1) >> 1) << 2;
    return text;
  }

  input(): unknown {
    const kind = this.word();
    switch (kind) {
      case 0:
        return null;
      case 1:
        return this.number();
      case 2:
        return this.text();
      case 3:
        return this.word() === 1;
      case 4:
        return { error: this.word() };
      case 5:
        return { formula: this.text() };
      case 6:
        return { formula: this.text(), legacy: true };
      case 7:
        return { formula: this.text(), area: this.words(4) };
      case 8:
        return 'skip';
      default:
        throw new Error(`no input has the kind ${kind}`);
    }
  }
}
