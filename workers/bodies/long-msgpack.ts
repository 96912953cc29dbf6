import { bodyLimits } from '../../server/model/limits.ts';
import { openBody, type BodySource } from './body-source.ts';
import type { ByteFeed } from './byte-feed.ts';
import { HeldBytes } from './held-bytes.ts';
import { repeated, windowBytes, type LongBody, type LongPart } from './long-body.ts';
import { broken, cutOff, headAt, type Head } from './msgpack-head.ts';
import { tooDeep } from './plain-value.ts';

const list32 = 0xdd;

/** msgpack that is read window by window, like LongJson. */
export class LongMsgpack implements LongBody {
  readonly #held: HeldBytes;

  constructor(feed: ByteFeed) {
    this.#held = new HeldBytes(feed);
  }

  *parts(): Generator<LongPart, void> {
    const { kind, count } = this.#head();
    if (kind === 'list') yield this.#part(undefined);
    else if (kind === 'object') yield* this.#members(count);
    else throw broken('The body is neither a map nor an array.');
    if (this.#held.at < this.#held.bytes.length || this.#held.pull() !== undefined) {
      throw broken('There is something after the value.');
    }
  }

  *#members(count: number): Generator<LongPart, void> {
    const seen = new Set<unknown>();
    this.#enter();
    for (let index = 0; index < count; index++) {
      const name = this.#value();
      if (typeof name !== 'string') throw broken('The name of a member is not a text.');
      if (seen.has(name)) throw repeated(name);
      seen.add(name);
      yield this.#part(name);
    }
  }

  #part(name: string | undefined): LongPart {
    const { kind } = this.#head();
    return {
      name,
      kind: kind === 'list' ? 'list' : 'value',
      windows: () => this.#windows(),
      value: () => this.#value(),
      skip: () => this.#skipAll(),
    };
  }

  #skipAll(): void {
    const { kind, count } = this.#head();
    if (kind !== 'list') {
      this.#value();
      return;
    }
    this.#enter();
    for (let index = 0; index < count; index++) {
      this.#skip(2);
      this.#held.release(this.#held.at);
    }
  }

  *#windows(): Generator<BodySource, void> {
    const held = this.#held;
    const { count } = this.#head();
    this.#enter();
    let itemCount = 0;
    for (let index = 0; index < count; index++) {
      this.#skip(2);
      itemCount++;
      if (held.at - held.keep < windowBytes && index < count - 1) continue;
      yield this.#window(itemCount);
      itemCount = 0;
    }
  }

  #window(itemCount: number): BodySource {
    const held = this.#held;
    const head = Buffer.alloc(5);
    head[0] = list32;
    head.writeUInt32BE(itemCount, 1);
    const list = Buffer.concat([head, held.bytes.subarray(held.keep, held.at)]);
    held.release(held.at);
    return openBody(list, 'msgpack', 'cells');
  }

  #value(): unknown {
    const held = this.#held;
    held.keep = held.at;
    this.#skip(1);
    const source = openBody(
      Buffer.from(held.bytes.subarray(held.keep, held.at)),
      'msgpack',
      'cells',
    );
    held.release(held.at);
    return source.value(source.whole);
  }

  /** Moves to the first part of a list or map. */
  #enter(): void {
    this.#held.release(this.#head().end);
  }

  /** Skips the value at the current position. */
  #skip(depth: number): void {
    const held = this.#held;
    const { kind, count } = this.#head();
    if (kind !== 'other' && depth > bodyLimits.depth) throw tooDeep('invalidMsgpack');
    const parts = kind === 'object' ? 2 * count : kind === 'list' ? count : 0;
    held.at = this.#head().end;
    for (let index = 0; index < parts; index++) this.#skip(depth + 1);
  }

  /**
   * Reads the head of the value at the current position. If the value has no parts, all of its
   * bytes are in memory.
   */
  #head(): Head {
    const held = this.#held;
    for (;;) {
      const head = headAt(held.bytes, held.at);
      if (head && (head.end <= held.bytes.length || head.kind !== 'other')) return head;
      if (held.pull() === undefined) throw cutOff();
    }
  }
}
