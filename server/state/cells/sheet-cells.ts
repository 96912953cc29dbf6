import { rowLimit } from '../../model/address.ts';
import { Block, blockLanes, cellTag } from './block.ts';
import {
  lineKey,
  lineText,
  storedColumn,
  unreadBlock,
  type CellColumn,
  type HeldColumn,
} from './cell-column.ts';
import { EndIndex } from './end-index.ts';
import type { LeavingLines } from './end-spans.ts';
import {
  HeldBlock,
  type BlockPlace,
  type BlockSpot,
  type LineKey,
  type Owner,
  type ReadEnds,
  type UnreadBlock,
} from './held-block.ts';
import { heldLanes, lanesOf } from './held-lanes.ts';
import type { IdSpan, LineId } from '../ids/order.ts';
import type { Scale } from '../ids/scale.ts';
import { SpanSet } from '../ids/span-set.ts';
import type { Axis, SheetOutline } from '../structure/structure.ts';

/** Measured: a column with its entries, without its blocks. */
const columnBytes = 600;
/** Estimated bytes of an entry in the list of a column's blocks. */
const entryBytes = 40;
const weighedBetweenPauses = 256;

/** One column on its way into storage. */
export interface StoredColumn {
  readonly key: string;
  readonly id: LineId;
  readonly digest: Buffer | null | undefined;
  readonly blocks: () => { key: string; held: HeldBlock }[];
  /** Notes the digest of the column, once it was hashed; null when it holds nothing. */
  readonly noteDigest: (digest: Buffer | null) => void;
}

export interface BlockInColumn {
  readonly column: LineId;
  readonly block: Block;
}

/** A stretch of lanes in one block, and how many rows of the whole request stand before it. */
export interface Stretch {
  readonly block: Block;
  readonly from: number;
  readonly to: number;
  readonly skipped: number;
}

export interface UsedBounds {
  readonly row0: number;
  readonly column0: number;
  readonly row1: number;
  readonly column1: number;
}

/** The cells of one sheet, by identity of row and column: no edit of the order touches them. */
export class SheetCells {
  #columns = new Map<LineKey, CellColumn>();
  #owner: Owner = Symbol('owner');
  /** Index made when lines first leave the sheet; a copy makes its own. */
  #ends: EndIndex<BlockSpot> | undefined;
  /** Blocks that may have been written to since. */
  #touched: HeldBlock[] = [];
  /** Is false while a block in storage may hold an array that the dictionary does not have. */
  knowsArrays = true;

  /** Cells of columns that belong to nobody, and that other cells may share. */
  static of(columns: Iterable<CellColumn>, knowsArrays: boolean): SheetCells {
    const cells = new SheetCells();
    for (const column of columns) {
      cells.#columns.set(lineKey(column.id, column.id.offset), column);
    }
    cells.knowsArrays = knowsArrays;
    return cells;
  }

  /** A copy that shares all blocks until one of the two writes to them. */
  fork(): SheetCells {
    const fork = new SheetCells();
    fork.#columns = new Map(this.#columns);
    fork.knowsArrays = this.knowsArrays;
    this.#owner = Symbol('owner');
    return fork;
  }

  /** Returns columns by their keys, which are the same on all sides. */
  get columns(): ReadonlyMap<LineKey, HeldColumn> {
    return this.#columns;
  }

  /** The block and lane of a cell; undefined if nothing was ever written near it. */
  find(row: LineId, column: LineId): { block: Block; lane: number } | undefined {
    const owned = this.#columns
      .get(lineKey(column, column.offset))
      ?.blocks.get(lineKey(row, row.offset >>> 10));
    return owned && { block: owned.block, lane: row.offset & (blockLanes - 1) };
  }

  /** The block of a cell, made if need be; the caller is about to write to it. */
  blockForWrite(row: LineId, column: LineId): Block {
    const cells = this.#columnForWrite(column);
    return this.#blockForWrite(cells, row, row.offset >>> 10);
  }

  /** All stretches of the rows in one column, made if need be; the caller is about to write. */
  *stretchesForWrite(rows: readonly IdSpan[], column: LineId): Generator<Stretch> {
    const cells = this.#columnForWrite(column);
    for (const part of lanesOf(rows)) {
      yield { ...part, block: this.#blockForWrite(cells, part.span, part.blockIndex) };
    }
  }

  /** The stretches of the rows in one column that exist. */
  *stretches(rows: readonly IdSpan[], column: LineId): Generator<Stretch> {
    const cells = this.#columns.get(lineKey(column, column.offset));
    if (!cells) return;
    for (const { held, from, to, skipped } of heldLanes(rows, cells.blocks, lineKey)) {
      yield { block: held.block, from, to, skipped };
    }
  }

  /** Blanks the cells in the areas; walks the filled cells, not the areas. */
  *clear(
    rows: readonly IdSpan[],
    columns: readonly IdSpan[],
    what: { values: boolean; formats: boolean },
  ): Generator<void, void> {
    const wanted = new SpanSet(columns);
    for (const { id, blocks } of this.#columns.values()) {
      if (!wanted.has(id)) continue;
      for (const { span, blockIndex, from, to } of heldLanes(rows, blocks, lineKey)) {
        const cells = this.#columnForWrite(id);
        const block = this.#blockForWrite(cells, span, blockIndex);
        if (what.values) block.fill(from, to, cellTag.blank, 0);
        if (what.formats) block.fillFormat(from, to, 0);
        if (!block.base && block.isEmpty) cells.blocks.delete(lineKey(span, blockIndex));
        yield;
      }
    }
  }

  /** Returns whether the rows hold nothing in the columns; formats do not count. */
  areBlank(rows: readonly IdSpan[], columns: readonly IdSpan[]): boolean {
    const wanted = new SpanSet(columns);
    return [...this.columnIds()].every(
      (id) =>
        !wanted.has(id) ||
        [...this.stretches(rows, id)].every(({ block, from, to }) => block.isBlank(from, to)),
    );
  }

  /** Forgets columns that were deleted. */
  dropColumns(columns: readonly IdSpan[]): void {
    const wanted = new SpanSet(columns);
    for (const [key, cells] of this.#columns) {
      if (wanted.has(cells.id)) this.#columns.delete(key);
    }
  }

  /** The blocks of a column, in no order. */
  *blocksOf(column: LineId): Generator<Block> {
    const cells = this.#columns.get(lineKey(column, column.offset));
    for (const { block } of cells?.blocks.values() ?? []) yield block;
  }

  /** A number that is another one once the column was written to. */
  writeCountOf(column: LineId): number {
    return this.#columns.get(lineKey(column, column.offset))?.writeCount ?? 0;
  }

  /** Columns that hold something, in no order. */
  *columnIds(): Generator<LineId> {
    for (const { id } of this.#columns.values()) yield id;
  }

  /** All blocks of all columns, in no order. */
  *blocks(): Generator<BlockInColumn> {
    for (const { id, blocks } of this.#columns.values()) {
      for (const { block } of blocks.values()) yield { column: id, block };
    }
  }

  /** Reads what is still in storage: afterwards the dictionary has every formula of the sheet. */
  *readAll(): Generator<void> {
    for (const held of this.#allBlocks()) {
      held.readThrough();
      yield;
    }
  }

  /** Reads what may hold legacy arrays: afterwards the dictionary has every one of the sheet. */
  *readArrays(): Generator<void> {
    if (this.knowsArrays) return;
    for (const held of this.#allBlocks()) {
      held.readArrays();
      yield;
    }
    this.knowsArrays = true;
  }

  /** Blocks with formulas of which some range may end at the lines. */
  endingAt(lines: LeavingLines, endsOf: ReadEnds): BlockInColumn[] {
    const index = this.#indexedEnds(endsOf);
    return index.meeting(lines).flatMap(({ column, key }) => {
      const held = this.#columns.get(lineKey(column, column.offset))?.blocks.get(key);
      return held ? { column, block: held.block } : [];
    });
  }

  /** Does with pauses what the next search for such blocks would do first. */
  *indexEnds(endsOf: ReadEnds): Generator<void, void> {
    const touched = this.#ends ? this.#touched : [...this.#allBlocks()];
    this.#ends ??= new EndIndex();
    let count = 0;
    try {
      for (const held of touched) {
        this.#ends.put(held.spot, held.ends(endsOf));
        count++;
        yield;
      }
    } finally {
      this.#touched = touched.slice(count);
    }
  }

  #indexedEnds(endsOf: ReadEnds): EndIndex<BlockSpot> {
    const touched = this.#ends ? this.#touched : this.#allBlocks();
    this.#ends ??= new EndIndex();
    for (const held of touched) this.#ends.put(held.spot, held.ends(endsOf));
    this.#touched = [];
    return this.#ends;
  }

  *#allBlocks(): Generator<HeldBlock> {
    for (const { blocks } of this.#columns.values()) yield* blocks.values();
  }

  /** The smallest rectangle around all cells that are not blank. */
  used({ rows, columns }: SheetOutline): UsedBounds | undefined {
    let bounds: UsedBounds | undefined;
    for (const { id, blocks } of this.#columns.values()) {
      const column = columns.positionOf(id.branch, id.sequence, id.offset);
      if (column === undefined) continue;
      for (const { block } of blocks.values()) {
        for (const { first, last } of filledRows(block, rows)) {
          const piece = { row0: first, row1: last, column0: column, column1: column };
          bounds = bounds ? around(bounds, piece) : piece;
        }
      }
    }
    return bounds;
  }

  /** Returns whether a row or column at or behind a position holds anything. */
  isFilledFrom({ rows, columns }: SheetOutline, axis: Axis, position: number): boolean {
    const below = axis === 'row' ? rows.spansAt(position, rowLimit - position) : undefined;
    for (const { id, blocks } of this.#columns.values()) {
      const column = columns.positionOf(id.branch, id.sequence, id.offset);
      if (column === undefined) continue;
      if (below === undefined && column < position) continue;
      const isFilled = below
        ? [...this.stretches(below, id)].some(({ block, from, to }) => !block.isBlank(from, to))
        : [...blocks.values()].some(({ block }) => [...filledRows(block, rows)].length > 0);
      if (isFilled) return true;
    }
    return false;
  }

  get filledCount(): number {
    let count = 0;
    for (const { block } of this.#allBlocks()) count += block.filledCount;
    return count;
  }

  /** Adds the cells to the memory accounting, without columns and blocks that `beside` shares. */
  *weigh(scale: Scale, beside = new SheetCells()): Generator<void, void> {
    let count = 0;
    for (const [key, cells] of this.#columns) {
      if (++count % weighedBetweenPauses === 0) yield;
      const other = beside.#columns.get(key);
      if (cells === other || !scale.isNew(cells)) continue;
      scale.add(columnBytes + cells.blocks.size * entryBytes);
      for (const [at, held] of cells.blocks) {
        if (++count % weighedBetweenPauses === 0) yield;
        if (held !== other?.blocks.get(at)) held.weigh(scale);
      }
    }
  }

  /** Returns the bytes of the blocks that were read. */
  *openBytes(): Generator<void, number> {
    let [bytes, count] = [0, 0];
    for (const held of this.#allBlocks()) {
      bytes += held.openBytes;
      if (++count % weighedBetweenPauses === 0) yield;
    }
    return bytes;
  }

  /** Columns with their blocks, by the text of their ids: what is stored. */
  *stored(): Generator<StoredColumn> {
    const columns = [...this.#columns.values()].map((cells) => ({
      key: lineText(cells.id, cells.id.offset),
      cells,
    }));
    for (const { key, cells } of columns.sort(byKey)) {
      yield {
        key,
        id: cells.id,
        digest: cells.digest,
        blocks: () => storedBlocks(cells),
        noteDigest: (digest) => void (cells.digest = digest),
      };
    }
  }

  /** A column that was stored. Its blocks belong to nobody: whoever writes copies them. */
  restore(id: LineId, blocks: Iterable<UnreadBlock>, digest: Buffer | undefined): void {
    const held = Array.from(blocks, (unread) => unreadBlock(id, unread));
    if (held.length > 0) this.knowsArrays = false;
    this.#columns.set(lineKey(id, id.offset), storedColumn(id, held, digest));
  }

  #columnForWrite(id: LineId): CellColumn {
    const key = lineKey(id, id.offset);
    let cells = this.#columns.get(key);
    if (cells?.owner !== this.#owner) {
      const { blocks, writeCount = 0 } = cells ?? {};
      cells = { owner: this.#owner, id, blocks: new Map(blocks), writeCount, digest: undefined };
      this.#columns.set(key, cells);
    }
    cells.writeCount++;
    cells.digest = undefined;
    return cells;
  }

  #blockForWrite(
    cells: CellColumn,
    run: { branch: number; sequence: number },
    index: number,
  ): Block {
    const key = lineKey(run, index);
    let held = cells.blocks.get(key);
    if (held?.owner !== this.#owner) {
      const block = held?.copy() ?? new Block(run.branch, run.sequence, index);
      held = HeldBlock.of(this.#owner, held?.spot ?? { column: cells.id, key }, block);
      cells.blocks.set(key, held);
    }
    if (this.#ends && held.touch()) this.#touched.push(held);
    return held.block;
  }
}

function around(a: UsedBounds, b: UsedBounds): UsedBounds {
  return {
    row0: Math.min(a.row0, b.row0),
    column0: Math.min(a.column0, b.column0),
    row1: Math.max(a.row1, b.row1),
    column1: Math.max(a.column1, b.column1),
  };
}

/** First and last filled row of each piece of a block that stands together. */
function* filledRows(block: Block, rows: SheetOutline['rows']) {
  if (block.filledCount === 0) return;
  const [low, high] = block.window;
  const { branch, sequence } = block;
  const span = { branch, sequence, offset: block.index * blockLanes + low, length: high - low };
  for (const piece of rows.piecesOf(span)) {
    const start = low + piece.skipped;
    let from = start;
    let to = start + piece.length;
    while (from < to && block.tagAt(from) === cellTag.blank) from++;
    while (from < to && block.tagAt(to - 1) === cellTag.blank) to--;
    if (from === to) continue;
    yield { first: piece.position + (from - start), last: piece.position + (to - 1 - start) };
  }
}

function storedBlocks({ blocks }: CellColumn): { key: string; held: HeldBlock }[] {
  const keyed = [...blocks.values()].map((held) => ({ key: placeText(held.place), held }));
  return keyed.sort(byKey);
}

function placeText(place: BlockPlace): string {
  return lineText(place, place.index);
}

function byKey(a: { key: string }, b: { key: string }): number {
  return a.key < b.key ? -1 : 1;
}
