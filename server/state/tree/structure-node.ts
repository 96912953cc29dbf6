import type { Dictionary, UnreadStructure } from '../cells/dictionary.ts';
import { Structure, type SheetOutline } from '../structure/structure.ts';
import type { NodeReader } from '../nodes/bytes.ts';
import { openNode, type NodeKind, type NodeSink, type NodeSource } from '../nodes/nodes.ts';
import { getOrder } from '../nodes/order-node.ts';
import { noteStructureHash } from '../nodes/structure-hash.ts';

/** Reads the structure of a formula. Its sheets need no keys, because mutations never name them. */
export function getStructure(source: NodeSource, hash: Buffer, dictionary: Dictionary): Structure {
  const known = dictionary.structure(hash.toString('hex'));
  if (known) return known;
  const node = openNode(source, 'structure', hash);
  const sheets: SheetOutline[] = [];
  while (!node.isAtEnd) sheets.push({ ...readOutline(source, node, dictionary), key: 0 });
  const structure = new Structure(sheets);
  noteStructureHash(structure, hash);
  return dictionary.keepStructure(structure);
}

/** Copies the nodes of a structure without parsing them. */
export function copyStructure(sink: NodeSink, { hash, source }: UnreadStructure): Buffer {
  if (sink.has(hash)) return hash;
  const node = openNode(source, 'structure', hash);
  while (!node.isAtEnd) {
    node.text();
    node.text();
    copyOrder(sink, source, node.hash());
    copyOrder(sink, source, node.hash());
  }
  copyNode(sink, source, { kind: 'structure', hash });
  return hash;
}

function copyOrder(sink: NodeSink, source: NodeSource, hash: Buffer): void {
  if (sink.has(hash)) return;
  const order = openNode(source, 'order', hash);
  while (!order.isAtEnd) copyNode(sink, source, { kind: 'spans', hash: order.hash() });
  copyNode(sink, source, { kind: 'order', hash });
}

function copyNode(
  sink: NodeSink,
  source: NodeSource,
  { kind, hash }: { kind: NodeKind; hash: Buffer },
): void {
  if (!sink.has(hash)) sink.put(kind, Buffer.from(hash), Buffer.from(source.get(hash)));
}

export function readOutline(
  source: NodeSource,
  node: NodeReader,
  dictionary: Dictionary,
): Omit<SheetOutline, 'key'> {
  const [id, name] = [node.text(), node.text()];
  const rows = getOrder(source, node.hash(), dictionary);
  const columns = getOrder(source, node.hash(), dictionary);
  return { id, name, rows, columns };
}
