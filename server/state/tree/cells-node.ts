import type { Block } from '../cells/block.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import type { BlockPlace, UnreadBlock } from '../cells/held-block.ts';
import type { LineId } from '../ids/order.ts';
import { SheetCells, type StoredColumn } from '../cells/sheet-cells.ts';
import { getBlock, putBlock } from './block-node.ts';
import { NodeFault } from '../nodes/bytes.ts';
import {
  getList,
  putList,
  type ListEntry,
  type NodeSink,
  type NodeSource,
} from '../nodes/nodes.ts';

/** Blocks by their hash, so that states of one workbook share those that are equal. */
export interface BlockPool {
  find(hash: Buffer): Block | undefined;
  keep(hash: Buffer, block: Block): void;
}

/** The cells of a sheet: a list of columns, each a list of blocks. */
export function* putCells(
  sink: NodeSink,
  cells: SheetCells,
  dictionary: Dictionary,
): Generator<void, Buffer> {
  const columns: ListEntry[] = [];
  for (const column of cells.stored()) {
    const hash = yield* putColumn(sink, column, dictionary);
    if (hash) columns.push([column.key, hash]);
  }
  return putList(sink, columns);
}

function* putColumn(
  sink: NodeSink,
  column: StoredColumn,
  dictionary: Dictionary,
): Generator<void, Buffer | null> {
  const { digest } = column;
  if (digest === null || (digest && sink.has(digest))) return digest;
  const blocks: ListEntry[] = [];
  for (const { key, held } of column.blocks()) {
    const known = held.digest;
    const hash = known && sink.has(known) ? known : putBlock(sink, held.block, dictionary);
    if (hash) blocks.push([key, hash]);
    yield;
  }
  const hash = blocks.length === 0 ? null : putList(sink, blocks);
  column.noteDigest(hash);
  return hash;
}

/** Reads the lists alone: a block has to be there, and is read when somebody needs it. */
export function* getCells(
  source: NodeSource,
  hash: Buffer,
  { dictionary, pool }: { dictionary: Dictionary; pool: BlockPool },
): Generator<void, SheetCells> {
  const cells = new SheetCells();
  for (const [columnKey, columnHash] of getList(source, hash)) {
    const blocks: UnreadBlock[] = [];
    for (const [blockKey, digest] of getList(source, columnHash)) {
      const { branch, sequence, offset: index } = parseLine(blockKey);
      const place = { branch, sequence, index };
      if (!source.has(digest))
        throw new NodeFault(`the block ${digest.toString('hex')} is missing`);
      const read = (): Block => readBlock(source, digest, { place, dictionary, pool });
      blocks.push({ place, digest, source, read });
    }
    yield;
    cells.restore(parseLine(columnKey), blocks, columnHash);
  }
  return cells;
}

function readBlock(
  source: NodeSource,
  hash: Buffer,
  at: { place: BlockPlace; dictionary: Dictionary; pool: BlockPool },
): Block {
  const { place, dictionary, pool } = at;
  const known = pool.find(hash);
  const block = known ?? getBlock(source, hash, { place, dictionary });
  if (!known) pool.keep(hash, block);
  // Blocks of equal content at two places are one node, but not one block.
  const { branch, sequence, index } = place;
  const isHere = block.branch === branch && block.sequence === sequence;
  return isHere && block.index === index ? block : block.at(place);
}

function parseLine(text: string): LineId {
  const [branch, sequence, offset, ...more] = text.split('.').map(Number);
  const isLine = [branch, sequence, offset].every(Number.isSafeInteger) && more.length === 0;
  if (!isLine) throw new NodeFault(`${text} names no row or column`);
  return { branch: branch ?? 0, sequence: sequence ?? 0, offset: offset ?? 0 };
}
