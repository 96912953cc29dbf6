/** Encloses a reference whose lines are not those of the grid as it was made, or a sheet. */
export const identityMark = '\u0001';

/** A sheet on which a name is asked for. */
export interface SheetOfName {
  /** Place of the sheet's name, and of the name behind it. */
  readonly start: number;
  readonly end: number;
  readonly id: string;
}

/** Returns a part of a formula, with the sheets of its names called by their ids. */
export function withSheets(
  text: string,
  [from, to]: readonly [number, number],
  names: readonly SheetOfName[],
): string {
  let part = '';
  let at = from;
  for (const { start, end, id } of names) {
    if (start < from || end > to) continue;
    part += `${text.slice(at, start)}${identityMark}=${id}!${identityMark}`;
    at = end;
  }
  return part + text.slice(at, to);
}
