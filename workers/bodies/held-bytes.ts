import { Failure } from '../../server/model/failure.ts';
import { freeBytes } from '../freed-bytes.ts';
import type { ByteFeed } from './byte-feed.ts';
import { itemBytesMost } from './long-body.ts';

/** The stretch of a long body that is held: from the window that is being read to the last block. */
export class HeldBytes {
  readonly #feed: ByteFeed;
  bytes: Buffer = Buffer.alloc(0);
  /** Place in the bytes to go on from. */
  at = 0;
  /** First place that is still needed. */
  keep = 0;

  constructor(feed: ByteFeed) {
    this.#feed = feed;
  }

  /** Takes one more block; returns by how much places moved, undefined at the end. */
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

  /** Lets go of what is before a place. */
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
