import { Zip, ZipDeflate } from 'fflate';

const pieceCharacters = 64 * 1024;
// Fixed time, so that equal workbooks give equal bytes.
const entryTime = new Date('1980-01-02T00:00:00Z');

/** An open entry: text is packed as it comes. */
export class ZipText {
  readonly #entry: ZipDeflate;
  readonly #encoder = new TextEncoder();
  #text = '';

  constructor(entry: ZipDeflate) {
    this.#entry = entry;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= pieceCharacters) this.#push(false);
  }

  end(): void {
    this.#push(true);
  }

  #push(isLast: boolean): void {
    // encode() would replace half a surrogate pair, but the writers have escaped those.
    this.#entry.push(this.#encoder.encode(this.#text), isLast);
    this.#text = '';
  }
}

/** A ZIP archive that is written to `emit` as it grows, with one open entry at a time. */
export class ZipWriter {
  readonly #zip: Zip;

  constructor(emit: (chunk: Uint8Array) => void) {
    this.#zip = new Zip((error, chunk) => {
      if (error !== null) throw error;
      emit(chunk);
    });
  }

  open(name: string): ZipText {
    const entry = new ZipDeflate(name, { level: 4 });
    entry.mtime = entryTime;
    this.#zip.add(entry);
    return new ZipText(entry);
  }

  add(name: string, text: string): void {
    const entry = this.open(name);
    entry.write(text);
    entry.end();
  }

  addBytes(name: string, bytes: Uint8Array): void {
    const entry = new ZipDeflate(name, { level: 4 });
    entry.mtime = entryTime;
    this.#zip.add(entry);
    entry.push(bytes, true);
  }

  end(): void {
    this.#zip.end();
  }
}
