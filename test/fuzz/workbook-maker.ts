import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import type { FunctionRow } from '../support/function-table.ts';
import type { Choice } from './choice.ts';
import { FormulaMaker } from './formula-maker.ts';
import { makeNoise, mutate } from './noise.ts';
import type { FormulaStep, Step } from './step.ts';
import { leaf, textOf, type Tree } from './tree.ts';

export const sheets = [
  { key: 1, name: 'One' },
  { key: 2, name: 'Two' },
  { key: 3, name: "It's 3" },
] as const;

export const names = [
  { name: 'Rate', formula: '=One!$A$1' },
  { name: 'Block', formula: '=One!$A$1:$C$4' },
  { name: 'Areas', formula: '=(One!$A$1:$B$2,One!$D$4,Two!$A:$A)' },
  { name: 'Self', formula: '=Self+1' },
  { name: 'Ping', formula: '=Pong*2' },
  { name: 'Pong', formula: '=Ping+One!$B$1' },
  { name: 'Fan', formula: '=Fan2+Fan2*Fan2+Fan2' },
  { name: 'Fan2', formula: '=Fan+Fan+Rate+Fan2+Pong+Pong' },
  { name: 'Twice', formula: '=LAMBDA(x,x*2)' },
  { name: 'Factorial', formula: '=LAMBDA(n,IF(n<2,1,n*Factorial(n-1)))' },
  { name: 'Forever', formula: '=LAMBDA(n,Forever(n+1)+Forever(n+2))' },
] as const;

const rowsMost = 8;
const dataColumns = 4;
const formulaColumns = 4;

const values: readonly Input[] = [
  null,
  0,
  1,
  2,
  3,
  -1.5,
  10,
  43_831,
  1e15,
  -1e308,
  true,
  false,
  '',
  'a',
  'B',
  '12',
  'x*',
  'East',
  { error: '#N/A' },
  { error: '#DIV/0!' },
];

/** A workbook with data, names and a table, some formulas, and edits between. */
export class WorkbookMaker {
  readonly #choice: Choice;
  readonly #formulas: FormulaMaker;
  readonly #functions: readonly FunctionRow[];

  constructor(choice: Choice, functions: readonly FunctionRow[]) {
    this.#choice = choice;
    this.#functions = functions;
    this.#formulas = new FormulaMaker(choice, functions);
  }

  make(): Step[] {
    const choice = this.#choice;
    const formulas = choice.times(1 + choice.below(5), () => this.#formula());
    const edits = choice.oneIn(3) ? choice.times(1 + choice.below(4), () => this.#edit()) : [];
    return [...this.#begin(), ...formulas, ...edits];
  }

  #begin(): Step[] {
    const choice = this.#choice;
    const mutations: Mutation[] = sheets.map(({ key, name }, index) => {
      return { kind: 'sheetAdd', sheet: key, name, index };
    });
    for (const { name, formula } of names) {
      if (choice.oneIn(2)) mutations.push({ kind: 'nameSet', name, scope: undefined, formula });
    }
    if (choice.oneIn(2)) mutations.push(this.#table());
    mutations.push(
      ...sheets.flatMap(({ key }) => (key === 1 || choice.oneIn(2) ? this.#data(key) : [])),
    );
    return mutations.map((mutation) => ({ mutation }));
  }

  #table(): Mutation {
    const size = { row: 0, column: 0, rowCount: 6, columnCount: 3 };
    const columns = ['Region', 'Amount', "Odd [#] 'name"];
    const parts = { headerRow: true, totalsRow: this.#choice.oneIn(2) };
    return { kind: 'tableSet', name: 'Sales', sheet: 1, ...size, columns, ...parts };
  }

  #data(sheet: number): Mutation[] {
    const isNumeric = this.#choice.oneIn(2);
    const value = (): Input =>
      isNumeric ? this.#choice.between(-5, 20) : this.#choice.pick(values);
    const inputs = this.#choice.times(rowsMost, () => this.#choice.times(dataColumns, value));
    return [{ kind: 'block', sheet, row: 0, column: 0, inputs }];
  }

  #formula(): FormulaStep {
    const choice = this.#choice;
    const sheet = choice.oneIn(4) ? 2 : 1;
    const row = choice.below(rowsMost);
    const far = choice.oneIn(3) ? 0 : dataColumns;
    const column = far + choice.below(formulaColumns);
    const mode = choice.pick(['dynamic', 'dynamic', 'dynamic', 'legacy', 'array'] as const);
    return { tree: this.#tree(), sheet, row, column, mode };
  }

  #tree(): Tree {
    const choice = this.#choice;
    const way = choice.below(12);
    if (way === 0) return leaf(makeNoise(choice));
    if (way === 1) return leaf(mutate(textOf(this.#formulas.make()), choice));
    if (way < 6) return this.#formulas.makeCall(choice.pick(this.#functions));
    return this.#formulas.make();
  }

  #edit(): Step {
    const choice = this.#choice;
    const sheet = choice.oneIn(4) ? 2 : 1;
    const at = { sheet, row: choice.below(rowsMost), column: choice.below(dataColumns) };
    const axis = choice.pick(['row', 'column'] as const);
    const lines = { sheet, axis, from: choice.below(rowsMost), count: 1 + choice.below(2) };
    switch (choice.below(10)) {
      case 0:
        return { mutation: { kind: 'insert', ...lines } };
      case 1:
        return { mutation: { kind: 'delete', ...lines } };
      case 2: {
        const before = choice.pick([choice.below(lines.from + 1), lines.from + lines.count + 2]);
        return { mutation: { kind: 'move', ...lines, before } };
      }
      case 3:
        return this.#formula();
      case 4:
        return { mutation: { kind: 'fill', ...at, rowCount: 3, columnCount: 2, input: null } };
      case 5: {
        const scope = undefined;
        const { name } = choice.pick(names);
        return { mutation: { kind: 'nameSet', name, scope, formula: '=One!$B$2+1' } };
      }
      default:
        return { mutation: { kind: 'cell', ...at, input: choice.pick(values) } };
    }
  }
}
