import { parseRange, type Range } from '../../server/model/range.ts';
import { formulaTokens } from './formula-tokens.ts';
import type { ImportedSheet, ImportedTable } from './imported-workbook.ts';
import { cellKind, type ColumnCells } from './sheet-cells.ts';

/**
 * Returns the formulas of a table's calculated columns, by column. A column with another content in
 * some cell, or with a formula that names cells, has its formulas in the cells only.
 */
export function calculatedColumns(
  table: ImportedTable,
  sheet: ImportedSheet | undefined,
): (string | undefined)[] {
  const range = parseRange(table.range);
  return table.columns.map((_, index) => {
    const isCalculated = table.formulas?.[index] !== undefined;
    if (!isCalculated || !sheet || !range) return undefined;
    return commonFormula(table, sheet, { range, column: range.column0 + index });
  });
}

function commonFormula(
  { headerRow, totalsRow }: ImportedTable,
  { content }: ImportedSheet,
  { range, column }: { readonly range: Range; readonly column: number },
): string | undefined {
  const cells = content.columns().find((known) => known.column === column);
  const row0 = range.row0 + Number(headerRow);
  const row1 = range.row1 - Number(totalsRow);
  const template = cells && commonTemplate(cells, row0, row1);
  if (template === undefined) return undefined;
  const { formulas } = content.pool;
  if (formulas.templates[template]?.isLegacy !== false) return undefined;
  const formula = formulas.textAt(template, row0, column);
  const namesCells = formulaTokens(formula).some(({ kind, text }) => {
    return kind === 'cell' || text === ':' || text === '!';
  });
  return namesCells ? undefined : formula;
}

/** Returns the template of all cells in some rows; undefined if they differ. */
function commonTemplate(cells: ColumnCells, row0: number, row1: number): number | undefined {
  const { rows, kinds, data, count } = cells;
  let template: number | undefined;
  let found = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] ?? 0;
    if (row < row0 || row > row1) continue;
    if (kinds[at] !== cellKind.formula) return undefined;
    template ??= data[at];
    if (data[at] !== template) return undefined;
    found++;
  }
  return found === row1 - row0 + 1 ? template : undefined;
}
