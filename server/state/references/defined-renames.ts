import type { FormulaService } from '../../model/formula-service.ts';
import { Rejection } from '../../model/rejection.ts';
import { sameName, type NamePlace } from '../formulas/formula-names.ts';
import type { FormulaHome, NameChange } from './formula-renames.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { NameRename } from '../structure/structure.ts';

/** Returns the change of one defined name to another in formulas; the name need not exist. */
export function definedChange({ name, scopeId, to }: NameRename, context: PlanContext): NameChange {
  const { head, names, coding } = context;
  const [wasFunction, isFunction] = [name, to].map((word) => isOfLanguage(word, coding.formulas));
  const isNamed = (place: NamePlace) => {
    const { kind, isCalled = false, sheet } = place;
    const isWord = kind === 'word' || kind === 'name';
    return isWord && sameName(place.name, name) && !(isCalled && !sheet && wasFunction);
  };
  const renamed = (place: NamePlace, sheetId: string | undefined): string => {
    if (isFunction && place.isCalled === true) {
      throw new Rejection('bad_name', `${to} is a function, and formulas call ${name}`);
    }
    const isHidden = scopeId === undefined && sheetId !== undefined && names.get(to, sheetId);
    if (isHidden && !sameName(name, to)) {
      const sheet = head.withId(sheetId)?.name ?? sheetId;
      throw new Rejection(
        'name_taken',
        `formulas name ${name} on ${sheet}, which has its own ${to}`,
      );
    }
    return to;
  };
  return {
    to,
    table: undefined,
    anywhere: (place) => (isNamed(place) ? to : undefined),
    renamingAt: (home) => (place) => {
      if (!isNamed(place)) return undefined;
      const sheetId = sheetOf(place, home, context);
      if (sheetId === null) return undefined;
      const isOwn = sheetId === scopeId;
      const isSeen = scopeId === undefined && sheetId !== undefined && !names.get(name, sheetId);
      return isOwn || isSeen ? renamed(place, sheetId) : undefined;
    },
  };
}

/** The sheet where a name is looked up first; undefined for none, null for a deleted one. */
function sheetOf(
  { sheet }: NamePlace,
  { sheetId, structure }: FormulaHome,
  { head }: PlanContext,
): string | undefined | null {
  if (!sheet) return sheetId;
  const found = structure.named(sheet.name) ?? head.named(sheet.name);
  return found && head.withId(found.id) ? found.id : null;
}

const word = /^[a-z][a-z\d.]*$/iu;

/** Returns whether a call of this name means a built-in function, even if a name is defined. */
function isOfLanguage(name: string, formulas: FormulaService): boolean {
  const upper = name.toUpperCase();
  if (upper === 'LET' || upper === 'LAMBDA') return true;
  // The formula service writes built-in functions in capitals.
  const call = `${name.toLowerCase()}(1)`;
  return word.test(name) && formulas.toR1C1(`=${call}`, 0, 0).startsWith(`=${upper}(`);
}
