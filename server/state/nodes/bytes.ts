import { endianness } from 'node:os';

const initialBytes = 4_096;
const isLittleEndian = endianness() === 'LE';
const hashBytes = 32;

/** Writes the canonical bytes of a node: there is one way to write each value. */
export class NodeWriter {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes that can be written before more memory is asked for. */
  get room(): number {
    return this.#bytes.length;
  }

  /** The bytes written, until the next write. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Forgets what was written. */
  restart(): void {
    this.#length = 0;
  }

  /** Returns a copy of the bytes written. */
  bytes(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** An integer from 0 up, seven bits a byte, the lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** So many times `count`: most formulas of a block are one. */
  counts(value: number, times: number): void {
    if (value >= 0x80) {
      for (let time = 0; time < times; time++) this.count(value);
      return;
    }
    this.#reserve(times);
    this.#bytes.fill(value, this.#length, this.#length + times);
    this.#length += times;
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** As many times `double`: most cells of a block are numbers. */
  doubles(values: Float64Array): void {
    if (isLittleEndian) {
      this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    } else {
      for (const value of values) this.double(value);
    }
  }

  text(value: string): void {
    const byteCount = Buffer.byteLength(value);
    this.count(byteCount);
    this.#reserve(byteCount);
    this.#length += this.#bytes.write(value, this.#length);
  }

  hash(value: Uint8Array): void {
    if (value.length !== hashBytes) throw new RangeError('a hash has 32 bytes');
    this.raw(value);
  }

  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}

/** Bytes that no node has. */
export class NodeFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeFault';
  }
}

/** Reads what `NodeWriter` wrote; throws a NodeFault where the bytes end or make no sense. */
export class NodeReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new NodeFault('a node ends too early');
    return value;
  }

  count(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (scale > 2 ** 49) throw new NodeFault('a count of a node is too large');
    }
  }

  double(): number {
    const at = this.#at;
    this.#at = at + 8;
    if (this.#at > this.#bytes.length) throw new NodeFault('a node ends too early');
    return this.#bytes.readDoubleLE(at);
  }

  text(): string {
    return this.raw(this.count()).toString('utf8');
  }

  hash(): Buffer {
    return this.raw(hashBytes);
  }

  /** A view, not a copy. */
  raw(byteCount: number): Buffer {
    const end = this.#at + byteCount;
    if (end > this.#bytes.length) throw new NodeFault('a node ends too early');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** A view of all that was not read. */
  get rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  end(): void {
    if (!this.isAtEnd) throw new NodeFault('a node goes on after its end');
  }
}
