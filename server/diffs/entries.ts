import type { StateDiff } from '../state/diff/diff.ts';
import { cellEntries } from './cell-entries.ts';
import type { DiffEntry } from './entry.ts';
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
export function diffEntries(diff: StateDiff, { linkOf, values }: EntryOptions): DiffEntry[] {
  const entries: DiffEntry[] = [];
  const add = (some: Iterable<DiffEntry>): void => {
    for (const entry of some) entries.push(entry);
  };
  const told = new Set<string>();
  for (const sheet of diff.sheets) {
    const { id } = sheet.pair;
    told.add(id);
    add(structureEntries(sheet));
    add(cellEntries(diff, sheet));
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
  return entries;
}
