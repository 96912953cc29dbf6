import { foldName } from '../../model/names.ts';
import { Rejection } from '../../model/rejection.ts';
import type { BranchState } from '../branch-state.ts';
import { nameFormula, type DefinedName } from '../names.ts';
import { isNamed } from '../plan-name-rename.ts';
import { verdictOn } from './merged-members.ts';
import { Carrier, stateOf, type SpanUndo } from './span-undo.ts';

interface NameUndo {
  readonly name: string;
  readonly scopeId: string | undefined;
  /** What it shall be: as some state has it. */
  readonly target: { readonly value: DefinedName; readonly state: BranchState } | undefined;
}

/** Takes away the names that came, or gives them back the names that they had. */
export function* undoNewNames(undo: SpanUndo): Generator<void, void> {
  const changed = [...changedNames(undo)];
  const wanted = new Map<string, NameUndo>();
  for (const other of changed) {
    const isMissing = !stateOf(undo).names.get(other.name, other.scopeId);
    if (other.target && isMissing) wanted.set(meaningOf(other.target.value), other);
  }
  for (const { name, scopeId, target } of changed) {
    if (target) continue;
    const held = stateOf(undo).names.get(name, scopeId);
    const former = held && wanted.get(meaningOf(held));
    const isBack = former && (yield* renameBack(held, former.name, undo));
    if (isBack === true) {
      wanted.delete(meaningOf(held));
    } else {
      const scope = scopeId === undefined ? {} : { scope: scopeId };
      yield* undo.parts.add({ kind: 'name.delete', payload: { name, ...scope } });
    }
  }
}

/** Whether it could be done: formulas may have had the later name when there was none. */
function* renameBack(
  { name, scopeId }: DefinedName,
  to: string,
  { before, parts }: SpanUndo,
): Generator<void, boolean> {
  const payload = { from: name, to, ...(scopeId !== undefined && { scope: scopeId }) };
  try {
    if (yield* isNamed({ name, scopeId }, before.contextAt(before.structure))) return false;
    yield* parts.add({ kind: 'name.rename', payload });
    return true;
  } catch (error) {
    if (error instanceof Rejection) return false;
    throw error;
  }
}

/** The same for a name that was only called otherwise. */
function meaningOf({ scopeId, formula, comment, structure }: DefinedName): string {
  return JSON.stringify([scopeId, formula, comment, structure.digest]);
}

/** Gives names back what they meant. */
export function* undoOtherNames(undo: SpanUndo): Generator<void, void> {
  for (const { name, scopeId, target } of changedNames(undo)) {
    if (!target) continue;
    const { value, state } = target;
    const { comment } = value;
    const payload = {
      name: value.name,
      ...(scopeId !== undefined && { scope: scopeId }),
      formula: formulaIn(value, state, stateOf(undo)),
      ...(comment !== undefined && { comment }),
    };
    const held = stateOf(undo).names.get(name, scopeId);
    const isThere = held && textOf(held, stateOf(undo), stateOf(undo));
    // A kernel may have lost what a text says again.
    if (undo.lost.length === 0 && isThere === textOf(value, state, stateOf(undo))) continue;
    yield* undo.parts.add({ kind: 'name.set', payload });
  }
}

/** Those that the span changed and nobody since, or that have not stayed what they were. */
function* changedNames(undo: SpanUndo): Generator<NameUndo> {
  const { before, after, ours, lost, moved } = undo;
  const isStill = lost.length + moved.length === 0;
  for (const { name, scopeId } of namesOf([before, after, ours])) {
    if (before.names.get(name, scopeId) === after.names.get(name, scopeId) && isStill) continue;
    if (scopeId !== undefined && !stateOf(undo).structure.withId(scopeId)) continue;
    const changed = changedName(undo, name, scopeId);
    if (changed) yield changed;
  }
}

function changedName(
  undo: SpanUndo,
  name: string,
  scopeId: string | undefined,
): NameUndo | undefined {
  const { before, after, ours } = undo;
  const [wanted, then, held] = [before, after, ours].map((state) => {
    const value = state.names.get(name, scopeId);
    return value && { value, state, text: textOf(value, state, stateOf(undo)) };
  });
  const sides = { before: wanted?.text, after: then?.text, ours: held?.text };
  const verdict = verdictOn(sides);
  if (verdict === 'skip') undo.skipped.add(`the name ${name}`);
  if (verdict === 'set') return { name, scopeId, target: wanted };
  // Lines that were undone may have moved what it names.
  const isSpoiled = held && held.text !== heldText(undo, held.value);
  return isSpoiled ? { name, scopeId, target: held } : undefined;
}

/** What a name says that the undo has not written. */
function heldText(undo: SpanUndo, { name, scopeId }: DefinedName): string | undefined {
  const state = stateOf(undo);
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

/** All that a name says, in the addresses of the moment. */
export function textOf(name: DefinedName, from: BranchState, to: BranchState): string {
  return JSON.stringify([name.name, name.comment, formulaIn(name, from, to)]);
}

function formulaIn(name: DefinedName, from: BranchState, to: BranchState): string {
  const formula = nameFormula(name, from.structure, from.coding.formulas);
  return from === to ? formula : new Carrier(from, to).carry(formula, name.scopeId);
}
