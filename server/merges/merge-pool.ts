import { Pace } from '../branches/pace.ts';
import { TaskAborted, type Pool } from '../compute/pool.ts';
import { seemToDiffer } from '../diffs/changes-ahead.ts';
import type { StateSharing } from '../diffs/state-sharing.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { Rejection } from '../model/rejection.ts';
import type { MergedSides, MergeQuestion } from '../state/outcome/merge-question.ts';
import { receiveOutcome } from '../state/outcome/sent-outcome.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import type { WholeOutcome } from '../state/outcome/whole-outcome.ts';

interface PoolParts {
  readonly pool: Pick<Pool, 'run'>;
  readonly sharing: StateSharing;
  readonly environment: Environment;
}

const mergeMilliseconds = 600_000;
/** Changed cells: with fewer the way to another thread takes longer than the merge. */
const cellsLeast = 10_000;

/** Merges in another thread, beside whatever else the service does. */
export class MergePool {
  readonly #parts: PoolParts;

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns whether a merge is better computed in another thread. */
  takes({ base, ours, theirs }: MergedSides): boolean {
    const sides = [ours, theirs].map((to) => ({ from: base, to }));
    return seemToDiffer(sides, cellsLeast);
  }

  /** Throws a rejection where the choices cannot be carried out. */
  async compute(
    workbookId: string,
    { base, ours, theirs }: MergedSides,
    { question, choices }: { readonly question: MergeQuestion; readonly choices: Choices },
  ): Promise<WholeOutcome> {
    const { pool, sharing, environment } = this.#parts;
    const { dictionary, states, noteDigests } = await sharing.share([base, ours, theirs]);
    const task = { dictionary, states, question, choices };
    const options = { timeoutMilliseconds: mergeMilliseconds, affinity: workbookId };
    const answer = await pool.run('mergeStates', task, options).catch((error: unknown) => {
      throw error instanceof TaskAborted ? stopped(error) : error;
    });
    if ('rejection' in answer) throw new Rejection(answer.rejection.code, answer.rejection.message);
    noteDigests(answer.found);
    return new Pace(environment).run(receiveOutcome(answer.pieces));
  }
}

function stopped(cause: TaskAborted): Failure {
  return new Failure('evaluationFailed', {
    detail: `The merge was stopped: ${cause.message}.`,
    hint: 'Try again, or merge an earlier position of the source first.',
    cause,
  });
}
