import { foldName } from '../../model/names.ts';
import { moveFormula } from '../formulas/formula-text.ts';
import { withSheetNames } from '../formulas/sheet-spelling.ts';
import { identityOfName } from '../cells/formula-identity.ts';
import { KeyedMap } from '../ids/keyed-map.ts';
import type { FormulaService } from '../../model/formula-service.ts';
import type { Structure } from '../structure/structure.ts';
import {
  formulaForm,
  idsDigest,
  type IdentityForm,
  type SectionEntry,
  type SectionWriting,
  type StoredSection,
} from '../structure/section.ts';

export interface DefinedName {
  readonly name: string;
  /** The sheet that the name belongs to; undefined for a name of the workbook. */
  readonly scopeId: string | undefined;
  /** The formula relative to A1, in the addresses of `structure`. */
  readonly formula: string;
  readonly structure: Structure;
  readonly comment: string | undefined;
}

/** The defined names of a workbook by scope and folded name. Entries are immutable. */
export class NameTable {
  #names = new KeyedMap<DefinedName>();

  copy(): NameTable {
    const copy = new NameTable();
    copy.#names = this.#names.copy();
    return copy;
  }

  get size(): number {
    return this.#names.size;
  }

  get(name: string, scopeId: string | undefined): DefinedName | undefined {
    return this.#names.get(nameKey(name, scopeId));
  }

  set(name: DefinedName): void {
    this.#names.set(nameKey(name.name, name.scopeId), name);
  }

  delete(name: string, scopeId: string | undefined): void {
    this.#names.delete(nameKey(name, scopeId));
  }

  ofScope(scopeId: string): DefinedName[] {
    return [...this.#names.values()].filter((name) => name.scopeId === scopeId);
  }

  /** Lists the names alphabetically, those of the workbook before those of sheets. */
  list(): DefinedName[] {
    return [...this.#names.sorted()].map(([, name]) => name);
  }

  /** Returns the name with a key of `unlike` or `keys`. */
  at(key: string): DefinedName | undefined {
    return this.#names.get(key);
  }

  keys(): string[] {
    return [...this.#names.sorted()].map(([key]) => key);
  }

  /** Yields the names that are not the same object in another table, in no order. */
  unlike(other: NameTable): ReturnType<KeyedMap<DefinedName>['unlike']> {
    return this.#names.unlike(other.#names);
  }

  *entries({ form, formulas }: SectionWriting): Generator<SectionEntry> {
    for (const known of this.list()) {
      const { name, scopeId, comment } = known;
      const own = formulaForm(form);
      const isFormer = own === 'former';
      const formula = isFormer ? known.formula : identityIn(known, formulas, own);
      const structure = isFormer ? known.structure.digest : idsDigest;
      yield [nameKey(name, scopeId), { name, scope: scopeId, formula, structure, comment }];
    }
  }

  /** Yields the structures that entries refer to. */
  *structures({ form }: SectionWriting): Generator<Structure> {
    if (form !== 'former') return;
    for (const { structure } of this.#names.values()) yield structure;
  }

  static from({ entries, structureOf, formulaOf }: StoredSection): NameTable {
    const names = new NameTable();
    for (const [, value] of entries) {
      const { name, scope, formula, structure, comment } = value as StoredName;
      const read =
        structure === idsDigest
          ? formulaOf(formula, scope)
          : { formula, structure: structureOf(structure) };
      names.set({ name, scopeId: scope, ...read, comment });
    }
    return names;
  }
}

/** Returns whether two names have the same spelling and refer to the same lines. */
export function isSameName(
  a: DefinedName | undefined,
  b: DefinedName | undefined,
  formulas: FormulaService,
): boolean {
  if (a === b || !a || !b) return a === b;
  const isSpelledAlike = a.name === b.name && a.comment === b.comment && a.scopeId === b.scopeId;
  return isSpelledAlike && identityIn(a, formulas) === identityIn(b, formulas);
}

/** Formulas in ids by name, which is immutable. */
const identities = new WeakMap<DefinedName, string>();

/** Returns the formula of a name, written in ids. */
export function identityIn(
  name: DefinedName,
  formulas: FormulaService,
  form: IdentityForm = 'ids',
): string {
  const known = form === 'ids' ? identities.get(name) : undefined;
  if (known !== undefined) return known;
  const { formula, structure, scopeId } = name;
  const r1c1 = formulas.toR1C1(formula, 0, 0);
  const identity = identityOfName({ r1c1, structure }, scopeId, form);
  if (form === 'ids') identities.set(name, identity);
  return identity;
}

interface StoredName {
  readonly name: string;
  readonly scope: string | undefined;
  readonly formula: string;
  readonly structure: string;
  readonly comment: string | undefined;
}

/** Returns the formula of a name in the addresses and sheet names of another structure. */
export function shownName(name: DefinedName, to: Structure, formulas: FormulaService): string {
  const text = withSheetNames(nameFormula(name, to, formulas), to, formulas);
  return formulas.fromR1C1(formulas.toR1C1(text, 0, 0), 0, 0);
}

/**
 * Returns the formula of a name in the addresses of another structure, with sheet names as written.
 */
export function nameFormula(
  { formula, structure, scopeId }: DefinedName,
  to: Structure,
  formulas: FormulaService,
): string {
  return moveFormula(formula, { from: structure, to, sheetId: scopeId }, formulas);
}

function nameKey(name: string, scopeId: string | undefined): string {
  return `${foldName(name)}\n${scopeId ?? ''}`;
}
