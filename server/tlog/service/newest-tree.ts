import type { Environment } from '../../model/environment.ts';
import { newestOr, SharedQuestions, type OtherProcesses } from '../../model/newest.ts';
import type { LogMemory } from './memory.ts';
import type { Published, PublishedTree } from './published.ts';

export interface NewestTreeParts {
  readonly published: Pick<Published, 'newest' | 'refresh'>;
  readonly memory: Pick<LogMemory, 'note'>;
  readonly environment: Environment;
}

/**
 * The newest tree of all processes: never older than what one of them published before the
 * question, so a reader who asks one process and then another sees the log grow.
 */
export class NewestTree {
  readonly #parts: NewestTreeParts;
  readonly #questions = new SharedQuestions<void>();
  #others: OtherProcesses = { isAlone: true, mayHaveOthers: false };

  constructor(parts: NewestTreeParts) {
    this.#parts = parts;
  }

  /** Called once other processes may publish as well. */
  joined(others: OtherProcesses): void {
    this.#others = others;
  }

  /** Finds the newest tree; undefined until anything was published. */
  async find(): Promise<PublishedTree | undefined> {
    const { published, environment } = this.#parts;
    if (!this.#others.isAlone) {
      const asking = this.#questions.ask('', () => this.#refresh());
      await newestOr(asking, { others: this.#others, environment, hint: 'Try again in a moment.' });
    }
    return published.newest;
  }

  async #refresh(): Promise<void> {
    const { published, memory } = this.#parts;
    const before = published.newest;
    await published.refresh();
    if (published.newest && published.newest !== before) await memory.note(published.newest);
  }
}
