import { endianness } from 'node:os';

const initialBytes = 4_096;
const isLittleEndian = endianness() === 'LE';
const hashBytes = 32;
/** Characters of a short text, at most; its length takes one byte. */
const shortMost = 64;

/** Writes the canonical bytes of a node: each value has one encoding. */
export class NodeWriter {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Bytes that fit before more memory is allocated. */
  get room(): number {
    return this.#bytes.length;
  }

  /** View of the written bytes, valid until the next write. */
  get view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Discards the written bytes. */
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

  /** Writes an integer from 0 with seven bits in each byte, the lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** Writes a `count` several times: most formulas of a block are the same. */
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

  /** Writes many `double`s at once: most cells of a block are numbers. */
  doubles(values: Float64Array): void {
    if (isLittleEndian) {
      this.raw(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    } else {
      for (const value of values) this.double(value);
    }
  }

  text(value: string): void {
    if (value.length <= shortMost && this.#shortText(value)) return;
    const byteCount = Buffer.byteLength(value);
    this.count(byteCount);
    this.#reserve(byteCount);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /**
   * Writes a short text of ASCII, for which calls out of JavaScript take longer than its bytes;
   * returns false, with nothing written, for any other.
   */
  #shortText(value: string): boolean {
    this.#reserve(value.length + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = value.length;
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index);
      if (unit >= 0x80) return false;
      bytes[at++] = unit;
    }
    this.#length = at;
    return true;
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

/** Error of bytes that are not those of a node. */
export class NodeFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeFault';
  }
}

/**
 * Reads the bytes of a `NodeWriter`; throws a NodeFault for bytes that end early or are malformed.
 */
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

  /** Reads bytes as a view, not a copy. */
  raw(byteCount: number): Buffer {
    const end = this.#at + byteCount;
    if (end > this.#bytes.length) throw new NodeFault('a node ends too early');
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  /** View of the unread bytes. */
  get rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  end(): void {
    if (!this.isAtEnd) throw new NodeFault('a node goes on after its end');
  }
}
