import type { Value } from '../../server/model/cell-value.ts';
import { readInput } from '../../server/model/input.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { Kernel, readCellsMost } from '../../workers/kernel.ts';
import { widthOf, type Book, type Engine, type PlainValue } from './engine.ts';
import type { Cell, Edit, Sheet } from './workload.ts';

/** Any clock and seed do: none of the workloads asks for them. */
const clock = { clockSerial: 45_000, seedHigh: 1, seedLow: 2 };
const unlimitedFuel = Number.MAX_SAFE_INTEGER;

/** The whole way in process: texts as typed, mutations, command buffers, kernel, values. */
export const quireEngine: Engine = {
  name: 'quire',
  build: (sheets) => new QuireBook(sheets),
};

class QuireBook implements Book {
  readonly #kernel = Kernel.create();
  readonly #sheets: readonly Sheet[];

  constructor(sheets: readonly Sheet[]) {
    this.#sheets = sheets;
    const added = sheets.map(({ name }, index): Mutation => {
      return { kind: 'sheetAdd', sheet: index + 1, name, index };
    });
    const filled = sheets.map(({ rows }, index) =>
      blockOf({ sheet: index, row: 0, column: 0, rows }),
    );
    this.#settle([...added, ...filled]);
  }

  edit(edit: Edit): void {
    this.#settle([blockOf(edit)]);
  }

  values(sheet: number): PlainValue[][] {
    const { rows } = this.#sheets[sheet] ?? { rows: [] };
    const width = widthOf(rows);
    const rowsPerRead = Math.floor(readCellsMost / width);
    const read: PlainValue[][] = [];
    for (let row0 = 0; row0 < rows.length; row0 += rowsPerRead) {
      const row1 = Math.min(rows.length, row0 + rowsPerRead) - 1;
      const range = { row0, column0: 0, row1, column1: width - 1 };
      read.push(...this.#kernel.readRange(sheet + 1, range, { lens: 'value', form: plainValue }));
    }
    return read;
  }

  get outsideBytes(): number {
    return this.#kernel.statistics().usedBytes;
  }

  close(): void {
    // The memory goes with the instance.
  }

  #settle(mutations: readonly Mutation[]): void {
    this.#kernel.apply(mutations);
    if (!this.#kernel.recalculate(clock, unlimitedFuel)) throw new Error('values are missing');
  }
}

function blockOf({ sheet, row, column, rows }: Edit): Mutation {
  const inputs = rows.map((cells) => cells.map(inputOf));
  return { kind: 'block', sheet: sheet + 1, row, column, inputs };
}

function inputOf(cell: Cell) {
  return readInput(cell, {});
}

function plainValue(value: Value): PlainValue {
  return typeof value === 'object' && value !== null ? value.error : value;
}
