import type { Dictionary } from '../cells/dictionary.ts';
import { chunkAt, type SpanPlace } from '../ids/order-chunks.ts';
import { genesisOrder, orderFromStored, type IdSpan, type Order } from '../ids/order.ts';
import type { SpanLeaf } from '../ids/span-tree.ts';
import { NodeFault, type NodeReader, type NodeWriter } from './bytes.ts';
import { openNode, putNode, startNode, type NodeSink, type NodeSource } from './nodes.ts';

/** Hashes of orders that were hashed before; an order never changes. */
const hashes = new WeakMap<Order, Buffer>();

/** An order of rows or columns: its spans in chunks that an edit elsewhere leaves as they are. */
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

/** A chunk that was hashed, and what has to be as it was then for it to be that chunk again. */
interface HashedChunk {
  readonly hash: Buffer;
  /** From the leaf it begins in to the one of the span behind it. */
  readonly leaves: readonly SpanLeaf[];
  /** Row of the span behind the chunk in its leaf; undefined when there is none. */
  readonly nextRow: number | undefined;
}

/** By the leaf a chunk begins in, and the row there. Most leaves are those of older orders. */
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

/** Equal orders come back as one and the same, which is how formulas see that nothing moved. */
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

/** The last span has no end, which is written as no length. */
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
