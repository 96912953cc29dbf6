import type { LineId } from '../ids/order.ts';
import type { StoredFormula } from './dictionary.ts';

/** A cell by identity. */
export interface FormulaHome {
  readonly sheetId: string;
  readonly row: LineId;
  readonly column: LineId;
}

/** A formula in ids, and the rows from the cell's own for which it is the same text. */
export interface FormulaIdentity {
  readonly text: string;
  /** Offsets in the run of the cell's row, from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
}

/** A formula that was written in ids, and where. */
export interface LastIdentity {
  readonly stored: WeakRef<StoredFormula>;
  readonly home: FormulaHome;
  readonly identity: FormulaIdentity;
}

/** Returns whether the formula is written alike in a cell. */
export function holdsFor(
  last: LastIdentity,
  stored: StoredFormula,
  { sheetId, row, column }: FormulaHome,
) {
  const { home, identity } = last;
  const isSameRun = home.row.branch === row.branch && home.row.sequence === row.sequence;
  return (
    isSameRun &&
    row.offset >= identity.from &&
    row.offset < identity.to &&
    home.sheetId === sheetId &&
    home.column.branch === column.branch &&
    home.column.sequence === column.sequence &&
    home.column.offset === column.offset &&
    last.stored.deref() === stored
  );
}
