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

interface KnownIdentity {
  readonly home: FormulaHome;
  readonly identity: FormulaIdentity;
}

/** Formulas whose identities are kept at most, and as many that were used before. */
const knownMost = 8_192;

/** The identities that were written last, one a formula: those of the cell it stands in. */
export class KnownIdentities {
  #recent = new WeakMap<StoredFormula, KnownIdentity>();
  #former = new WeakMap<StoredFormula, KnownIdentity>();
  #count = 0;

  find(stored: StoredFormula, home: FormulaHome): FormulaIdentity | undefined {
    const recent = this.#recent.get(stored);
    const known = recent ?? this.#former.get(stored);
    if (!known || !holdsFor(known, home)) return undefined;
    if (!recent) this.#keep(stored, known);
    return known.identity;
  }

  keep(stored: StoredFormula, home: FormulaHome, identity: FormulaIdentity): void {
    this.#keep(stored, { home, identity });
  }

  #keep(stored: StoredFormula, known: KnownIdentity): void {
    if (++this.#count > knownMost) {
      this.#former = this.#recent;
      this.#recent = new WeakMap();
      this.#count = 1;
    }
    this.#recent.set(stored, known);
  }
}

/** Returns whether the formula is written alike in a cell. */
function holdsFor(
  { home, identity }: KnownIdentity,
  { sheetId, row, column }: FormulaHome,
): boolean {
  const isSameRun = home.row.branch === row.branch && home.row.sequence === row.sequence;
  return (
    isSameRun &&
    row.offset >= identity.from &&
    row.offset < identity.to &&
    home.sheetId === sheetId &&
    home.column.branch === column.branch &&
    home.column.sequence === column.sequence &&
    home.column.offset === column.offset
  );
}
