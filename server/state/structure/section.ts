import type { FormulaService } from '../../model/formula-service.ts';
import type { FormulaHome } from '../cells/known-identities.ts';
import type { Structure } from './structure.ts';

/** The value is one that JSON can hold, spelled in one way only: members in a fixed order. */
export type SectionEntry = readonly [key: string, value: unknown];

/** One family of a state's content beside its cells: values by key. */
export interface Section {
  readonly name: string;
  /** Sorted by key; equal for equal content, whatever edits led there. */
  entries(): Iterable<SectionEntry>;
  /** Structures that the entries name by digest. */
  structures?(): Iterable<Structure>;
}

/** Entries as they were stored; the structures they name are at hand. */
export interface StoredSection {
  readonly entries: readonly SectionEntry[];
  readonly structureOf: (digest: string) => Structure;
  /** Reads a formula in ids that stands in no cell. */
  readonly formulaOf: (identity: string, sheetId: string | undefined) => ReadFormula;
  /** Reads one from a cell. */
  readonly formulaAt: (
    identity: string,
    home: FormulaHome,
  ) => { readonly r1c1: string; readonly structure: Structure };
}

/** A formula in the structure that it is read in. */
export interface ReadFormula {
  readonly formula: string;
  readonly structure: Structure;
}

/** Stands for the digest of a structure where a formula is kept in ids. */
export const idsDigest = 'ids';

/** Stands for the digest of the structure that the state itself has, in states of former versions. */
export const headDigest = 'head';

/**
 * The ways in which the formulas of a state were stored: `former` before they were kept in ids,
 * `early` while several sheets were kept by name, `heads` while those of records were kept in the
 * structure of the state.
 */
export type StateForm = 'ids' | 'heads' | 'early' | 'former';

/** The same for a formula that is kept in ids. */
export type IdentityForm = 'ids' | 'early';

/** The form of formulas in cells and names. */
export type FormulaForm = IdentityForm | 'former';

export function formulaForm(form: StateForm): FormulaForm {
  return form === 'heads' ? 'ids' : form;
}

/** How the formulas of a section are written. */
export interface SectionWriting {
  readonly form: StateForm;
  /** Structure of the state. */
  readonly structure: Structure;
  readonly formulas: FormulaService;
}
