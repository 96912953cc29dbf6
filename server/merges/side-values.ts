import type { Place } from '../branches/place.ts';
import type { WireInput } from '../model/input.ts';
import type { Range } from '../model/range.ts';
import type { Environment } from '../model/environment.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { ContestPlace } from '../state/merge/judge.ts';
import type { Models } from '../values/models.ts';
import { CellTexts } from '../values/cell-texts.ts';
import { SliceReader } from '../values/slice.ts';
import type { Position } from './graph.ts';

export interface ValueReading {
  readonly models: Pick<Models, 'look'>;
  readonly environment: Environment;
}

/** A side whose values are read: a state, and the position that has it. */
export interface ReadSide {
  readonly state: BranchState;
  readonly place: Place;
}

interface SoughtCell {
  readonly id: string;
  readonly place: ContestPlace;
}

interface FormulaCell {
  readonly id: string;
  readonly sheetId: string;
  readonly range: Range;
}

/** The value of a cell on one side. */
export interface SideValue {
  readonly value: WireInput;
  /** Its text in the number format; left out if equal to the value. */
  readonly text?: string;
}

export function placeOf(workbookId: string, { no, seq }: Position): Place {
  return { address: { workbookId, branchNo: no }, branch: `#${no}`, seq, isPinned: true };
}

/**
 * Reads values of cells on a side, by id of the conflict or finding; without cells that the side
 * lacks.
 */
export async function sideValues(
  cells: readonly SoughtCell[],
  { state, place }: ReadSide,
  { models, environment }: ValueReading,
): Promise<ReadonlyMap<string, SideValue>> {
  const values = new Map<string, SideValue>();
  const texts = new CellTexts(state);
  const bySheet = new Map<string, FormulaCell[]>();
  for (const { id, place: at } of cells) {
    const found = cellOn(state, at);
    if (!found) continue;
    const { sheet, row, column } = found;
    const input = state.inputAt(sheet, row, column);
    if (typeof input !== 'object' || input === null || 'error' in input) {
      values.set(id, shownAs(input, texts.textOf(sheet.id, { row, column }, input)));
      continue;
    }
    const range = { row0: row, row1: row, column0: column, column1: column };
    const known = bySheet.get(sheet.name);
    const cell = { id, sheetId: sheet.id, range };
    if (known) known.push(cell);
    else bySheet.set(sheet.name, [cell]);
  }
  if (bySheet.size === 0) return values;
  const wanted = [...bySheet.values()].flat();
  const ranges = [...bySheet].map(([sheet, own]) => ({
    sheet,
    areas: own.map(({ range }) => range),
  }));
  const slices = await models.look(place, { ranges, lens: 'value' }, (view) =>
    new SliceReader(view, 'value', environment).read(ranges),
  );
  for (const [index, { id, sheetId, range }] of wanted.entries()) {
    const value = slices[index]?.rows[0]?.[0] ?? null;
    const at = { row: range.row0, column: range.column0 };
    values.set(id, shownAs(value, texts.textOf(sheetId, at, value)));
  }
  return values;
}

/** Returns a value with its text, where that is another one. */
export function shownAs(value: WireInput, text: string | undefined): SideValue {
  return text === undefined ? { value } : { value, text };
}

/** Finds a cell in a state; undefined if it does not exist. */
export function cellOn(state: BranchState, { sheetId = '', row, column }: ContestPlace) {
  const sheet = state.structure.withId(sheetId);
  if (!sheet || !row || !column) return undefined;
  const down = sheet.rows.positionOf(row.branch, row.sequence, row.offset);
  const across = sheet.columns.positionOf(column.branch, column.sequence, column.offset);
  if (down === undefined || across === undefined) return undefined;
  return { sheet, row: down, column: across };
}
