import type { Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { formulaForm } from '../../workers/decode.ts';
import { Book } from './book.ts';
import { FaultFound, type Fault } from './fault.ts';
import { formulaText, mutationOf, type FormulaStep, type Step } from './step.ts';
import { names, sheets } from './workbook-maker.ts';

/** Used bytes that may be more after a workbook was built and blanked so often than before. */
const leakBytesMost = 1_024;
const leakRounds = 80;
/** When the last two of these leave the same, the rest would too. */
const quickRounds = 4;
const leakMillisecondsMost = 1_500;

const formulaLengthMost = 8_192;

/** How far steps are looked into. */
export interface Depth {
  readonly leaks: boolean;
  /** Infinity where no clock may decide. */
  readonly callMillisecondsMost: number;
}

/** Returns the fault of the kernel that these steps show, if there is one. */
export function checkSteps(steps: readonly Step[], depth: Depth): Fault | undefined {
  const newBook = (): Book => new Book(depth.callMillisecondsMost);
  try {
    for (const step of steps) if ('tree' in step) checkText(step, newBook());
    checkValues(steps, newBook);
    if (depth.leaks) checkLeak(steps, newBook());
    return undefined;
  } catch (error) {
    if (error instanceof FaultFound) return error.fault;
    throw error;
  }
}

/**
 * Checks that a formula which passes the check is loaded and the reverse, and that its printed text
 * reads as the same formula.
 */
function checkText(step: FormulaStep, book: Book): void {
  const text = formulaText(step);
  book.apply(sheets.map(({ key, name }, index) => ({ kind: 'sheetAdd', sheet: key, name, index })));
  const problem = book.watch('check', () => book.kernel.checkFormula(text, false));
  const printed = enter(book, step, text);
  if (problem === undefined && printed === undefined) {
    throw new FaultFound('check and load disagree', `${text} is checked, but not loaded`);
  }
  if (problem !== undefined && printed !== undefined && !/too (few|many)/u.test(problem.message)) {
    throw new FaultFound('check and load disagree', `${text} is loaded, but ${problem.message}`);
  }
  if (printed === undefined) return;
  const again = enter(book, step, printed);
  if (again !== printed) {
    throw new FaultFound('printed differently', `${text} as ${printed}, then ${String(again)}`);
  }
  checkNotation(printed, step, book);
  book.watch('references', () => book.kernel.readReferences(text, () => {}));
}

/** Checks that a formula printed in R1C1 notation reads as the same formula. */
function checkNotation(printed: string, { row, column }: FormulaStep, book: Book): void {
  const at = { row, column };
  const relative = book.watch('convert', () => book.kernel.convertFormula(printed, at, 'R1C1'));
  if (relative !== undefined && relative.length > formulaLengthMost) return;
  const back =
    relative === undefined
      ? undefined
      : book.watch('convert', () => book.kernel.convertFormula(relative, at, 'A1'));
  if (back !== printed) {
    const detail = `${printed} in R1C1 is ${String(relative)}, and then ${String(back)}`;
    throw new FaultFound('printed differently', detail);
  }
}

/** The formula as the cell shows it, or undefined if it is none. */
function enter(book: Book, { sheet, row, column, mode }: FormulaStep, formula: string) {
  const legacy = { legacy: true } as const;
  const input = mode === 'legacy' ? { formula, ...legacy } : { formula };
  book.apply([{ kind: 'cell', sheet, row, column, input }]);
  const area = { row0: row, row1: row, column0: column, column1: column };
  const lens = { lens: 'formula', form: formulaForm } as const;
  const isRead = book.watch('formulaMode', () => book.kernel.formulaMode(sheet, row, column));
  if (isRead === 'none') return undefined;
  return (
    book.watch('readRange', () => book.kernel.readRange(sheet, area, lens))[0]?.[0] ?? undefined
  );
}

/** Calculated after every edit, once at the end, and once more: the values are the same. */
function checkValues(steps: readonly Step[], newBook: () => Book): void {
  const mutations = steps.map(mutationOf);
  const firstEdit = steps.findIndex((step) => 'tree' in step);
  const atOnce = newBook();
  atOnce.apply(mutations);
  atOnce.calculate();
  const expected = atOnce.values();
  const stepwise = newBook();
  stepwise.apply(mutations.slice(0, firstEdit));
  for (const mutation of mutations.slice(Math.max(0, firstEdit))) {
    stepwise.apply([mutation]);
    stepwise.calculate();
    stepwise.values();
  }
  compare('at once', expected, 'step by step', stepwise.values());
}

function compare(
  leftName: string,
  left: ReadonlyMap<string, Value>,
  ...[rightName, right]: [string, ReadonlyMap<string, Value>]
): void {
  for (const cell of new Set([...left.keys(), ...right.keys()])) {
    const one = JSON.stringify(left.get(cell) ?? null);
    const other = JSON.stringify(right.get(cell) ?? null);
    if (one === other) continue;
    throw new FaultFound('differs', `${cell} is ${one} ${leftName}, ${other} ${rightName}`);
  }
}

/** Built, calculated and blanked many times in one model: its memory must not grow for ever. */
function checkLeak(steps: readonly Step[], book: Book): void {
  const mutations = steps.map(mutationOf);
  book.apply(mutations.filter(({ kind }) => kind === 'sheetAdd'));
  // Repeated insertions would carry formulas out of the area that is blanked.
  const rest = mutations.filter(({ kind }) => !/sheetAdd|insert|move/u.test(kind));
  const used: number[] = [];
  const started = performance.now();
  while (used.length < leakRounds && performance.now() - started < leakMillisecondsMost) {
    book.apply(rest);
    book.calculate();
    book.apply(blanking());
    book.calculate();
    used.push(book.kernel.statistics().usedBytes);
    if (used.length === quickRounds && used.at(-1) === used.at(-2)) return;
  }
  if (used.length < leakRounds) return;
  // Dead memory is swept now and then, so only the least of many rounds tells.
  const before = Math.min(...used.slice(leakRounds >> 2, leakRounds >> 1));
  const after = Math.min(...used.slice(-(leakRounds >> 2)));
  if (after - before > leakBytesMost) {
    throw new FaultFound('leak', `${after - before} bytes in ${leakRounds >> 1} rounds`);
  }
}

function blanking(): Mutation[] {
  const gone = names.map(({ name }) => ({ kind: 'nameDelete', name, scope: undefined }) as const);
  const size = { row: 0, column: 0, rowCount: 60, columnCount: 40 };
  const blank = sheets.map(
    ({ key }) => ({ kind: 'fill', sheet: key, ...size, input: null }) as const,
  );
  return [...gone, ...blank];
}
