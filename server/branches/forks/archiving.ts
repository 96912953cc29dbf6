import { dayMilliseconds } from '../../model/durations.ts';
import type { Environment } from '../../model/environment.ts';
import { Repetition } from '../../model/repetition.ts';
import type { Branches } from '../branches.ts';
import type { Policies } from '../policies.ts';
import type { ForkTable, IdleBranch } from './sql.ts';

export interface ArchivingOptions {
  readonly table: Pick<ForkTable, 'idle' | 'archive'>;
  readonly branches: Pick<Branches, 'forgetBranch'>;
  readonly policies: Pick<Policies, 'policyOf'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

const restMilliseconds = 600_000;

/**
 * Archives branches that nobody wrote to for as long as they were to live, or, once all of them is
 * merged, as the policy says. Any process may do it, and again: nothing of a branch is lost by it.
 */
export class Archiving {
  readonly #options: ArchivingOptions;
  readonly #repetition: Repetition;

  constructor(options: ArchivingOptions) {
    this.#options = options;
    const { environment, report } = options;
    this.#repetition = new Repetition({
      environment,
      restMilliseconds,
      step: 'archive branches',
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
    const { table, branches, environment } = this.#options;
    const now = environment.now();
    for (const branch of await table.idle(new Date(now))) {
      if (this.#repetition.isStopped) return;
      if (!(await this.#isDue(branch, now))) continue;
      if (await table.archive(branch)) branches.forgetBranch(branch, branch.name);
    }
  }

  async #isDue({ workbookId, updatedAt, ttlDays, isMerged }: IdleBranch, now: number) {
    const idleDays = (now - updatedAt.getTime()) / dayMilliseconds;
    if (ttlDays !== null && idleDays >= ttlDays) return true;
    if (!isMerged) return false;
    const { branch } = await this.#options.policies.policyOf(workbookId);
    return idleDays >= (branch.autoArchiveMergedAfterDays ?? Infinity);
  }
}
