import { blockLanes, cellTag, type Block } from './block.ts';
import type { CodedCell } from './cell-coding.ts';
import { KeyTable, keyText, type KeyedRows } from './key-table.ts';
import type { LineId } from '../ids/order.ts';
import type { Scale } from '../ids/scale.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { sameLine } from '../structure/tables.ts';

export interface KeyedRow {
  readonly key: CodedCell;
  readonly row: LineId;
}

const keysBetweenPauses = 512;

/** Changes that may lie on top of a shared index before it is copied, at least. */
const changesLeast = 20_000;
/** The same as a part of its keys. */
const changesPart = 1 / 8;

/** Rows by key: an index, with the changes since it was shared. */
class KeyRows {
  readonly #base: KeyTable;
  /** Changes to the base; undefined while it is not shared. */
  readonly #changes: KeyTable | undefined;
  /** Former values of entries that changed since a watch began; undefined without a watch. */
  #former: Map<string, KeyedRows | undefined> | undefined;

  constructor(base = new KeyTable(), changes?: KeyTable) {
    this.#base = base;
    this.#changes = changes;
  }

  /** Returns an index for a fork, with room for changes on top of this one. */
  *onTop(changeCount: number): Generator<void, KeyRows> {
    const all = (this.#changes?.size ?? 0) + changeCount;
    if (all <= Math.max(changesLeast, this.#base.size * changesPart)) {
      return new KeyRows(this.#base, this.#changes?.copy() ?? new KeyTable());
    }
    const base = this.#base.copy();
    if (this.#changes) yield* base.take(this.#changes);
    return new KeyRows(base);
  }

  get size(): number {
    return this.#base.size + (this.#changes?.size ?? 0);
  }

  get(key: CodedCell): KeyedRows | undefined {
    const changed = this.#changes?.get(key);
    return (changed === undefined ? this.#base.get(key) : changed) ?? undefined;
  }

  /**
   * Returns a view of the present entries, which stays valid while they change, until `unwatch`.
   */
  watched(): WatchedRows {
    const former = new Map<string, KeyedRows | undefined>();
    this.#former = former;
    const get = (key: CodedCell): KeyedRows | undefined => {
      const name = former.size > 0 ? keyText(key) : '';
      return former.has(name) ? former.get(name) : this.get(key);
    };
    return { get };
  }

  unwatch(): void {
    this.#former = undefined;
  }

  #note(key: CodedCell): void {
    const name = this.#former && keyText(key);
    if (name !== undefined && this.#former?.has(name) === false) {
      this.#former.set(name, this.get(key));
    }
  }

  set(key: CodedCell, rows: KeyedRows): void {
    this.#note(key);
    (this.#changes ?? this.#base).set(key, rows);
  }

  delete(key: CodedCell): void {
    this.#note(key);
    if (this.#changes) this.#changes.remove(key);
    else this.#base.delete(key);
  }

  weigh(scale: Scale): void {
    for (const table of [this.#base, this.#changes]) {
      if (table && scale.isNew(table)) scale.add(table.byteCount);
    }
  }
}

type WatchedRows = Pick<KeyRows, 'get'>;

/** Rows that get or lose a key. */
export interface KeyChanges {
  readonly added: readonly KeyedRow[];
  readonly removed: readonly KeyedRow[];
}

interface ColumnIndex {
  readonly rows: KeyRows;
  /** Write count of the column for which the index is valid. */
  writeCount: number;
  /** True when a fork uses it too, so that changes go on top. */
  isShared: boolean;
}

/**
 * Indexes of columns by value. An index is built on first use, kept up to date by code that
 * announces its changes, and built again after any other write. Indexes follow from the cells, and
 * are not part of a state's hash.
 */
export class KeyIndexes {
  readonly #columns = new Map<string, ColumnIndex>();
  /** Views of a writer's indexes, while this side watches it. */
  readonly #watched = new Map<string, { rows: WatchedRows; writeCount: number }>();

  copy(): KeyIndexes {
    const copy = new KeyIndexes();
    for (const [key, index] of this.#columns) {
      index.isShared = true;
      copy.#columns.set(key, { ...index });
    }
    return copy;
  }

  /** Returns indexes for readers of the present state, while this side goes on changing. */
  watched(): KeyIndexes {
    const watching = new KeyIndexes();
    for (const [name, { rows, writeCount }] of this.#columns) {
      watching.#watched.set(name, { rows: rows.watched(), writeCount });
    }
    return watching;
  }

  /** Ends the watch; the watching side must not be read any more. */
  unwatch(): void {
    for (const { rows } of this.#columns.values()) rows.unwatch();
  }

  /** Takes over indexes that watching readers had to build. */
  adopt(watching: KeyIndexes): void {
    for (const [name, index] of watching.#columns) {
      if ((this.#columns.get(name)?.writeCount ?? -1) >= index.writeCount) continue;
      this.#columns.set(name, index);
    }
  }

  /** Returns a function that finds the rows with a value in a column; yields pauses. */
  *of(
    sheet: SheetOutline,
    column: LineId,
    cells: SheetCells,
  ): Generator<void, (key: CodedCell) => KeyedRows | undefined> {
    const name = nameOf(sheet, column);
    const writeCount = cells.writeCountOf(column);
    const watched = this.#watched.get(name);
    if (watched?.writeCount === writeCount) return (key) => watched.rows.get(key);
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
    return (key) => found.rows.get(key);
  }

  /**
   * Announces a write to a column. Call it before the write, and the returned function afterwards,
   * which pauses.
   */
  expect(
    sheet: SheetOutline,
    { column, changes }: { column: LineId; changes: KeyChanges },
    cells: SheetCells,
  ): () => Generator<void, void> {
    const name = nameOf(sheet, column);
    const known = this.#columns.get(name);
    const written = (): number => cells.writeCountOf(column);
    const isTrue = known?.writeCount === written();
    return () => this.#change(name, known && isTrue ? known : undefined, { changes, written });
  }

  *#change(
    name: string,
    known: ColumnIndex | undefined,
    { changes, written }: { changes: KeyChanges; written: () => number },
  ): Generator<void, void> {
    if (!known) return;
    const { added, removed } = changes;
    const changeCount = added.length + removed.length;
    // Building it again costs less than changing most of it.
    if (changeCount > known.rows.size / 4) return;
    const index = known.isShared && changeCount > 0 ? yield* owned(known, changeCount) : known;
    let count = 0;
    for (const keyed of removed) {
      remove(index, keyed);
      if (++count % keysBetweenPauses === 0) yield;
    }
    for (const keyed of added) {
      add(index, keyed);
      if (++count % keysBetweenPauses === 0) yield;
    }
    index.writeCount = written();
    this.#columns.set(name, index);
  }

  /** Adds the indexes to the memory accounting. */
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

/** Returns whether a content can be a key: a number or a text. */
export function isKey({ tag }: CodedCell): boolean {
  return tag === cellTag.number || tag === cellTag.text;
}

/**
 * A key in maps. V8 hashes numbers without a secret, so chosen numbers could collide and slow a map
 * down; they are used as texts. A text is its index in the dictionary, which nobody can choose.
 */
export type KeyName = string | number;

/** Returns the map key of a key, without allocating for texts. */
export function keyName({ tag, number }: CodedCell): KeyName {
  return tag === cellTag.text ? number : keyText({ tag, number });
}

export function* rowsOf(rows: KeyedRows | undefined): Generator<LineId> {
  for (let row = rows; row; row = row.others) yield row;
}

function nameOf(sheet: SheetOutline, { branch, sequence, offset }: LineId): string {
  return `${sheet.id} ${branch}.${sequence}.${offset}`;
}

function* owned(
  { rows, writeCount }: ColumnIndex,
  changeCount: number,
): Generator<void, ColumnIndex> {
  return { rows: yield* rows.onTop(changeCount), writeCount, isShared: false };
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
  rows.set(key, { branch, sequence, offset, others: rows.get(key) });
}

function remove({ rows }: ColumnIndex, { key, row }: KeyedRow): void {
  let rest: KeyedRows | undefined;
  for (const other of rowsOf(rows.get(key))) {
    if (!sameLine(other, row)) rest = { ...other, others: rest };
  }
  if (rest) rows.set(key, rest);
  else rows.delete(key);
}
