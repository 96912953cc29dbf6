import { blockLanes, cellTag, type Block } from './block.ts';
import type { CodedCell } from './cell-coding.ts';
import type { LineId } from '../ids/order.ts';
import type { Scale } from '../ids/scale.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { SheetOutline } from '../structure/structure.ts';
import { sameLine } from '../structure/tables.ts';

/** Estimated bytes of an entry. */
const keyBytes = 150;

/** The rows with a key; nearly always a single one. */
export interface KeyedRows extends LineId {
  readonly others: KeyedRows | undefined;
}

export interface KeyedRow {
  readonly key: CodedCell;
  readonly row: LineId;
}

/**
 * Changes on top of a shared index, at most. They are copied at the first write after a fork; with
 * more, the index is built again.
 */
const changesMost = 20_000;

/** Rows by key: an index, with the changes since it was shared. */
class KeyRows {
  readonly #base: Map<KeyName, KeyedRows>;
  /** Changes to the base; undefined while it is not shared. */
  readonly #changes: Map<KeyName, KeyedRows | undefined> | undefined;
  /** Former values of entries that changed since a watch began; undefined without a watch. */
  #former: Map<KeyName, KeyedRows | undefined> | undefined;

  constructor(base = new Map<KeyName, KeyedRows>(), changes?: Map<KeyName, KeyedRows | undefined>) {
    this.#base = base;
    this.#changes = changes;
  }

  /**
   * Returns an index for a fork, on top of this one, because copying a million keys takes a third
   * of a second.
   */
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

  /**
   * Returns a view of the present entries, which stays valid while they change, until `unwatch`.
   */
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
   * Announces a write to a column. Call it before the write, and the returned function afterwards.
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
      // Building it again costs less than changing most of it.
      if (changeCount > known.rows.size / 4) return;
      if (known.isShared && known.rows.changeCount + changeCount > changesMost) return;
      const index = known.isShared && changeCount > 0 ? owned(known) : known;
      for (const keyed of removed) remove(index, keyed);
      for (const keyed of added) add(index, keyed);
      index.writeCount = cells.writeCountOf(column);
      this.#columns.set(name, index);
    };
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

/** Returns a text that is equal for equal keys. */
export function keyText({ tag, number }: CodedCell): string {
  return `${tag} ${number}`;
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
