import type { FormulaService } from '../../model/formula-service.ts';
import type { FormulaHome } from '../cells/known-identities.ts';
import type { SortedList } from '../nodes/sorted-list.ts';
import type { Structure } from './structure.ts';

/** An entry of a section. The value is canonical JSON: members in a fixed order. */
export type SectionEntry = readonly [key: string, value: unknown];

/** A part of a state's content besides cells, such as names or records: values by key. */
export type Section = WrittenSection | ListedSection;

export interface WrittenSection {
  readonly name: string;
  /** Yields entries sorted by key; equal for equal content, regardless of history. */
  entries(): Iterable<SectionEntry>;
  /** Structures to which entries refer by digest. */
  structures?(): Iterable<Structure>;
}

/** A section that keeps its entries as they are stored. */
export interface ListedSection {
  readonly name: string;
  readonly count: number;
  list(): Generator<void, SortedList>;
}

/** Stored entries, with access to the structures they refer to. */
export interface StoredSection {
  readonly entries: readonly SectionEntry[];
  readonly structureOf: (digest: string) => Structure;
  /** Reads a formula in ids that is not in a cell. */
  readonly formulaOf: (identity: string, sheetId: string | undefined) => ReadFormula;
  /** Reads a formula in ids for a cell. */
  readonly formulaAt: (
    identity: string,
    home: FormulaHome,
  ) => { readonly r1c1: string; readonly structure: Structure };
}

/** A formula with the structure that its addresses refer to. */
export interface ReadFormula {
  readonly formula: string;
  readonly structure: Structure;
}

/** Placeholder for the digest of a structure, for formulas in ids. */
export const idsDigest = 'ids';

/** Placeholder for the digest of the state's own structure, in states of former versions. */
export const headDigest = 'head';

/**
 * The forms in which formulas of states were stored: `former` before ids, `early` while several
 * sheets were stored by name, `heads` while formulas of records referred to the structure of the
 * state, and `ids` today.
 */
export type StateForm = 'ids' | 'heads' | 'early' | 'former';

/** The forms of a formula in ids. */
export type IdentityForm = 'ids' | 'early';

/** The form of formulas in cells and names. */
export type FormulaForm = IdentityForm | 'former';

export function formulaForm(form: StateForm): FormulaForm {
  return form === 'heads' ? 'ids' : form;
}

/** The form in which to write formulas of a section. */
export interface SectionWriting {
  readonly form: StateForm;
  /** Structure of the state. */
  readonly structure: Structure;
  readonly formulas: FormulaService;
}
