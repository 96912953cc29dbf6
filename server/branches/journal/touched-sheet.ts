import { foldName } from '../../model/names.ts';
import { parseSheetRange } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { sheetNotFound } from '../sheet-not-found.ts';
import type { JournalRecord } from '../record.ts';

/** A sheet and the tables on it, by their ids and by their names of now. */
export interface TouchedSheet {
  readonly id: string;
  readonly name: string;
  readonly tableIds: ReadonlySet<string>;
  readonly tableNames: ReadonlySet<string>;
}

/** Fails where a state has no such sheet. */
export function touchedSheet({ structure, tables }: BranchState, idOrName: string): TouchedSheet {
  const sheet = structure.find(idOrName);
  if (!sheet) throw sheetNotFound(idOrName.slice(0, 100), structure.sheets, '?sheet');
  const own = tables.onSheet(sheet.id);
  return {
    id: sheet.id,
    name: foldName(sheet.name),
    tableIds: new Set(own.map(({ id }) => id)),
    tableNames: new Set(own.map(({ name }) => foldName(name))),
  };
}

/** Members of payloads that name a sheet, and those that name cells, with or without one. */
const sheetMembers = new Set(['sheet', 'toSheet', 'copyOf']);
const placeMembers = new Set(['a1', 'range', 'ranges', 'source', 'target', 'sheetRange', 'ref']);

/**
 * Returns whether an operation writes to a sheet or names it; parts of a merge or an undo count as
 * its own. Ids say so whatever the sheet was called then.
 */
export function touches({ resolved, payload }: JournalRecord, sheet: TouchedSheet): boolean {
  const isMeant = (text: string) => text === sheet.id || foldName(text) === sheet.name;
  const isPlaceOf = (text: string) => {
    const place = text.includes('!') ? parseSheetRange(text.replace(/^=/u, '')) : undefined;
    return place?.sheet !== undefined && isMeant(place.sheet);
  };
  const isTable = (text: string) => {
    return sheet.tableIds.has(text) || sheet.tableNames.has(foldName(text));
  };
  return (
    anyText(resolved, (text, member) => {
      return text === sheet.id || (member === 'table' && sheet.tableIds.has(text));
    }) ||
    anyText(payload, (text, member) => {
      if (member === 'table') return isTable(text);
      return sheetMembers.has(member) ? isMeant(text) : placeMembers.has(member) && isPlaceOf(text);
    })
  );
}

/** Returns whether a text somewhere within a value fits; items of a list have its member. */
function anyText(
  value: unknown,
  fits: (text: string, member: string) => boolean,
  member = '',
): boolean {
  if (typeof value === 'string') return fits(value, member);
  if (Array.isArray(value)) {
    // Lists of numbers, as identities are, hold no text.
    return typeof value[0] !== 'number' && value.some((one) => anyText(one, fits, member));
  }
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) {
    if (anyText((value as Record<string, unknown>)[name], fits, name)) return true;
  }
  return false;
}
