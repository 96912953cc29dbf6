import type { Dictionary } from '../cells/dictionary.ts';
import { chunkAt, type SpanPlace } from '../ids/order-chunks.ts';
import { genesisOrder, orderFromStored, type IdSpan, type Order } from '../ids/order.ts';
import type { SpanLeaf } from '../ids/span-tree.ts';
import { NodeFault, type NodeReader, type NodeWriter } from './bytes.ts';
import { openNode, putNode, startNode, type NodeSink, type NodeSource } from './nodes.ts';

/** Known hashes of orders; an order never changes. */
const hashes = new WeakMap<Order, Buffer>();

/**
 * Writes an order of rows or columns, with its spans in chunks that edits elsewhere leave
 * unchanged.
 */
export function putOrder(sink: NodeSink, order: Order): Buffer {
  const known = hashes.get(order);
  if (known && sink.has(known)) return known;
  const node = startNode('order');
  const leaves = order.leaves();
  for (let place: SpanPlace = { leaf: 0, row: 0 }; place.leaf < leaves.length;) {
    const chunk = knownChunk(leaves, place);
    const isStored = chunk && sink.has(chunk.hash);
    const { hash, next } = isStored ? chunk : putChunk(sink, leaves, place);
    node.hash(hash);
    place = next;
  }
  const hash = putNode(sink, 'order', node);
  hashes.set(order, hash);
  return hash;
}

/** A hashed chunk, and the parts that must be unchanged for the hash to be valid. */
interface HashedChunk {
  readonly hash: Buffer;
  /** Leaves from the one in which it begins to that of the span behind it. */
  readonly leaves: readonly SpanLeaf[];
  /** Index in its leaf of the span behind the chunk; undefined if there is none. */
  readonly nextRow: number | undefined;
}

/** Hashed chunks by the leaf and row in which they begin; most leaves are those of older orders. */
const chunkHashes = new WeakMap<SpanLeaf, Map<number, HashedChunk>>();

function knownChunk(leaves: readonly SpanLeaf[], { leaf, row }: SpanPlace) {
  const first = leaves[leaf];
  const known = first && chunkHashes.get(first)?.get(row);
  if (!known || !known.leaves.every((one, at) => one === leaves[leaf + at])) return undefined;
  const { hash, nextRow } = known;
  const end = leaf + known.leaves.length;
  if (nextRow !== undefined) return { hash, next: { leaf: end - 1, row: nextRow } };
  return end === leaves.length ? { hash, next: { leaf: end, row: 0 } } : undefined;
}

function putChunk(sink: NodeSink, leaves: readonly SpanLeaf[], { leaf, row }: SpanPlace) {
  const { spans, next } = chunkAt(leaves, { leaf, row });
  const chunk = startNode('spans');
  for (const span of spans) writeSpan(chunk, span);
  const hash = putNode(sink, 'spans', chunk);
  const isLast = next.leaf === leaves.length;
  const known = { hash, leaves: leaves.slice(leaf, next.leaf + 1) };
  const first = leaves[leaf];
  const rows = (first && chunkHashes.get(first)) ?? new Map<number, HashedChunk>();
  rows.set(row, { ...known, nextRow: isLast ? undefined : next.row });
  if (first) chunkHashes.set(first, rows);
  return { hash, next };
}

/**
 * Reads an order. Equal orders are returned as one object, by which formulas see that nothing
 * moved.
 */
export function getOrder(source: NodeSource, hash: Buffer, dictionary: Dictionary): Order {
  const known = dictionary.order(hash);
  if (known) return known;
  const node = openNode(source, 'order', hash);
  const spans: IdSpan[] = [];
  while (!node.isAtEnd) {
    const chunk = openNode(source, 'spans', node.hash());
    while (!chunk.isAtEnd) spans.push(readSpan(chunk));
  }
  if (spans.at(-1)?.length !== Infinity) throw new NodeFault('an order has an end');
  const order = isGenesis(spans) ? genesisOrder : orderFromStored(spans);
  hashes.set(order, hash);
  return dictionary.keepOrder(hash, order);
}

function isGenesis([first, ...more]: readonly IdSpan[]): boolean {
  return more.length === 0 && first?.branch === 0 && first.sequence === 0 && first.offset === 0;
}

/** Writes a span; the last one has no end, which is written as length 0. */
function writeSpan(writer: NodeWriter, { branch, sequence, offset, length }: IdSpan): void {
  writer.count(branch);
  writer.count(sequence);
  writer.count(offset);
  writer.count(length === Infinity ? 0 : length);
}

function readSpan(reader: NodeReader): IdSpan {
  const [branch, sequence, offset] = [reader.count(), reader.count(), reader.count()];
  return { branch, sequence, offset, length: reader.count() || Infinity };
}
