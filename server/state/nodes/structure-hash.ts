import type { SheetOutline, Structure } from '../structure/structure.ts';
import type { NodeWriter } from './bytes.ts';
import { noSink, putNode, startNode, type NodeSink } from './nodes.ts';
import { putOrder } from './order-node.ts';

const hashes = new WeakMap<Structure, Buffer>();

/** Writes a structure as formulas refer to it: sheets with the orders of their rows and columns. */
export function putStructure(sink: NodeSink, structure: Structure): Buffer {
  const known = hashes.get(structure);
  if (known && sink.has(known)) return known;
  const node = startNode('structure');
  for (const sheet of structure.sheets) writeOutline(sink, node, sheet);
  const hash = putNode(sink, 'structure', node);
  hashes.set(structure, hash);
  return hash;
}

/** SHA-256 of sheets and orders in hex; equal for equal content, regardless of history. */
export function structureDigest(structure: Structure): string {
  return (hashes.get(structure) ?? putStructure(noSink, structure)).toString('hex');
}

export function writeOutline(sink: NodeSink, node: NodeWriter, sheet: SheetOutline): void {
  node.text(sheet.id);
  node.text(sheet.name);
  node.hash(putOrder(sink, sheet.rows));
  node.hash(putOrder(sink, sheet.columns));
}

/** Notes the hash of a structure that was read from storage. */
export function noteStructureHash(structure: Structure, hash: Buffer): void {
  hashes.set(structure, hash);
}
