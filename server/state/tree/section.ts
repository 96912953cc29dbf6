import type { Structure } from '../structure.ts';

/** A value that JSON can hold, spelled in one way only: members in a fixed order. */
export type Plain =
  | null
  | boolean
  | number
  | string
  | readonly Plain[]
  | { readonly [member: string]: Plain | undefined };

export type SectionEntry = readonly [key: string, value: Plain];

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
  readonly entries: readonly (readonly [key: string, value: unknown])[];
  readonly structureOf: (digest: string) => Structure;
}
