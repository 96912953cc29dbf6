import { Pace } from '../../branches/pace.ts';
import type { Place } from '../../branches/place.ts';
import { valueAfter, valueBefore, type PackedChanges } from '../../../workers/changed-values.ts';
import { cellName, columnLimit } from '../../model/address.ts';
import type { Value } from '../../model/cell-value.ts';
import type { Environment } from '../../model/environment.ts';
import type { WireInput } from '../../model/input.ts';
import type { Operation } from '../../model/operation.ts';
import { parseRange, type SheetRange } from '../../model/range.ts';
import type { BranchSource } from '../branch-source.ts';
import type { Models } from '../models.ts';
import {
  evaluateFormulas,
  readFormulas,
  type AskedFormula,
  type FormulaResult,
} from './formulas.ts';
import { tried } from './tried.ts';
import { SliceReader, type Slice } from '../slice.ts';

export interface ScenarioParts {
  readonly source: BranchSource;
  readonly models: Models;
  readonly environment: Environment;
}

export interface ScenarioRequest {
  /** The operations that the scenario tries, without writing them. */
  readonly ops: readonly Operation[];
  /** The ranges whose values are compared before and after. */
  readonly ranges: readonly SheetRange[];
  /** Formulas that are calculated afterwards, off the grid, with the cells of their sheets. */
  readonly formulas: readonly AskedFormula[];
  readonly changesMost: number;
  readonly signal: AbortSignal;
}

/** A range before and after. */
interface ComparedSlice {
  readonly sheet: string;
  readonly range: string;
  readonly before: readonly (readonly WireInput[])[];
  readonly after: readonly (readonly WireInput[])[];
}

export interface ScenarioChange {
  readonly sheet: string;
  readonly a1: string;
  readonly before: Value;
  readonly after: Value;
}

export interface Scenario {
  readonly seq: number;
  readonly slices: readonly ComparedSlice[];
  /** Results in the order of the request. */
  readonly formulas: readonly FormulaResult[];
  /** First cells whose value would change, in the order of sheets, rows and columns. */
  readonly changes: readonly ScenarioChange[];
  /** Number of all changes. */
  readonly changeCount: number;
}

/** Computes the effects of operations without writing them. */
export class Scenarios {
  readonly #parts: ScenarioParts;

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
  }

  async evaluate(found: Place, request: ScenarioRequest): Promise<Scenario> {
    const { source, models, environment } = this.#parts;
    const { ops, ranges, formulas, changesMost, signal } = request;
    // Both sides are of one position, regardless of concurrent writes.
    const place = { ...found, isPinned: true };
    const state = (await source.stateAt(place.address, place.seq)).fork();
    const { mutations } = await new Pace(environment).run(
      tried(state, ops, (index) => ({ sheet: `/set/${index}/cell`, input: `/set/${index}/input` })),
    );
    const read = readFormulas(formulas, state);
    signal.throwIfAborted();
    const before = await models.use(place, true, (view) =>
      new SliceReader(view, 'value', environment).read(ranges),
    );
    signal.throwIfAborted();
    const { changed, results } = await models.tryOn(place, async (trial) => {
      const values = await trial.change(mutations, signal);
      return { changed: values, results: await evaluateFormulas(read, trial, signal) };
    });
    const names = new Map(state.structure.sheets.map(({ key, name }) => [key, name]));
    const slices = before.map((slice) => compared(slice, changedCells(changed, names)));
    const changes = [...changedList(changed, names, changesMost)];
    return { seq: place.seq, slices, formulas: results, changes, changeCount: changed.count };
  }
}

type SheetNames = ReadonlyMap<number, string>;
type ChangedBySheet = ReadonlyMap<string, ReadonlyMap<number, Value>>;

function changedCells(changed: PackedChanges, names: SheetNames): ChangedBySheet {
  const sheets = new Map<string, Map<number, Value>>();
  for (let index = 0; index < changed.count; index++) {
    const sheet = names.get(changed.sheets[index] ?? 0);
    if (sheet === undefined) continue;
    const cells = sheets.get(sheet) ?? new Map<number, Value>();
    sheets.set(sheet, cells.set(changed.places[index] ?? 0, valueAfter(changed, index)));
  }
  return sheets;
}

function* changedList(
  changed: PackedChanges,
  names: SheetNames,
  most: number,
): Generator<ScenarioChange> {
  for (let index = 0; index < Math.min(changed.count, most); index++) {
    const place = changed.places[index] ?? 0;
    const sheet = names.get(changed.sheets[index] ?? 0) ?? '';
    const a1 = cellName(Math.floor(place / columnLimit), place % columnLimit);
    yield { sheet, a1, before: valueBefore(changed, index), after: valueAfter(changed, index) };
  }
}

function compared({ sheet, range, rows }: Slice, changed: ChangedBySheet): ComparedSlice {
  const cells = changed.get(sheet);
  const area = parseRange(range);
  const after = rows.map((row, down) =>
    row.map((value, right) => {
      if (!cells || !area) return value;
      const place = (area.row0 + down) * columnLimit + area.column0 + right;
      return cells.has(place) ? (cells.get(place) ?? null) : value;
    }),
  );
  return { sheet, range, before: rows, after };
}
