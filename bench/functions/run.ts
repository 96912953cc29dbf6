import type { Book, Engine, PlainValue } from '../kernel/engine.ts';
import { hyperFormulaEngine, loadHyperFormula } from '../kernel/hyper-formula-engine.ts';
import { quireEngine } from '../kernel/quire-engine.ts';
import type { Cell, Edit, Sheet } from '../kernel/workload.ts';
import { say, summarise, type Figure, type Summary } from '../report.ts';
import { goldenFormulas, type MeasuredFormula } from './golden-formulas.ts';
import { rangeFormulas } from './range-formulas.ts';

/** Cells that hold the formula; each edit computes all of them. */
const callCount = 500;
const roundCount = 9;
/** Golden formulas of a function that are tried until both engines agree about one. */
const attemptsMost = 12;
const relativeDifferenceMost = 1e-9;

/** Column of the formulas, and the cell on which they all depend. */
const formulaColumn = 40;
const switchColumn = 39;

/**
 * Measures one call of a function beside hyperformula, for functions that both have: the same
 * formula in many cells, recalculated because a cell beside it changes. Only equal results are
 * measured. The list begins with the function at which Quire is slowest.
 */
export function runFunctionBench(only: string | undefined): Figure[] {
  const hyperFormula = loadHyperFormula();
  const known = new Set(hyperFormula.getRegisteredFunctionNames('enGB'));
  const engines = [quireEngine, hyperFormulaEngine(hyperFormula)] as const;
  say(`hyperformula ${hyperFormula.version}; ${callCount} calls, ${roundCount} rounds`);
  const figures: Figure[] = [];
  const incomparable: string[] = [];
  for (const [name, formulas] of byFunction(only)) {
    if (!known.has(name)) continue;
    const agreed = formulas.slice(0, attemptsMost).find((formula) => agree(formula, engines));
    if (agreed === undefined) incomparable.push(name);
    else figures.push(measure(agreed, engines));
  }
  for (const formula of rangeFormulas()) {
    if (only !== undefined && formula.name !== only) continue;
    if (agree(formula, engines)) figures.push(measure(formula, engines));
    else incomparable.push(formula.formula);
  }
  if (incomparable.length > 0) say(`no result agrees: ${incomparable.join(', ')}`);
  return figures.toSorted((a, b) => (a.ratio ?? 0) - (b.ratio ?? 0));
}

function byFunction(only: string | undefined): Map<string, MeasuredFormula[]> {
  const found = new Map<string, MeasuredFormula[]>();
  for (const formula of goldenFormulas()) {
    const { name } = formula;
    if (only === undefined || name === only) {
      found.set(name, [...(found.get(name) ?? []), formula]);
    }
  }
  return found;
}

/** Returns whether both engines answer the formula alike, and with no error. */
function agree(formula: MeasuredFormula, engines: readonly [Engine, Engine]): boolean {
  const [first, second] = engines.map((engine) => resultOf(formula, engine));
  if (typeof first === 'string' && first.startsWith('#')) return false;
  if (typeof first !== 'number' || typeof second !== 'number') return first === second;
  const scale = Math.max(Math.abs(first), Math.abs(second));
  return Math.abs(first - second) <= relativeDifferenceMost * scale;
}

/** Undefined where an engine does not take the formula at all. */
function resultOf(formula: MeasuredFormula, engine: Engine): PlainValue | undefined {
  let book: Book;
  try {
    book = engine.build([sheetOf(formula, 1)]);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
  const value = book.values(0)[0]?.[formulaColumn];
  book.close();
  return value;
}

function sheetOf({ formula, inputs }: MeasuredFormula, count: number): Sheet {
  const rowCount = Math.max(count, ...inputs.map(({ row }) => row + 1));
  const rows = Array.from({ length: rowCount }, () =>
    Array.from({ length: formulaColumn + 1 }, (): Cell => null),
  );
  const put = (row: number, column: number, cell: Cell): void => {
    const cells = rows[row];
    if (cells !== undefined) cells[column] = cell;
  };
  for (const { row, column, cell } of inputs) put(row, column, cell);
  put(0, switchColumn, 1);
  const switched = `=IF($AN$1>0,${formula.slice(1)},0)`;
  for (let row = 0; row < count; row++) put(row, formulaColumn, switched);
  return { name: 'One', rows };
}

function measure(formula: MeasuredFormula, engines: readonly [Engine, Engine]): Figure {
  const sheets = [sheetOf(formula, callCount)];
  const books = engines.map((engine) => engine.build(sheets));
  const samples: number[][] = [[], []];
  // The first round warms up.
  for (let round = 0; round <= roundCount; round++) {
    for (const [index, book] of books.entries()) {
      const microseconds = recalculate(book, round);
      if (round > 0) samples[index]?.push(microseconds);
    }
  }
  for (const book of books) book.close();
  const [quire, peer] = samples.map((list): Summary => summarise(list));
  if (quire === undefined || peer === undefined) throw new Error('there are two engines');
  return {
    subject: formula.formula.slice(0, 60),
    measure: 'call',
    unit: 'µs',
    quire,
    peer: { name: engines[1].name, ...peer },
    // The ratio is of the least times: a call takes microseconds, to which other load only adds.
    ratio: peer.least / quire.least,
    due: '>= 1x',
  };
}

/** Returns the microseconds of a call; each round changes the cell that all formulas read. */
function recalculate(book: Book, round: number): number {
  const edit: Edit = { sheet: 0, row: 0, column: switchColumn, rows: [[round + 2]] };
  const started = performance.now();
  book.edit(edit);
  return ((performance.now() - started) * 1_000) / callCount;
}
