import type { TreeHasher } from './hasher.ts';
import type { Tile } from './tile.ts';

/**
 * The root over full subtrees of falling size, from the left: a tree splits at the largest power of
 * two below its size, so they are hashed together from the right.
 */
export function foldPeaks(hasher: TreeHasher, peaks: readonly Uint8Array[]): Uint8Array {
  const [first, ...others] = peaks.toReversed();
  if (first === undefined) return hasher.empty();
  return others.reduce((right, left) => hasher.node(left, right), first);
}

/** The root of a tree from its partial tiles, level 0 first. */
export function rootOfEdge(hasher: TreeHasher, edge: readonly Tile[]): Uint8Array {
  return foldPeaks(
    hasher,
    edge.toReversed().flatMap((tile) => [...tile.peaks()]),
  );
}

/** The root over leaves that come one by one: it keeps one hash for each full subtree. */
export class RootBuilder {
  readonly #hasher: TreeHasher;
  readonly #peaks: Uint8Array[] = [];
  #size = 0;

  constructor(hasher: TreeHasher) {
    this.#hasher = hasher;
  }

  push(leafHash: Uint8Array): void {
    let hash = leafHash;
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = this.#peaks.pop();
      if (left !== undefined) hash = this.#hasher.node(left, hash);
    }
    this.#peaks.push(hash);
    this.#size++;
  }

  root(): Uint8Array {
    return foldPeaks(this.#hasher, this.#peaks);
  }
}
