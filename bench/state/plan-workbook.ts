import process from 'node:process';

import { operationSchema } from '../../server/model/operation.ts';
import { Rejection } from '../../server/model/rejection.ts';
import { admit } from '../../server/state/admission.ts';
import { BranchState } from '../../server/state/branch-state.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { Formulas } from '../../workers/formulas.ts';
import { summarise, type Summary } from '../report.ts';

/** A sheet of eight columns of inputs and two of formulas. */

const inputColumns = 8;
export const columnCount = 10;
const rowsPerOperation = 10_000;
/** All inputs that are numbers. */
export const editedColumns = 'ACDEFGH';
/** Factor that leads to each cell of the sheet once, in no order. */
export const scatterPrime = 611_953;
/** Number of rows inserted above all others, in some cases. */
export const rowsAbove = 1_000;

export function builtState(cellCount: number): BranchState {
  const state = new BranchState(1, new Formulas());
  apply(state, 'sheet.add', { name: 'Plan' });
  const rowCount = cellCount / columnCount;
  for (let first = 0; first < rowCount; first += rowsPerOperation) {
    const inputs = Array.from({ length: Math.min(rowsPerOperation, rowCount - first) }, (_, row) =>
      Array.from({ length: inputColumns }, (__, column) => inputAt(first + row, column)),
    );
    apply(state, 'range.set', { sheet: 'Plan', range: `A${first + 1}`, inputs });
  }
  apply(state, 'range.fill', { sheet: 'Plan', range: `I1:J${rowCount}`, input: '=A1*2+C1' });
  return state;
}

/** Returns an input; each row is unique, because peers recognise rows by their content. */
export function inputAt(row: number, column: number): string | number {
  return column === 1 ? `item ${row}` : row * (column + 1) + column;
}

export function apply(state: BranchState, kind: string, payload: object): void {
  const operation = operationSchema.parse({ kind, payload });
  const view = new ClientView(state.structure);
  const result = finished(admit(state, operation, { view, strict: undefined }));
  if (result instanceof Rejection) throw result;
}

export function insertRowsAbove(state: BranchState): void {
  apply(state, 'rows.insert', { sheet: 'Plan', before: 1, count: rowsAbove });
}

export function finished<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Times rounds of work, each on a value of `prepare`, which is not counted. */
export function timed<Given>(
  prepare: () => Given,
  work: (given: Given) => unknown,
  count: number,
  clock: () => number = () => performance.now(),
): Summary {
  work(prepare());
  const samples = Array.from({ length: count }, () => {
    const given = prepare();
    const started = clock();
    work(given);
    return clock() - started;
  });
  return summarise(samples);
}

/** Returns the milliseconds of processor time, which other load does not change. */
export function processorClock(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
