import { workbookPrefix } from '../history/keys.ts';
import { pause, type Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { Principal } from '../model/scope.ts';
import type { Objects } from '../storage/objects.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { checkPurgeRight } from './purge-right.ts';
import type { PurgeEntry, PurgeRequest, PurgeTable } from './sql.ts';

export interface PurgesOptions {
  readonly table: Pick<PurgeTable, 'begin' | 'find' | 'removeRows' | 'due' | 'forget'>;
  readonly registry: Pick<WorkbookRegistry, 'get' | 'isOwner' | 'dropped'>;
  readonly objects: Pick<Objects, 'deletePrefix'>;
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

/** Waits before a purge that failed is tried again: twice as long each time. */
const retryMilliseconds = { first: 1_000, most: 300_000 };
/** Interval between looks for purges that other processes left. */
const restMilliseconds = 600_000;
/** Longest wait of a stop for an object store; the next start continues. */
const stopMilliseconds = 2_000;

/**
 * Removes archived workbooks permanently. The beginning of a purge is durable before any deletion;
 * from then on the workbook is invisible, its name is free, and the rest is repeated until it
 * succeeds, in this process or after the next start. Each step can be repeated.
 */
export class Purges {
  readonly #options: PurgesOptions;
  /** Purges under way, by workbook; a second request for one waits for it. */
  readonly #running = new Map<string, Promise<void>>();
  #retryMilliseconds = retryMilliseconds.first;
  #isStopped = false;
  #cancelPass: (() => void) | undefined;
  /** Time at which the next pass begins; changed together with the timer. */
  #passAt = Infinity;

  constructor(options: PurgesOptions) {
    this.#options = options;
  }

  /** Continues unfinished purges in the background. */
  start(): void {
    this.#passWithin(0);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelPass?.();
    if (this.#running.size === 0) return;
    const late = pause(this.#options.environment, stopMilliseconds);
    await Promise.race([Promise.allSettled(this.#running.values()), late]);
  }

  /**
   * Resolves when nothing is left of the workbook, with what opens the entry of the transparency
   * log about it. The same request again answers the same.
   */
  async purge(
    workbookId: string,
    principal: Principal,
    confirm: string,
  ): Promise<Buffer | undefined> {
    const { registry, environment, report } = this.#options;
    checkPurgeRight(principal);
    const request = { workbookId, ownerId: await this.#ownerOf(workbookId, principal), confirm };
    await environment.checkpoint?.('purge.begin');
    const isNew = await this.#begin(request);
    const entry = isNew ? { workbookId, removedAt: null } : await this.#earlier(request, principal);
    if (entry.removedAt !== null) return entry.receipt ?? undefined;
    await environment.checkpoint?.('purge.recorded');
    registry.dropped(workbookId);
    try {
      await this.#finish(workbookId);
    } catch (error) {
      report('purge a workbook at once', error);
      this.#passWithin(retryMilliseconds.first);
      throw unfinished(workbookId, error);
    }
    return (await this.#options.table.find(request))?.receipt ?? undefined;
  }

  /**
   * Returns the owner: a person may purge workbooks of a linked agent. Of a purged workbook only
   * the sender is known.
   */
  async #ownerOf(workbookId: string, principal: Principal): Promise<string> {
    const { registry } = this.#options;
    const isOwner = await registry.isOwner(workbookId, principal.userId);
    return isOwner ? (await registry.get(workbookId, principal)).ownerId : principal.userId;
  }

  /** Begins a purge. One whose outcome is unknown may have begun: it is looked for soon. */
  async #begin(request: PurgeRequest): Promise<boolean> {
    try {
      return await this.#options.table.begin(request);
    } catch (error) {
      this.#passWithin(retryMilliseconds.first);
      throw error;
    }
  }

  /** The purge that this request began before it was sent again; fails when there is none. */
  async #earlier(request: PurgeRequest, principal: Principal): Promise<PurgeEntry> {
    const { table, registry } = this.#options;
    const entry = await table.find(request);
    if (entry) return entry;
    const { id, archived } = await registry.get(request.workbookId, principal);
    if (!archived) {
      throw new Failure('workbookActive', {
        detail: 'Only an archived workbook can be purged.',
        hint: `DELETE /v1/workbooks/${id} archives it and answers the confirm token.`,
      });
    }
    throw new Failure('confirmMismatch', {
      detail: 'confirm is not the token that archiving this workbook answered.',
      hint: `DELETE /v1/workbooks/${id} without purge answers it again.`,
    });
  }

  #finish(workbookId: string): Promise<void> {
    const running = this.#running.get(workbookId);
    if (running) return running;
    const work = this.#remove(workbookId).finally(() => this.#running.delete(workbookId));
    this.#running.set(workbookId, work);
    return work;
  }

  /** Objects first: as long as there is one, the entry says that the purge is not done. */
  async #remove(workbookId: string): Promise<void> {
    const { table, objects, environment } = this.#options;
    await objects.deletePrefix(workbookPrefix(workbookId));
    await environment.checkpoint?.('purge.objects');
    await table.removeRows(workbookId);
    await environment.checkpoint?.('purge.rows');
  }

  #passWithin(milliseconds: number): void {
    const { environment } = this.#options;
    const at = environment.elapsed() + milliseconds;
    if (this.#isStopped || at >= this.#passAt) return;
    this.#cancelPass?.();
    this.#passAt = at;
    this.#cancelPass = environment.after(milliseconds, () => {
      this.#passAt = Infinity;
      void this.#pass();
    });
  }

  async #pass(): Promise<void> {
    const failedCount = await this.#finishDue();
    if (failedCount === 0) {
      this.#retryMilliseconds = retryMilliseconds.first;
      this.#passWithin(restMilliseconds);
      return;
    }
    this.#passWithin(this.#retryMilliseconds);
    this.#retryMilliseconds = Math.min(this.#retryMilliseconds * 2, retryMilliseconds.most);
  }

  /** Returns how many could not be done now. */
  async #finishDue(): Promise<number> {
    const { table } = this.#options;
    let failedCount = 0;
    const attempt = async (step: string, action: () => Promise<void>): Promise<void> => {
      try {
        if (!this.#isStopped) await action();
      } catch (error) {
        failedCount++;
        if (!this.#isStopped) this.#options.report(step, error);
      }
    };
    await attempt('look for purges that are not done', async () => {
      for (const { workbookId, removedAt } of await table.due()) {
        const isRemoved = removedAt !== null;
        await attempt(isRemoved ? 'end a purge' : 'finish a purge', () =>
          isRemoved ? this.#end(workbookId) : this.#finish(workbookId),
        );
      }
    });
    return failedCount;
  }

  /**
   * Deletes once more: objects that another process was just writing at the first deletion have
   * arrived by now.
   */
  async #end(workbookId: string): Promise<void> {
    await this.#options.objects.deletePrefix(workbookPrefix(workbookId));
    await this.#options.table.forget(workbookId);
  }
}

function unfinished(workbookId: string, cause: unknown): Failure {
  return new Failure('unavailable', {
    detail: 'The workbook is gone, but the storage of its history does not answer.',
    hint: `The purge goes on by itself; send the same DELETE /v1/workbooks/${workbookId} again to hear when it is done.`,
    headers: { 'Retry-After': '5' },
    cause,
  });
}
