import { formulaOf } from '../../model/input.ts';
import { overlaps } from '../../model/range.ts';
import type { BranchState } from '../branch-state.ts';
import type { CellPlace } from '../cells/cell-coding.ts';
import { identityOf } from '../cells/formula-identity.ts';
import { FormulaRuns, type FormulaRun } from '../cells/formula-runs.ts';
import { inputOf, sideAt } from '../compare/same-lanes.ts';
import { sheetAt } from '../formulas/formula-text.ts';
import type { SheetArea } from '../formulas/reference-map.ts';
import type { IdSpan } from '../ids/order.ts';
import { wholeSheet } from '../plan/registers.ts';
import { ReaderSearch } from '../references/reader-search.ts';
import { orderOf, type Axis } from '../structure/structure.ts';
import { stateOf, type Merging } from './merging.ts';
import { placeAt } from './side-cells.ts';
import type { RestoredFormula } from './restoration.ts';
import type { WantedCells } from './wanted-cells.ts';

// When deleted cells come back, formulas stored by id refer to them again by themselves. The
// kernel, however, was told of `#REF!`; so such formulas are written again.

/** Lines of a sheet that were deleted, or a whole sheet. */
export interface LostCells {
  readonly sheetId: string;
  readonly lines?: { readonly axis: Axis; readonly span: IdSpan };
}

/** The cells that the merge writes anyway. */
type WrittenCells = Pick<WantedCells, 'has'>;

const formulasPerPart = 1_000;
/** Areas that a formula is compared with, at most. */
const exceptMost = 64;

/** Yields the areas of the merged state whose cells came back. */
export function* lostAreas(
  merging: Merging,
  lost: readonly LostCells[] = merging.lost,
): Generator<SheetArea> {
  for (const { sheetId, lines } of lost) {
    const sheet = stateOf(merging).structure.withId(sheetId);
    if (sheet && !lines) yield { sheetId, range: wholeSheet };
    if (!sheet || !lines) continue;
    const { axis, span } = lines;
    for (const { position: from, length } of orderOf(sheet, axis).piecesOf(span)) {
      const to = from + length - 1;
      const [row, column] = [axis === 'row', axis === 'column'];
      const ends = {
        ...(row && { row0: from, row1: to }),
        ...(column && { column0: from, column1: to }),
      };
      yield { sheetId, range: { ...wholeSheet, ...ends } };
    }
  }
}

/**
 * Writes formulas again that refer to cells which came back, except those that the merge writes
 * anyway.
 */
export function* tellReaders(
  merging: Merging,
  wanted: WrittenCells,
  lost: readonly LostCells[] = merging.lost,
): Generator<void, void> {
  const areas = [...lostAreas(merging, lost)];
  if (areas.length === 0) return;
  const state = stateOf(merging);
  const search = new ReaderSearch(areas, new FormulaRuns(state.coding, state.structure));
  // Formulas inside restored cells were written with them, unless ours had the sheet all along.
  const isHeld = ({ sheetId, lines }: LostCells) =>
    !lines && merging.ours.structure.withId(sheetId) !== undefined;
  const brought = lost.filter((one) => !isHeld(one));
  const except = [...lostAreas(merging, brought)].slice(0, exceptMost);
  const readers = new Map<string, RestoredFormula[]>();
  for (const run of search.outside(except, state.contextAt(state.structure))) {
    for (const place of run ? placesOf(run, wanted) : []) {
      const side = sideAt(state, place);
      const text = formulaOf(inputOf(side, place))?.formula;
      if (text === undefined || !namesAny(merging, areas, text, place.sheetId)) continue;
      const found = readers.get(place.sheetId) ?? [];
      readers.set(place.sheetId, found);
      found.push(restoredFormula(state, side.cell.number, place));
    }
    yield;
  }
  for (const [sheet, found] of readers) yield* restoreFormulas(merging, sheet, found);
}

function* placesOf(
  { sheet, row, column, count }: FormulaRun,
  wanted: WrittenCells,
): Generator<CellPlace> {
  for (let at = row; at < row + count; at++) {
    if (wanted.has(sheet, { row: at, column })) continue;
    yield placeAt(sheet, { row: at, column });
  }
}

/** Returns whether a formula of the merged state refers to any of the areas. */
export function namesAny(
  merging: Merging,
  areas: readonly SheetArea[],
  formula: string,
  homeId: string | undefined,
): boolean {
  const { coding, structure } = stateOf(merging);
  const move = { from: structure, to: structure, sheetId: homeId };
  return coding.formulas.references(formula).some((reference) => {
    const sheetId = sheetAt(reference, move)?.id;
    // A reference across several sheets has no single id, and may span a sheet that came back.
    if (sheetId === undefined) return reference.sheet !== undefined;
    const range = {
      row0: Math.min(reference.row0, reference.row1),
      row1: Math.max(reference.row0, reference.row1),
      column0: Math.min(reference.column0, reference.column1),
      column1: Math.max(reference.column0, reference.column1),
    };
    return areas.some((area) => area.sheetId === sheetId && overlaps(area.range, range));
  });
}

/** Returns a formula of the dictionary in the form that the journal stores: by ids. */
export function restoredFormula(
  { coding }: Pick<BranchState, 'coding'>,
  index: number,
  place: CellPlace,
): RestoredFormula {
  const formula = coding.dictionary.formula(index);
  const { row, column } = place;
  return {
    cell: [row.branch, row.sequence, row.offset, column.branch, column.sequence, column.offset],
    formula: identityOf(formula, place).text,
    ...(formula.legacy && { legacy: true }),
  };
}

export function* restoreFormulas(
  { parts }: Pick<Merging, 'parts'>,
  sheet: string,
  restored: readonly RestoredFormula[],
): Generator<void, void> {
  for (let at = 0; at < restored.length; at += formulasPerPart) {
    const cells = restored.slice(at, at + formulasPerPart);
    yield* parts.add({ kind: 'restore.formulas', payload: { sheet, cells } });
  }
}
