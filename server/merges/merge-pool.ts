import { Pace } from '../branches/pace.ts';
import { seemToDiffer } from '../diffs/changes-ahead.ts';
import type { StateTasks } from '../diffs/state-tasks.ts';
import type { Environment } from '../model/environment.ts';
import { Rejection } from '../model/rejection.ts';
import type { MergedSides, MergeQuestion } from '../state/outcome/merge-question.ts';
import { receiveOutcome } from '../state/outcome/sent-outcome.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import type { WholeOutcome } from '../state/outcome/whole-outcome.ts';

interface PoolParts {
  readonly tasks: StateTasks;
  readonly environment: Environment;
}

interface Asked {
  readonly question: MergeQuestion;
  readonly choices: Choices;
  /** Aborted when nobody waits for the merge any more. */
  readonly signal?: AbortSignal | undefined;
}

/** Changed cells: with fewer the way to another thread takes longer than the merge. */
const cellsLeast = 10_000;

/** Merges in another thread. */
export class MergePool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns whether a merge is better computed in another thread. */
  takes({ base, ours, theirs }: MergedSides): Promise<boolean> {
    const sides = [ours, theirs].map((to) => ({ from: base, to }));
    return new Pace(this.#parts.environment).run(seemToDiffer(sides, cellsLeast));
  }

  /** Throws a rejection where the choices cannot be carried out. */
  async compute(
    workbookId: string,
    { base, ours, theirs }: MergedSides,
    { signal, ...asked }: Asked,
  ): Promise<WholeOutcome> {
    const { tasks, environment } = this.#parts;
    const hint = 'Try again, or merge an earlier position of the source first.';
    const words = { what: 'The merge', hint };
    const subject = { workbookId, states: [base, ours, theirs], ...words, signal } as const;
    const answer = await tasks.run('mergeStates', subject, asked);
    if ('rejection' in answer) throw new Rejection(answer.rejection.code, answer.rejection.message);
    return new Pace(environment).run(receiveOutcome(answer.pieces));
  }
}
