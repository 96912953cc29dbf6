import { Pace } from '../../branches/pace.ts';
import { valueAfter, type PackedChanges } from '../../../workers/changed-values.ts';
import { cellName, columnLimit, rowLimit, type Address } from '../../model/address.ts';
import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import { Failure } from '../../model/failure.ts';
import type { Operation } from '../../model/operation.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { SheetOutline } from '../../state/structure/structure.ts';
import { tried } from './tried.ts';
import { sheetNotFound } from '../sheet-not-found.ts';
import type { TrialModel } from '../trial-model.ts';

export interface AskedFormula {
  readonly formula: string;
  /** Name of the sheet that its cells are of; the first one when left out. */
  readonly sheet?: string | undefined;
}

/** The value of a formula: rows of one value, or of what its array would fill. */
export interface FormulaResult {
  readonly formula: string;
  readonly rows: readonly (readonly Value[])[];
}

export interface FormulaParts {
  readonly state: BranchState;
  readonly trial: TrialModel;
  readonly signal: AbortSignal;
  readonly environment: Environment;
}

/** Cells of one result. */
const resultCellsMost = 10_000;

/** Calculates formulas one after the other, each in a cell far from what the sheet holds. */
export async function evaluateFormulas(
  asked: readonly AskedFormula[],
  parts: FormulaParts,
): Promise<FormulaResult[]> {
  const { state, trial, signal, environment } = parts;
  const results: FormulaResult[] = [];
  for (const [index, { formula, sheet: name }] of asked.entries()) {
    const pointer = `/formulas/${index}`;
    const places = { sheet: `${pointer}/sheet`, input: `${pointer}/formula` };
    const sheet = sheetOf(state, name, places.sheet);
    const corner = freeCorner(state, sheet, pointer);
    const write = (input: string): Promise<PackedChanges> =>
      new Pace(environment)
        .run(tried(state, [cellSet(sheet, corner, input)], () => places))
        .then(({ mutations }) => trial.change(mutations, signal));
    results.push({ formula, rows: resultAt(await write(formula), { sheet, corner, pointer }) });
    await write('');
  }
  return results;
}

function sheetOf(
  { structure }: BranchState,
  name: string | undefined,
  pointer: string,
): SheetOutline {
  const sheet = name === undefined ? structure.sheets[0] : structure.named(name);
  if (!sheet) throw sheetNotFound(name, structure.sheets, pointer);
  return sheet;
}

/** Parts of the sheet behind which a formula may stand, tried in this order. */
const cornerShares = [1 / 2, 3 / 4, 15 / 16];

/** A cell with nothing below it and right of it, far from where most sheets hold anything. */
function freeCorner(state: BranchState, sheet: SheetOutline, pointer: string): Address {
  const shares = cornerShares.map((share) => ({
    row: rowLimit * share,
    column: columnLimit * share,
  }));
  const corners = [...shares, { row: rowLimit - 1, column: columnLimit - 1 }];
  const corner = corners.find((one) => isFreeFrom(state, sheet, one));
  if (corner) return corner;
  throw new Failure('submissionRejected', {
    detail: `${pointer}: ${sheet.name} is full to its last cell, so there is none for a formula.`,
    hint: 'Name another sheet, and write the cells with their sheet: Plan!A1.',
  });
}

function isFreeFrom(state: BranchState, sheet: SheetOutline, { row, column }: Address): boolean {
  const cells = state.cellsOf(sheet);
  const rows = sheet.rows.spansAt(row, rowLimit - row);
  for (const id of cells.columnIds()) {
    const position = sheet.columns.positionOf(id.branch, id.sequence, id.offset);
    if (position === undefined || position < column) continue;
    for (const { block, from, to } of cells.stretches(rows, id)) {
      if (!block.isBlank(from, to)) return false;
    }
  }
  return true;
}

function cellSet({ id: sheet }: SheetOutline, { row, column }: Address, input: string): Operation {
  return { kind: 'cells.set', payload: { sheet, cells: [{ a1: cellName(row, column), input }] } };
}

/** The values that have come to stand from a corner on. */
function resultAt(
  changed: PackedChanges,
  at: { readonly sheet: SheetOutline; readonly corner: Address; readonly pointer: string },
): Value[][] {
  const { sheet, corner, pointer } = at;
  const rows: Value[][] = [[null]];
  let width = 1;
  for (let index = 0; index < changed.count; index++) {
    const place = changed.places[index] ?? 0;
    const down = Math.floor(place / columnLimit) - corner.row;
    const right = (place % columnLimit) - corner.column;
    if (changed.sheets[index] !== sheet.key || down < 0 || right < 0) continue;
    width = Math.max(width, right + 1);
    if ((down + 1) * width > resultCellsMost) throw tooMuch(pointer);
    while (rows.length <= down) rows.push([]);
    const row = rows[down] ?? [];
    row[right] = valueAfter(changed, index);
  }
  return rows.map((row) => Array.from({ length: width }, (_, right) => row[right] ?? null));
}

function tooMuch(pointer: string): Failure {
  return new Failure('rangeTooLarge', {
    detail: `${pointer} comes to more than ${resultCellsMost} cells.`,
    hint: 'Ask for a part of it: TAKE, INDEX, or a sum of it.',
  });
}
