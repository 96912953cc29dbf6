import { LRUCache } from 'lru-cache';

import type { LogTable, SignedTree } from './sql.ts';

/** A tree that everybody may know of. */
export interface PublishedTree {
  readonly size: number;
  readonly root: Uint8Array;
  readonly note: string;
  /** Milliseconds since the Unix epoch. */
  readonly publishedAt: number;
}

const treesMost = 1_000;

/** What the world has seen of the log. It only ever grows. */
export class Published {
  readonly #table: Pick<LogTable, 'newestPublished' | 'signed'>;
  /** Older ones that somebody asked for. */
  readonly #trees = new LRUCache<number, PublishedTree>({ max: treesMost });
  /** Replaced by one that is as large, with more signatures, or larger. */
  #newest: PublishedTree | undefined;

  constructor(table: Pick<LogTable, 'newestPublished' | 'signed'>) {
    this.#table = table;
  }

  /** Undefined until anything was published. */
  get newest(): PublishedTree | undefined {
    return this.#newest;
  }

  show(tree: PublishedTree): void {
    if (this.#newest !== undefined && this.#newest.size > tree.size) return;
    this.#newest = tree;
    this.#trees.set(tree.size, tree);
  }

  /** What another process may have published meanwhile. */
  async refresh(): Promise<void> {
    const tree = publishedTree(await this.#table.newestPublished());
    if (tree) this.show(tree);
  }

  /** The tree of a size, if that was published. */
  async at(size: number): Promise<PublishedTree | undefined> {
    if (size === this.#newest?.size) return this.#newest;
    const known = this.#trees.get(size);
    if (known) return known;
    const tree = publishedTree(await this.#table.signed(size));
    if (tree) this.#trees.set(size, tree);
    return tree;
  }
}

function publishedTree(signed: SignedTree | undefined): PublishedTree | undefined {
  if (!signed || signed.publishedNote === null || signed.publishedAt === null) return undefined;
  const { size, root, publishedNote: note, publishedAt } = signed;
  return { size, root, note, publishedAt: publishedAt.getTime() };
}
