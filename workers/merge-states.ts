import type { RejectionCode } from '../server/model/rejection.ts';
import { Rejection } from '../server/model/rejection.ts';
import type { MergeQuestion } from '../server/state/outcome/merge-question.ts';
import { sendOutcome } from '../server/state/outcome/sent-outcome.ts';
import type { Choices } from '../server/state/outcome/stored-choice.ts';
import { wholeOutcome } from '../server/state/outcome/whole-outcome.ts';
import type { FoundDigests } from '../server/state/sharing/shared-cells.ts';
import { finished, receivedStates, type StatesTask } from './shared-states.ts';

/** Base, ours and theirs, and what is asked of them. */
export interface MergeTask extends StatesTask {
  readonly question: MergeQuestion;
  /** The choices that count. */
  readonly choices: Choices;
}

/** The outcome in pieces, or why the choices cannot be carried out. */
export type MergeAnswer =
  | { readonly pieces: readonly SharedArrayBuffer[]; readonly found: FoundDigests }
  | { readonly rejection: { readonly code: RejectionCode; readonly message: string } };

/** Merges two states. */
export function mergeStates({ question, choices, ...task }: MergeTask): MergeAnswer {
  const { states, foundDigests } = receivedStates(task);
  const [base, ours, theirs] = states;
  if (!base || !ours || !theirs) throw new Error('a merge has three states');
  try {
    const outcome = finished(wholeOutcome({ base, ours, theirs }, question, choices));
    return { pieces: sendOutcome(outcome), found: foundDigests() };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { rejection: { code: error.code, message: error.message } };
  }
}
