import { parseAddress } from '../../server/model/address.ts';
import { formulaTokens, type Token } from '../../workers/files/formula-tokens.ts';
import type { PlainValue } from '../kernel/engine.ts';

/** Value of a formula; errors are values, as formulajs returns them. */
export type FormulaValue = PlainValue | Error;
type Argument = FormulaValue | FormulaValue[][];
export type WorksheetFunction = (...values: readonly Argument[]) => FormulaValue;

/** Look-ups that a formula needs for its references. */
export interface Surroundings {
  cell(sheet: string | undefined, row: number, column: number): FormulaValue;
  range(sheet: string | undefined, area: RangeArea): FormulaValue[][];
  call(name: string): WorksheetFunction;
}

export interface RangeArea {
  readonly row0: number;
  readonly column0: number;
  readonly row1: number;
  readonly column1: number;
  /** True for a reference that is the same in every cell. */
  readonly isAbsolute: boolean;
}

/** A parsed formula, which can be evaluated again and again. */
export type Program = (around: Surroundings) => Argument;

type Operator = (left: FormulaValue, right: FormulaValue) => FormulaValue;

const numeric =
  (work: (left: number, right: number) => number): Operator =>
  (left, right) => {
    if (left instanceof Error) return left;
    if (right instanceof Error) return right;
    const result = work(Number(left), Number(right));
    return Number.isFinite(result) ? result : new Error('#DIV/0!');
  };

const compared =
  (work: (order: number) => boolean): Operator =>
  (left, right) => {
    if (left instanceof Error) return left;
    if (right instanceof Error) return right;
    if (typeof left === 'string' && typeof right === 'string') {
      return work(Math.sign(left.toLowerCase().localeCompare(right.toLowerCase())));
    }
    return work(Math.sign(Number(left) - Number(right)));
  };

/** Operators from weakest to strongest; those of a row associate to the left. */
const levels: readonly Readonly<Record<string, Operator>>[] = [
  {
    '=': compared((order) => order === 0),
    '<': compared((order) => order < 0),
    '>': compared((order) => order > 0),
  },
  { '&': (left, right) => `${String(left ?? '')}${String(right ?? '')}` },
  { '+': numeric((a, b) => a + b), '-': numeric((a, b) => a - b) },
  { '*': numeric((a, b) => a * b), '/': numeric((a, b) => a / b) },
];

/** Parses the part of the formula language that the workloads use; throws at anything else. */
export function parseFormula(text: string): Program {
  const parser = new FormulaParser(formulaTokens(text.slice(1)));
  return parser.whole();
}

class FormulaParser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens.filter(({ kind }) => kind !== 'space');
  }

  whole(): Program {
    const program = this.#level(0);
    if (this.#at < this.#tokens.length) throw this.#unknown();
    return program;
  }

  #level(index: number): Program {
    const operators = levels[index];
    if (operators === undefined) return this.#operand();
    let program = this.#level(index + 1);
    for (;;) {
      const work = operators[this.#tokens[this.#at]?.text ?? ''];
      if (work === undefined) return program;
      this.#at++;
      const [left, right] = [program, this.#level(index + 1)];
      program = (around) => work(single(left(around)), single(right(around)));
    }
  }

  #operand(): Program {
    const token = this.#tokens[this.#at++];
    switch (token?.kind) {
      case 'number': {
        const value = Number(token.text);
        return () => value;
      }
      case 'string': {
        const value = token.text.slice(1, -1).replaceAll('""', '"');
        return () => value;
      }
      case 'sheet':
        return this.#reference(token.text.slice(0, -1).replaceAll("'", ''));
      case 'cell':
        this.#at--;
        return this.#reference(undefined);
      case 'name':
        return this.#call(token.text);
      default:
        if (token?.text !== '(') throw this.#unknown();
        return this.#closed();
    }
  }

  #closed(): Program {
    const program = this.#level(0);
    this.#expect(')');
    return program;
  }

  #call(name: string): Program {
    this.#expect('(');
    const values: Program[] = [];
    do values.push(this.#level(0));
    while (this.#skip(','));
    this.#expect(')');
    return (around) => around.call(name)(...values.map((value) => value(around)));
  }

  #reference(sheet: string | undefined): Program {
    const first = this.#cell();
    if (!this.#skip(':')) return (around) => around.cell(sheet, first.row, first.column);
    const last = this.#cell();
    const area = {
      row0: first.row,
      column0: first.column,
      row1: last.row,
      column1: last.column,
      isAbsolute: first.isAbsolute && last.isAbsolute,
    };
    return (around) => around.range(sheet, area);
  }

  #cell() {
    const { text = '' } = this.#tokens[this.#at++] ?? {};
    const address = parseAddress(text.replaceAll('$', ''));
    if (address === undefined) throw this.#unknown();
    return { ...address, isAbsolute: text.split('$').length === 3 };
  }

  #skip(text: string): boolean {
    if (this.#tokens[this.#at]?.text !== text) return false;
    this.#at++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw this.#unknown();
  }

  #unknown(): Error {
    const whole = this.#tokens.map(({ text }) => text).join('');
    return new Error(`${whole} is beyond this parser at token ${this.#at}`);
  }
}

function single(value: Argument): FormulaValue {
  return Array.isArray(value) ? (value[0]?.[0] ?? null) : value;
}
