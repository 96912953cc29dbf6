import { parseSheetRange } from '../../../server/model/range.ts';
import type { Service } from '../service.ts';
import { loadState } from '../sheet/sheet-loading.ts';

/** A sheet by its id and by its name of today. */
export interface NamedSheet {
  readonly id: string;
  readonly name: string;
  /** Ids and names of the tables on it. */
  readonly tables: ReadonlySet<string>;
}

/** Returns the sheets of a branch at its head, each with its tables. */
export async function loadTouchable(
  service: Service,
  workbookId: string,
  branch: string,
): Promise<readonly NamedSheet[]> {
  const { sheets, tables } = await loadState(service, { workbookId, branch });
  return sheets.map(({ id, name }) => {
    const own = tables.filter(({ sheet }) => sheet === id || sheet === name);
    return { id, name, tables: new Set(own.flatMap((table) => [table.id, table.name])) };
  });
}

/** Members of payloads that name a sheet, and those that name cells, with or without one. */
const sheetMembers = new Set(['sheet', 'toSheet', 'copyOf']);
const placeMembers = new Set(['a1', 'range', 'ranges', 'source', 'target', 'sheetRange', 'ref']);

/** Returns whether an operation names a sheet; parts of a merge or an undo count as its own. */
export function touches(payload: unknown, { id, name, tables }: NamedSheet): boolean {
  const folded = name.toLowerCase();
  const isMeant = (text: string) => text === id || text.toLowerCase() === folded;
  const isPlaceOf = (text: string) => {
    const place = text.includes('!') ? parseSheetRange(text.replace(/^=/u, '')) : undefined;
    return place?.sheet !== undefined && isMeant(place.sheet);
  };
  const names = (member: string, text: string) => {
    if (member === 'table') return tables.has(text);
    return sheetMembers.has(member) ? isMeant(text) : placeMembers.has(member) && isPlaceOf(text);
  };
  const search = (value: unknown, member: string): boolean => {
    if (typeof value === 'string') return names(member, value);
    if (Array.isArray(value)) return value.some((one) => search(one, member));
    if (typeof value !== 'object' || value === null) return false;
    return Object.entries(value).some(([key, one]) => search(one, key));
  };
  return search(payload, '');
}
