import type { DiffEntry } from '../../diffs/entry.ts';
import { foldName } from '../../model/names.ts';
import { isObject } from '../../model/plain-json.ts';
import { overlaps, parseRange, type Range, type SheetRange } from '../../model/range.ts';

/** Says whether an entry touches one of the ranges; what lies nowhere touches none. */
export function diffFilter(ranges: readonly SheetRange[]): (entry: DiffEntry) => boolean {
  return (entry) => {
    const shown = entry.show();
    const { sheet } = shown;
    const area = areaOf(shown);
    return ranges.some(({ sheet: named, areas }) => {
      const isSheet =
        named === undefined || (typeof sheet === 'string' && foldName(sheet) === foldName(named));
      return isSheet && (area === undefined || areas.some((one) => overlaps(one, area)));
    });
  };
}

function areaOf({ a1, range }: Readonly<Record<string, unknown>>): Range | undefined {
  const place = isObject(a1) ? (a1['to'] ?? a1['from']) : (a1 ?? range);
  return typeof place === 'string' ? parseRange(place) : undefined;
}
