import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import type { SheetSession } from './sheet-session.ts';

export function enterInput(session: SheetSession, at: Address, input: string): void {
  session.apply('cells.set', { parse: true, cells: [{ a1: cellName(at.row, at.column), input }] });
}

/** Keeps a text that found no cell any more. */
export function keepLost(session: SheetSession, at: Address, input: string): void {
  const cells = [{ a1: cellName(at.row, at.column), input }];
  const payload = { sheet: session.sheet?.id ?? '', parse: true, cells };
  const why = 'Its cell was gone, or left, before it was entered.';
  session.edits.keepTyped({ kind: 'cells.set', payload }, why);
}

export function clearCells(session: SheetSession, ranges: readonly Range[]): void {
  const cleared = ranges.map((range) => ({ range: rangeName(range), what: ['values'] }));
  session.apply('range.clear', ...cleared);
}

/** Enters a block of texts as if each were typed. */
export function enterBlock(
  session: SheetSession,
  { row, column }: Address,
  rows: readonly (readonly string[])[],
): void {
  const width = widthOf(rows);
  const inputs = rows.map((line) => Array.from({ length: width }, (_, index) => line[index] ?? ''));
  const range = {
    row0: row,
    column0: column,
    row1: row + rows.length - 1,
    column1: column + width - 1,
  };
  session.apply('range.set', { range: rangeName(range), parse: true, inputs });
}

/** Returns the columns of a block whose rows may be of different lengths. */
export function widthOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}

/** Makes all cells of a range as one of them. */
export function repeatCell(session: SheetSession, { row, column }: Address, range: Range): void {
  const copied = { source: cellName(row, column), to: rangeName(range) };
  session.apply('range.copy', { ...copied, paste: ['formulas'] });
}
