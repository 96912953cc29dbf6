import type { Environment } from '../model/environment.ts';
import { within } from '../model/deadline.ts';
import { type AppendConnections, Unreplicated } from './append-connections.ts';

/** A standby that has not answered by then may be away for long. */
const passMilliseconds = 5_000;

/**
 * Tells whether what was read is where acknowledged commits have to be. Behind synchronous
 * replication a commit can be seen before a standby has it: after a crash of the primary, or when
 * the wait for the standby was cancelled. The log of PostgreSQL is one sequence, so once a commit
 * that came later is on the standby, everything that was seen before is there too. Without standbys
 * it is an ordinary commit.
 */
export class Barrier {
  readonly #appends: AppendConnections;
  readonly #environment: Environment | undefined;
  /** Grows with everything that may have shown what no standby has. */
  #raised = 1;
  #passed = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(appends: AppendConnections, environment: Environment | undefined) {
    this.#appends = appends;
    this.#environment = environment;
  }

  /** A connection was lost, or a commit did not wait for its standby. */
  raise(): void {
    this.#raised++;
  }

  /** True when something was raised since a commit came through. */
  get isRaised(): boolean {
    return this.#passed < this.#raised;
  }

  /**
   * Resolves when all that was seen before is wherever commits have to be. Fails with Unreplicated
   * when that takes too long.
   */
  pass(): Promise<void> {
    const environment = this.#environment;
    if (environment === undefined) return this.#passOnce();
    return within(this.#passOnce(), {
      environment,
      milliseconds: passMilliseconds,
      otherwise: () => new Unreplicated('no standby has confirmed what was read'),
    });
  }

  #passOnce(): Promise<void> {
    // A commit that is under way may have been sent before the reads of the caller.
    if (this.#running !== undefined) {
      this.#next ??= this.#running.then(ignore, ignore).then(() => {
        this.#next = undefined;
        return this.#send();
      });
      return this.#next;
    }
    return this.#send();
  }

  #send(): Promise<void> {
    this.#running = this.#commit().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #commit(): Promise<void> {
    const raised = this.#raised;
    await this.#appends.run(
      (sql) => sql`select pg_logical_emit_message(true, 'quire.barrier', '')`,
    );
    this.#passed = Math.max(this.#passed, raised);
  }
}

function ignore(): void {
  // Its own callers have heard of it.
}
