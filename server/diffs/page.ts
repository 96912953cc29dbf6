import { columnLimit, parseAddress } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import { placesOf } from './cell-entries.ts';
import type { ComparedStates } from './diffs.ts';
import { entryLists, type EntryList } from '../model/entry-lists.ts';
import type { DiffEntry } from './entry.ts';
import type { Attribution } from './origins.ts';
import type { ChangedValues } from './values.ts';

export interface PageRange {
  readonly offset: number;
  readonly limit: number;
}

/** One entry as it goes out. */
export interface ShownEntry {
  readonly list: EntryList;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Entries up to which the journal is asked for the authors of changes. */
export const attributedMost = 10_000;

/**
 * Puts entries into words: with their authors, and with the values of their cells if those were
 * read.
 */
export async function shownEntries(
  compared: ComparedStates,
  entries: readonly DiffEntry[],
  origins: Attribution,
): Promise<ShownEntry[]> {
  const found = await origins.find?.(compared, entries);
  const pace = origins.newPace();
  const shown: ShownEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    const value = { ...withValues(compared, entry), ...found?.get(index) };
    shown.push({ list: entry.list, value });
    if (pace.isDue) await pace.rest();
  }
  return shown;
}

/** The entries of a page by their lists; all lists are there, even if empty. */
export function byList(entries: readonly ShownEntry[], hasValues: boolean) {
  const lists = new Map<EntryList, Readonly<Record<string, unknown>>[]>();
  for (const list of entryLists) if (list !== 'values' || hasValues) lists.set(list, []);
  for (const { list, value } of entries) lists.get(list)?.push(value);
  return Object.fromEntries(lists);
}

function withValues({ values }: ComparedStates, entry: DiffEntry): Record<string, unknown> {
  const shown = entry.show();
  const { cell, pair } = entry;
  if (!values || !cell || !pair) return { ...shown };
  const { from, to } = placesOf(cell);
  const { before, after } = shown;
  return {
    ...shown,
    before: isSide(before) ? { ...before, ...valueAt(values, 'from', [pair.id, from]) } : before,
    after: isSide(after) ? { ...after, ...valueAt(values, 'to', [pair.id, to]) } : after,
  };
}

function isSide(side: unknown): side is object {
  return typeof side === 'object' && side !== null;
}

/** Returns the value of a cell, and its text where that reads otherwise. */
function valueAt(
  values: ChangedValues,
  side: 'from' | 'to',
  [sheetId, a1]: readonly [string, string | null],
): { readonly value: Value; readonly text?: string } {
  const address = a1 === null ? undefined : parseAddress(a1);
  if (!address) return { value: null };
  const value = values[side].get(sheetId)?.get(address.row * columnLimit + address.column) ?? null;
  const text = values.texts[side].textOf(sheetId, address, value);
  return text === undefined ? { value } : { value, text };
}
