import type { Input, Value } from '../../server/model/cell-value.ts';
import { readInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import type { Range } from '../../server/model/range.ts';
import { inputForm, valueForm } from '../../workers/decode.ts';
import { Kernel } from '../../workers/kernel.ts';

const fuelSteps = 1e9;

/** A kernel with one sheet, of key 1, and one clock for all its calculations. */
export class OneSheet {
  readonly kernel = Kernel.create();
  #clockSerial = 46_000.5;

  constructor(mutations: readonly Mutation[] = []) {
    this.kernel.apply([{ kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 }, ...mutations]);
  }

  set clockSerial(serial: number) {
    this.#clockSerial = serial;
  }

  enter(row: number, column: number, input: Input): void {
    this.kernel.apply([{ kind: 'cell', sheet: 1, row, column, input }]);
  }

  /** Enters a rectangle, row by row. */
  enterBlock(row: number, column: number, inputs: readonly (readonly Input[])[]): void {
    this.kernel.apply([{ kind: 'block', sheet: 1, row, column, inputs }]);
  }

  calculate(): void {
    const clock = { clockSerial: this.#clockSerial, seedHigh: 1, seedLow: 2 };
    while (!this.kernel.recalculate(clock, fuelSteps));
  }

  /** Returns the values of a range once all is calculated, row by row. */
  values(range: Range): Value[][] {
    this.calculate();
    return this.kernel.readRange(1, range, { lens: 'value', form: valueForm });
  }

  /** Values of one column once all is calculated. */
  column(column: number, row0: number, row1: number): Value[] {
    const rows = this.values({ row0, row1, column0: column, column1: column });
    return rows.map(([value]) => value ?? null);
  }

  /** Returns the input of a cell. */
  input(row: number, column: number): Input {
    const range = { row0: row, row1: row, column0: column, column1: column };
    const cells = this.kernel.readRange(1, range, { lens: 'input', form: inputForm });
    return readInput(cells[0]?.[0] ?? null, {});
  }
}
