import { cellName } from '../../server/model/address.ts';
import { writeInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import type { Operation } from '../../server/model/operation.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { CellCoding } from '../../server/state/cells/cell-coding.ts';
import { replay } from '../../server/state/admission.ts';
import { contentMutations } from '../../server/state/content-mutations.ts';
import { inputForm, valueForm } from '../../workers/decode.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Kernel } from '../../workers/kernel.ts';
import { orderOn } from '../../server/state/records/format-order.ts';
import { NodeStore } from './node-store.ts';
import { viewsOf } from './record-driver.ts';
import { drive, StateDriver } from './state-driver.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { visibilityDifference } from './visibility-checks.ts';

// Laws that hold after any history, in every copy: the state, a kernel that got each edit, a kernel
// made of the state, a stored state, and a replayed one.

const formulas = new Formulas();
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: 39, column1: 15 };
const width = area.column1 + 1;

/**
 * Returns a range in one spelling, because equal or swapped corners can be spelled in two ways;
 * tests of each kind check the signs that anchor an end.
 */
function plainSpelling(input: unknown, row: number, column: number): unknown {
  if (typeof input !== 'string' || !input.startsWith('=')) return input;
  const canonical = formulas.fromR1C1(formulas.toR1C1(input, row, column), row, column);
  return foldNames(canonical.replaceAll('$', ''));
}

/**
 * Folds names of sheets: a missing sheet is spelled as in the formula, so case only counts in
 * texts.
 */
function foldNames(formula: string): string {
  const parts = formula.split('"');
  return parts.map((part, index) => (index % 2 === 0 ? part.toUpperCase() : part)).join('"');
}

type Texts = readonly (readonly unknown[])[];

/** Cell after cell, row by row. */
function spelled(rows: Texts): string[] {
  return rows.flatMap((cells, row) =>
    cells.map((cell, column) => JSON.stringify(plainSpelling(cell, row, column))),
  );
}

function textsOf(state: BranchState, sheet: BranchState['structure']['sheets'][number]): Texts {
  return Array.from({ length: area.row1 + 1 }, (_row, row) =>
    Array.from({ length: width }, (_column, column) =>
      writeInput(state.inputAt(sheet, row, column)),
    ),
  );
}

/** Returns the first input that differs between state and kernel. */
function inputDifference(state: BranchState, kernel: Kernel): string | undefined {
  for (const sheet of state.structure.sheets) {
    const shown = kernel.readRange(sheet.key, area, { lens: 'input', form: inputForm });
    const [mine, theirs] = [spelled(textsOf(state, sheet)), spelled(shown)];
    const at = mine.findIndex((text, index) => text !== theirs[index]);
    if (at < 0) continue;
    const name = cellName(Math.floor(at / width), at % width);
    return `${sheet.name}!${name}: ${mine[at]} in the state, ${theirs[at]} in the kernel`;
  }
  return undefined;
}

function valueDifference(state: BranchState, one: Kernel, other: Kernel): string | undefined {
  for (const kernel of [one, other]) while (!kernel.recalculate(now, 1e8)) continue;
  for (const { key, name } of state.structure.sheets) {
    const [a, b] = [one, other].map((kernel) =>
      kernel.readRange(key, area, { lens: 'value', form: valueForm }).flat(),
    );
    const at = a?.findIndex((value, index) => JSON.stringify(value) !== JSON.stringify(b?.[index]));
    if (a === undefined || at === undefined || at < 0) continue;
    const cell = cellName(Math.floor(at / width), at % width);
    return `${name}!${cell}: ${JSON.stringify(a[at])} step by step, ${JSON.stringify(b?.[at])} at once`;
  }
  return undefined;
}

/** Returns a kernel that got the mutations of each operation. */
function stepwiseKernel(driver: StateDriver): Kernel {
  const kernel = Kernel.create();
  for (const { mutations } of driver.admitted) {
    kernel.apply(mutations);
    while (!kernel.recalculate(now, 1e8)) continue;
  }
  return kernel;
}

function kernelOf(state: BranchState): Kernel {
  const kernel = Kernel.create();
  const all: Mutation[] = [...contentMutations(state)];
  kernel.apply(all);
  return kernel;
}

/** Returns all that a reader can see. */
function shown(state: BranchState): string {
  const { structure } = state;
  const cells = structure.sheets.map((sheet) => [
    textsOf(state, sheet),
    state.numberFormats(sheet, area),
  ]);
  const tables = state.tables.summaries(structure);
  return JSON.stringify([cells, state.nameSummaries(), tables, viewsOf(state)]);
}

/** Returns records that overlap and must not, and rules out of order. */
function placeFaults(state: BranchState): string[] {
  const { records, structure } = state;
  const faults: string[] = [];
  for (const sheet of structure.sheets) {
    const single = [...records.on('cellmerge', sheet), ...records.on('hyperlink', sheet)];
    for (const record of single) {
      const [range] = records.rangesOf(record, sheet);
      const there = range ? records.meeting(record.type, sheet, range) : [];
      if (there.length > 1) faults.push(`two of ${record.type} on a cell of ${sheet.name}`);
    }
    const rules = records.on('cf', sheet).map(({ id }) => id);
    const order = orderOn(sheet, { records });
    if (rules.toSorted().join() !== order.toSorted().join()) {
      faults.push(`the order of rules is ${order.join()}, of ${rules.join()}`);
    }
  }
  return faults;
}

/** A formula as it is shown. */
interface ShownFormula {
  readonly sheet: string;
  readonly a1: string;
  readonly input: string;
}

/** Returns whether an input is a formula for several cells, which its text does not show. */
function isOfArray(input: unknown): boolean {
  return typeof input === 'object' && input !== null && ('array' in input || 'legacy' in input);
}

/**
 * Yields formulas that can be typed again: lost references may be lost in several ways, and tables
 * write cells of their own.
 */
function* typedFormulas(state: BranchState): Generator<ShownFormula> {
  const { structure, tables } = state;
  for (const sheet of structure.sheets) {
    if (tables.onSheet(sheet.id).length > 0) continue;
    for (const [at, input] of textsOf(state, sheet).flat().entries()) {
      const isTyped = typeof input === 'string' && input.startsWith('=') && !input.includes('#');
      const [row, column] = [Math.floor(at / width), at % width];
      if (!isTyped || isOfArray(state.inputAt(sheet, row, column))) continue;
      yield { sheet: sheet.name, a1: cellName(row, column), input };
    }
  }
}

/** Returns the first formula that changes when its shown text is entered again. */
function typedDifference(state: BranchState): string | undefined {
  const typed = new StateDriver(formulas);
  typed.take(state.fork());
  const hash = drive(state.stateHash());
  for (const { sheet, a1, input } of typedFormulas(state)) {
    const write = (text: string) => {
      return typed.submit('cells.set', { sheet, cells: [{ a1, input: text }] });
    };
    if (write('x') instanceof Rejection || write(input) instanceof Rejection) continue;
    if (drive(typed.state.stateHash()) !== hash) return `${sheet}!${a1}: ${input}`;
  }
  return undefined;
}

/** Returns whether a range reaches the edge: lines pushed off the grid may come back into it. */
function reachesEdge(range: string): boolean {
  return /XFD|1048576/u.test(range);
}

/** Returns the first rule that changes when its shown form is set again. */
function ruleDifference(state: BranchState): string | undefined {
  const typed = new StateDriver(formulas);
  typed.take(state.fork());
  const hash = drive(state.stateHash());
  for (const { type, id, sheet, ranges, value } of viewsOf(state)) {
    const text = JSON.stringify(value);
    if (type !== 'validation' || text.includes('#') || ranges?.some(reachesEdge)) continue;
    const [first, ...more] = ranges ?? [];
    const set = (rule: object) =>
      typed.submit('validation.set', { id, sheet, ranges: [first, ...more], ...value, ...rule });
    const other = { rule: { type: 'custom', formula1: '=1' } };
    if (!first || set(other) instanceof Rejection || set({}) instanceof Rejection) continue;
    if (drive(typed.state.stateHash()) !== hash) return `${id} on ${first}: ${text}`;
  }
  return undefined;
}

/** Returns the differences between the copies; empty when there are none. */
export function lawFaults(driver: StateDriver): string[] {
  const { state } = driver;
  const faults: string[] = [];
  const stepwise = stepwiseKernel(driver);
  const atOnce = kernelOf(state);
  const differences = [
    ['step by step', inputDifference(state, stepwise)],
    ['at once', inputDifference(state, atOnce)],
    ['values', valueDifference(state, stepwise, atOnce)],
    ['typed anew', typedDifference(state)],
    ['set anew', ruleDifference(state)],
    ['step by step', visibilityDifference(state, stepwise)],
    ['at once', visibilityDifference(state, atOnce)],
  ] as const;
  for (const [who, difference] of differences) {
    if (difference !== undefined) faults.push(`${who}: ${difference}`);
  }
  faults.push(...placeFaults(state));
  const hash = drive(state.stateHash());
  if (drive(driver.replayed().state.stateHash()) !== hash) faults.push('a replay has another hash');
  const store = new NodeStore();
  const restored = store.load(store.save(state), new CellCoding(formulas));
  if (shown(restored) !== shown(state)) faults.push('what was stored reads differently');
  if (drive(restored.stateHash()) !== hash) faults.push('what was stored has another hash');
  return faults;
}

/** A fork, with the hash and content when it was made. */
export interface Fork {
  readonly state: BranchState;
  readonly hash: string;
  readonly admittedCount: number;
}

export function forkOf({ state, admitted }: StateDriver): Fork {
  const fork = state.fork();
  return { state: fork, hash: drive(fork.stateHash()), admittedCount: admitted.length };
}

/** Returns a fork after being stored and read. */
export function storedFork({ state, ...fork }: Fork): Fork {
  const store = new NodeStore();
  return { ...fork, state: store.load(store.save(state), new CellCoding(formulas)) };
}

/**
 * Returns faults of a fork: it must stay as it was, and reach the same state after the later
 * operations.
 */
export function forkFaults({ state, hash, admittedCount }: Fork, driver: StateDriver): string[] {
  const faults: string[] = [];
  if (drive(state.stateHash()) !== hash) faults.push('a fork changed with its origin');
  for (const { kind, payload, resolved } of driver.admitted.slice(admittedCount)) {
    const operation = JSON.parse(JSON.stringify({ kind, payload })) as Operation;
    drive(replay(state, operation, resolved));
  }
  if (drive(state.stateHash()) !== drive(driver.state.stateHash())) {
    faults.push('a fork that was told the rest has another hash');
  }
  return faults;
}
