import { Pace } from '../branches/pace.ts';
import type { Environment } from '../model/environment.ts';
import { makeId } from '../model/identifier.ts';
import type { BranchState } from '../state/branch-state.ts';
import type { Dictionary } from '../state/cells/dictionary.ts';
import { DictionaryFeed } from '../state/sharing/dictionary-feed.ts';
import type { FoundDigests } from '../state/sharing/shared-cells.ts';
import { shareStates, type SharedStates } from '../state/sharing/shared-states.ts';

interface NamedFeed {
  readonly name: string;
  readonly feed: DictionaryFeed;
}

/** States in shared memory, as a task of another thread names them. */
export interface SentStates {
  /** Name of their dictionary, which a thread keeps for the next task. */
  readonly dictionary: string;
  readonly states: SharedStates;
  readonly noteDigests: (found: FoundDigests) => void;
}

/** Puts states into shared memory, and follows what their dictionaries gain. */
export class StateSharing {
  readonly #environment: Environment;
  readonly #feeds = new WeakMap<Dictionary, NamedFeed>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Takes states of one workbook, which nobody may change any more. */
  async share(states: readonly [BranchState, ...BranchState[]]): Promise<SentStates> {
    const { name, feed } = this.#feedOf(states[0].coding.dictionary);
    const { shared, noteDigests } = await new Pace(this.#environment).run(
      shareStates(states, feed),
    );
    return { dictionary: name, states: shared, noteDigests };
  }

  #feedOf(dictionary: Dictionary): NamedFeed {
    const known = this.#feeds.get(dictionary);
    if (known) return known;
    const name = makeId('dictionary_', this.#environment);
    const made = { name, feed: new DictionaryFeed(dictionary) };
    this.#feeds.set(dictionary, made);
    return made;
  }
}
