import { fillRows, sample, type Cell, type Workload } from '../workload.ts';

/** Numeric columns filled down that all depend on one absolute input; nothing is parsed again. */
export const columnTemplates: Workload = {
  name: 'column-templates',
  shape:
    '5 numeric formulas a row over 2 inputs and one absolute input; full: that one; small: one input (5 dirty)',
  make(formulaCount) {
    const rowCount = Math.round(formulaCount / 5);
    const rows = fillRows(rowCount, (index) => {
      const row = index + 1;
      const cells: Cell[] = [
        sample(index),
        sample(index + 500),
        `=A${row}*$H$1`,
        `=C${row}+B${row}`,
        `=D${row}*2-A${row}`,
        `=(E${row}+C${row})/3`,
        `=F${row}-B${row}*$H$1`,
      ];
      return index === 0 ? [...cells, 1.5] : cells;
    });
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({ sheet: 0, row: 0, column: 7, rows: [[step + 0.25]] }),
      smallEdit: (step) => ({
        sheet: 0,
        row: (step * 37) % rowCount,
        column: 0,
        rows: [[step + 0.5]],
      }),
    };
  },
};
