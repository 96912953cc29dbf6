import { cellName, columnLimit } from '../model/address.ts';
import { isFormulaInput } from '../model/cell-value.ts';
import { holdsCell, quoteSheet } from '../model/range.ts';
import type { FormulaReference } from '../model/formula-service.ts';
import { columnOf, rowOf } from '../state/diff/changed-cells.ts';
import type { SheetDiff, StateDiff } from '../state/diff/diff.ts';
import type { SheetPair } from '../state/diff/sides.ts';
import { sheetAt } from '../state/formulas/formula-text.ts';

/** The cause of another value: the cell was edited or moved, or the cells it reads changed. */
export interface ValueCause {
  readonly cause: 'edited' | 'moved' | 'recalculated';
  /** Cells and names that its formula reads and that changed, some of them. */
  readonly via?: readonly string[];
}

const viaMost = 10;
/** Cells of one reference that are looked at one by one. */
const lookedAtMost = 2_000;

interface Place {
  readonly row: number;
  readonly column: number;
}

type Reach = Pick<FormulaReference, 'row0' | 'row1' | 'column0' | 'column1'>;

/**
 * Cells that show something else, by the id of their sheet, row and column as one number: the cells
 * that a formula reads are looked for among them.
 */
export class ShownPlaces {
  readonly #bySheet: ReadonlyMap<string, ReadonlySet<number>>;

  constructor(bySheet: ReadonlyMap<string, ReadonlySet<number>>) {
    this.#bySheet = bySheet;
  }

  /** Yields the changed cells inside a range, from its upper left corner on. */
  *within(sheetId: string, range: Reach): Generator<string> {
    const changed = this.#bySheet.get(sheetId);
    if (!changed) return;
    const { row0, row1, column0, column1 } = range;
    if ((row1 - row0 + 1) * (column1 - column0 + 1) > Math.min(changed.size, lookedAtMost)) {
      for (const place of changed) {
        const [row, column] = [Math.floor(place / columnLimit), place % columnLimit];
        if (holdsCell(range, { row, column })) yield cellName(row, column);
      }
      return;
    }
    for (let row = row0; row <= row1; row++) {
      for (let column = column0; column <= column1; column++) {
        if (changed.has(row * columnLimit + column)) yield cellName(row, column);
      }
    }
  }
}

/** Index of changed places. */
export class ChangedPlaces {
  /** Cells that show something else. */
  readonly shown: ShownPlaces;
  readonly #edited = new Map<string, Set<number>>();
  readonly #sheets: ReadonlyMap<string, SheetDiff>;

  /** `values` by the id of the sheet: cells that show something else, row and column as one number. */
  constructor(diff: StateDiff, values: ReadonlyMap<string, ReadonlySet<number>>) {
    this.#sheets = new Map(diff.sheets.map((sheet) => [sheet.pair.id, sheet]));
    for (const sheet of diff.sheets) {
      const edited = new Set<number>();
      for (const cell of sheet.cells) {
        if (cell.run.toRow >= 0) edited.add(rowOf(cell) * columnLimit + columnOf(cell));
      }
      this.#edited.set(sheet.pair.id, edited);
    }
    this.shown = new ShownPlaces(values);
  }

  isEdited(sheetId: string, { row, column }: Place): boolean {
    if (this.#edited.get(sheetId)?.has(row * columnLimit + column) === true) return true;
    const collapsed = this.#sheets.get(sheetId)?.collapsed ?? [];
    return collapsed.some(
      ({ range, first }) =>
        first.toRow >= 0 &&
        row >= range.row0 &&
        row <= range.row1 &&
        column >= range.column0 &&
        column <= range.column1,
    );
  }

  /** Returns whether lines of the sheet moved among others, and this one with them. */
  isMoved(sheetId: string, { row, column }: Place): boolean {
    const structure = this.#sheets.get(sheetId)?.structure ?? [];
    return structure.some((change) => {
      if (change.op !== 'move' && change.op !== 'reorder') return false;
      const from = change.op === 'move' ? change.to : change.position;
      const at = change.axis === 'row' ? row : column;
      return at >= from && at < from + change.count;
    });
  }
}

/** `row` and `column` are where the cell stands. */
export function causeOf(
  diff: StateDiff,
  pair: SheetPair,
  { places, ...at }: Place & { readonly places: ChangedPlaces },
): ValueCause {
  if (!pair.is || !pair.was || places.isEdited(pair.id, at)) return { cause: 'edited' };
  const via = viaOf(diff, pair, { places, ...at });
  const isMoved = via.length === 0 && places.isMoved(pair.id, at);
  return { cause: isMoved ? 'moved' : 'recalculated', via };
}

/** Changed cells and names that the formula of a cell reads. */
function viaOf(
  { to }: StateDiff,
  pair: SheetPair,
  { places, row, column }: Place & { readonly places: ChangedPlaces },
): string[] {
  const { is: sheet } = pair;
  const input = sheet && to.inputAt(sheet, row, column);
  if (!isFormulaInput(input)) return [];
  const { structure, coding } = to;
  const via = new Set<string>();
  for (const reference of coding.formulas.references(input.formula)) {
    const named = sheetAt(reference, { from: structure, to: structure, sheetId: pair.id });
    if (!named) continue;
    for (const cell of places.shown.within(named.id, reference)) {
      via.add(`${quoteSheet(named.name)}!${cell}`);
      if (via.size >= viaMost) return [...via];
    }
  }
  return [...via];
}
