import { LRUCache } from 'lru-cache';

import type { RejectionCode } from '../server/model/rejection.ts';
import { Rejection } from '../server/model/rejection.ts';
import type { MergeQuestion } from '../server/state/outcome/merge-question.ts';
import { sendOutcome } from '../server/state/outcome/sent-outcome.ts';
import type { Choices } from '../server/state/outcome/stored-choice.ts';
import { wholeOutcome } from '../server/state/outcome/whole-outcome.ts';
import { FedDictionary } from '../server/state/sharing/fed-dictionary.ts';
import type { FoundDigests } from '../server/state/sharing/shared-cells.ts';
import { receiveStates, type SharedStates } from '../server/state/sharing/shared-states.ts';
import { Formulas } from './formulas.ts';

export interface MergeTask {
  /** Name of the dictionary of the states, the same for all tasks that share it. */
  readonly dictionary: string;
  /** Base, ours and theirs. */
  readonly states: SharedStates;
  readonly question: MergeQuestion;
  /** The choices that count. */
  readonly choices: Choices;
}

/** The outcome in pieces, or why the choices cannot be carried out. */
export type MergeAnswer =
  | { readonly pieces: readonly SharedArrayBuffer[]; readonly found: FoundDigests }
  | { readonly rejection: { readonly code: RejectionCode; readonly message: string } };

/** Dictionaries that a thread keeps, for the next merge of a workbook. */
const dictionariesMost = 2;
const dictionaries = new LRUCache<string, FedDictionary>({ max: dictionariesMost });
let formulas: Formulas | undefined;

/** Merges two states. Nothing of them is copied before somebody reads it. */
export function mergeStates({
  dictionary: name,
  states: shared,
  question,
  choices,
}: MergeTask): MergeAnswer {
  formulas ??= new Formulas();
  const dictionary = dictionaries.get(name) ?? new FedDictionary(formulas);
  dictionaries.set(name, dictionary);
  try {
    const { states, foundDigests } = finished(receiveStates(shared, dictionary));
    const [base, ours, theirs] = states;
    if (!base || !ours || !theirs) throw new Error('a merge has three states');
    const outcome = finished(wholeOutcome({ base, ours, theirs }, question, choices));
    return { pieces: sendOutcome(outcome), found: foundDigests() };
  } catch (error) {
    if (error instanceof Rejection) {
      return { rejection: { code: error.code, message: error.message } };
    }
    // A part of the dictionary may be missing.
    dictionaries.delete(name);
    throw error;
  }
}

/** Runs steps that nobody else waits for. */
function finished<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
