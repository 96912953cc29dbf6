import { fillRows, sample, type Workload } from '../workload.ts';

/** The everyday sheet: two inputs a row and five columns of formulas filled down beside them. */
export const fillDown: Workload = {
  name: 'fill-down',
  shape: '5 formulas a row over 2 inputs; full: column A replaced; small: one input (5 dirty)',
  make(formulaCount) {
    const rowCount = Math.round(formulaCount / 5);
    const rows = fillRows(rowCount, (index) => {
      const row = index + 1;
      return [
        sample(index),
        sample(index + 500),
        `=A${row}+B${row}`,
        `=C${row}*2-A${row}`,
        `=IF(D${row}>100,D${row},A${row})`,
        `=ROUND(E${row}/3,4)`,
        `=(F${row}+C${row})*(1+B${row}/100)`,
      ];
    });
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({
        sheet: 0,
        row: 0,
        column: 0,
        rows: fillRows(rowCount, (index) => [sample(index + step)]),
      }),
      smallEdit: (step) => ({
        sheet: 0,
        row: (step * 37) % rowCount,
        column: 0,
        rows: [[step + 0.5]],
      }),
    };
  },
};
