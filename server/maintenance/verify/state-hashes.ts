import type { Pace } from '../../branches/pace.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { StateForm } from '../../state/structure/section.ts';

export interface FormedHash {
  readonly form: StateForm;
  readonly hash: string;
}

/**
 * The hashes of a state: what was recorded by a version that kept formulas in another form is
 * compared with the hash of that form. Either says all that the state holds.
 */
export class StateHashes {
  readonly #state: BranchState;
  readonly #pace: Pace;

  constructor(state: BranchState, pace: Pace) {
    this.#state = state;
    this.#pace = pace;
  }

  /** The hash that was recorded, if the state has it in any form; else that of today. */
  async like(recorded: string): Promise<FormedHash> {
    const hash = await this.#pace.run(this.#state.stateHash());
    if (hash === recorded) return { form: 'ids', hash };
    for (const form of ['heads', 'early', 'former'] as const) {
      const then = await this.#pace.run(this.#state.hashIn(form));
      if (then === recorded) return { form, hash: then };
    }
    return { form: 'ids', hash };
  }
}
