/** COPY in binary, as the manual of PostgreSQL describes it, which passes bytes unchanged. */

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** Bytes of signature, flags and the length of an absent extension. */
const headBytes = signature.length + 8;
const fieldCountBytes = 2;
const lengthBytes = 4;
const noMoreRows = -1;

export const copyHead: Buffer = Buffer.concat([signature, Buffer.alloc(8)]);
export const copyTail: Buffer = Buffer.from([0xff, 0xff]);

/** Makes the bytes of a row up to its last field, whose bytes follow. */
export function copyRowHead(fields: readonly Buffer[], lastByteCount: number): Buffer {
  const pieces = fields.flatMap((field) => [int32(field.length), field]);
  return Buffer.concat([int16(fields.length + 1), ...pieces, int32(lastByteCount)]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Reads rows of one field each. */
export async function readCopyFields(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const bytes = new ByteQueue(pieces);
  await bytes.take(headBytes);
  const fields: Buffer[] = [];
  while ((await bytes.take(fieldCountBytes)).readInt16BE() !== noMoreRows) {
    fields.push(await bytes.take((await bytes.take(lengthBytes)).readInt32BE()));
  }
  await bytes.drain();
  return fields;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

/** A queue of pieces, from which bytes of any length are taken. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #pieces: Buffer[] = [];
  #byteCount = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Takes bytes, copied if they are in several pieces. */
  async take(byteCount: number): Promise<Buffer> {
    while (this.#byteCount < byteCount) {
      const next = await this.#source.next();
      if (next.done === true) throw new Error('the copy ended in the middle of a row');
      this.#pieces.push(next.value);
      this.#byteCount += next.value.length;
    }
    const [first] = this.#pieces;
    const all =
      this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [all.subarray(byteCount)];
    this.#byteCount = all.length - byteCount;
    return all.subarray(0, byteCount);
  }

  /** Reads to the end of the copy, which frees the connection. */
  async drain(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }
}
