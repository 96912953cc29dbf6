import { createHash } from 'node:crypto';

/** Chunks of at least this size keep a block of their own; smaller ones are joined. */
const ownBlockBytes = 16 * 1024;
const sharedBlockBytes = 64 * 1024;
const hashedBytesATurn = 1 << 20;

/**
 * Bytes in blocks, as they arrived. One buffer would be a second copy of a large body, and blocks
 * can be given to another thread one by one.
 */
export class ByteBlocks {
  readonly #full: Uint8Array[] = [];
  /** Block that collects small chunks, each of which would cost more than it holds. */
  #open: Uint8Array = noBytes;
  #openCount = 0;
  #byteCount = 0;

  get byteCount(): number {
    return this.#byteCount;
  }

  /** Adds a copy of a chunk, whose memory may be reused. */
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

  /** Returns the blocks, each with a buffer of its own. */
  get chunks(): readonly Uint8Array[] {
    this.#closeOpen();
    return this.#full;
  }

  /** Returns all bytes in one buffer. */
  get whole(): Buffer {
    const { chunks } = this;
    const [first] = chunks;
    if (first === undefined) return Buffer.alloc(0);
    if (chunks.length > 1) return Buffer.concat(chunks);
    return Buffer.from(first.buffer, first.byteOffset, first.length);
  }

  /** Returns the SHA-256 of all bytes; pauses after each mebibyte. */
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
