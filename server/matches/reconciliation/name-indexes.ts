import { LRUCache } from 'lru-cache';

import type { Branches } from '../../branches/branches.ts';
import { readReference, type Place } from '../../branches/place.ts';
import type { Pool } from '../../compute/pool.ts';
import { Failure } from '../../model/failure.ts';
import type { StoredColumn, StoredTable } from '../../state/structure/tables.ts';
import { keyColumnOf } from '../../state/structure/tables.ts';
import { tableIn } from '../../tables/table-looks.ts';
import type { NameIndex } from '../../../workers/matching/name-index.ts';
import { indexBytes } from '../../../workers/matching/inverted-index.ts';
import { textAt } from '../../../workers/matching/prepared.ts';
import type { PackedTexts } from '../../../workers/matching/shared-arrays.ts';
import { checkSize, findColumn, readColumn, type ColumnParts } from '../columns.ts';
import { reconciliationLimits as limits } from './limits.ts';
import type { ReconciliationLink } from './sql.ts';

export interface IndexParts extends ColumnParts {
  readonly branches: Pick<Branches, 'stateAt' | 'locate'>;
  readonly pool: Pick<Pool, 'run'>;
}

/** The table of a link at a position, and its names. */
export interface NamedTable {
  readonly place: Place;
  readonly table: StoredTable;
  readonly key: StoredColumn;
  readonly column: StoredColumn;
  readonly index: NameIndex;
  readonly names: PackedTexts;
  /** Keys of the rows as JSON. */
  readonly keys: PackedTexts;
}

interface Kept {
  readonly table: Promise<NamedTable>;
  readonly seq: number;
  readonly madeAt: number;
}

const taskMilliseconds = 60_000;

/** Indexes of names by link: made when somebody asks, and anew once the branch has moved on. */
export class NameIndexes {
  readonly #parts: IndexParts;
  readonly #kept = new LRUCache<string, Kept>({ maxSize: limits.indexBytes });

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  /** Drops what is in memory of a workbook. */
  forget(workbookId: string): void {
    for (const key of this.#kept.keys()) {
      if (key.startsWith(`${workbookId}/`)) this.#kept.delete(key);
    }
  }

  async of(link: ReconciliationLink): Promise<NamedTable> {
    const { branches, environment } = this.#parts;
    const key = `${link.workbookId}/${link.id}`;
    const place = await branches.locate(link.workbookId, readReference(link.reference));
    const known = this.#kept.get(key);
    if (known) {
      const isYoung = environment.elapsed() - known.madeAt < limits.indexMilliseconds;
      if (known.seq === place.seq || isYoung) return known.table;
    }
    const table = this.#make(link, { ...place, isPinned: true });
    const kept = { table, seq: place.seq, madeAt: environment.elapsed() };
    this.#kept.set(key, kept, { size: 1 });
    try {
      const made = await table;
      if (this.#kept.peek(key) === kept) this.#kept.set(key, kept, { size: bytesOf(made) });
      return made;
    } catch (error) {
      if (this.#kept.peek(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  async #make(link: ReconciliationLink, place: Place): Promise<NamedTable> {
    const { branches, pool } = this.#parts;
    const state = await branches.stateAt(place.address, place.seq);
    const table = tableIn(state, link.tableId);
    const key = keyColumnOf(table);
    const column = table.columns.find(({ id }) => id === link.columnId);
    if (!key || !column) throw changedTable(table);
    const found = findColumn(state, { tableId: table.id, column: column.name }, '');
    checkSize(found, '');
    const { texts: names, keys } = await readColumn(found, place, this.#parts);
    const options = { timeoutMilliseconds: taskMilliseconds };
    const index = await pool.run('indexNames', { texts: names }, options);
    return { place, table, key, column, index, names, keys };
  }
}

/** Id and name of a row of a table. */
export function entityAt({ names, keys }: NamedTable, row: number): { id: string; name: string } {
  const id = String(JSON.parse(textAt(keys, row)));
  const name = textAt(names, row);
  return { id, name: name === '' ? id : name };
}

function bytesOf({ index, names, keys }: NamedTable): number {
  const { terms, vectors, index: inverted, texts, order, rarity, starts, rows } = index;
  const arrays: ArrayBufferView[] = [order, rarity, starts, rows];
  for (const part of [terms, vectors, texts, names, keys]) {
    arrays.push(...Object.values<ArrayBufferView>({ ...part }));
  }
  return arrays.reduce((sum, { byteLength }) => sum + byteLength, indexBytes(inverted));
}

function changedTable({ name }: StoredTable): Failure {
  const message = `${name} has no key any more, or not the column of the names.`;
  return new Failure('tableRefused', {
    detail: message,
    hint: 'The owner makes another link: POST …/tables/{table}/reconciliation.',
    errors: [{ pointer: '', code: 'key_needed', message }],
  });
}
