import { fillRows, sample, type Workload } from '../workload.ts';

/** Growing ranges, which are quadratic when read one by one. */
export const prefixSums: Workload = {
  name: 'prefix-sums',
  shape: '=SUM(A$1:A1) filled down; full: the first input; small: the last input (1 dirty)',
  make(formulaCount) {
    const rows = fillRows(formulaCount, (index) => [sample(index), `=SUM(A$1:A${index + 1})`]);
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({ sheet: 0, row: 0, column: 0, rows: [[step + 0.25]] }),
      smallEdit: (step) => ({ sheet: 0, row: formulaCount - 1, column: 0, rows: [[step + 0.5]] }),
    };
  },
};
