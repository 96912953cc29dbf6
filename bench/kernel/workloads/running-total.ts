import { fillRows, sample, type Workload } from '../workload.ts';

/** A chain: each row adds its input to the row above, so all rows depend on the first. */
export const runningTotal: Workload = {
  name: 'running-total',
  shape: '=B1+A2 filled down; full: the first input; small: the last input (1 dirty)',
  make(formulaCount) {
    const rows = fillRows(formulaCount, (index) => [
      sample(index),
      index === 0 ? '=A1' : `=B${index}+A${index + 1}`,
    ]);
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({ sheet: 0, row: 0, column: 0, rows: [[step + 0.25]] }),
      smallEdit: (step) => ({ sheet: 0, row: formulaCount - 1, column: 0, rows: [[step + 0.5]] }),
    };
  },
};
