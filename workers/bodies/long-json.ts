import { Failure } from '../../server/model/failure.ts';
import { openBody, type BodySource } from './body-source.ts';
import type { ByteFeed } from './byte-feed.ts';
import { HeldBytes } from './held-bytes.ts';
import { isSpace } from './json-source.ts';
import { repeated, windowBytes, type LongBody, type LongPart } from './long-body.ts';

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const opensList = 0x5b;
const closesList = 0x5d;
const opensObject = 0x7b;
const closesObject = 0x7d;
const mark = 0xef;

/**
 * JSON that is read window by window. It only finds where values end; they are parsed and refused
 * like those of a small body.
 */
export class LongJson implements LongBody {
  readonly #held: HeldBytes;
  #itemCount = 0;

  constructor(feed: ByteFeed) {
    this.#held = new HeldBytes(feed);
  }

  *parts(): Generator<LongPart, void> {
    if (this.#peek() === mark) this.#held.release(this.#held.at + 3);
    const first = this.#space();
    if (first === opensList) yield this.#part(undefined);
    else if (first === opensObject) yield* this.#members();
    else throw broken('It is neither an object nor a list');
    if (this.#space() !== undefined) throw broken('There is something after the value');
  }

  *#members(): Generator<LongPart, void> {
    const seen = new Set<string>();
    this.#step();
    if (this.#space() === closesObject) return this.#step();
    for (;;) {
      if (this.#space() !== quote) throw broken('The name of a member is missing');
      const name = this.#value() as string;
      if (seen.has(name)) throw repeated(name);
      seen.add(name);
      if (this.#space() !== colon) throw broken('A colon is missing after the name of a member');
      this.#step();
      this.#space();
      yield this.#part(name);
      const next = this.#space();
      this.#step();
      if (next === closesObject) return;
      if (next !== comma) throw broken('A comma is missing between two members');
    }
  }

  #part(name: string | undefined): LongPart {
    const isList = this.#peek() === opensList;
    return {
      name,
      kind: isList ? 'list' : 'value',
      windows: () => this.#windows(),
      value: () => this.#value(),
      skip: () => {
        if (isList) this.#skipList();
        else this.#value();
      },
    };
  }

  #skipList(): void {
    const held = this.#held;
    for (const _end of this.#itemEnds()) held.release(held.at);
  }

  *#windows(): Generator<BodySource, void> {
    const held = this.#held;
    let from = held.at + 1;
    for (const end of this.#itemEnds()) {
      from = held.keep;
      if (end - from < windowBytes) continue;
      yield this.#window(from, end);
      held.release(held.at);
    }
    from = held.keep;
    const rest = held.bytes
      .subarray(from, held.at - 1)
      .toString('latin1')
      .trim();
    if (rest !== '') yield this.#window(from, held.at - 1);
    held.release(held.at);
  }

  #window(from: number, end: number): BodySource {
    const items = this.#held.bytes.subarray(from, end);
    const list = Buffer.concat([Buffer.from('['), items, Buffer.from(']')]);
    try {
      return openBody(list, 'json', 'cells');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw broken(`${error.detail.replace(/\.$/u, '')}, about item ${this.#itemCount}`, error);
    }
  }

  /**
   * Walks over a list and yields the end of each item. The comma behind an item is passed, so that
   * `at` is the start of the next item, and finally the end of the list.
   */
  *#itemEnds(): Generator<number, void> {
    const held = this.#held;
    this.#step();
    if (this.#space() === closesList) return this.#step();
    for (;;) {
      this.#itemCount++;
      const moved = this.#skipValue();
      if (moved) throw broken(`Item ${this.#itemCount} of the list is missing`);
      const end = held.at;
      const kept = held.keep;
      const next = this.#space();
      held.at++;
      if (next === closesList) return;
      if (next !== comma) throw broken(`A comma is missing after item ${this.#itemCount}`);
      yield end - (kept - held.keep);
      this.#space();
    }
  }

  /** Reads the value at the current position. */
  #value(): unknown {
    const held = this.#held;
    held.keep = held.at;
    if (this.#skipValue()) throw broken('A value is missing');
    const bytes = held.bytes.subarray(held.keep, held.at);
    const source = openBody(
      Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]),
      'json',
      'cells',
    );
    held.release(held.at);
    return source.values({ start: 1, end: bytes.length + 1 })[0];
  }

  /** Skips the value at the current position; returns true if there is none. */
  #skipValue(): boolean {
    const held = this.#held;
    const end = new ValueEnd();
    let start = held.at;
    held.at = end.scan(held.bytes, held.at);
    while (!end.isFound) {
      const moved = held.pull();
      if (moved === undefined) break;
      start -= moved;
      held.at = end.scan(held.bytes, held.at);
    }
    if (!end.isFound && end.isWithin) throw broken('The body ends in the middle of a value');
    return held.at === start;
  }

  #step(): void {
    this.#held.release(this.#held.at + 1);
  }

  /** Skips blanks; returns the next byte, undefined at the end. */
  #space(): number | undefined {
    let byte = this.#peek();
    while (byte !== undefined && isSpace(byte)) {
      this.#held.at++;
      byte = this.#peek();
    }
    return byte;
  }

  #peek(): number | undefined {
    const held = this.#held;
    while (held.at >= held.bytes.length) if (held.pull() === undefined) return undefined;
    return held.bytes[held.at];
  }
}

const plain = 0;
const opens = 1;
const closes = 2;
const separates = 3;
const quotes = 4;
/** Role of each byte in finding the end of a value. */
const parts = new Uint8Array(256);
parts[quote] = quotes;
for (const byte of [opensList, opensObject]) parts[byte] = opens;
for (const byte of [closesList, closesObject]) parts[byte] = closes;
for (const byte of [comma, 0x20, 0x0a, 0x0d, 0x09]) parts[byte] = separates;

/** Finds the end of a value that comes in several blocks. */
class ValueEnd {
  isFound = false;
  #isText = false;
  #depth = 0;

  /** True within a text, a list or an object. */
  get isWithin(): boolean {
    return this.#isText || this.#depth > 0;
  }

  /**
   * Returns the position behind the value, or behind all bytes if it goes on; at most one beyond
   * them.
   */
  scan(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length && !this.isFound) {
      at = this.#isText ? this.#textEnd(bytes, at) : this.#next(bytes[at] ?? 0, at);
    }
    return at;
  }

  #textEnd(bytes: Buffer, from: number): number {
    for (let at = from; at < bytes.length; at++) {
      if (bytes[at] === backslash) at++;
      else if (bytes[at] === quote) {
        this.#isText = false;
        this.isFound = this.#depth === 0;
        return at + 1;
      }
      if (at >= bytes.length - 1) return at + 1;
    }
    return from;
  }

  #next(byte: number, at: number): number {
    switch (parts[byte] ?? plain) {
      case quotes:
        this.#isText = true;
        return at + 1;
      case opens:
        this.#depth++;
        return at + 1;
      case closes: {
        const isOwn = this.#depth > 0;
        if (isOwn) this.#depth--;
        this.isFound = this.#depth === 0;
        return isOwn ? at + 1 : at;
      }
      case separates:
        this.isFound = this.#depth === 0;
        return this.isFound ? at : at + 1;
      default:
        return at + 1;
    }
  }
}

function broken(detail: string, cause?: Failure): Failure {
  return new Failure('invalidJson', {
    detail: `${detail}.`,
    hint: 'Send the body as JSON (RFC 8259), in UTF-8.',
    cause,
  });
}
