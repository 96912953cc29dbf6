import type { StateDiff } from '../state/diff/diff.ts';
import { cellSources } from './cell-entries.ts';
import type { DiffEntry, EntrySource } from './entry.ts';
import { formatEntries, propertyEntries, workbookEntries } from './look-entries.ts';
import { nameEntries, recordEntries, tableEntries } from './object-entries.ts';
import { structureEntries } from './structure-entries.ts';

/** Values that differ come from elsewhere: by sheet, behind its cells. */
export type ValueEntries = ReadonlyMap<string, readonly DiffEntry[]>;

export interface EntryOptions {
  /** Leads from the id of a table to all of its rows that changed. */
  readonly linkOf: (tableId: string) => string;
  readonly values?: ValueEntries | undefined;
}

/** All entries in their order: by sheet, then by list, then by place; last what has no sheet. */
export class DiffEntries {
  readonly #sources: readonly EntrySource[];
  readonly length: number;

  constructor(sources: readonly EntrySource[]) {
    this.#sources = sources.filter(({ length }) => length > 0);
    this.length = sources.reduce((sum, { length }) => sum + length, 0);
  }

  slice(from: number, to: number): DiffEntry[] {
    const entries: DiffEntry[] = [];
    let start = 0;
    for (const { length, at } of this.#sources) {
      const end = Math.min(to - start, length);
      for (let index = Math.max(0, from - start); index < end; index++) {
        const entry = at(index);
        if (entry) entries.push(entry);
      }
      start += length;
    }
    return entries;
  }
}

export function diffEntries(diff: StateDiff, { linkOf, values }: EntryOptions): DiffEntries {
  const sources: EntrySource[] = [];
  const add = (some: Iterable<DiffEntry>): void => void sources.push(sourceOf(some));
  const told = new Set<string>();
  for (const sheet of diff.sheets) {
    const { id } = sheet.pair;
    told.add(id);
    add(structureEntries(sheet));
    sources.push(...cellSources(diff, sheet));
    add(values?.get(id) ?? []);
    add(formatEntries(diff, sheet));
    add(nameEntries(diff, sheet));
    add(tableEntries(sheet, linkOf));
    add(recordEntries(diff, sheet));
    add(propertyEntries(sheet));
  }
  for (const [id, own] of values ?? []) if (!told.has(id)) add(own);
  add(nameEntries(diff, { names: diff.names, pair: undefined }));
  add(workbookEntries(diff));
  return new DiffEntries(sources);
}

function sourceOf(some: Iterable<DiffEntry>): EntrySource {
  const entries = [...some];
  return { length: entries.length, at: (index) => entries[index] };
}
