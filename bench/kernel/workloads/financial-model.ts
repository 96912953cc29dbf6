import { fillRows, sample, type Cell, type Sheet, type Workload } from '../workload.ts';

const unitCount = 50;
const formulasPerRow = 10;

/**
 * Returns base year, growth, cost share, tax rate and the prefix of labels. The rates have no ties
 * for ROUND, which the engines round differently.
 */
function assumptions(step: number): Cell[][] {
  return [
    [2024 + (step % 5)],
    [0.0313 + step / 1000],
    [0.6],
    [0.2537 + step / 1000],
    [`Plan ${step}`],
  ];
}

/**
 * A planning model of 50 units, each on a sheet with a row for each month, all reading a sheet of
 * assumptions. Each formula of labels and dates has a literal of its own, there are texts and
 * branches, and each unit compares itself with the one before.
 */
function unitRow(unit: number, index: number): Cell[] {
  const row = index + 1;
  const month = (index % 12) + 1;
  const before = `'Unit ${unit - 1}'!D${row}`;
  return [
    sample(index + unit * 13),
    sample(index + unit * 29) + 40,
    `=Assumptions!$B$5&" "&TEXT(${row},"0")`,
    `=A${row}*B${row}*(1+Assumptions!$B$2)`,
    `=D${row}*Assumptions!$B$3+${(index % 9) * 50}`,
    `=D${row}-E${row}`,
    `=IF(F${row}>0,ROUND(F${row}*Assumptions!$B$4,2),0)`,
    index === 0 ? '=F1-G1' : `=H${index}+F${row}-G${row}`,
    `=DATE(Assumptions!$B$1,${month},1)`,
    unit === 1 ? `=D${row}/1000` : `=IF(${before}=0,0,D${row}/${before})`,
    `=IF(F${row}<0,"loss",IF(F${row}>1000,"strong","profit"))`,
    `=MAX(D${row}:F${row})-MIN(D${row}:F${row})`,
  ];
}

export const financialModel: Workload = {
  name: 'financial-model',
  shape:
    '50 sheets with 10 different formulas a row, literals in them, references between sheets; full: all assumptions; small: one input',
  make(formulaCount) {
    const rowCount = Math.round(formulaCount / unitCount / formulasPerRow);
    const labels = ['Base year', 'Growth', 'Cost share', 'Tax rate', 'Label'];
    const sheets: Sheet[] = [
      {
        name: 'Assumptions',
        rows: assumptions(0).map((cells, index) => [labels[index] ?? '', ...cells]),
      },
    ];
    for (let unit = 1; unit <= unitCount; unit++) {
      sheets.push({
        name: `Unit ${unit}`,
        rows: fillRows(rowCount, (index) => unitRow(unit, index)),
      });
    }
    return {
      sheets,
      fullEdit: (step) => ({ sheet: 0, row: 0, column: 1, rows: assumptions(step) }),
      smallEdit: (step) => ({
        sheet: unitCount,
        row: rowCount - 1,
        column: 0,
        rows: [[step + 0.5]],
      }),
    };
  },
};
