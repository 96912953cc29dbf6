import type { FunctionRow } from '../support/function-table.ts';
import type { Choice } from './choice.ts';
import { arrays, giants, lines, numbers, others, references, texts } from './literals.ts';
import { around, call, leaf, operation, type Tree } from './tree.ts';

const operators = ['+', '-', '*', '/', '^', '&', '=', '<>', '<', '<=', '>', '>=', ' ', ',', ':'];
/** Names of LET; some are what R1C1 notation or a function is called. */
const localNames = ['x', 'y', 'z_1', 'total', 'f', 'r', 'C', 'rc', 'R1C1', 'sum', 'R1C'] as const;
const parameterNames = [
  ['a', 'b', 'd'],
  ['r', 'c', 'rc'],
  ['R', 'C', 'RC'],
  ['R1C1', 'r1c2', 'n'],
] as const;
/** Levels from which on only leaves are made, most of the time. */
const levelsMost = 4;
/** A formula's text is refused beyond 8,192 characters; a few may be longer. */
const wordsMost = 260;
const heavyEvery = 24;

/** Formulas of the whole grammar; most can be entered, some are wrong in arity or nesting. */
export class FormulaMaker {
  readonly #choice: Choice;
  readonly #functions: readonly FunctionRow[];
  /** Names that the LETs and LAMBDAs around have given. */
  #locals: string[] = [];
  #words = 0;
  /** Few formulas are large: they take as long as a hundred others. */
  #isHeavy = false;

  constructor(choice: Choice, functions: readonly FunctionRow[]) {
    this.#choice = choice;
    this.#functions = functions;
  }

  make(): Tree {
    this.#begin();
    if (this.#choice.oneIn(40)) return this.#deep();
    return this.#choice.oneIn(3) ? this.#expression(0) : this.#anyCall(0);
  }

  /** A call of one function, its arguments leaves: what every function must bear. */
  makeCall(row: FunctionRow): Tree {
    this.#begin();
    return this.#callOf(row, levelsMost);
  }

  #begin(): void {
    this.#words = 0;
    this.#locals = [];
    this.#isHeavy = this.#choice.oneIn(heavyEvery);
  }

  #expression(level: number): Tree {
    const { below } = { below: this.#choice.below(20) };
    if (++this.#words > wordsMost || (level >= levelsMost && below < 17)) return this.#leaf();
    if (below < 6) return this.#leaf();
    if (below < 12) return this.#anyCall(level);
    if (below < 15) {
      const operator = this.#choice.pick(operators);
      return operation(this.#expression(level + 1), operator, this.#expression(level + 1));
    }
    if (below < 17) return this.#higher(level);
    if (below < 18) return around('-', this.#expression(level + 1), '');
    if (below < 19) return around('', this.#expression(level + 1), '%');
    return around('@', this.#expression(level + 1), '');
  }

  #leaf(): Tree {
    const choice = this.#choice;
    const local = this.#locals.length > 0 && choice.oneIn(2);
    if (local) return leaf(choice.pick(this.#locals));
    const lists = [numbers, numbers, texts, references, references, references, arrays];
    if (choice.oneIn(12)) return leaf(choice.pick(others));
    if (this.#isHeavy && choice.oneIn(6)) return leaf(choice.pick(choice.pick([giants, lines])));
    return leaf(choice.pick(choice.pick(lists)));
  }

  #anyCall(level: number): Tree {
    return this.#callOf(this.#choice.pick(this.#functions), level);
  }

  #callOf(row: FunctionRow, level: number): Tree {
    const { name, fewest, most } = row;
    if (name === 'LET' || name === 'LAMBDA') return this.#higher(level);
    const wrong = this.#choice.oneIn(30);
    const usual = Math.min(most, fewest + this.#choice.below(4));
    const count = wrong ? Math.max(0, fewest + this.#choice.between(-2, 6)) : usual;
    const parts = this.#choice.times(count, (index) => this.#argument(row, index, level));
    return call(name, parts);
  }

  #argument({ name }: FunctionRow, index: number, level: number): Tree {
    const choice = this.#choice;
    if (choice.oneIn(25)) return leaf('');
    const takesLambda = /^(MAP|REDUCE|SCAN|BYROW|BYCOL|MAKEARRAY|GROUPBY|PIVOTBY)$/u.test(name);
    if (takesLambda && index > 0 && choice.oneIn(2)) return this.#lambda(level + 1);
    return this.#expression(level + 1);
  }

  #higher(level: number): Tree {
    const choice = this.#choice;
    const over = () => this.#expression(level + 1);
    switch (choice.below(9)) {
      case 0:
        return call('MAP', [over(), this.#lambda(level, 1)]);
      case 1:
        return call('REDUCE', [over(), over(), this.#lambda(level, 2)]);
      case 2:
        return call('SCAN', [over(), over(), this.#lambda(level, 2)]);
      case 3:
        return call(choice.pick(['BYROW', 'BYCOL']), [over(), this.#lambda(level, 1)]);
      case 4:
        return call('MAKEARRAY', [this.#size(), this.#size(), this.#lambda(level, 2)]);
      case 5: {
        const lambda = this.#lambda(level, 1);
        return {
          ...call('', [over()]),
          open: '',
          parts: [lambda, call('', [over()])],
          between: '',
        };
      }
      case 6:
        return call(choice.pick(['Twice', 'Factorial', 'Forever']), [over()]);
      default:
        return this.#let(level);
    }
  }

  #size(): Tree {
    return leaf(this.#choice.pick(['1', '2', '3', '10', '500', '1E6', '0', '-1', '"2"']));
  }

  #let(level: number): Tree {
    const outer = [...this.#locals];
    const parts: Tree[] = [];
    for (let count = 1 + this.#choice.below(3); count > 0; count--) {
      const name = this.#choice.pick(localNames);
      const isLambda = this.#choice.oneIn(5);
      parts.push(leaf(name), isLambda ? this.#lambda(level + 1) : this.#expression(level + 1));
      this.#locals.push(name);
    }
    parts.push(this.#expression(level + 1));
    this.#locals = outer;
    return call('LET', parts);
  }

  #lambda(level: number, parameterCount = 1 + this.#choice.below(3)): Tree {
    const outer = [...this.#locals];
    const names = this.#choice.pick(parameterNames).slice(0, parameterCount);
    this.#locals.push(...names);
    const body = this.#expression(level + 1);
    this.#locals = outer;
    const parameters = names.map((name) => leaf(this.#choice.oneIn(20) ? `[${name}]` : name));
    return call('LAMBDA', [...parameters, body]);
  }

  /** One thing inside itself, up to and over the limits. */
  #deep(): Tree {
    const choice = this.#choice;
    const depth = choice.pick([20, 60, 64, 65, 100, 399, 400, 401, 1500]);
    const [open, close] = choice.pick([
      ['(', ')'],
      ['-', ''],
      ['', '%'],
      ['SUM(', ')'],
      ['IF(1,', ')'],
      ['@', ''],
      ['1+(', ')'],
      ['LET(x,1,', ')'],
      ['LAMBDA(x,', ')(1)'],
      ['{', '}'],
      ['A1:', ''],
      ['"a"&', ''],
      ['', '#'],
    ] as const);
    let tree = this.#leaf();
    for (let count = 0; count < depth; count++) tree = around(open, tree, close);
    return tree;
  }
}
