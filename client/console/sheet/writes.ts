import { cellName, type Address } from '../../../server/model/address.ts';
import { rangeName, type Range } from '../../../server/model/range.ts';
import { meantFormula } from '../formula/closing.ts';
import type { Op } from '../store/overlay.ts';
import { warnOf } from './rule-warnings.ts';
import type { SheetSession } from './sheet-session.ts';

/** Enters an input into a cell of the shown sheet, or of another one. */
export function enterInput(
  session: SheetSession,
  at: Address,
  typed: string,
  sheetId = session.sheet?.id,
): void {
  const input = meantFormula(typed);
  const a1 = cellName(at.row, at.column);
  session.hand(
    { kind: 'cells.set', payload: { sheet: sheetId, parse: true, cells: [{ a1, input }] } },
    ...(hasLines(input) ? [wrapping(sheetId, a1)] : []),
  );
  if (sheetId !== session.sheet?.id) return;
  warnOf(session, at, input).catch(() => {
    session.clipboard.tell(`Nobody can say now whether ${a1} is as its rule asks for.`);
  });
}

/** Returns whether a text has line breaks, so that its cell wraps. */
export function hasLines(input: string): boolean {
  return input.includes('\n') && !input.startsWith('=');
}

export function wrapping(sheet: string | undefined, range: string): Op {
  return { kind: 'format.set', payload: { sheet, range, style: { wrap: true } } };
}

/** Keeps a text whose cell was deleted. */
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

/** Returns the number of columns of a block, whose rows may differ in length. */
export function widthOf(rows: readonly (readonly string[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}

/** Gives all cells of a range the content of one of them. */
export function repeatCell(
  session: SheetSession,
  { row, column }: Address,
  { range, sheetId = session.sheet?.id }: { readonly range: Range; readonly sheetId?: string },
): void {
  const copied = { sheet: sheetId, source: cellName(row, column), to: rangeName(range) };
  session.apply('range.copy', { ...copied, paste: ['formulas'] });
}
