import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import type { FormulaReference } from '../../model/formula-service.ts';
import type { Mutation } from '../../model/mutation.ts';
import { parseRange, type SheetRange } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import { namesInFormula } from '../../state/formulas/formula-names.ts';
import { shownName, type DefinedName } from '../../state/references/names.ts';
import type { StoredTable } from '../../state/structure/tables.ts';
import type { Models } from '../../values/models.ts';
import { SliceReader } from '../../values/slice.ts';
import { QuestionFaults, volatileFunctions } from './question-faults.ts';
import type { Whole } from './row-reader.ts';

/** A defined name in a question, at its position. */
export interface AskedName {
  readonly name: string;
  readonly formula: string;
}

/** Names in a question and the sheets that they read, for the model that answers it. */
export interface Definitions {
  readonly names: readonly AskedName[];
  /** Cells by name of the sheet: first row and column, and values from there. */
  readonly cells: ReadonlyMap<string, readonly DefinedCells[]>;
}

interface DefinedCells {
  readonly row: number;
  readonly column: number;
  readonly rows: readonly (readonly Value[])[];
}

export const noDefinitions: Definitions = { names: [], cells: new Map() };

const depthMost = 16;
const wholeLines = 0b110000;
const absolute = 0b001111;

/** Finds the meaning of names at the table, with the names in their formulas. */
export class NameSeeker {
  readonly #state: BranchState;
  readonly #table: StoredTable;
  readonly #found = new Map<string, AskedName>();
  readonly #faults: QuestionFaults;

  constructor(state: BranchState, table: StoredTable) {
    this.#state = state;
    this.#table = table;
    this.#faults = new QuestionFaults(table.columns);
  }

  get all(): AskedName[] {
    return [...this.#found.values()];
  }

  /** Adds a name; returns whether it exists. Fails if its formula is not allowed in a question. */
  add(name: string, depth = 0): boolean {
    const { names, structure, coding } = this.#state;
    const known = names.get(name, this.#table.sheetId) ?? names.get(name, undefined);
    if (!known) return false;
    if (this.#found.has(known.name)) return true;
    if (depth > depthMost) throw this.#faults.unasked(`${name} leads through too many other names`);
    const formula = shownName(known, structure, coding.formulas);
    this.#found.set(known.name, { name: known.name, formula });
    this.#check(known, formula, depth);
    return true;
  }

  #check({ name }: DefinedName, formula: string, depth: number): void {
    for (const reference of this.#state.coding.formulas.references(formula)) {
      if (isFixed(reference)) continue;
      throw this.#faults.unasked(
        `${name} reads other cells from each place: write its formula with $`,
      );
    }
    for (const { kind, name: said, isCalled, sheet } of namesInFormula(formula)) {
      if (isCalled === true && volatileFunctions.has(said.toUpperCase())) {
        throw this.#faults.unasked(
          `${name} asks ${said.toUpperCase()}, which does not follow from the row`,
        );
      }
      if (kind === 'column' || kind === 'table' || this.#state.tables.find(said)) {
        throw this.#faults.unasked(`${name} reads a table, which is not of the row`);
      }
      if (sheet === undefined) this.add(said, depth + 1);
    }
  }
}

/** Returns whether a reference is absolute; whole rows and columns need only one axis. */
function isFixed({ flags, sheet }: FormulaReference): boolean {
  return sheet !== undefined && ((flags & wholeLines) !== 0 || (flags & absolute) === absolute);
}

/** Reads the values of all cells that names refer to, at the position of the question. */
export async function readDefinitions(
  names: readonly AskedName[],
  { place, state }: Whole,
  parts: { readonly models: Pick<Models, 'look'>; readonly environment: Environment },
): Promise<Definitions> {
  const ranges = names.flatMap(({ formula }) => rangesIn(formula, state));
  if (ranges.length === 0) return { names, cells: new Map() };
  const slices = await parts.models.look(place, { ranges, lens: 'value' }, (view) =>
    new SliceReader(view, 'value', parts.environment).read(ranges),
  );
  const cells = new Map<string, DefinedCells[]>();
  for (const { sheet, range, rows } of slices) {
    const { row0: row = 0, column0: column = 0 } = parseRange(range) ?? {};
    const known = cells.get(sheet) ?? [];
    known.push({ row, column, rows });
    cells.set(sheet, known);
  }
  return { names, cells };
}

function rangesIn(formula: string, { coding, structure }: BranchState): SheetRange[] {
  return coding.formulas.references(formula).flatMap((reference) => {
    const { sheet = '', row0, column0, row1, column1 } = reference;
    // A name without its sheet is an error in both.
    if (!structure.find(sheet)) return [];
    return [{ sheet, areas: [{ row0, column0, row1, column1 }] }];
  });
}

/**
 * Yields mutations that define the names in a model; `sheetOf` adds a sheet and returns its key.
 */
export function* defining(
  { names, cells }: Definitions,
  sheetOf: (name: string) => number,
): Generator<Mutation> {
  for (const [name, blocks] of cells) {
    const sheet = sheetOf(name);
    for (const { row, column, rows } of blocks) {
      for (const at of rows[0]?.keys() ?? []) {
        const inputs = rows.map((values) => values[at] ?? null);
        yield { kind: 'column', sheet, row, column: column + at, inputs };
      }
    }
  }
  for (const { name, formula } of names) yield { kind: 'nameSet', name, scope: undefined, formula };
}
