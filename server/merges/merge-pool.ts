import { Pace } from '../branches/pace.ts';
import { TaskAborted, type Pool } from '../compute/pool.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import { Rejection } from '../model/rejection.ts';
import { blockDifferences, type BlockDifference } from '../state/cells/block-differences.ts';
import type { HeldBlock } from '../state/cells/held-block.ts';
import type { Dictionary } from '../state/cells/dictionary.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { MergedSides, MergeQuestion } from '../state/outcome/merge-question.ts';
import { receiveOutcome } from '../state/outcome/sent-outcome.ts';
import type { Choices } from '../state/outcome/stored-choice.ts';
import type { WholeOutcome } from '../state/outcome/whole-outcome.ts';
import { DictionaryFeed } from '../state/sharing/dictionary-feed.ts';
import { shareStates } from '../state/sharing/shared-states.ts';

interface PoolParts {
  readonly pool: Pick<Pool, 'run'>;
  readonly environment: Environment;
}

interface NamedFeed {
  readonly name: string;
  readonly feed: DictionaryFeed;
}

const mergeMilliseconds = 600_000;
/** Changed cells: with fewer the way to another thread takes longer than the merge. */
const cellsLeast = 10_000;
/** Changed cells that are assumed in a block that nobody has read. */
const cellsAssumed = 128;

/** Merges in another thread, beside whatever else the service does. */
export class MergePool {
  readonly #parts: PoolParts;
  readonly #feeds = new WeakMap<Dictionary, NamedFeed>();

  constructor(parts: PoolParts) {
    this.#parts = parts;
  }

  /** Returns whether a merge is better computed in another thread. */
  takes({ base, ours, theirs }: MergedSides): boolean {
    let count = 0;
    for (const side of [ours, theirs]) {
      for (const difference of changedBlocks(base, side)) {
        count += cellsApart(difference);
        if (count >= cellsLeast) return true;
      }
    }
    return false;
  }

  /** Throws a rejection where the choices cannot be carried out. */
  async compute(
    workbookId: string,
    { base, ours, theirs }: MergedSides,
    { question, choices }: { readonly question: MergeQuestion; readonly choices: Choices },
  ): Promise<WholeOutcome> {
    const { pool, environment } = this.#parts;
    const { name, feed } = this.#feedOf(ours.coding.dictionary);
    const pace = new Pace(environment);
    const sharing = await pace.run(shareStates([base, ours, theirs], feed));
    const task = { dictionary: name, states: sharing.shared, question, choices };
    const options = { timeoutMilliseconds: mergeMilliseconds, affinity: workbookId };
    const answer = await pool.run('mergeStates', task, options).catch((error: unknown) => {
      throw error instanceof TaskAborted ? stopped(error) : error;
    });
    if ('rejection' in answer) throw new Rejection(answer.rejection.code, answer.rejection.message);
    sharing.noteDigests(answer.found);
    return new Pace(environment).run(receiveOutcome(answer.pieces));
  }

  #feedOf(dictionary: Dictionary): NamedFeed {
    const known = this.#feeds.get(dictionary);
    if (known) return known;
    const name = makeId('dictionary_', this.#parts.environment);
    const made = { name, feed: new DictionaryFeed(dictionary) };
    this.#feeds.set(dictionary, made);
    return made;
  }
}

function stopped(cause: TaskAborted): Failure {
  return new Failure('evaluationFailed', {
    detail: `The merge was stopped: ${cause.message}.`,
    hint: 'Try again, or merge an earlier position of the source first.',
    cause,
  });
}

function* changedBlocks(from: BranchState, to: BranchState): Generator<BlockDifference> {
  for (const sheet of to.structure.sheets) {
    const before = from.structure.withId(sheet.id);
    yield* blockDifferences(before && from.cellsOf(before), to.cellsOf(sheet));
  }
}

/** Estimates how many cells of two blocks differ, without reading a stored one. */
function cellsApart({ from, to }: BlockDifference): number {
  if (from?.stored || to?.stored) return cellsAssumed;
  const lanes = from && to && from.block.lanesApart(to.block);
  return lanes?.length ?? Math.max(filledIn(from), filledIn(to));
}

function filledIn(held: HeldBlock | undefined): number {
  return held?.block.filledCount ?? 0;
}
