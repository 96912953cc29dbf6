import type { Book, Engine, PlainValue } from '../kernel/engine.ts';
import { isFormula, type Cell, type Edit, type Sheet } from '../kernel/workload.ts';
import { requirePeer } from '../peers.ts';
import {
  parseFormula,
  type FormulaValue,
  type Program,
  type RangeArea,
  type Surroundings,
  type WorksheetFunction,
} from './formula-program.ts';

type FunctionLibrary = Readonly<Record<string, WorksheetFunction | undefined>>;

const dayMilliseconds = 86_400_000;
/** Days between the epochs of the 1900 system and of JavaScript. */
const epochSerial = 25_569;

/**
 * Makes an engine around formulajs, which only has functions: formulas are parsed once, operators
 * are those of JavaScript, and an edit recalculates everything.
 */
export function loadFormulajs(): Engine {
  const functions = requirePeer('@formulajs/formulajs') as FunctionLibrary;
  return { name: 'formulajs', build: (sheets) => new PeerBook(functions, sheets) };
}

interface PeerSheet {
  readonly values: (FormulaValue | undefined)[][];
  readonly programs: (Program | undefined)[][];
}

class PeerBook implements Book, Surroundings {
  readonly outsideBytes = 0;
  readonly #functions: FunctionLibrary;
  readonly #sheets: PeerSheet[] = [];
  readonly #byName = new Map<string, PeerSheet>();
  /** Absolute ranges of this calculation, which many formulas share. */
  readonly #ranges = new Map<string, FormulaValue[][]>();
  #current: PeerSheet | undefined;

  constructor(functions: FunctionLibrary, sheets: readonly Sheet[]) {
    this.#functions = functions;
    for (const { name, rows } of sheets) {
      const sheet: PeerSheet = {
        values: rows.map((cells) => cells.map((cell) => (isFormula(cell) ? undefined : cell))),
        programs: rows.map((cells) => cells.map(programOf)),
      };
      this.#sheets.push(sheet);
      this.#byName.set(name, sheet);
    }
    this.#calculate();
  }

  edit({ sheet, row, column, rows }: Edit): void {
    const { values, programs } = this.#sheets[sheet] ?? { values: [], programs: [] };
    for (const [down, cells] of rows.entries()) {
      for (const [right, cell] of cells.entries()) {
        (values[row + down] ??= [])[column + right] = cell;
        (programs[row + down] ??= [])[column + right] = programOf(cell);
      }
    }
    this.#sheets.forEach(forget);
    this.#calculate();
  }

  values(sheet: number): PlainValue[][] {
    const { values } = this.#sheets[sheet] ?? { values: [] };
    return values.map((line) => line.map(plainValue));
  }

  close(): void {
    this.#ranges.clear();
  }

  cell(name: string | undefined, row: number, column: number): FormulaValue {
    const sheet = name === undefined ? this.#current : this.#byName.get(name);
    return sheet === undefined ? new Error('#REF!') : this.#value(sheet, row, column);
  }

  range(name: string | undefined, area: RangeArea): FormulaValue[][] {
    const sheet = name === undefined ? this.#current : this.#byName.get(name);
    if (sheet === undefined) return [];
    if (!area.isAbsolute) return this.#read(sheet, area);
    const key = `${this.#sheets.indexOf(sheet)} ${Object.values(area).join(' ')}`;
    let rows = this.#ranges.get(key);
    if (rows === undefined) this.#ranges.set(key, (rows = this.#read(sheet, area)));
    return rows;
  }

  call(name: string): WorksheetFunction {
    const found = this.#functions[name];
    if (found === undefined) throw new Error(`formulajs has no ${name}`);
    return found;
  }

  #calculate(): void {
    this.#ranges.clear();
    for (const sheet of this.#sheets) {
      for (const [row, line] of sheet.programs.entries()) {
        for (let column = 0; column < line.length; column++) this.#value(sheet, row, column);
      }
    }
  }

  #read(sheet: PeerSheet, { row0, column0, row1, column1 }: RangeArea): FormulaValue[][] {
    const rows: FormulaValue[][] = [];
    for (let row = row0; row <= row1; row++) {
      const line: FormulaValue[] = [];
      for (let column = column0; column <= column1; column++) {
        line.push(this.#value(sheet, row, column));
      }
      rows.push(line);
    }
    return rows;
  }

  #value(sheet: PeerSheet, row: number, column: number): FormulaValue {
    const line = sheet.values[row];
    const known = line?.[column];
    if (known !== undefined || line === undefined) return known ?? null;
    const program = sheet.programs[row]?.[column];
    if (program === undefined) return null;
    const before = this.#current;
    this.#current = sheet;
    const computed = program(this);
    this.#current = before;
    return (line[column] = settled(Array.isArray(computed) ? computed[0]?.[0] : computed));
  }
}

/** Drops all values, because the engine has no dependency graph. */
function forget({ values, programs }: PeerSheet): void {
  for (const [row, line] of values.entries()) {
    const parsed = programs[row] ?? [];
    for (const [column, program] of parsed.entries()) {
      if (program !== undefined) line[column] = undefined;
    }
  }
}

function programOf(cell: Cell): Program | undefined {
  return typeof cell === 'string' && isFormula(cell) ? parseFormula(cell) : undefined;
}

/** Returns a value of formulajs as a plain one; its dates are JavaScript's. */
function settled(value: unknown): FormulaValue {
  if (value instanceof Date) {
    const local = value.getTime() - value.getTimezoneOffset() * 60_000;
    return local / dayMilliseconds + epochSerial;
  }
  return (value ?? null) as FormulaValue;
}

function plainValue(value: FormulaValue | undefined): PlainValue {
  return value instanceof Error ? value.message : (value ?? null);
}
