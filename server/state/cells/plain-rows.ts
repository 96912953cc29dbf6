import { columnLimit, rowLimit } from '../../model/address.ts';
import type { ReferenceScan } from '../formulas/reference-scan.ts';
import type { FormulaHome, FormulaIdentity } from './known-identities.ts';

type Rows = Pick<FormulaIdentity, 'from' | 'to'>;

/**
 * Returns the rows around a cell in which the text of a formula is that in ids, on a sheet where
 * every line stands where it was made; undefined where it is none: a reference leads out of the
 * grid, or its ends are turned.
 */
export function plainRows(scan: ReferenceScan, { row, column }: FormulaHome): Rows | undefined {
  let [from, to] = [0, rowLimit];
  for (let index = 0; index < scan.count; index++) {
    if (!isPlainAcross(scan, index, column.offset)) return undefined;
    if (scan.isWhole(index, 'row')) continue;
    const rows = rowsInOrder(scan, index);
    from = Math.max(from, rows.from);
    to = Math.min(to, rows.to);
  }
  return row.offset >= from && row.offset < to ? { from, to } : undefined;
}

function isPlainAcross(scan: ReferenceScan, index: number, home: number): boolean {
  if (scan.isWhole(index, 'column')) return true;
  if (scan.isTurned(index, 'column', home)) return false;
  return scan.low(index, 'column', home) >= 0 && scan.high(index, 'column', home) < columnLimit;
}

/** The rows in which both ends are on the grid, the first not below the last. */
function rowsInOrder(scan: ReferenceScan, index: number): Rows {
  const [first, last] = ([0, 1] as const).map((end) => {
    const line = scan.endLine(index, 'row', { end, home: 0 });
    return { line, walks: scan.endWalks(index, 'row', end) };
  });
  if (!first || !last) throw new Error('a reference has two ends');
  const walkers = [first, last].filter(({ walks }) => walks).map(({ line }) => line);
  let from = Math.max(0, ...walkers.map((line) => -line));
  let to = Math.min(rowLimit, ...walkers.map((line) => rowLimit - line));
  const ahead = first.line - last.line;
  if (first.walks === last.walks) return ahead > 0 ? { from: 0, to: 0 } : { from, to };
  if (first.walks) to = Math.min(to, 1 - ahead);
  else from = Math.max(from, ahead);
  return { from, to };
}
