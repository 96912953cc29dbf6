/** Bytes of one piece of shared memory; what is longer has a piece of its own. */
const chunkBytes = 1 << 20;
/** Numbers of eight bytes begin at such addresses. */
const alignment = 8;

/** A place in shared memory: the number of its chunk, and the first byte there. */
export interface ChunkPlace {
  readonly chunk: number;
  readonly offset: number;
}

/** Shared memory that grows piece by piece: what was written never moves. */
export class ChunkWriter {
  readonly chunks: SharedArrayBuffer[] = [];
  /** First free byte of the last chunk. */
  #end = chunkBytes;

  /** Returns room for so many bytes, aligned for numbers of any kind. */
  take(byteCount: number): ChunkPlace {
    if (this.#end + byteCount > (this.chunks.at(-1)?.byteLength ?? 0)) {
      this.chunks.push(new SharedArrayBuffer(Math.max(chunkBytes, byteCount)));
      this.#end = 0;
    }
    const place = { chunk: this.chunks.length - 1, offset: this.#end };
    this.#end = Math.ceil((this.#end + byteCount) / alignment) * alignment;
    return place;
  }

  /** Copies bytes to shared memory. */
  put(bytes: Uint8Array): ChunkPlace {
    const place = this.take(bytes.length);
    bytesAt(this.chunks, place, bytes.length).set(bytes);
    return place;
  }
}

export function bytesAt(
  chunks: readonly SharedArrayBuffer[],
  { chunk, offset }: ChunkPlace,
  length: number,
): Uint8Array<SharedArrayBuffer> {
  return new Uint8Array(chunkAt(chunks, chunk), offset, length);
}

export function chunkAt(chunks: readonly SharedArrayBuffer[], number: number): SharedArrayBuffer {
  const chunk = chunks[number];
  if (!chunk) throw new RangeError(`there is no chunk ${number}`);
  return chunk;
}
