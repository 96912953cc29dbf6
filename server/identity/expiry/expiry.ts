import { dayMilliseconds } from '../../model/durations.ts';
import type { Environment } from '../../model/environment.ts';
import { credentialLife } from '../../model/limits.ts';
import { Repetition } from '../../model/repetition.ts';
import { scopes } from '../../model/scope.ts';
import type { Principal } from '../../model/scope.ts';
import type { ExpiredAgent, ExpiryTable } from './sql.ts';

export interface ExpiryOptions {
  readonly table: ExpiryTable;
  readonly environment: Environment;
  /** Archives a workbook, or finds it archived; resolves with the token that a purge needs. */
  readonly archive: (id: string, owner: Principal) => Promise<{ readonly confirm: string }>;
  readonly purge: (id: string, owner: Principal, confirm: string) => Promise<void>;
  readonly report: (step: string, error: unknown) => void;
}

const restMilliseconds = 600_000;

/**
 * Ends agents that nobody claimed and nobody used for 30 days: archives their workbooks, then ends
 * their keys, and purges the workbooks 30 days later. Any process can repeat each step.
 */
export class Expiry {
  readonly #options: ExpiryOptions;
  readonly #repetition: Repetition;

  constructor(options: ExpiryOptions) {
    this.#options = options;
    const { environment, report } = options;
    this.#repetition = new Repetition({
      environment,
      restMilliseconds,
      step: 'end unclaimed agents',
      pass: () => this.pass(),
      report,
    });
  }

  start(): void {
    this.#repetition.start();
  }

  stop(): Promise<void> {
    return this.#repetition.stop();
  }

  async pass(): Promise<void> {
    const { table, environment } = this.#options;
    const now = environment.now();
    for (const agent of await table.due(new Date(now))) {
      if (this.#repetition.isStopped) return;
      await this.#end(agent, new Date(now));
    }
    const before = new Date(now - credentialLife.purgeAfterDays * dayMilliseconds);
    for (const agent of await table.past(before)) {
      if (this.#repetition.isStopped) return;
      await this.#purge(agent);
    }
  }

  /** Archives the workbooks first: after a crash the agent is still due, and the rest follows. */
  async #end(agent: ExpiredAgent, at: Date): Promise<void> {
    const { table, archive, report } = this.#options;
    try {
      for (const id of agent.workbookIds) await archive(id, principalOf(agent));
      await table.end(agent.userId, at);
    } catch (error) {
      report(`end the agent ${agent.userId}`, error);
    }
  }

  async #purge(agent: ExpiredAgent): Promise<void> {
    const { archive, purge, report } = this.#options;
    const owner = principalOf(agent);
    try {
      for (const id of agent.workbookIds) {
        const { confirm } = await archive(id, owner);
        await purge(id, owner, confirm);
      }
    } catch (error) {
      report(`purge the workbooks of ${agent.userId}`, error);
    }
  }
}

/** Returns the owner that is gone, as whom the service acts. */
function principalOf({ userId, namespace }: ExpiredAgent): Principal {
  return { userId, namespace, kind: 'anonymous', scopes, credentialId: 'none' };
}
