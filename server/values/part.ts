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

/** Cells of a part, asked for or needed for those; beyond it a whole model is quicker. */
const cellsMost = 30_000;
/** Names and tables are made known whether they are needed or not. */
const namesMost = 1_000;
const restEveryCells = 256;
const kernelBytesMost = 256 << 20;
/** Beyond it a whole model, which is calculated in the pool. */
const fuelSteps = 4_000_000;
/** Between two moments at which others may have the thread: a millisecond or two. */
const sliceFuelSteps = 20_000;
const sliceWeight = 500;

/**
 * The cells of some ranges and, for their values, all that those depend on: a small model of a part
 * of a state. Undefined where that is too much, or where it cannot be told from the formulas what
 * they depend on; then it takes a model of the whole.
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

/** Undefined when something is not there, or is a whole row or column: the model knows what to say. */
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
  /** Cells that are in it already, by the key of their sheet. */
  readonly #known = new Map<number, Set<number>>();
  /** Sheets where blank cells are needed, which a formula elsewhere might fill. */
  readonly #withBlanks = new Set<SheetOutline>();
  #cellCount = 0;

  constructor(state: BranchState, evaluate: boolean) {
    this.#state = state;
    this.#evaluate = evaluate;
  }

  /** Answers false when the whole is needed. */
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

  /** Areas that the cell depends on; undefined when they cannot be told. */
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

  /** Returns whether the values need no more than what was added. */
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

/** Mutations that are applied within a few milliseconds each time. */
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

/** Answers false when it takes more than is good for this thread, in all or in one cell. */
function* calculate(kernel: Kernel): Generator<void, boolean> {
  // Nothing in a part asks for the time or for chance.
  const clock = { clockSerial: 0, seedHigh: 0, seedLow: 0 };
  for (let steps = 0; steps < fuelSteps; steps += sliceFuelSteps) {
    const evaluated = kernel.evaluatedCount;
    if (kernel.recalculate(clock, sliceFuelSteps, sliceFuelSteps)) return true;
    if (steps > 0 && kernel.evaluatedCount === evaluated) return false;
    yield;
  }
  return false;
}
