import type { Block } from '../cells/block.ts';
import type { Dictionary } from '../cells/dictionary.ts';
import type { SheetNaming } from '../cells/identity-reader.ts';
import type { UnreadBlock } from '../cells/held-block.ts';
import type { LineId } from '../ids/order.ts';
import { SheetCells, type StoredColumn } from '../cells/sheet-cells.ts';
import { getBlock, mayHoldArrays, putBlock, type BlockReading } from './block-node.ts';
import type { FormulaForm } from '../structure/section.ts';
import { NodeFault } from '../nodes/bytes.ts';
import {
  getList,
  putList,
  type ListEntry,
  type NodeSink,
  type NodeSource,
} from '../nodes/nodes.ts';

/** Blocks by place and hash, so that states of one workbook share equal ones. */
export interface BlockPool {
  find(name: string): Block | undefined;
  keep(name: string, block: Block): void;
}

interface CellsWriting {
  readonly form: FormulaForm;
  readonly sheetId: string;
  readonly dictionary: Dictionary;
}

/** The cells of a sheet: a list of columns, each a list of blocks. */
export function* putCells(
  sink: NodeSink,
  cells: SheetCells,
  writing: CellsWriting,
): Generator<void, Buffer> {
  const columns: ListEntry[] = [];
  for (const column of cells.stored()) {
    const hash = yield* putColumn(sink, column, writing);
    if (hash) columns.push([column.key, hash]);
  }
  return putList(sink, columns);
}

function* putColumn(
  sink: NodeSink,
  column: StoredColumn,
  { form, sheetId, dictionary }: CellsWriting,
): Generator<void, Buffer | null> {
  const { id, digest } = column;
  const isKnown = form === 'ids';
  if (isKnown && (digest === null || (digest && sink.has(digest)))) return digest;
  const blocks: ListEntry[] = [];
  const writing = { form, home: { sheetId, column: id }, dictionary };
  for (const { key, held } of column.blocks()) {
    const known = isKnown && held.digest;
    const hash = known && sink.has(known) ? known : putBlock(sink, held.block, writing);
    if (hash) blocks.push([key, hash]);
    yield;
  }
  const hash = blocks.length === 0 ? null : putList(sink, blocks);
  if (isKnown) column.noteDigest(hash);
  return hash;
}

interface CellsReading extends CellsWriting {
  readonly pool: BlockPool;
  readonly nameOf: SheetNaming;
}

/** Reads columns and lists of blocks; the blocks must exist, and are unpacked on first use. */
export function* getCells(
  source: NodeSource,
  hash: Buffer,
  reading: CellsReading,
): Generator<void, SheetCells> {
  const { form, sheetId } = reading;
  const cells = new SheetCells();
  for (const [columnKey, columnHash] of getList(source, hash)) {
    const column = parseLine(columnKey);
    const home = { sheetId, column };
    const blocks: UnreadBlock[] = [];
    for (const [blockKey, stored] of getList(source, columnHash)) {
      const { branch, sequence, offset: index } = parseLine(blockKey);
      const place = { branch, sequence, index };
      if (!source.has(stored))
        throw new NodeFault(`the block ${stored.toString('hex')} is missing`);
      const read = (): Block => readBlock(source, stored, { ...reading, ...home, place });
      const isInIds = form === 'ids';
      blocks.push({
        place,
        digest: isInIds ? stored : undefined,
        source,
        read,
        mayHoldArrays: () => !isInIds || mayHoldArrays(source, stored),
      });
    }
    yield;
    cells.restore(column, blocks, form === 'ids' ? columnHash : undefined);
  }
  return cells;
}

function readBlock(
  source: NodeSource,
  hash: Buffer,
  at: BlockReading & { readonly pool: BlockPool },
): Block {
  const { place, sheetId, column, pool } = at;
  // Formulas depend on the place, so equal blocks at different places are not shared.
  const spot = [sheetId, column.branch, column.sequence, column.offset];
  const rows = [place.branch, place.sequence, place.index];
  const name = `${hash.toString('latin1')} ${[...spot, ...rows].join(' ')}`;
  const known = pool.find(name);
  const block = known ?? getBlock(source, hash, at);
  if (!known) pool.keep(name, block);
  return block;
}

function parseLine(text: string): LineId {
  const [branch, sequence, offset, ...more] = text.split('.').map(Number);
  const isLine = [branch, sequence, offset].every(Number.isSafeInteger) && more.length === 0;
  if (!isLine) throw new NodeFault(`${text} names no row or column`);
  return { branch: branch ?? 0, sequence: sequence ?? 0, offset: offset ?? 0 };
}
