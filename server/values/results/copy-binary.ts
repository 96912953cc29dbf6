/** COPY in binary, as the manual of PostgreSQL describes it: bytes go through as they are. */

const signature = Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1');
/** The signature, flags and the length of an extension, of which there are none. */
const headBytes = signature.length + 8;
const fieldCountBytes = 2;
const lengthBytes = 4;
const noMoreRows = -1;

export const copyHead: Buffer = Buffer.concat([signature, Buffer.alloc(8)]);
export const copyTail: Buffer = Buffer.from([0xff, 0xff]);

/** The bytes before the last field of a row, whose own bytes follow. */
export function copyRowHead(fields: readonly Buffer[], lastByteCount: number): Buffer {
  const pieces = fields.flatMap((field) => [int32(field.length), field]);
  return Buffer.concat([int16(fields.length + 1), ...pieces, int32(lastByteCount)]);
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** The fields of rows that have one each. */
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

/** Pieces of any length, taken in other lengths. */
class ByteQueue {
  readonly #source: AsyncIterator<Buffer>;
  #pieces: Buffer[] = [];
  #byteCount = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** In memory of its own when it comes in several pieces. */
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

  /** The end of the copy has to be read for the connection to be free again. */
  async drain(): Promise<void> {
    while ((await this.#source.next()).done !== true);
  }
}
