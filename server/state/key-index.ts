import { blockLanes, cellTag, type Block } from './block.ts';
import type { CodedCell } from './cell-coding.ts';
import type { LineId } from './order.ts';
import type { Scale } from './scale.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetOutline } from './structure.ts';
import { sameLine } from './tables.ts';

/** A row and the entry that names it. */
const keyBytes = 110;

/** The rows whose cell of a column holds a value: nearly always one. */
interface Rows extends LineId {
  readonly others: Rows | undefined;
}

export interface KeyedRow {
  readonly key: CodedCell;
  readonly row: LineId;
}

/** Rows that came to have a key, or have it no more. */
export interface KeyChanges {
  readonly added: readonly KeyedRow[];
  readonly removed: readonly KeyedRow[];
}

interface ColumnIndex {
  readonly byNumber: Map<number, Rows>;
  /** By the text's place in the dictionary, which has each text once. */
  readonly byText: Map<number, Rows>;
  /** Of the column when the index was true. */
  writeCount: number;
  /** A fork uses it too, so whoever changes it copies it first. */
  isShared: boolean;
}

/**
 * Which row holds a value in a column: looked up by value, where a search would read the column.
 * Built when it is first asked for, kept up to date by what says how it changes a column, and built
 * anew after anything else wrote to it. It follows from the cells, so it is part of no state's hash.
 */
export class KeyIndexes {
  readonly #columns = new Map<string, ColumnIndex>();

  copy(): KeyIndexes {
    const copy = new KeyIndexes();
    for (const [key, index] of this.#columns) {
      index.isShared = true;
      copy.#columns.set(key, { ...index });
    }
    return copy;
  }

  /** Answers what looks up the rows of a value, wherever in the column they are. */
  *of(
    sheet: SheetOutline,
    column: LineId,
    cells: SheetCells,
  ): Generator<void, (key: CodedCell) => Rows | undefined> {
    const name = nameOf(sheet, column);
    const writeCount = cells.writeCountOf(column);
    let index = this.#columns.get(name);
    if (index?.writeCount !== writeCount) {
      index = { byNumber: new Map(), byText: new Map(), writeCount, isShared: false };
      for (const block of cells.blocksOf(column)) {
        addBlock(index, block);
        yield;
      }
      this.#columns.set(name, index);
    }
    const found = index;
    return (key) => mapOf(found, key)?.get(key.number);
  }

  /** To be called before the column is written to; what it returns, after. */
  expect(
    sheet: SheetOutline,
    { column, changes }: { column: LineId; changes: KeyChanges },
    cells: SheetCells,
  ): () => void {
    const name = nameOf(sheet, column);
    const known = this.#columns.get(name);
    const isTrue = known?.writeCount === cells.writeCountOf(column);
    return () => {
      if (!known || !isTrue) return;
      const { added, removed } = changes;
      const changeCount = added.length + removed.length;
      // Making it anew when it is asked for costs less than changing most of it.
      if (changeCount > (known.byNumber.size + known.byText.size) / 4) return;
      const index = known.isShared && changeCount > 0 ? owned(known) : known;
      for (const keyed of removed) remove(index, keyed);
      for (const keyed of added) add(index, keyed);
      index.writeCount = cells.writeCountOf(column);
      this.#columns.set(name, index);
    };
  }

  /** What they keep in memory; forks share what neither changed. */
  weigh(scale: Scale): void {
    for (const { byNumber, byText } of this.#columns.values()) {
      for (const rows of [byNumber, byText]) {
        if (scale.isNew(rows)) scale.add(rows.size * keyBytes);
      }
    }
  }

  drop(sheet: SheetOutline): void {
    for (const name of this.#columns.keys()) {
      if (name.startsWith(`${sheet.id} `)) this.#columns.delete(name);
    }
  }
}

/** Whether a cell can tell its row from others: numbers and texts can. */
export function isKey({ tag }: CodedCell): boolean {
  return tag === cellTag.number || tag === cellTag.text;
}

/** Equal for equal keys. */
export function keyText({ tag, number }: CodedCell): string {
  return `${tag} ${number}`;
}

export function* rowsOf(rows: Rows | undefined): Generator<LineId> {
  for (let row = rows; row; row = row.others) yield row;
}

function nameOf(sheet: SheetOutline, { branch, sequence, offset }: LineId): string {
  return `${sheet.id} ${branch}.${sequence}.${offset}`;
}

function owned({ byNumber, byText, writeCount }: ColumnIndex): ColumnIndex {
  const maps = { byNumber: new Map(byNumber), byText: new Map(byText) };
  return { ...maps, writeCount, isShared: false };
}

function mapOf(index: ColumnIndex, { tag }: CodedCell): Map<number, Rows> | undefined {
  if (tag === cellTag.number) return index.byNumber;
  return tag === cellTag.text ? index.byText : undefined;
}

function addBlock(index: ColumnIndex, block: Block): void {
  const { branch, sequence } = block;
  const [low, high] = block.window;
  for (let lane = low; lane < high; lane++) {
    const key = { tag: block.tagAt(lane), number: block.numberAt(lane) };
    const offset = block.index * blockLanes + lane;
    if (isKey(key)) add(index, { key, row: { branch, sequence, offset } });
  }
}

function add(index: ColumnIndex, { key, row }: KeyedRow): void {
  const map = mapOf(index, key);
  const { branch, sequence, offset } = row;
  map?.set(key.number, { branch, sequence, offset, others: map.get(key.number) });
}

function remove(index: ColumnIndex, { key, row }: KeyedRow): void {
  const map = mapOf(index, key);
  let rest: Rows | undefined;
  for (const other of rowsOf(map?.get(key.number))) {
    if (!sameLine(other, row)) rest = { ...other, others: rest };
  }
  if (rest) map?.set(key.number, rest);
  else map?.delete(key.number);
}
