import { Pace } from '../branches/pace.ts';
import type { Place } from '../branches/place.ts';
import { cellName, columnLimit } from '../model/address.ts';
import type { Value } from '../model/cell-value.ts';
import type { Environment } from '../model/environment.ts';
import type { StateDiff } from '../state/diff/diff.ts';
import { sheetPairs, type SheetPair } from '../state/diff/sides.ts';
import { CellTexts } from '../values/cell-texts.ts';
import type { Models } from '../values/models.ts';
import type { Values } from '../values/values.ts';
import type { DiffEntry } from './entry.ts';
import { sheetName } from './sheet-names.ts';
import { ChangedPlaces, causeOf, type ValueCause } from './value-causes.ts';
import { readSheetValues, type SheetValues } from './value-reading.ts';

export interface ValueDiffParts {
  readonly models: Models;
  readonly values: Pick<Values, 'read'>;
  readonly environment: Environment;
}

export interface ValueEnds {
  readonly from: Place;
  readonly to: Place;
  readonly sheetId: string | undefined;
  /** Undefined: as long as it takes. */
  readonly waitSeconds: number | undefined;
}

/** One cell that shows something else. */
export interface ChangedValue {
  /** Position of the cell; its former one if it is gone. */
  readonly row: number;
  readonly column: number;
  readonly before: Value;
  readonly after: Value;
  /** True when its row or column is not there any more. */
  readonly isGone: boolean;
}

/**
 * The values that differ, and those that each side shows in any cell of the sheets that were read.
 */
export interface ChangedValues {
  readonly entries: ReadonlyMap<string, readonly DiffEntry[]>;
  readonly count: number;
  readonly from: SheetValuesById;
  readonly to: SheetValuesById;
  readonly texts: TextsOfEnds;
}

/** Texts by the number formats of each end. */
interface TextsOfEnds {
  readonly from: CellTexts;
  readonly to: CellTexts;
}

export type SheetValuesById = ReadonlyMap<string, SheetValues>;

/** Evaluates both sides and says which values differ, and why. */
export class ValueDiffs {
  readonly #parts: ValueDiffParts;

  constructor(parts: ValueDiffParts) {
    this.#parts = parts;
  }

  /** Undefined while one of the sides is being computed. */
  async read(diff: StateDiff, ends: ValueEnds): Promise<ChangedValues | undefined> {
    if (!(await this.#areThere(ends))) return undefined;
    const pairs = sheetPairs(diff).filter(
      ({ id }) => ends.sheetId === undefined || id === ends.sheetId,
    );
    // One after the other: two models in hand at once could wait for each other.
    const from = await this.#side(
      ends.from,
      pairs.map(({ was }) => was),
    );
    const to = await this.#side(
      ends.to,
      pairs.map(({ is }) => is),
    );
    return this.#compare(diff, pairs, { from, to });
  }

  /** Returns whether no side is work for the background; what an open merge comes to never is. */
  async #areThere({ from, to, waitSeconds }: ValueEnds): Promise<boolean> {
    if (waitSeconds === undefined) return true;
    for (const place of [from, to]) {
      if (place.onto) continue;
      const page = { offset: 0, limit: 1, waitSeconds };
      if (!(await this.#parts.values.read(pinnedPlace(place), page))) return false;
    }
    return true;
  }

  #side(place: Place, sheets: readonly SheetPair['is'][]): Promise<SheetValuesById> {
    const { models, environment } = this.#parts;
    return models.use(pinnedPlace(place), true, (view) =>
      readSheetValues(view, sheets, new Pace(environment)),
    );
  }

  async #compare(
    diff: StateDiff,
    pairs: readonly SheetPair[],
    sides: { readonly from: SheetValuesById; readonly to: SheetValuesById },
  ): Promise<ChangedValues> {
    const pace = new Pace(this.#parts.environment);
    const found = new Map<string, ChangedValue[]>();
    let count = 0;
    for (const pair of pairs) {
      const [before, after] = [sides.from, sides.to].map((side) => side.get(pair.id) ?? noValues);
      const changed = before && after ? await pace.run(differing({ pair, before, after })) : [];
      count += changed.length;
      if (changed.length > 0) found.set(pair.id, changed);
    }
    const places = new ChangedPlaces(diff, new Map([...found].map(placesOf)));
    const entries = new Map<string, DiffEntry[]>();
    const texts = { from: new CellTexts(diff.from), to: new CellTexts(diff.to) };
    for (const pair of pairs) {
      const known = { diff, places, texts };
      const own = found.get(pair.id)?.map((value) => entryOf(pair, value, known));
      if (own) entries.set(pair.id, own);
    }
    return { entries, count, ...sides, texts };
  }
}

const noValues: SheetValues = new Map();

function pinnedPlace(place: Place): Place {
  return { ...place, isPinned: true };
}

interface ComparedSheet {
  readonly pair: SheetPair;
  readonly before: SheetValues;
  readonly after: SheetValues;
}

/** Cells between two pauses. */
const cellsBetweenPauses = 4_096;

/** By row and column. Cells are compared by identity, wherever they stand. */
export function* differing(sheet: ComparedSheet): Generator<void, ChangedValue[]> {
  const changed: ChangedValue[] = [];
  yield* noteShownNow(sheet, changed);
  yield* noteShownNoMore(sheet, changed);
  return inOrder(changed);
}

function* noteShownNow(
  { pair: { was, is }, before, after }: ComparedSheet,
  changed: ChangedValue[],
): Generator<void, void> {
  let seen = 0;
  for (const [place, value] of after) {
    if (++seen % cellsBetweenPauses === 0) yield;
    const old = is && was && placeIn(was, is, place);
    const held = old === undefined ? null : (before.get(old) ?? null);
    if (sameValue(held, value)) continue;
    const { row, column } = rowAndColumn(place);
    changed.push({ row, column, before: held, after: value, isGone: false });
  }
}

function* noteShownNoMore(
  { pair: { was, is }, before, after }: ComparedSheet,
  changed: ChangedValue[],
): Generator<void, void> {
  let seen = 0;
  for (const [place, value] of before) {
    if (++seen % cellsBetweenPauses === 0) yield;
    const now = is && was && placeIn(is, was, place);
    if (now !== undefined && after.has(now)) continue;
    const { row, column } = rowAndColumn(now ?? place);
    changed.push({ row, column, before: value, after: null, isGone: now === undefined });
  }
}

/** Most come in their order already. */
function inOrder(changed: ChangedValue[]): ChangedValue[] {
  const compare = (a: ChangedValue, b: ChangedValue) => a.row - b.row || a.column - b.column;
  const isSorted = changed.every((value, index) => {
    const previous = changed[index - 1];
    return previous === undefined || compare(previous, value) <= 0;
  });
  return isSorted ? changed : changed.sort(compare);
}

function placesOf([id, changed]: readonly [string, readonly ChangedValue[]]) {
  const places = changed.map(({ row, column }) => row * columnLimit + column);
  return [id, new Set(places)] as const;
}

function rowAndColumn(place: number): { row: number; column: number } {
  return { row: Math.floor(place / columnLimit), column: place % columnLimit };
}

type Outline = NonNullable<SheetPair['is']>;

/** Place on one side of a cell of the other side, `from`; undefined when it is not there. */
export function placeIn(to: Outline, from: Outline, place: number): number | undefined {
  if (to.rows === from.rows && to.columns === from.columns) return place;
  const { row, column } = rowAndColumn(place);
  const [rowId, columnId] = [from.rows.idAt(row), from.columns.idAt(column)];
  const down = to.rows.positionOf(rowId.branch, rowId.sequence, rowId.offset);
  const across = to.columns.positionOf(columnId.branch, columnId.sequence, columnId.offset);
  return down === undefined || across === undefined ? undefined : down * columnLimit + across;
}

function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  const areErrors = typeof a === 'object' && typeof b === 'object' && a !== null && b !== null;
  return areErrors && a.error === b.error;
}

interface KnownDiff {
  readonly diff: StateDiff;
  readonly places: ChangedPlaces;
  readonly texts: TextsOfEnds;
}

function entryOf(
  pair: SheetPair,
  value: ChangedValue,
  { diff, places, texts }: KnownDiff,
): DiffEntry {
  const show = () => {
    const { row, column, before, after, isGone } = value;
    const edited: ValueCause = { cause: 'edited' };
    const why = isGone ? edited : causeOf(diff, pair, { row, column, places });
    const shown = { before, after, ...textsOf(pair, value, texts) };
    return { sheet: sheetName(pair), a1: cellName(row, column), ...shown, ...why };
  };
  return { list: 'values', pair, show };
}

/** Returns what each end shows, where that reads otherwise than the value. */
function textsOf(
  { id, was, is }: SheetPair,
  { row, column, before, after, isGone }: ChangedValue,
  { from, to }: TextsOfEnds,
): { readonly beforeText?: string; readonly afterText?: string } {
  const place = row * columnLimit + column;
  const former = isGone ? place : was && is && placeIn(was, is, place);
  const beforeText =
    former === undefined ? undefined : from.textOf(id, rowAndColumn(former), before);
  const afterText = isGone ? undefined : to.textOf(id, { row, column }, after);
  return {
    ...(beforeText !== undefined && { beforeText }),
    ...(afterText !== undefined && { afterText }),
  };
}
