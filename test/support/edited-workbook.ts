import { cellName } from '../../server/model/address.ts';
import type { Input, Value } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { Kernel } from '../../workers/kernel.ts';

const now = { clockSerial: 46_037 + 14.5 / 24, seedHigh: 1, seedLow: 2 };
const fuelSteps = 1e9;
const pageCells = 50_000;

/** A cell, and what it is changed to. */
export interface CellEdit {
  readonly sheet: number;
  readonly row: number;
  readonly column: number;
  readonly before: Input;
  readonly after: Input;
}

export interface Difference {
  readonly edit: string;
  readonly cell: string;
  readonly stepwise: Value | undefined;
  readonly fresh: Value | undefined;
}

/** Returns values unlike the current one, so that readers have to notice. */
export function otherValues(value: Value): Value[] {
  if (typeof value === 'number') return [value + 1, 'x', null];
  if (typeof value === 'string') return [`${value}x`, 7, null];
  if (typeof value === 'boolean') return [!value, 3, 'x'];
  return [5, 'x', true];
}

export interface Comparison {
  readonly differences: Difference[];
  /** Number of changed cells besides the edited ones; an edit without readers shows nothing. */
  readonly changedCount: number;
}

/** Makes and reverts each edit, and compares every cell with a model built anew. */
export function compareEdits(
  mutations: readonly Mutation[],
  edits: readonly CellEdit[],
): Comparison {
  const original = valuesOf(mutations, []);
  const kernel = Kernel.create();
  kernel.apply(mutations);
  calculate(kernel);
  const found: Difference[] = [];
  let changedCount = 0;
  for (const edit of edits) {
    const changed = mutationOf(edit, edit.after);
    const fresh = valuesOf(mutations, [changed]);
    const name = `${cellText(edit)} = ${JSON.stringify(edit.after)}`;
    kernel.apply([changed]);
    found.push(...differences(name, read(kernel), fresh));
    kernel.apply([mutationOf(edit, edit.before)]);
    found.push(...differences(`${name} and back`, read(kernel), original));
    changedCount += [...differences(name, original, fresh)].length - 1;
  }
  return { differences: found, changedCount };
}

function mutationOf({ sheet, row, column }: CellEdit, input: Input): Mutation {
  return { kind: 'cell', sheet, row, column, input };
}

function valuesOf(mutations: readonly Mutation[], more: readonly Mutation[]): Map<string, Value> {
  const kernel = Kernel.create();
  kernel.apply([...mutations, ...more]);
  return read(kernel);
}

function calculate(kernel: Kernel): void {
  while (!kernel.recalculate(now, fuelSteps));
}

function read(kernel: Kernel): Map<string, Value> {
  calculate(kernel);
  const values = new Map<string, Value>();
  const count = kernel.valueCount;
  for (let offset = 0; offset < count;) {
    offset += kernel.readValues(offset, pageCells, (cell) => {
      values.set(cellText(cell), cell.value);
    });
  }
  return values;
}

function cellText({ sheet, row, column }: { sheet: number; row: number; column: number }): string {
  return `${sheet}!${cellName(row, column)}`;
}

/** Numbers must agree to the last bit. */
function* differences(
  edit: string,
  stepwiseValues: ReadonlyMap<string, Value>,
  freshValues: ReadonlyMap<string, Value>,
): Generator<Difference> {
  for (const cell of new Set([...stepwiseValues.keys(), ...freshValues.keys()])) {
    const stepwise = stepwiseValues.get(cell);
    const fresh = freshValues.get(cell);
    if (!isSame(stepwise, fresh)) yield { edit, cell, stepwise, fresh };
  }
}

function isSame(left: Value | undefined, right: Value | undefined): boolean {
  if (typeof left !== 'object' || typeof right !== 'object') return Object.is(left, right);
  return left?.error === right?.error;
}
