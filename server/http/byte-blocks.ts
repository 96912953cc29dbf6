import { createHash } from 'node:crypto';

/** A chunk of this size keeps its own block; smaller ones are put together. */
const ownBlockBytes = 16 * 1024;
const sharedBlockBytes = 64 * 1024;
const hashedBytesATurn = 1 << 20;

/**
 * Bytes in blocks, as they came. Not one buffer: of a large body that would be a second copy, and
 * the blocks can be given to another thread one by one.
 */
export class ByteBlocks {
  readonly #full: Uint8Array[] = [];
  /** Takes small chunks until it is full: each of its own would cost more than it holds. */
  #open: Uint8Array = noBytes;
  #openCount = 0;
  #byteCount = 0;

  get byteCount(): number {
    return this.#byteCount;
  }

  /** Copies the chunk: its memory may belong to somebody else. */
  add(chunk: ArrayBuffer | Uint8Array): void {
    const bytes = chunk instanceof Uint8Array ? chunk : new Uint8Array(chunk);
    if (bytes.length === 0) return;
    this.#byteCount += bytes.length;
    if (bytes.length >= ownBlockBytes || this.#full.length === 0) {
      this.#closeOpen();
      this.#full.push(new Uint8Array(bytes));
      return;
    }
    if (this.#openCount + bytes.length > this.#open.length) {
      this.#closeOpen();
      this.#open = new Uint8Array(sharedBlockBytes);
    }
    this.#open.set(bytes, this.#openCount);
    this.#openCount += bytes.length;
  }

  /** Each has a buffer of its own. */
  get chunks(): readonly Uint8Array[] {
    this.#closeOpen();
    return this.#full;
  }

  /** All bytes in one buffer. */
  get whole(): Buffer {
    const { chunks } = this;
    const [first] = chunks;
    if (first === undefined) return Buffer.alloc(0);
    if (chunks.length > 1) return Buffer.concat(chunks);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }

  /** SHA-256 of all; other requests get the thread after each mebibyte. */
  async digest(): Promise<Buffer> {
    const hash = createHash('sha256');
    let turnBytes = 0;
    for (const chunk of this.chunks) {
      hash.update(chunk);
      turnBytes += chunk.length;
      if (turnBytes < hashedBytesATurn) continue;
      await new Promise<void>((resume) => void setImmediate(resume));
      turnBytes = 0;
    }
    return hash.digest();
  }

  #closeOpen(): void {
    if (this.#openCount > 0) this.#full.push(this.#open.slice(0, this.#openCount));
    [this.#open, this.#openCount] = [noBytes, 0];
  }
}

const noBytes = new Uint8Array(0);
