import { columnName } from '../../server/model/address.ts';

/** The workbook: eight columns of inputs, two of formulas. */
export const columnsOfInputs = 8;
const sheet = 'Sheet1';
const batchReach = 1_000;
const wordCount = 500;

export interface MixedOperation {
  readonly kind: string;
  readonly payload: object;
}

/** Pseudorandom numbers that are the same in each run (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 up, below `limit`. */
  next(limit: number): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
}

function inputAt(column: number, dice: Dice): number | string | boolean {
  if (column === 4) return `item ${dice.next(wordCount)}`;
  if (column === 5) return 44_000 + dice.next(2_000);
  if (column === 7) return dice.next(2) === 1;
  return dice.next(1_000_000) / 100;
}

/** One range.set of so many rows. */
export function rowsOfInputs(firstRow: number, rowCount: number, dice: Dice): MixedOperation {
  const inputs = Array.from({ length: rowCount }, () =>
    Array.from({ length: columnsOfInputs }, (_, column) => inputAt(column, dice)),
  );
  const range = `${sheet}!A${firstRow}:H${firstRow + rowCount - 1}`;
  return { kind: 'range.set', payload: { range, inputs } };
}

export function formulaFills(rowCount: number): MixedOperation[] {
  return [
    { kind: 'range.fill', payload: { range: `${sheet}!I1:I${rowCount}`, input: '=A1*B1' } },
    {
      kind: 'range.fill',
      payload: { range: `${sheet}!J1:J${rowCount}`, input: '=I1+ROUND(C1/3,2)' },
    },
  ];
}

/**
 * Returns a batch as an agent sends it: four in five operations are close together, the others
 * anywhere. About 72 in 100 set a cell, 10 several, 5 a range, 1 a formula, 3 a format; 4 insert
 * rows, 3 delete and 2 move them.
 */
export function mixedBatch(count: number, rowCount: number, dice: Dice): MixedOperation[] {
  const place = dice.next(rowCount - batchReach);
  return Array.from({ length: count }, () => {
    const row =
      dice.next(5) === 0 ? dice.next(rowCount - 20) + 1 : place + dice.next(batchReach - 20) + 1;
    return mixedOperation(row, rowCount, dice);
  });
}

function mixedOperation(row: number, rowCount: number, dice: Dice): MixedOperation {
  const roll = dice.next(100);
  const column = dice.next(columnsOfInputs);
  if (roll < 72) return cells([[row, column, inputAt(column, dice)]]);
  if (roll < 82) {
    const places = Array.from({ length: 4 }, (_, index) => (column + index) % columnsOfInputs);
    return cells(places.map((at) => [row, at, inputAt(at, dice)]));
  }
  if (roll < 87) return rowsOfInputs(row, 4, dice);
  if (roll < 88) return cells([[row, columnsOfInputs, `=A${row}*B${row}+${dice.next(100)}`]]);
  if (roll < 91) {
    const range = `${sheet}!${columnName(column)}${row}:${columnName(column)}${row + 5}`;
    return { kind: 'format.set', payload: { range, style: { bold: roll === 88 } } };
  }
  if (roll < 95) return { kind: 'rows.insert', payload: { sheet, before: row, count: 1 } };
  if (roll < 98) return { kind: 'rows.delete', payload: { sheet, from: row, count: 1 } };
  const before = dice.next(rowCount - 20) + 1;
  return { kind: 'rows.move', payload: { sheet, from: row, count: 2, before } };
}

function cells(places: readonly (readonly [number, number, number | string | boolean])[]) {
  const set = places.map(([row, column, input]) => ({ a1: `${columnName(column)}${row}`, input }));
  return { kind: 'cells.set', payload: { sheet, cells: set } };
}
