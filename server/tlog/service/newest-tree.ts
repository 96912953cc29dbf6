import type { Environment } from '../../model/environment.ts';
import { outageOf } from '../../model/outage.ts';
import { within } from '../../model/within.ts';
import type { LogMemory } from './memory.ts';
import type { Published, PublishedTree } from './published.ts';

/** Knowledge about the other processes that may publish. */
export interface OtherPublishers {
  /** True when it is certain that nobody else acknowledges anything. */
  readonly isAlone: boolean;
  /** True when somebody else was there at the last look, or may have come unseen. */
  readonly mayHaveOthers: boolean;
}

export interface NewestTreeParts {
  readonly published: Pick<Published, 'newest' | 'refresh'>;
  readonly memory: Pick<LogMemory, 'note'>;
  readonly environment: Environment;
}

/** Milliseconds that a reader waits for the database where nobody else is known to publish. */
const lookMilliseconds = 1_000;

/**
 * The newest tree of all processes: never older than what one of them published before the
 * question, so a reader who asks one process and then another sees the log grow. Everybody who asks
 * while a look is under way shares the one after it.
 */
export class NewestTree {
  readonly #parts: NewestTreeParts;
  #others: OtherPublishers = { isAlone: true, mayHaveOthers: false };
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(parts: NewestTreeParts) {
    this.#parts = parts;
  }

  /** From here on others may publish as well. */
  joined(others: OtherPublishers): void {
    this.#others = others;
  }

  /** Undefined until anything was published. */
  async find(): Promise<PublishedTree | undefined> {
    const { published } = this.#parts;
    if (!this.#others.isAlone) await this.#look();
    return published.newest;
  }

  /** A database that is away takes no trees of others either, so that what is here holds. */
  async #look(): Promise<void> {
    const { environment } = this.#parts;
    const otherwise = (): Error => new Slow();
    const asking = this.#ask();
    try {
      if (this.#others.mayHaveOthers) await asking;
      else await within(asking, { environment, milliseconds: lookMilliseconds, otherwise });
    } catch (error) {
      const isAway = error instanceof Slow || outageOf(error) !== undefined;
      if (!isAway || this.#others.mayHaveOthers) throw error;
    }
  }

  #ask(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return this.#begin();
    const begin = (): Promise<void> => this.#begin();
    this.#next ??= running.then(begin, begin);
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#refresh();
    this.#running = running;
    this.#next = undefined;
    const over = (): void => {
      if (this.#next === undefined) this.#running = undefined;
    };
    running.then(over, over);
    return running;
  }

  async #refresh(): Promise<void> {
    const { published, memory } = this.#parts;
    const before = published.newest;
    await published.refresh();
    if (published.newest && published.newest !== before) await memory.note(published.newest);
  }
}

/** The database did not answer in the time that a reader gives it. */
class Slow extends Error {
  override readonly name = 'Slow';
}
