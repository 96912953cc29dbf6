import { boundedTo } from '../../model/cache-bounds.ts';
import { LRUCache } from 'lru-cache';

import type { LogTable } from './sql.ts';

/** Index of a leaf; null for one in the outbox, undefined for an unknown one. */
export type FoundLeaf = number | null | undefined;

const placesMost = 200_000;
/** Leaves that one statement looks for. */
const batchMost = 1_000;

interface Waiting {
  readonly leafHash: Buffer;
  readonly resolve: (place: FoundLeaf) => void;
  readonly reject: (reason: unknown) => void;
}

/** Finds leaves; concurrent requests share a query. */
export class LeafFinder {
  readonly #table: Pick<LogTable, 'find'>;
  /** Places by hash: an index that was given never changes. */
  readonly #places = new LRUCache<string, number>(boundedTo(placesMost));
  #waiting: Waiting[] = [];
  #isLooking = false;

  constructor(table: Pick<LogTable, 'find'>) {
    this.#table = table;
  }

  async find(leafHash: Buffer): Promise<FoundLeaf> {
    const known = this.#places.get(nameOf(leafHash));
    if (known !== undefined) return known;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ leafHash, resolve, reject });
      if (!this.#isLooking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    // Requests in the same turn join the query.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchMost);
      this.#waiting = this.#waiting.slice(batchMost);
      try {
        const found = await this.#read(batch.map(({ leafHash }) => leafHash));
        for (const waiting of batch) waiting.resolve(found.get(nameOf(waiting.leafHash)));
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#isLooking = false;
  }

  async #read(leafHashes: readonly Buffer[]): Promise<ReadonlyMap<string, FoundLeaf>> {
    const found = new Map<string, FoundLeaf>();
    for (const { leafHash, leafIndex } of await this.#table.find(leafHashes)) {
      const name = nameOf(leafHash);
      if (leafIndex !== null) this.#places.set(name, leafIndex);
      found.set(name, leafIndex ?? found.get(name) ?? null);
    }
    return found;
  }
}

function nameOf(leafHash: Buffer): string {
  return leafHash.toString('latin1');
}
