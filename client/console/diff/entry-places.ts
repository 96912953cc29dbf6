import type { Address } from '../../../server/model/address.ts';
import { cellCount, holdsCell, parseSheetRange, type Range } from '../../../server/model/range.ts';
import { parsePosition, type Screen } from '../address.ts';
import type { ComparedEnds } from './compared-sheets.ts';
import type { DiffEntry } from './diff-page.ts';

interface Placed {
  readonly entry: DiffEntry;
  readonly area: Range;
}

interface Sides {
  /** Cell before and after; undefined where it does not exist. */
  readonly from: Address | undefined;
  readonly to: Address | undefined;
}

/** Places of the entries of a diff on one sheet. */
export class EntryPlaces {
  /** Narrowest entries first, because they say most about a cell. */
  readonly #placed: readonly Placed[];

  constructor(entries: readonly DiffEntry[], sheet: string) {
    this.#placed = entries
      .filter((entry) => entry.isCell && entry.sheet === sheet)
      .flatMap((entry) => areasOf(entry.place).map((area) => ({ entry, area })))
      .toSorted((a, b) => cellCount(a.area) - cellCount(b.area));
  }

  /** Returns the entry about a cell; undefined if there is none. */
  entryOf({ from, to }: Sides): DiffEntry | undefined {
    return this.#placed.find(({ entry, area }) => {
      const cell = entry.isThere ? to : from;
      return cell !== undefined && holdsCell(area, cell);
    })?.entry;
  }
}

/** Returns the screen with the cells of an entry after the change, compared with those before. */
export function sheetOfEntry(
  { book, from, to }: Pick<ComparedEnds, 'book' | 'from' | 'to'>,
  { sheet, place }: DiffEntry,
): Screen {
  const at = parsePosition(to);
  const named = sheet === undefined ? {} : { sheet };
  return { name: 'sheet', book, at, cell: place, compare: from, ...named };
}

/** Returns the screen with the former place of an entry that has moved; undefined for others. */
export function formerOfEntry(
  { book, from }: Pick<ComparedEnds, 'book' | 'from'>,
  { sheet, cameFrom }: DiffEntry,
): Screen | undefined {
  if (sheet === undefined || !cameFrom) return undefined;
  return { name: 'sheet', book, at: parsePosition(from), sheet, cell: cameFrom };
}

/** Returns the areas of a place, such as `B2`, `$A$1:C9` or `3:4`. */
export function areasOf(place: string): readonly Range[] {
  return parseSheetRange(place)?.areas ?? [];
}
