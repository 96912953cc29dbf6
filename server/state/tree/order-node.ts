import type { Dictionary } from '../dictionary.ts';
import { orderFromStored, type IdSpan, type Order } from '../order.ts';
import { NodeFault, type NodeReader, type NodeWriter } from './bytes.ts';
import { openNode, putNode, startNode, type NodeSink, type NodeSource } from './nodes.ts';

/** Hashes of orders that were hashed before; an order never changes. */
const hashes = new WeakMap<Order, Buffer>();

/** An order of rows or columns: its spans in chunks that an edit elsewhere leaves as they are. */
export function putOrder(sink: NodeSink, order: Order): Buffer {
  const known = hashes.get(order);
  if (known && sink.has(known)) return known;
  const node = startNode('order');
  for (const spans of order.chunks()) {
    const chunk = startNode('spans');
    for (const span of spans) writeSpan(chunk, span);
    node.hash(putNode(sink, 'spans', chunk));
  }
  const hash = putNode(sink, 'order', node);
  hashes.set(order, hash);
  return hash;
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
  const order = orderFromStored(spans);
  hashes.set(order, hash);
  return dictionary.keepOrder(hash, order);
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
