import { equalBytes } from '../encoding/bytes.ts';
import { checkCount } from '../encoding/decimal.ts';
import { ProofFault } from '../encoding/fault.ts';
import { hashBytes, type TreeHasher } from './hasher.ts';

export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Fails unless the proof leads from this leaf, at this index, to the root of this tree. */
export function verifyInclusion(
  hasher: TreeHasher,
  leaf: { readonly hash: Uint8Array; readonly index: number },
  tree: TreeHead,
  proof: readonly Uint8Array[],
): void {
  checkHashes([leaf.hash, tree.root, ...proof]);
  checkCount(leaf.index, 'the leaf index');
  checkCount(tree.size, 'the tree size');
  const { index } = leaf;
  if (index >= tree.size) {
    throw new ProofFault(`there is no leaf ${index} in a tree of size ${tree.size}`);
  }
  const way = new Way(index, tree.size - 1);
  let hash = leaf.hash;
  for (const sibling of proof) {
    if (way.isAtRoot) throw tooLong(proof);
    hash = way.isRight ? hasher.node(sibling, hash) : hasher.node(hash, sibling);
    way.climb();
  }
  if (!way.isAtRoot) throw tooShort(proof);
  if (!equalBytes(hash, tree.root)) {
    throw new ProofFault(
      `the proof does not lead from leaf ${index} to the root of size ${tree.size}; ` +
        'the leaf, its index, the proof or the root is not what the log has',
    );
  }
}

/** Fails unless the proof shows that the new tree begins with all of the old one. */
export function verifyConsistency(
  hasher: TreeHasher,
  old: TreeHead,
  tree: TreeHead,
  proof: readonly Uint8Array[],
): void {
  checkHashes([old.root, tree.root, ...proof]);
  checkCount(old.size, 'the old tree size');
  checkCount(tree.size, 'the tree size');
  if (old.size > tree.size) {
    throw new ProofFault(`a log of size ${old.size} cannot shrink to ${tree.size}: a rollback`);
  }
  if (old.size === 0 || old.size === tree.size) {
    const oldRoot = old.size === 0 ? hasher.empty() : tree.root;
    if (proof.length > 0) throw tooLong(proof);
    if (!equalBytes(old.root, oldRoot)) throw isFork(old.size, tree.size);
    return;
  }
  const { oldRoot, root } = rootsFrom(hasher, old, tree, proof);
  if (!equalBytes(oldRoot, old.root) || !equalBytes(root, tree.root)) {
    throw isFork(old.size, tree.size);
  }
}

/** The roots that a proof of consistency leads to, of the old tree and of the new one. */
function rootsFrom(
  hasher: TreeHasher,
  old: TreeHead,
  tree: TreeHead,
  proof: readonly Uint8Array[],
): { oldRoot: Uint8Array; root: Uint8Array } {
  const way = new Way(old.size - 1, tree.size - 1);
  way.skipFull();
  // A full old tree is a node of the new one: its root begins the way and need not be sent.
  const [first, ...rest] = way.isLeftmost ? [old.root, ...proof] : proof;
  if (first === undefined) throw tooShort(proof);
  let oldRoot = first;
  let root = first;
  for (const hash of rest) {
    if (way.isAtRoot) throw tooLong(proof);
    if (way.isRight) oldRoot = hasher.node(hash, oldRoot);
    root = way.isRight ? hasher.node(hash, root) : hasher.node(root, hash);
    way.climb();
  }
  if (!way.isAtRoot) throw tooShort(proof);
  return { oldRoot, root };
}

/**
 * From a node up to the root, level by level, beside the way of the last leaf. By division, because
 * the operators on bits end at 2^32.
 */
class Way {
  #node: number;
  #last: number;

  constructor(node: number, last: number) {
    this.#node = node;
    this.#last = last;
  }

  get isAtRoot(): boolean {
    return this.#last === 0;
  }

  get isLeftmost(): boolean {
    return this.#node === 0;
  }

  /**
   * True when the next sibling is to the left. A last node without one has none until further up.
   */
  get isRight(): boolean {
    return this.#node % 2 === 1 || this.#node === this.#last;
  }

  climb(): void {
    if (this.isRight) {
      while (this.#node % 2 === 0 && this.#node !== 0) this.#halve();
    }
    this.#halve();
  }

  /** Past the levels where this node is a right child: up to the largest full subtree it ends. */
  skipFull(): void {
    while (this.#node % 2 === 1) this.#halve();
  }

  #halve(): void {
    this.#node = Math.floor(this.#node / 2);
    this.#last = Math.floor(this.#last / 2);
  }
}

function checkHashes(hashes: readonly Uint8Array[]): void {
  const wrong = hashes.find((hash) => hash.length !== hashBytes);
  if (wrong !== undefined) throw new ProofFault(`a hash has ${wrong.length} bytes, not 32`);
}

function tooLong(proof: readonly Uint8Array[]): ProofFault {
  return new ProofFault(`the proof has more hashes than its way to the root: ${proof.length}`);
}

function tooShort(proof: readonly Uint8Array[]): ProofFault {
  return new ProofFault(`the proof has fewer hashes than its way to the root: ${proof.length}`);
}

function isFork(oldSize: number, size: number): ProofFault {
  return new ProofFault(
    `the tree of size ${size} does not begin with that of size ${oldSize}: the log was changed, ` +
      'or the proof was. Keep both checkpoints: signed by one log they prove a fork',
  );
}
