import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { shownName, type DefinedName } from '../references/names.ts';
import { Carrier } from '../carrier.ts';
import { changeOf, type Change, type Sides } from './sides.ts';

/** A changed defined name. A renamed one counts as modified. */
export interface ChangedName {
  readonly change: Change;
  /** The sheet it belongs to; undefined for a name of the workbook. */
  readonly scopeId: string | undefined;
  readonly was: DefinedName | undefined;
  readonly is: DefinedName | undefined;
}

/** Compares the names of the workbook and of all sheets; sorted by name. */
export function changedNames(sides: Sides): ChangedName[] {
  const { from, to } = sides;
  const carrier = new Carrier(from, to);
  const changed: ChangedName[] = [];
  for (const [before, after] of unlike(sides)) {
    const isSame = before && after && carried(before, from, carrier) === own(after, to);
    if (isSame === true) continue;
    const scopeId = (after ?? before)?.scopeId;
    changed.push({ change: changeOf(before, after), scopeId, was: before, is: after });
  }
  return withRenames(changed, sides, carrier);
}

type Pair = readonly [was: DefinedName | undefined, is: DefinedName | undefined];

/** Returns the names that may differ, sorted by name. */
function unlike({ from, to }: Sides): readonly Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [, was, is] of from.names.unlike(to.names)) {
    const { name = '', scopeId = '' } = was ?? is ?? {};
    pairs.set(`${foldName(name)}\n${scopeId}`, [was, is]);
  }
  return [...pairs.keys()].sort().flatMap((key) => {
    const pair = pairs.get(key);
    return pair ? [pair] : [];
  });
}

/** Returns a text of all members of a name in the addresses of its own state. */
function own(name: DefinedName, { structure, coding }: BranchState): string {
  return nameText(name, shownName(name, structure, coding.formulas));
}

function carried(name: DefinedName, { structure, coding }: BranchState, carrier: Carrier): string {
  const formula = shownName(name, structure, coding.formulas);
  return nameText(name, carrier.carry(formula, name.scopeId));
}

export function nameText({ name, comment }: DefinedName, formula: string): string {
  return JSON.stringify([name, comment, formula]);
}

/** Turns a deleted and an added name with the same meaning into one renamed name. */
function withRenames(
  changed: readonly ChangedName[],
  { from, to }: Sides,
  carrier: Carrier,
): ChangedName[] {
  const added = new Map<string, ChangedName>();
  for (const one of changed) {
    if (one.is && !one.was) added.set(own({ ...one.is, name: one.scopeId ?? '' }, to), one);
  }
  const renamed = new Set<ChangedName>();
  const found = changed.map((one) => {
    if (one.is || !one.was) return one;
    const meaning = carried({ ...one.was, name: one.scopeId ?? '' }, from, carrier);
    const other = added.get(meaning);
    if (!other || renamed.has(other)) return one;
    renamed.add(other);
    return { ...one, change: 'modified', is: other.is } as const;
  });
  return found.filter((one) => !renamed.has(one));
}
