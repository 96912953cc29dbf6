import type { Dictionary } from '../dictionary.ts';
import { Structure, type SheetOutline } from '../structure.ts';
import type { NodeReader, NodeWriter } from './bytes.ts';
import { noSink, openNode, putNode, startNode, type NodeSink, type NodeSource } from './nodes.ts';
import { getOrder, putOrder } from './order-node.ts';

const hashes = new WeakMap<Structure, Buffer>();

/** A structure as formulas name it: sheets with the orders of their rows and columns. */
export function putStructure(sink: NodeSink, structure: Structure): Buffer {
  const known = hashes.get(structure);
  if (known && sink.has(known)) return known;
  const node = startNode('structure');
  for (const sheet of structure.sheets) writeOutline(sink, node, sheet);
  const hash = putNode(sink, 'structure', node);
  hashes.set(structure, hash);
  return hash;
}

/** SHA-256 in hex; equal for equal sheets and orders, whatever edits led there. */
export function structureDigest(structure: Structure): string {
  return (hashes.get(structure) ?? putStructure(noSink, structure)).toString('hex');
}

/** One that a formula was written in: mutations never name its sheets, so they need no keys. */
export function getStructure(source: NodeSource, hash: Buffer, dictionary: Dictionary): Structure {
  const known = dictionary.structure(hash.toString('hex'));
  if (known) return known;
  const node = openNode(source, 'structure', hash);
  const sheets: SheetOutline[] = [];
  while (!node.isAtEnd) sheets.push({ ...readOutline(source, node, dictionary), key: 0 });
  const structure = new Structure(sheets);
  hashes.set(structure, hash);
  return dictionary.keepStructure(structure);
}

export function writeOutline(sink: NodeSink, node: NodeWriter, sheet: SheetOutline): void {
  node.text(sheet.id);
  node.text(sheet.name);
  node.hash(putOrder(sink, sheet.rows));
  node.hash(putOrder(sink, sheet.columns));
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
