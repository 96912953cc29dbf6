import { LRUCache } from 'lru-cache';

import type { Branches } from '../branches/branches.ts';
import type { BranchAddress } from '../branches/journal-store.ts';
import { lookAtHead } from '../branches/looks.ts';
import { boundedTo } from '../model/cache-bounds.ts';
import type { Environment } from '../model/environment.ts';
import { limitReached } from '../model/limit-reached.ts';
import type { LimitsProfile } from '../model/limits.ts';
import type { Models } from '../values/models.ts';
import type { Values } from '../values/values.ts';
import { FrequencyLimit } from './frequency.ts';

export type Warmth = 'state' | 'values';

export interface WakeRequest {
  readonly workbookId: string;
  readonly branches: readonly string[];
  readonly warm: readonly Warmth[];
  readonly waitMilliseconds: number;
}

/** A branch that is in memory. */
export interface WokenBranch {
  readonly branch: string;
  readonly head: number;
  readonly loadedSeq: number;
  /** Duration of the wake, in milliseconds. */
  readonly ms: number;
}

export interface WakingOptions {
  readonly branches: Pick<Branches, 'address' | 'read'>;
  readonly models: Pick<Models, 'locate'>;
  readonly values: Pick<Values, 'warm'>;
  readonly environment: Environment;
  readonly limits: LimitsProfile;
  readonly report: (step: string, error: unknown) => void;
}

const perMinute = 6;
const rememberedMost = 10_000;

/** Loads branches into memory in advance. */
export class Waking {
  readonly #options: WakingOptions;
  readonly #frequency: FrequencyLimit;
  /** Duration of the last wake of each workbook. */
  readonly #lastMilliseconds = new LRUCache<string, number>(boundedTo(rememberedMost));

  constructor(options: WakingOptions) {
    this.#options = options;
    this.#frequency = new FrequencyLimit({ perMinute, ...options });
  }

  lastMilliseconds(workbookId: string): number | null {
    return this.#lastMilliseconds.get(workbookId) ?? null;
  }

  /** Fails with 429 when the user has woken this workbook too often. */
  checkRate(workbookId: string, userId: string): void {
    const waitSeconds = this.#frequency.take(workbookId, userId);
    if (waitSeconds === 0) return;
    throw limitReached('rateLimited', {
      detail: `More than ${this.#frequency.size} wakes of one workbook a minute.`,
      hint: `Wait ${waitSeconds} s; reads and writes work without a wake.`,
      quota: this.#frequency.quota('wake'),
      waitSeconds,
    });
  }

  /** Loads branches; undefined if that takes longer than the request waits, and continues. */
  async wake(request: WakeRequest): Promise<readonly WokenBranch[] | undefined> {
    const { branches, environment, report } = this.#options;
    const addresses = await Promise.all(
      request.branches.map((name) => branches.address(request.workbookId, name)),
    );
    let isLate = false;
    const work = this.#wakeAll(request, addresses);
    work.catch((error: unknown) => {
      if (isLate) report('wake a workbook', error);
    });
    let cancel: (() => void) | undefined;
    const late = new Promise<undefined>((resolve) => {
      cancel = environment.after(request.waitMilliseconds, () => {
        isLate = true;
        resolve(undefined);
      });
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      cancel?.();
    }
  }

  async #wakeAll(
    request: WakeRequest,
    addresses: readonly BranchAddress[],
  ): Promise<WokenBranch[]> {
    const { environment } = this.#options;
    const started = environment.elapsed();
    const woken: WokenBranch[] = [];
    for (const [index, branch] of request.branches.entries()) {
      const address = addresses[index];
      if (address) woken.push(await this.#wakeBranch(branch, address, request));
    }
    this.#lastMilliseconds.set(request.workbookId, Math.round(environment.elapsed() - started));
    return woken;
  }

  async #wakeBranch(
    branch: string,
    address: BranchAddress,
    { workbookId, warm }: WakeRequest,
  ): Promise<WokenBranch> {
    const { branches, models, values, environment } = this.#options;
    const started = environment.elapsed();
    const head = await branches.read(address, lookAtHead);
    if (warm.includes('values')) {
      await values.warm(await models.locate(workbookId, { branch, sequence: undefined }));
    }
    const ms = Math.round(environment.elapsed() - started);
    return { branch, head, loadedSeq: head, ms };
  }
}
