import { foldName } from '../../../server/model/names.ts';
import { parseSheetRange, quoteSheet, rangeName, type Range } from '../../../server/model/range.ts';
import { selectionOfRange, type Selection } from '../grid/selection.ts';
import { loadState, type BranchState } from './sheet-loading.ts';
import type { SheetSession } from './sheet-session.ts';

/** A place that a text names. */
export interface NamedPlace {
  /** Name of the sheet; undefined for the shown one. */
  readonly sheet: string | undefined;
  readonly range: Range;
}

/** Loads the names and tables of the shown position. */
export function loadNames({ service, place, isHead, head }: SheetSession): Promise<BranchState> {
  const { workbookId, at } = place;
  return loadState(service, { workbookId, branch: at.branch, seq: isHead ? head : at.seq });
}

/**
 * Returns the cells of `Plan!B7`, of a defined name or of a table; a sentence if there are none.
 */
export function placeNamed(
  text: string,
  { names, tables }: Pick<BranchState, 'names' | 'tables'>,
  sheet: string,
): NamedPlace | string {
  const given = placeOf(text);
  if (given) return given;
  const wanted = foldName(text.trim());
  const alike = names.filter(({ name }) => foldName(name) === wanted);
  const here = (scope: string | null) => scope !== null && foldName(scope) === foldName(sheet);
  const name = alike.find(({ scope }) => here(scope)) ?? alike[0];
  if (name) return placeOf(name.formula.slice(1)) ?? `“${name.name}” is ${name.formula.slice(1)}.`;
  const table = tables.find((one) => foldName(one.name) === wanted);
  const place = table && placeOf(`${quoteSheet(table.sheet)}!${table.range}`);
  return place ?? `“${text}” is no cell and no name: type B7, B7:C9, A:C, Plan!B7 or a name.`;
}

function placeOf(text: string): NamedPlace | undefined {
  const found = parseSheetRange(text.trim());
  const [range] = found?.areas ?? [];
  return range && { sheet: found?.sheet, range };
}

/** Moves to the cells that a text names, or shows why there are none. */
export async function goToNamed(
  session: SheetSession,
  text: string,
  select: (to: Selection) => void,
): Promise<void> {
  const place = placeNamed(text, await loadNames(session), session.sheet?.name ?? '');
  if (typeof place === 'string') return session.clipboard.tell(place);
  const { sheet } = place;
  if (sheet !== undefined) {
    const known = session.sheets.find(({ name }) => foldName(name) === foldName(sheet));
    if (!known) return session.clipboard.tell(`There is no sheet “${sheet}”.`);
    if (known.id !== session.sheet?.id) await session.choose(known.name);
  }
  select(selectionOfRange(place.range));
}

/** Returns the reference of a range for a name: `'My plan'!B2:C4`. */
export function nameable({ sheet }: SheetSession, range: Range): string {
  return `${quoteSheet(sheet?.name ?? '')}!${rangeName(range)}`;
}
