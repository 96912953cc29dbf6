import { foldName } from '../../model/names.ts';
import type { BranchState } from '../branch-state.ts';
import { identityIn, isSameName, shownName, type DefinedName } from '../references/names.ts';
import { Carrier } from '../carrier.ts';
import { stateOf, takes, type Merging } from './merging.ts';

interface NameMerge {
  readonly name: string;
  readonly scopeId: string | undefined;
  /** The definition that the name shall have, and the state that has it so. */
  readonly target: StatedValue | undefined;
}

interface StatedValue {
  readonly value: DefinedName;
  readonly state: BranchState;
}

/** Takes away the names that went. */
export function* deleteNames(merging: Merging): Generator<void, void> {
  for (const { name, scopeId, target } of changedNames(merging)) {
    if (target) continue;
    const scope = scopeId === undefined ? {} : { scope: scopeId };
    yield* merging.parts.add({ kind: 'name.delete', payload: { name, ...scope } });
  }
}

/** Gives names the meaning that they have in theirs. */
export function* mergeNames(merging: Merging): Generator<void, void> {
  for (const { name, scopeId, target } of changedNames(merging)) {
    if (!target) continue;
    const { value, state } = target;
    const { comment } = value;
    const payload = {
      name: value.name,
      ...(scopeId !== undefined && { scope: scopeId }),
      formula: formulaIn(value, state, stateOf(merging)),
      ...(comment !== undefined && { comment }),
    };
    const held = stateOf(merging).names.get(name, scopeId);
    const isThere = held && textOf(held, stateOf(merging), stateOf(merging));
    // A kernel may have lost what a text says again.
    if (merging.lost.length > 0 || isThere !== textOf(value, state, stateOf(merging))) {
      yield* merging.parts.add({ kind: 'name.set', payload });
    }
    yield* settleName(merging, target);
  }
}

/** Has a name keep the ids of what is gone, as its side has them: a text cannot say them. */
function* settleName(merging: Merging, { value, state }: StatedValue): Generator<void, void> {
  const { name, scopeId, comment } = value;
  const { names, coding } = stateOf(merging);
  const held = names.get(name, scopeId);
  if (!held || isSameName(held, value, coding.formulas)) return;
  const shown = shownName(value, state.structure, coding.formulas);
  if (!shown.includes('#REF!')) return;
  // Ends that the other side took away are the next ones inwards by now.
  const isAlone = merging.base.structure.digest === merging.ours.structure.digest;
  if (!isAlone && coding.formulas.references(shown).length > 0) return;
  const payload = {
    name,
    ...(scopeId !== undefined && { scope: scopeId }),
    formula: identityIn(value, coding.formulas),
    ...(comment !== undefined && { comment }),
  };
  yield* merging.parts.add({ kind: 'restore.name', payload });
}

/** Finds names that theirs changed, or whose references the merge of lines spoiled. */
function* changedNames(merging: Merging): Generator<NameMerge> {
  for (const { name, scopeId } of unlikeNames(merging)) {
    if (scopeId !== undefined && isGone(merging, scopeId)) continue;
    const changed = changedName(merging, name, scopeId);
    if (changed) yield changed;
  }
}

/** Returns whether a sheet goes: then it was asked about as a whole. */
function isGone(merging: Merging, sheetId: string): boolean {
  const { theirs, base, judge } = merging;
  if (!stateOf(merging).structure.withId(sheetId)) return true;
  if (!judge.isBetweenBranches) return false;
  return base.structure.withId(sheetId) !== undefined && !theirs.structure.withId(sheetId);
}

function changedName(
  merging: Merging,
  name: string,
  scopeId: string | undefined,
): NameMerge | undefined {
  const { theirs, base, ours } = merging;
  const [wanted, then, held] = [theirs, base, ours].map((state) => {
    const value = state.names.get(name, scopeId);
    return value && { value, state, text: textOf(value, state, stateOf(merging)) };
  });
  const sides = { theirs: wanted?.text, base: then?.text, ours: held?.text };
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

/** Returns whether lines that were merged moved what a name says. */
function isSpoiled(merging: Merging, { value, text }: StatedName & { readonly text: string }) {
  return value !== undefined && text !== heldText(merging, value);
}

/** Returns whether theirs has a name say other cells that are gone: the texts of both are alike. */
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

/** All members of a name, in the addresses of its own state. */
export function definitionOf(name: StatedName | undefined): unknown {
  if (!name?.value) return undefined;
  const { value, state } = name;
  const { comment } = value;
  const formula = formulaIn(value, state, state);
  return { name: value.name, formula, ...(comment !== undefined && { comment }) };
}

/** Text of a name before the merge wrote to it. */
function heldText(merging: Merging, { name, scopeId }: DefinedName): string | undefined {
  const state = stateOf(merging);
  const held = state.names.get(name, scopeId);
  return held && textOf(held, state, state);
}

function namesOf(states: readonly BranchState[]): DefinedName[] {
  const found = new Map<string, DefinedName>();
  for (const { names } of states) {
    for (const name of names.list()) {
      found.set(`${foldName(name.name)}\n${name.scopeId ?? ''}`, name);
    }
  }
  return [...found.values()];
}

/** Text of all members of a name, in the addresses of the moment. */
export function textOf(name: DefinedName, from: BranchState, to: BranchState): string {
  return JSON.stringify([name.name, name.comment, formulaIn(name, from, to)]);
}

function formulaIn(name: DefinedName, from: BranchState, to: BranchState): string {
  const formula = shownName(name, from.structure, from.coding.formulas);
  return from === to ? formula : new Carrier(from, to).carry(formula, name.scopeId);
}

/** Names that theirs changed, or that the merge of lines did. */
function unlikeNames(merging: Merging): DefinedName[] {
  const { theirs, base, ours, lost } = merging;
  const all = namesOf([theirs, base, ours]);
  if (lost.length > 0) return all;
  const { formulas } = theirs.coding;
  return all.filter(({ name, scopeId }) => {
    const [value, then, held, now] = [theirs, base, ours, stateOf(merging)].map(({ names }) =>
      names.get(name, scopeId),
    );
    return !isSameName(value, then, formulas) || !isSameName(now, held, formulas);
  });
}
