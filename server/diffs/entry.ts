import type { EntryList } from '../model/entry-lists.ts';
import type { ChangedCell, CollapsedCells } from '../state/diff/cell-list.ts';
import type { SheetPair } from '../state/diff/sides.ts';

/** One entry of a diff on its way out; what it says is put into words when it is looked at. */
export interface DiffEntry {
  readonly list: EntryList;
  /** Sheet of the entry; undefined for one of the workbook as a whole. */
  readonly pair: SheetPair | undefined;
  readonly cell?: ChangedCell;
  readonly collapsed?: CollapsedCells;
  readonly show: () => Readonly<Record<string, unknown>>;
}

/** Entries that follow one another. */
export interface EntrySource {
  readonly length: number;
  readonly at: (index: number) => DiffEntry | undefined;
}
