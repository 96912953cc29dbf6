import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { nameText } from '../diff/changed-names.ts';
import { textsNameSameLines } from '../diff/same-references.ts';
import { identityIn, isSameName, shownName, type DefinedName } from '../references/names.ts';
import { Carrier } from '../carrier.ts';
import type { Side } from './judge.ts';
import { lostAreas, namesAny } from './lost-cells.ts';
import { MergedEnds } from './merged-ends.ts';
import { mergedText } from './merged-references.ts';
import { stateOf, takes, type Merging } from './merging.ts';

interface NameMerge {
  readonly name: string;
  readonly scopeId: string | undefined;
  /** The merged definition and the side it comes from; undefined to delete the name. */
  readonly target: StatedValue | undefined;
  /** The formula, where both sides make it. */
  readonly text?: string;
}

interface StatedValue {
  readonly value: DefinedName;
  readonly state: BranchState;
  readonly side: Side;
}

/** A merge with the ranges of each side carried into the merged state. */
interface NamesMerging extends Merging {
  readonly ends: Readonly<Record<Side, MergedEnds>>;
}

function withEnds(merging: Merging): NamesMerging {
  const ends = {
    ours: new MergedEnds(merging, 'ours', { sorts: false }),
    theirs: new MergedEnds(merging, 'theirs', { sorts: false }),
  };
  return { ...merging, ends };
}

/** Deletes the names that theirs deleted. */
export function* deleteNames(of: Merging): Generator<void, void> {
  const merging = withEnds(of);
  for (const one of yield* unlikeNames(merging)) {
    const { name, scopeId } = one;
    // All others are looked at later, when the lines that they name are merged.
    if (merging.theirs.names.get(name, scopeId)) continue;
    const changed = changeOf(merging, one);
    if (!changed || changed.target) continue;
    const scope = scopeId === undefined ? {} : { scope: scopeId };
    yield* merging.parts.add({ kind: 'name.delete', payload: { name, ...scope } });
  }
}

/**
 * Sets the names that theirs defined or changed, or whose references the merge of lines changed.
 */
export function* mergeNames(of: Merging): Generator<void, void> {
  const merging = withEnds(of);
  for (const one of yield* unlikeNames(merging)) {
    const { name, scopeId } = one;
    const changed = changeOf(merging, one);
    if (!changed?.target) continue;
    const { target, text } = changed;
    const { value, state, side } = target;
    const { comment } = value;
    const carried = text ?? carriedFormula(merging, value, side);
    const formula = carried ?? formulaIn(value, state, stateOf(merging));
    const payload = {
      name: value.name,
      ...(scopeId !== undefined && { scope: scopeId }),
      formula,
      ...(comment !== undefined && { comment }),
    };
    const held = stateOf(merging).names.get(name, scopeId);
    const isThere = held && textOf(held, stateOf(merging), stateOf(merging));
    if (isThere !== nameText(value, formula)) {
      yield* merging.parts.add({ kind: 'name.set', payload });
    }
    if (carried === undefined) yield* settleName(merging, target);
  }
  yield* tellNames(merging);
}

/** Writes names again that refer to cells which came back. */
function* tellNames(merging: Merging): Generator<void, void> {
  const areas = [...lostAreas(merging)];
  if (areas.length === 0) return;
  const { names, structure, coding } = stateOf(merging);
  for (const value of names.list()) {
    const formula = shownName(value, structure, coding.formulas);
    if (namesAny(merging, areas, formula, value.scopeId)) yield* restoreName(merging, value);
  }
}

/** Defines a name by ids. */
export function* restoreName(
  { parts }: Pick<Merging, 'parts'>,
  value: DefinedName,
): Generator<void, void> {
  const { name, scopeId, comment } = value;
  const payload = {
    name,
    ...(scopeId !== undefined && { scope: scopeId }),
    formula: identityIn(value, parts.state.coding.formulas),
    ...(comment !== undefined && { comment }),
  };
  yield* parts.add({ kind: 'restore.name', payload });
}

/**
 * The formula of a name, with its ranges carried along moves of the other side; undefined when none
 * was moved.
 */
function carriedFormula(
  { ends, ...merging }: NamesMerging,
  value: DefinedName,
  side: Side,
): string | undefined {
  const { structure, coding } = merging[side];
  const text = ends[side].text(shownName(value, structure, coding.formulas), value.scopeId);
  return text === undefined ? undefined : new Carrier(merging[side], stateOf(merging)).names(text);
}

/** Restores the ids that a name with `#REF!` refers to, which its text does not contain. */
function* settleName(merging: Merging, { value, state }: StatedValue): Generator<void, void> {
  const { name, scopeId } = value;
  const { names, coding } = stateOf(merging);
  const held = names.get(name, scopeId);
  if (!held || isSameName(held, value, coding.formulas)) return;
  const shown = shownName(value, state.structure, coding.formulas);
  if (!shown.includes('#REF!')) return;
  // When ours changed lines too, ranges may have been cut at their ends, so the old ids are wrong.
  const isAlone = merging.base.structure.digest === merging.ours.structure.digest;
  if (!isAlone && coding.formulas.references(shown).length > 0) return;
  yield* restoreName(merging, value);
}

/** Returns whether a sheet is deleted by the merge; its names go with it. */
function isGone(merging: Merging, sheetId: string): boolean {
  const { theirs, base, judge } = merging;
  if (!stateOf(merging).structure.withId(sheetId)) return true;
  if (!judge.isBetweenBranches) return false;
  return base.structure.withId(sheetId) !== undefined && !theirs.structure.withId(sheetId);
}

/** Returns what becomes of a name; undefined if it stays as it is. */
function changeOf(merging: NamesMerging, name: DefinedName): NameMerge | undefined {
  const { name: called, scopeId } = name;
  const state = merging.ours;
  const value = state.names.get(called, scopeId);
  const text = value && unwrittenText(merging, value);
  if (!value || text === undefined) return changedName(merging, called, scopeId);
  return { name: called, scopeId, target: { value, state, side: 'ours' }, text };
}

function changedName(
  merging: NamesMerging,
  name: string,
  scopeId: string | undefined,
): NameMerge | undefined {
  if (scopeId !== undefined && isGone(merging, scopeId)) return undefined;
  const { theirs, base, ours } = merging;
  const [wanted, then, held] = [theirs, base, ours].map((state) => {
    const side = state === theirs ? ('theirs' as const) : ('ours' as const);
    const value = state.names.get(name, scopeId);
    return value && { value, state, side, text: textOf(value, state, stateOf(merging)) };
  });
  const sides = {
    theirs: registerOf(wanted, then),
    base: then?.text,
    ours: registerOf(held, then),
  };
  const place = { name, ...(scopeId !== undefined && { scopeId }) };
  const contest = {
    kind: then ? 'name.value' : 'name.collision',
    register: `name ${foldName(name)} ${scopeId ?? ''}`,
    text: `the name ${name}`,
    place,
  } as const;
  const isTaken = takes(merging, sides, contest, () => ({
    base: definitionOf(then),
    ours: definitionOf(held),
    theirs: definitionOf(wanted),
  }));
  const isOther = isTaken || isLostOtherwise(merging, name, scopeId);
  if (isOther) return { name, scopeId, target: wanted };
  return held && isSpoiled(merging, held) ? { name, scopeId, target: held } : undefined;
}

/**
 * Returns the formula that both sides make of a name which neither wrote, where one of them took an
 * end of its ranges away; undefined for all other names.
 */
function unwrittenText(merging: NamesMerging, { name, scopeId }: DefinedName): string | undefined {
  const { base, ours, theirs, scope } = merging;
  const { digest } = base.structure;
  if (scope || ours.structure.digest === digest || theirs.structure.digest === digest) {
    return undefined;
  }
  const [then, held, wanted] = [base, ours, theirs].map((state) => {
    const value = state.names.get(name, scopeId);
    const text = value && shownName(value, state.structure, state.coding.formulas);
    return value && { value, state, text: text ?? '' };
  });
  if (!then || !held || !wanted) return undefined;
  const sides = [held, wanted];
  const isSame = ({ value }: typeof held) => isSameName(then.value, value, ours.coding.formulas);
  const isWritten = (side: typeof held) => !isSame(side) && !isOnlySlid(then, side);
  if (sides.every(isSame) || sides.some(isWritten)) return undefined;
  return mergedText(merging, [held.text, wanted.text], scopeId);
}

/** Returns whether a name differs from that of the base only where an end of a range was deleted. */
function isOnlySlid(then: Omit<StatedValue, 'side'>, is: Omit<StatedValue, 'side'>): boolean {
  if (then.value.name !== is.value.name || then.value.comment !== is.value.comment) return false;
  const [was, now] = [then, is].map(({ value, state }) => ({
    state,
    text: shownName(value, state.structure, state.coding.formulas),
    sheetId: value.scopeId,
  }));
  return was !== undefined && now !== undefined && textsNameSameLines(was, now);
}

/**
 * Returns the text by which a name is compared with that of the base. Ids decide: equal ids give
 * the text of the base, and equal texts with `#REF!` but other ids give the ids.
 */
function registerOf(
  name: (StatedValue & { readonly text: string }) | undefined,
  then: (StatedValue & { readonly text: string }) | undefined,
): string | undefined {
  if (!name || !then) return name?.text;
  const { formulas } = name.state.coding;
  if (isSameName(name.value, then.value, formulas) || isOnlySlid(then, name)) return then.text;
  const isLost = name.text === then.text && name.text.includes('#REF!');
  return isLost ? identityIn(name.value, formulas) : name.text;
}

/** Returns whether the merge of lines changed what the text of a name should be. */
function isSpoiled(
  merging: NamesMerging,
  { value, text }: StatedValue & { readonly text: string },
) {
  const carried = carriedFormula(merging, value, 'ours');
  const wanted = carried === undefined ? text : nameText(value, carried);
  return wanted !== heldText(merging, value);
}

/**
 * Returns whether theirs changed a name only in deleted cells that it refers to: the texts are
 * equal, with `#REF!` in both.
 */
function isLostOtherwise(
  { theirs, base, ours, scope }: Merging,
  name: string,
  scopeId: string | undefined,
): boolean {
  const [wanted, then, held] = [theirs, base, ours].map(({ names }) => names.get(name, scopeId));
  if (!wanted || !then || scope) return false;
  const { formulas } = theirs.coding;
  return isSameName(then, held, formulas) && !isSameName(wanted, then, formulas);
}

interface StatedName {
  readonly value: DefinedName | undefined;
  readonly state: BranchState;
}

/** The members of a name in the addresses of its own state, as a conflict shows them. */
export function definitionOf(name: StatedName | undefined): unknown {
  if (!name?.value) return undefined;
  const { value, state } = name;
  const { comment } = value;
  const formula = formulaIn(value, state, state);
  return { name: value.name, formula, ...(comment !== undefined && { comment }) };
}

/** Text of a name in the state merged so far. */
function heldText(merging: Merging, { name, scopeId }: DefinedName): string | undefined {
  const state = stateOf(merging);
  const held = state.names.get(name, scopeId);
  return held && textOf(held, state, state);
}

function namesOf(states: readonly BranchState[], keys: readonly string[]): DefinedName[] {
  const found = new Map<string, DefinedName>();
  for (const { names } of states) {
    for (const key of keys) {
      const name = names.at(key);
      if (name) found.set(key, name);
    }
  }
  return [...found.values()];
}

/** Text of all members of a name, with the formula in the addresses of `to`. */
export function textOf(name: DefinedName, from: BranchState, to: BranchState): string {
  return nameText(name, formulaIn(name, from, to));
}

function formulaIn(name: DefinedName, from: BranchState, to: BranchState): string {
  const formula = shownName(name, from.structure, from.coding.formulas);
  return from === to ? formula : new Carrier(from, to).carry(formula, name.scopeId);
}

/** Names that may need work: changed by theirs, by the merge of lines, or by moves. */
function* unlikeNames(merging: NamesMerging): Generator<void, DefinedName[]> {
  const { theirs, base, ours } = merging;
  const unlike: DefinedName[] = [];
  let looked = 0;
  for (const name of namesOf([theirs, base, ours], candidates(merging))) {
    if (isUnlike(merging, name)) unlike.push(name);
    if (++looked % namesAtOnce === 0) yield;
  }
  return unlike;
}

/** Names looked at between two pauses. */
const namesAtOnce = 200;

/** Returns the keys of names that may be unlike, sorted: most are the same objects in all states. */
function candidates(merging: NamesMerging): string[] {
  const { theirs, base, ours, ends } = merging;
  const keys = new Set<string>();
  for (const [key] of theirs.names.unlike(base.names)) keys.add(key);
  for (const [key] of stateOf(merging).names.unlike(ours.names)) keys.add(key);
  if (theirs.structure !== base.structure) {
    for (const [key] of ours.names.unlike(base.names)) keys.add(key);
  }
  if (ends.ours.moved.length > 0) for (const key of ours.names.keys()) keys.add(key);
  return [...keys].sort((a, b) => (a < b ? -1 : 1));
}

function isUnlike(merging: NamesMerging, { name, scopeId }: DefinedName): boolean {
  const { theirs, base, ours } = merging;
  const { formulas } = theirs.coding;
  const [value, then, held, now] = [theirs, base, ours, stateOf(merging)].map(({ names }) =>
    names.get(name, scopeId),
  );
  if (!isSameName(value, then, formulas) || !isSameName(now, held, formulas)) return true;
  if (held === undefined) return false;
  return (carriedFormula(merging, held, 'ours') ?? unwrittenText(merging, held)) !== undefined;
}
