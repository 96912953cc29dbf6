import { blockLanes, cellTag, type Block } from './block.ts';
import type { CodedCell } from './cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import type { Scale } from '../ids/scale.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { sameLine } from '../structure/tables.ts';

/** A row, the text of its key, and the entry that names it. */
const keyBytes = 150;

/** The rows whose cell of a column holds a value: nearly always one. */
export interface KeyedRows extends LineId {
  readonly others: KeyedRows | undefined;
}

export interface KeyedRow {
  readonly key: CodedCell;
  readonly row: LineId;
}

/**
 * Changes on top of an index that is shared: they are copied at the first write after a fork, so
 * with more than these the index is made anew, which leaves turns to others.
 */
const changesMost = 20_000;

/** Rows by key: an index, and what was changed since somebody else shares it. */
class KeyRows {
  readonly #base: Map<KeyName, KeyedRows>;
  /** Undefined as long as nobody shares the base. */
  readonly #changes: Map<KeyName, KeyedRows | undefined> | undefined;
  /** Entries as they were when somebody began to watch; undefined while nobody does. */
  #former: Map<KeyName, KeyedRows | undefined> | undefined;

  constructor(base = new Map<KeyName, KeyedRows>(), changes?: Map<KeyName, KeyedRows | undefined>) {
    this.#base = base;
    this.#changes = changes;
  }

  /** A million keys are not copied: that takes a third of a second. */
  onTop(): KeyRows {
    return new KeyRows(this.#base, new Map(this.#changes));
  }

  get size(): number {
    return this.#base.size + this.changeCount;
  }

  get changeCount(): number {
    return this.#changes?.size ?? 0;
  }

  get(name: KeyName): KeyedRows | undefined {
    const changes = this.#changes;
    return changes?.has(name) === true ? changes.get(name) : this.#base.get(name);
  }

  /** The entries as they are now, however they change: to be read until `unwatch`. */
  watched(): WatchedRows {
    const former = new Map<KeyName, KeyedRows | undefined>();
    this.#former = former;
    const get = (name: KeyName): KeyedRows | undefined =>
      former.has(name) ? former.get(name) : this.get(name);
    return { get };
  }

  unwatch(): void {
    this.#former = undefined;
  }

  #note(name: KeyName): void {
    if (this.#former?.has(name) === false) this.#former.set(name, this.get(name));
  }

  set(name: KeyName, rows: KeyedRows): void {
    this.#note(name);
    (this.#changes ?? this.#base).set(name, rows);
  }

  delete(name: KeyName): void {
    this.#note(name);
    if (this.#changes) this.#changes.set(name, undefined);
    else this.#base.delete(name);
  }

  weigh(scale: Scale): void {
    for (const map of [this.#base, this.#changes]) {
      if (map && scale.isNew(map)) scale.add(map.size * keyBytes);
    }
  }
}

type WatchedRows = Pick<KeyRows, 'get'>;

/** Rows that came to have a key, or have it no more. */
export interface KeyChanges {
  readonly added: readonly KeyedRow[];
  readonly removed: readonly KeyedRow[];
}

interface ColumnIndex {
  readonly rows: KeyRows;
  /** Write count of the column at the moment when the index was true. */
  writeCount: number;
  /** A fork uses it too, so whoever changes it has changes of its own on top. */
  isShared: boolean;
}

/**
 * Index of columns: finds the rows that hold a value, where a search would read the column. Built
 * at its first use, kept up to date by code that says how it changes a column, and built anew after
 * any other write. It follows from the cells, so it is part of no state's hash.
 */
export class KeyIndexes {
  readonly #columns = new Map<string, ColumnIndex>();
  /** Indexes of a writer, as they were when this side began to watch it. */
  readonly #watched = new Map<string, { rows: WatchedRows; writeCount: number }>();

  copy(): KeyIndexes {
    const copy = new KeyIndexes();
    for (const [key, index] of this.#columns) {
      index.isShared = true;
      copy.#columns.set(key, { ...index });
    }
    return copy;
  }

  /** Indexes for readers who stay at the state as it is now, while this side goes on. */
  watched(): KeyIndexes {
    const watching = new KeyIndexes();
    for (const [name, { rows, writeCount }] of this.#columns) {
      watching.#watched.set(name, { rows: rows.watched(), writeCount });
    }
    return watching;
  }

  /** Ends the watch; nobody may read the watching side any more. */
  unwatch(): void {
    for (const { rows } of this.#columns.values()) rows.unwatch();
  }

  /** Takes over what readers at an earlier state had to build. */
  adopt(watching: KeyIndexes): void {
    for (const [name, index] of watching.#columns) {
      if ((this.#columns.get(name)?.writeCount ?? -1) >= index.writeCount) continue;
      this.#columns.set(name, index);
    }
  }

  /**
   * Yields pauses and returns a function that finds the rows of a value, wherever in the column
   * they are.
   */
  *of(
    sheet: SheetOutline,
    column: LineId,
    cells: SheetCells,
  ): Generator<void, (key: CodedCell) => KeyedRows | undefined> {
    const name = nameOf(sheet, column);
    const writeCount = cells.writeCountOf(column);
    const watched = this.#watched.get(name);
    if (watched?.writeCount === writeCount) return (key) => watched.rows.get(keyName(key));
    let index = this.#columns.get(name);
    if (index?.writeCount !== writeCount) {
      index = { rows: new KeyRows(), writeCount, isShared: false };
      for (const block of cells.blocksOf(column)) {
        addBlock(index, block);
        yield;
      }
      this.#columns.set(name, index);
    }
    const found = index;
    return (key) => found.rows.get(keyName(key));
  }

  /**
   * Prepares for a write to the column; to be called before it, and the returned function after it.
   */
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
      if (changeCount > known.rows.size / 4) return;
      if (known.isShared && known.rows.changeCount + changeCount > changesMost) return;
      const index = known.isShared && changeCount > 0 ? owned(known) : known;
      for (const keyed of removed) remove(index, keyed);
      for (const keyed of added) add(index, keyed);
      index.writeCount = cells.writeCountOf(column);
      this.#columns.set(name, index);
    };
  }

  /**
   * Adds the indexes to the memory accounting; forks share the ones that neither of them changed.
   */
  weigh(scale: Scale): void {
    for (const { rows } of this.#columns.values()) {
      rows.weigh(scale);
    }
  }

  drop(sheet: SheetOutline): void {
    for (const name of this.#columns.keys()) {
      if (name.startsWith(`${sheet.id} `)) this.#columns.delete(name);
    }
  }
}

/** Returns whether a cell can tell its row from others: numbers and texts can. */
export function isKey({ tag }: CodedCell): boolean {
  return tag === cellTag.number || tag === cellTag.text;
}

/** Equal for equal keys. */
export function keyText({ tag, number }: CodedCell): string {
  return `${tag} ${number}`;
}

/**
 * A key in a map of this process. V8 hashes texts under a key of the process, but numbers without
 * one: numbers that were made to meet would be one long chain. A text is its place in the
 * dictionary, which nobody chooses.
 */
export type KeyName = string | number;

/** Equal for equal keys, and of texts made of nothing. */
export function keyName({ tag, number }: CodedCell): KeyName {
  return tag === cellTag.text ? number : keyText({ tag, number });
}

export function* rowsOf(rows: KeyedRows | undefined): Generator<LineId> {
  for (let row = rows; row; row = row.others) yield row;
}

function nameOf(sheet: SheetOutline, { branch, sequence, offset }: LineId): string {
  return `${sheet.id} ${branch}.${sequence}.${offset}`;
}

function owned({ rows, writeCount }: ColumnIndex): ColumnIndex {
  return { rows: rows.onTop(), writeCount, isShared: false };
}

function addBlock(index: ColumnIndex, block: Block): void {
  const { branch, sequence } = block;
  const [low, high] = block.window;
  for (let lane = low; lane < high; lane++) {
    const key = { tag: block.tagAt(lane), number: block.numberAt(lane) };
    const offset = block.index * blockLanes + lane;
    add(index, { key, row: { branch, sequence, offset } });
  }
}

function add({ rows }: ColumnIndex, { key, row }: KeyedRow): void {
  if (!isKey(key)) return;
  const { branch, sequence, offset } = row;
  const name = keyName(key);
  rows.set(name, { branch, sequence, offset, others: rows.get(name) });
}

function remove({ rows }: ColumnIndex, { key, row }: KeyedRow): void {
  const name = keyName(key);
  let rest: KeyedRows | undefined;
  for (const other of rowsOf(rows.get(name))) {
    if (!sameLine(other, row)) rest = { ...other, others: rest };
  }
  if (rest) rows.set(name, rest);
  else rows.delete(name);
}
