import { fillRows, sample, type Cell, type Workload } from '../workload.ts';

const tableRows = 10_000;
/** Coprime to `tableRows`, so that its multiples visit every row once, in no order. */
const stride = 6_997;

/** A row of the table: a number, a code and a price. Numbers and codes are in no order. */
function tableRow(index: number): [id: number, code: string, price: number] {
  const id = (index * stride) % tableRows;
  return [id, `item ${id}`, sample(index)];
}

/**
 * Exact lookups into a table of 10,000 rows, half by a number with VLOOKUP and half by a text with
 * INDEX and MATCH, as order lists do it.
 */
export const lookup: Workload = {
  name: 'lookup',
  shape:
    'VLOOKUP of numbers and INDEX(MATCH()) of texts, exact, in 10,000 rows; full: one row of the table; small: one key (1 dirty)',
  formulaCountMost: 10_000,
  hyperFormulaOptions: { useColumnIndex: true },
  make(formulaCount) {
    const orderCount = Math.round(formulaCount / 2);
    const table = `$1:$C$${tableRows}`;
    const rows = fillRows(tableRows, (index): Cell[] => {
      if (index >= orderCount) return tableRow(index);
      const row = index + 1;
      const wanted = (index * 31) % tableRows;
      return [
        ...tableRow(index),
        wanted,
        `item ${wanted}`,
        `=VLOOKUP(D${row},$A${table},3,0)`,
        `=INDEX($C$1:$C$${tableRows},MATCH(E${row},$B$1:$B$${tableRows},0))`,
      ];
    });
    const edited = tableRow(tableRows >> 1);
    return {
      sheets: [{ name: 'Sheet1', rows }],
      // The row goes out of the table and comes back, so that its lookups fail and succeed again.
      fullEdit: (step) => ({
        sheet: 0,
        row: tableRows >> 1,
        column: 0,
        rows: [step % 2 === 1 ? [edited[0] + 0.5, `${edited[1]} old`, step] : edited],
      }),
      smallEdit: (step) => ({
        sheet: 0,
        row: (step * 37) % orderCount,
        column: 3,
        rows: [[(step * 101) % tableRows]],
      }),
    };
  },
};
