import { Pace } from '../branches/pace.ts';
import { TaskAborted, type Payload, type Pool, type Result } from '../compute/pool.ts';
import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import { makeId } from '../model/identifier.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Dictionary } from '../state/cells/dictionary.ts';
import { DictionaryFeed } from '../state/sharing/dictionary-feed.ts';
import { shareStates } from '../state/sharing/shared-states.ts';
import type { StatesTask } from '../../workers/shared-states.ts';

interface TaskParts {
  readonly pool: Pick<Pool, 'run' | 'hasFreeThread'>;
  readonly environment: Environment;
}

interface NamedFeed {
  readonly name: string;
  readonly feed: DictionaryFeed;
}

type StatesTaskName = 'diffStates' | 'mergeStates';

/** States of one workbook, which nobody may change any more, and words for a task about them. */
interface Subject {
  readonly workbookId: string;
  readonly states: readonly [BranchState, ...BranchState[]];
  /** The work, as the beginning of a sentence, and what to do when it is stopped. */
  readonly what: string;
  readonly hint: string;
  /** Aborted when nobody waits for it any more; left out where somebody always does. */
  readonly signal?: AbortSignal | undefined;
}

const taskMilliseconds = 600_000;

/** Tasks about states in another thread, beside whatever else the service does. */
export class StateTasks {
  readonly #parts: TaskParts;
  /** A thread keeps a dictionary under its name, and is sent only what it has gained. */
  readonly #feeds = new WeakMap<Dictionary, NamedFeed>();

  constructor(parts: TaskParts) {
    this.#parts = parts;
  }

  get hasFreeThread(): boolean {
    return this.#parts.pool.hasFreeThread;
  }

  /** Runs a task on states in shared memory; notes what it finds out about their blocks. */
  async run<Name extends StatesTaskName>(
    name: Name,
    { workbookId, states, what, hint, signal }: Subject,
    asked: Omit<Payload<Name>, keyof StatesTask>,
  ): Promise<Result<Name>> {
    const { pool, environment } = this.#parts;
    const { name: dictionary, feed } = this.#feedOf(states[0].coding.dictionary);
    const sharing = await new Pace(environment).run(shareStates(states, feed));
    // TypeScript cannot tell that the members of both make the payload.
    const task = { dictionary, states: sharing.shared, ...asked } as object as Payload<Name>;
    const limits = { timeoutMilliseconds: taskMilliseconds, affinity: workbookId };
    const options = { ...limits, ...(signal && { signal }) };
    const answer = await pool.run(name, task, options).catch((error: unknown) => {
      signal?.throwIfAborted();
      if (!(error instanceof TaskAborted)) throw error;
      const detail = `${what} was stopped: ${error.message}.`;
      throw new Failure('evaluationFailed', { detail, hint, cause: error });
    });
    if ('found' in answer) sharing.noteDigests(answer.found);
    return answer;
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
