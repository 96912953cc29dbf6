import { columnLimit, rowLimit } from '../model/address.ts';
import { isFormulaInput } from '../model/cell-value.ts';
import type { Mutation } from '../model/mutation.ts';
import { cellCount, columnCount, rowCount, type Range, type SheetRange } from '../model/range.ts';
import type { BranchState } from '../state/branch-state.ts';
import { sheetAt } from '../state/formulas/formula-text.ts';
import type { SheetOutline } from '../state/structure/structure.ts';
import { Kernel, type Lens } from '../../workers/kernel.ts';
import type { ModelView } from './model.ts';
import { mutationWeight, noSize } from './mutation-weight.ts';
import { fillsNoOthers, isPlainFormula } from './plain-formula.ts';
import { SheetList } from './sheet-list.ts';

/** Most cells of a part, beyond which a whole model is faster. */
const cellsMost = 30_000;
/** Most names and tables, all of which are defined. */
const namesMost = 1_000;
const restEveryCells = 256;
const kernelBytesMost = 256 << 20;
/** Fuel beyond which a whole model is calculated in the pool. */
const fuelSteps = 4_000_000;
/** Fuel between two pauses: a millisecond or two. */
const sliceFuelSteps = 20_000;
const sliceWeight = 500;

/**
 * Collects the cells of ranges and their precedents: a small model of a part of a state. Undefined
 * if that is too much, or if formulas do not tell their precedents; then a whole model is needed.
 */
export function* readPart(
  state: BranchState,
  ranges: readonly SheetRange[],
  lens: Lens,
): Generator<void, ModelView | undefined> {
  const areas = wantedAreas(state, ranges);
  if (!areas || state.names.size + state.tables.all.length > namesMost) return undefined;
  const part = new Part(state, lens === 'value');
  for (const area of areas) if (!(yield* part.add(area))) return undefined;
  return (yield* part.isAll()) ? yield* part.view() : undefined;
}

interface Area {
  readonly sheet: SheetOutline;
  readonly range: Range;
}

/** Resolves the ranges; undefined if one does not exist or is a whole row or column. */
function wantedAreas(state: BranchState, ranges: readonly SheetRange[]): Area[] | undefined {
  const wanted: Area[] = [];
  let count = 0;
  for (const { sheet: name, areas } of ranges) {
    const { structure } = state;
    const sheet = name === undefined ? structure.sheets[0] : structure.named(name);
    if (!sheet) return undefined;
    for (const range of areas) {
      count += cellCount(range);
      const isWhole = rowCount(range) === rowLimit || columnCount(range) === columnLimit;
      if (isWhole || count > cellsMost) return undefined;
      wanted.push({ sheet, range });
    }
  }
  return wanted;
}

class Part {
  readonly #state: BranchState;
  readonly #evaluate: boolean;
  readonly #mutations: Mutation[] = [];
  /** Added cells by key of their sheet. */
  readonly #known = new Map<number, Set<number>>();
  /** Sheets with needed blank cells, which an array elsewhere might fill. */
  readonly #withBlanks = new Set<SheetOutline>();
  #cellCount = 0;

  constructor(state: BranchState, evaluate: boolean) {
    this.#state = state;
    this.#evaluate = evaluate;
  }

  /** Adds an area; returns false if the whole is needed. */
  *add(first: Area): Generator<void, boolean> {
    const waiting = [first];
    for (let area = waiting.pop(); area; area = waiting.pop()) {
      const { sheet, range } = area;
      if (this.#cellCount + cellCount(range) > cellsMost) return false;
      const width = columnCount(range);
      for (let at = 0; at < cellCount(range); at++) {
        const [row, column] = [range.row0 + Math.floor(at / width), range.column0 + (at % width)];
        const needed = this.#addCell(sheet, row, column);
        if (!needed) return false;
        waiting.push(...needed);
        if (this.#cellCount % restEveryCells === 0) yield;
      }
    }
    return true;
  }

  /** Adds a cell; returns the areas that it depends on, undefined if unknown. */
  #addCell(sheet: SheetOutline, row: number, column: number): readonly Area[] | undefined {
    const known = this.#known.get(sheet.key) ?? new Set();
    this.#known.set(sheet.key, known);
    const place = row * columnLimit + column;
    if (known.has(place)) return [];
    known.add(place);
    this.#cellCount++;
    const input = this.#state.inputAt(sheet, row, column);
    if (input === null) {
      this.#withBlanks.add(sheet);
      return [];
    }
    this.#mutations.push({ kind: 'cell', sheet: sheet.key, row, column, input });
    return this.#evaluate && isFormulaInput(input) ? this.#needs(input.formula, sheet) : [];
  }

  #needs(text: string, sheet: SheetOutline): readonly Area[] | undefined {
    const { structure, coding } = this.#state;
    const references = coding.formulas.references(text);
    if (!isPlainFormula(text, references)) return undefined;
    const needed: Area[] = [];
    for (const reference of references) {
      const named = sheetAt(reference, { from: structure, to: structure, sheetId: sheet.id });
      if (!named) return undefined;
      const { row0, column0, row1, column1 } = reference;
      needed.push({ sheet: named, range: { row0, column0, row1, column1 } });
    }
    return needed;
  }

  /** Returns whether the values depend on nothing else. */
  *isAll(): Generator<void, boolean> {
    const { coding, settings } = this.#state;
    if (!this.#evaluate) return true;
    if (settings.get('iteration.enabled') === true) return false;
    for (const sheet of this.#withBlanks) yield* this.#state.cellsOf(sheet).readAll();
    return this.#withBlanks.size === 0 || (yield* fillsNoOthers(coding));
  }

  *view(): Generator<void, ModelView | undefined> {
    const { structure, settings, tables, head } = this.#state;
    const sheets = new SheetList();
    const kernel = Kernel.create(kernelBytesMost);
    const mutations: Mutation[] = structure.sheets.map(({ key, name }, index) => {
      return { kind: 'sheetAdd', sheet: key, name, index };
    });
    mutations.push(...settings.mutations(), ...tables.mutations(structure));
    for (const { name, scope, formula } of this.#state.nameSummaries()) {
      const key = scope === null ? undefined : structure.withId(scope)?.key;
      mutations.push({ kind: 'nameSet', name, scope: key, formula });
    }
    mutations.push(...this.#mutations);
    for (const slice of slicesOf(mutations)) {
      kernel.apply(slice);
      yield;
    }
    for (const mutation of mutations) sheets.apply(mutation);
    if (this.#evaluate && !(yield* calculate(kernel))) return undefined;
    const position = { seq: head, at: 0 };
    return {
      kernel,
      sheets,
      position,
      lastRecalculation: undefined,
      isEvaluated: this.#evaluate,
      lend: () => kernel.loan,
    };
  }
}

/** Splits mutations into slices of a few milliseconds. */
function* slicesOf(mutations: readonly Mutation[]): Generator<readonly Mutation[]> {
  let slice: Mutation[] = [];
  let weight = 0;
  for (const mutation of mutations) {
    slice.push(mutation);
    weight += mutationWeight(mutation, noSize);
    if (weight < sliceWeight) continue;
    yield slice;
    slice = [];
    weight = 0;
  }
  yield slice;
}

/** Calculates; returns false if all, or one cell, takes too long for this thread. */
function* calculate(kernel: Kernel): Generator<void, boolean> {
  // A part has no volatile functions.
  const clock = { clockSerial: 0, seedHigh: 0, seedLow: 0 };
  for (let steps = 0; steps < fuelSteps; steps += sliceFuelSteps) {
    const evaluated = kernel.evaluatedCount;
    if (kernel.recalculate(clock, sliceFuelSteps, sliceFuelSteps)) return true;
    if (steps > 0 && kernel.evaluatedCount === evaluated) return false;
    yield;
  }
  return false;
}
