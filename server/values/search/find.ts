import type { Place } from '../../branches/place.ts';
import { cellName } from '../../model/address.ts';
import type { WireInput } from '../../model/input.ts';
import { foldName } from '../../model/names.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { BranchSource } from '../branch-source.ts';
import { sheetNotFound } from '../../branches/sheet-not-found.ts';
import type { Values } from '../values.ts';
import { readOffset, readSpot } from './cursor.ts';
import { searchInputs } from './search-inputs.ts';
import { matcherOf, searchedMost, workOf, type Search } from './search.ts';

export interface FoundPage {
  readonly seq: number;
  /** Number of searched cells. */
  readonly searched: number;
  readonly cells: readonly {
    readonly sheet: string;
    readonly cell: string;
    readonly value: WireInput;
  }[];
  /** Cursor of the next page; null at the end. */
  readonly next: string | null;
}

export interface FindParts {
  readonly source: BranchSource;
  readonly values: Pick<Values, 'scan'>;
}

export interface FindRequest {
  readonly search: Search;
  readonly cursor: string | undefined;
  readonly waitSeconds: number;
}

/** Finds a page of matching cells; undefined while values are being computed. */
export async function findCells(
  place: Place,
  { search, cursor, waitSeconds }: FindRequest,
  { source, values }: FindParts,
): Promise<FoundPage | undefined> {
  const { lens, sheet } = search;
  const { address, seq, isPinned } = place;
  const look = <Result>(steps: (state: BranchState) => Generator<void, Result>): Promise<Result> =>
    isPinned ? source.readAt(address, seq, steps) : source.read(address, steps);
  if (lens === 'value') {
    const offset = readOffset(cursor);
    if (sheet !== undefined) await look((state) => checkSheet(state, sheet));
    return searchValues(place, { search, offset, waitSeconds }, values);
  }
  const from = readSpot(cursor);
  return look((state) => searchInputs(state, { ...search, lens }, from));
}

function* checkSheet({ structure }: BranchState, name: string): Generator<void, void> {
  yield* [];
  if (!structure.named(name)) throw sheetNotFound(name, structure.sheets);
}

async function searchValues(
  place: Place,
  { search, offset, waitSeconds }: { search: Search; offset: number; waitSeconds: number },
  values: Pick<Values, 'scan'>,
): Promise<FoundPage | undefined> {
  const matches = matcherOf(search);
  const isWanted = sheetTest(search.sheet);
  const cells: FoundPage['cells'][number][] = [];
  let searched = 0;
  let work = 0;
  const page = { offset, limit: searchedMost, waitSeconds };
  const scanned = await values.scan(place, page, ({ sheet, row, column, value }) => {
    if (cells.length >= search.limit || work >= searchedMost) return false;
    searched++;
    work += workOf(value);
    if (!isWanted(sheet)) return true;
    if (matches(value)) cells.push({ sheet, cell: cellName(row, column), value });
    return true;
  });
  if (!scanned) return undefined;
  const end = offset + searched;
  const next = end < scanned.total ? String(end) : null;
  return { seq: scanned.seq, searched, cells, next };
}

/** Makes the test of whether a sheet is searched; cells come sheet by sheet. */
function sheetTest(name: string | undefined): (sheet: string) => boolean {
  if (name === undefined) return () => true;
  const wanted = foldName(name);
  let last: string | undefined;
  let isLast = false;
  return (sheet) => {
    if (sheet !== last) [last, isLast] = [sheet, foldName(sheet) === wanted];
    return isLast;
  };
}
