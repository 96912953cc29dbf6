import type { Dictionary } from '../dictionary.ts';
import { Structure, type SheetOutline } from '../structure.ts';
import type { NodeReader } from './bytes.ts';
import { openNode, type NodeSource } from './nodes.ts';
import { getOrder } from './order-node.ts';
import { noteStructureHash } from './structure-hash.ts';

/** One that a formula was written in: mutations never name its sheets, so they need no keys. */
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
