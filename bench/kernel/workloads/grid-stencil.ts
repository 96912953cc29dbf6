import { columnName } from '../../../server/model/address.ts';
import { fillRows, sample, type Cell, type Workload } from '../workload.ts';

/** One formula over a square, each cell made of its neighbours above and to the left. */
export const gridStencil: Workload = {
  name: 'grid-stencil',
  shape:
    '=(A1+A2+B1)/3 over a square; full: its first corner; small: the first cell of its last row',
  make(formulaCount) {
    const side = Math.floor(Math.sqrt(formulaCount));
    const names = Array.from({ length: side + 1 }, (_, column) => columnName(column));
    const rows = fillRows(side + 1, (row) =>
      names.map((name, column): Cell => {
        if (row === 0 || column === 0) return sample(row + column);
        const left = names[column - 1] ?? '';
        return `=(${left}${row}+${left}${row + 1}+${name}${row})/3`;
      }),
    );
    return {
      sheets: [{ name: 'Sheet1', rows }],
      fullEdit: (step) => ({ sheet: 0, row: 0, column: 0, rows: [[step + 0.25]] }),
      smallEdit: (step) => ({ sheet: 0, row: side, column: 0, rows: [[step + 0.5]] }),
    };
  },
};
