import { fillRows, sample, type Workload } from '../workload.ts';

const windowRows = 10;

/** Overlapping ranges of ten rows, as moving averages have them. */
export const slidingWindow: Workload = {
  name: 'sliding-window',
  shape: '=SUM(A1:A10) filled down; full: column A replaced; small: one input (10 dirty)',
  make(formulaCount) {
    const inputCount = formulaCount + windowRows - 1;
    const rows = fillRows(inputCount, (index) =>
      index < formulaCount
        ? [sample(index), `=SUM(A${index + 1}:A${index + windowRows})`]
        : [sample(index)],
    );
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({
        sheet: 0,
        row: 0,
        column: 0,
        rows: fillRows(inputCount, (index) => [sample(index + step)]),
      }),
      smallEdit: (step) => ({
        sheet: 0,
        row: windowRows + ((step * 37) % (formulaCount - windowRows)),
        column: 0,
        rows: [[step + 0.5]],
      }),
    };
  },
};
