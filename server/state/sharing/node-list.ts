import { NodeFault } from '../nodes/bytes.ts';
import type { NodeKind, NodeSink, NodeSource } from '../nodes/nodes.ts';

/** A node by its hash, as another thread is sent it. */
export type SentNode = readonly [hash: Uint8Array, bytes: Uint8Array];

/** Nodes in memory: those that were put, or sent by another thread. */
export class NodeList implements NodeSink, NodeSource {
  readonly #nodes = new Map<string, SentNode>();
  #new: SentNode[] = [];

  has(hash: Uint8Array): boolean {
    return this.#nodes.has(nameOf(hash));
  }

  put(_kind: NodeKind, hash: Uint8Array, bytes: Uint8Array): void {
    const node: SentNode = [hash, bytes];
    this.#nodes.set(nameOf(hash), node);
    this.#new.push(node);
  }

  /** Returns the nodes that were put since the last call. */
  takeNew(): readonly SentNode[] {
    return this.#new.splice(0);
  }

  add(nodes: Iterable<SentNode>): void {
    for (const node of nodes) this.#nodes.set(nameOf(node[0]), node);
  }

  get(hash: Uint8Array): Uint8Array {
    const node = this.#nodes.get(nameOf(hash));
    if (!node) throw new NodeFault('a node was not sent');
    return node[1];
  }

  weigh(): void {
    // Lives as long as the task that it was sent for.
  }
}

function nameOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.byteLength).toString('latin1');
}
