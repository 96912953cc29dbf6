const initialBytes = 4_096;
/**
 * Length from which texts are written by the buffer, whose call costs as much as this many by hand.
 */
const handWrittenLength = 64;
const mostMarkBytes = 9;
/** Items of a list that are written between two pauses. */
const itemsBetweenPauses = 64;

/**
 * Writes plain values as MessagePack into one growing buffer, as in the journal and its hash chain.
 * Each value has one encoding: the shortest integer, else a 64-bit float; maps in order of their
 * members, without undefined ones.
 */
export class Packer {
  /** The bytes up to `length`; replaced when the buffer grows. */
  bytes: Buffer;
  #view: DataView;
  #length = 0;

  constructor(byteCount = initialBytes) {
    this.bytes = Buffer.allocUnsafeSlow(byteCount);
    this.#view = viewOf(this.bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** Moves back, or forward over bytes that the caller writes. */
  seek(length: number): void {
    this.#reserve(Math.max(0, length - this.#length));
    this.#length = length;
  }

  arrayStart(count: number): void {
    this.#reserve(mostMarkBytes);
    if (count < 16) this.#byte(0x90 | count);
    else this.#count(count, 0xdc);
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return this.number(value);
      case 'boolean':
        this.#reserve(1);
        return this.#byte(value ? 0xc3 : 0xc2);
      case 'object':
        if (value !== null) return this.#object(value);
        break;
      case 'undefined':
        break;
      default:
        throw new TypeError(`the journal has no ${typeof value}`);
    }
    this.#reserve(1);
    this.#byte(0xc0);
  }

  /** Does as `value`, with pauses in long lists. */
  *slowly(value: unknown): Generator<void, void> {
    if (typeof value !== 'object' || value === null) this.value(value);
    else if (Array.isArray(value)) {
      this.arrayStart(value.length);
      for (const [at, item] of (value as readonly unknown[]).entries()) {
        if (at % itemsBetweenPauses === itemsBetweenPauses - 1) yield;
        this.value(item);
      }
    } else {
      const members = value as Readonly<Record<string, unknown>>;
      this.#objectStart(members);
      for (const name in members) {
        if (members[name] === undefined) continue;
        this.text(name);
        yield* this.slowly(members[name]);
      }
    }
  }

  /** Writes bytes that are packed already. */
  packed(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  number(value: number): void {
    this.#reserve(mostMarkBytes);
    if (value >>> 0 === value) this.#positive(value);
    else if ((value | 0) === value) this.#negative(value);
    else {
      this.#byte(0xcb);
      this.#view.setFloat64(this.#length, value);
      this.#length += 8;
    }
  }

  text(value: string): void {
    if (value.length < handWrittenLength && this.#shortText(value)) return;
    const byteCount = Buffer.byteLength(value);
    this.#reserve(mostMarkBytes + byteCount);
    if (byteCount < 32) this.#byte(0xa0 | byteCount);
    else if (byteCount < 256) {
      this.#byte(0xd9);
      this.#byte(byteCount);
    } else this.#count(byteCount, 0xda);
    this.#length += this.bytes.write(value, this.#length);
  }

  /** Writes a short text; false, without effect, if a character is not ASCII. */
  #shortText(value: string): boolean {
    const count = value.length;
    this.#reserve(count + 2);
    const { bytes } = this;
    let at = this.#length;
    if (count < 32) bytes[at++] = 0xa0 | count;
    else {
      bytes[at++] = 0xd9;
      bytes[at++] = count;
    }
    for (let index = 0; index < count; index++) {
      const code = value.charCodeAt(index);
      if (code > 127) return false;
      bytes[at++] = code;
    }
    this.#length = at;
    return true;
  }

  #object(value: object): void {
    if (Array.isArray(value)) {
      this.arrayStart(value.length);
      for (const item of value as readonly unknown[]) this.value(item);
      return;
    }
    const members = value as Readonly<Record<string, unknown>>;
    this.#objectStart(members);
    for (const name in members) {
      const member = members[name];
      if (member === undefined) continue;
      this.text(name);
      this.value(member);
    }
  }

  #objectStart(members: Readonly<Record<string, unknown>>): void {
    let count = 0;
    for (const name in members) if (members[name] !== undefined) count++;
    this.#reserve(mostMarkBytes);
    if (count < 16) this.#byte(0x80 | count);
    else this.#count(count, 0xde);
  }

  #positive(value: number): void {
    if (value < 0x80) this.#byte(value);
    else if (value < 0x100) {
      this.#byte(0xcc);
      this.#byte(value);
    } else if (value < 0x1_0000) {
      this.#byte(0xcd);
      this.#view.setUint16(this.#length, value);
      this.#length += 2;
    } else {
      this.#byte(0xce);
      this.#view.setUint32(this.#length, value);
      this.#length += 4;
    }
  }

  #negative(value: number): void {
    if (value >= -0x20) this.#byte(value & 0xff);
    else if (value >= -0x80) {
      this.#byte(0xd0);
      this.#byte(value & 0xff);
    } else if (value >= -0x8000) {
      this.#byte(0xd1);
      this.#view.setInt16(this.#length, value);
      this.#length += 2;
    } else {
      this.#byte(0xd2);
      this.#view.setInt32(this.#length, value);
      this.#length += 4;
    }
  }

  /** Writes a count; `mark` precedes 16 bits, and the mark after it 32. */
  #count(count: number, mark: number): void {
    if (count < 0x1_0000) {
      this.#byte(mark);
      this.#view.setUint16(this.#length, count);
      this.#length += 2;
    } else {
      this.#byte(mark + 1);
      this.#view.setUint32(this.#length, count);
      this.#length += 4;
    }
  }

  #byte(byte: number): void {
    this.bytes[this.#length++] = byte;
  }

  #reserve(byteCount: number): void {
    const needed = this.#length + byteCount;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.#length);
    this.bytes = grown;
    this.#view = viewOf(grown);
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
