import { Failure } from '../../server/model/failure.ts';
import { freeBytes } from '../freed-bytes.ts';
import type { ByteFeed } from './byte-feed.ts';
import { itemBytesMost } from './long-body.ts';

/** The part of a long body that is in memory: from the current window to the last block. */
export class HeldBytes {
  readonly #feed: ByteFeed;
  bytes: Buffer = Buffer.alloc(0);
  /** Position of the next byte to read. */
  at = 0;
  /** First position that is still needed. */
  keep = 0;

  constructor(feed: ByteFeed) {
    this.#feed = feed;
  }

  /** Adds a block; returns by how many bytes positions moved, undefined at the end. */
  pull(): number | undefined {
    const block = this.#feed.next();
    if (!block) return undefined;
    const moved = this.keep;
    const before = this.bytes;
    const rest = before.subarray(moved);
    if (rest.length > itemBytesMost) throw longItem();
    this.bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    freeBytes(before);
    if (this.bytes !== block) freeBytes(block);
    this.at -= moved;
    this.keep = 0;
    return moved;
  }

  /** Drops the bytes before a position. */
  release(at: number): void {
    this.at = at;
    this.keep = at;
  }
}

function longItem(): Failure {
  return new Failure('payloadTooLarge', {
    detail: `A row has more than ${itemBytesMost} bytes.`,
    hint: 'Send smaller rows.',
    extra: { limitBytes: itemBytesMost },
  });
}
