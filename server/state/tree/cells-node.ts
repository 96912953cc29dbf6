import type { Block } from '../block.ts';
import type { Dictionary } from '../dictionary.ts';
import type { LineId } from '../order.ts';
import { SheetCells, type StoredColumn } from '../sheet-cells.ts';
import { getBlock, putBlock } from './block-node.ts';
import { NodeFault } from './bytes.ts';
import { getList, putList, type ListEntry, type NodeSink, type NodeSource } from './nodes.ts';

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
  for (const { key, block } of column.blocks()) {
    const hash = putBlock(sink, block, dictionary);
    if (hash) blocks.push([key, hash]);
    yield;
  }
  const hash = blocks.length === 0 ? null : putList(sink, blocks);
  column.noteDigest(hash);
  return hash;
}

export function* getCells(
  source: NodeSource,
  hash: Buffer,
  { dictionary, pool }: { dictionary: Dictionary; pool: BlockPool },
): Generator<void, SheetCells> {
  const cells = new SheetCells();
  for (const [columnKey, columnHash] of getList(source, hash)) {
    const blocks: Block[] = [];
    for (const [blockKey, blockHash] of getList(source, columnHash)) {
      const { branch, sequence, offset: index } = parseLine(blockKey);
      const place = { branch, sequence, index };
      const known = pool.find(blockHash);
      const block = known ?? getBlock(source, blockHash, { place, dictionary });
      if (!known) pool.keep(blockHash, block);
      // Blocks of equal content at two places are one node, but not one block.
      const isHere = block.branch === branch && block.sequence === sequence;
      blocks.push(isHere && block.index === index ? block : block.at(place));
      yield;
    }
    cells.restore(parseLine(columnKey), blocks, columnHash);
  }
  return cells;
}

function parseLine(text: string): LineId {
  const [branch, sequence, offset, ...more] = text.split('.').map(Number);
  const isLine = [branch, sequence, offset].every(Number.isSafeInteger) && more.length === 0;
  if (!isLine) throw new NodeFault(`${text} names no row or column`);
  return { branch: branch ?? 0, sequence: sequence ?? 0, offset: offset ?? 0 };
}
