import type { Environment } from '../model/environment.ts';
import { Failure } from '../model/failure.ts';
import type { HeldRight, Rights } from '../model/rights.ts';
import type { Principal } from '../model/scope.ts';
import type { Authenticator } from './authenticator.ts';

export interface RightsParts {
  readonly credentials: Pick<Authenticator, 'keyOf' | 'recheck' | 'whenEnded'>;
  readonly registry: {
    visible(id: string, principal: Principal): Promise<unknown>;
    whenChanged(listener: (id: string | undefined) => void): void;
  };
  readonly environment: Environment;
  readonly report: (step: string, error: unknown) => void;
}

interface Watch {
  readonly key: string;
  readonly workbookId: string | undefined;
  readonly ended: (failure: Failure) => void;
  /** Cancels the next look that is due. */
  cancel: () => void;
}

/** Interval of the looks without news, as for websockets. */
const lookMilliseconds = 60_000;

/** Watches the rights behind long streams, and ends a stream as soon as its right is gone. */
export class RightsWatch implements Rights {
  readonly #parts: RightsParts;
  readonly #watches = new Set<Watch>();

  constructor(parts: RightsParts) {
    this.#parts = parts;
    const { credentials, registry } = parts;
    credentials.whenEnded((key) => this.#lookSoon((one) => key === undefined || one.key === key));
    registry.whenChanged((id) =>
      this.#lookSoon(({ workbookId }) => id === undefined || workbookId === id),
    );
  }

  async check({ authorization, workbookId }: HeldRight): Promise<void> {
    await this.#standing(this.#parts.credentials.keyOf(authorization), workbookId);
  }

  watch({ authorization, workbookId }: HeldRight, ended: (failure: Failure) => void): () => void {
    const key = this.#parts.credentials.keyOf(authorization);
    const watch: Watch = { key, workbookId, ended, cancel: () => undefined };
    this.#watches.add(watch);
    // The first look finds out when the credential ends.
    this.#lookAfter(watch, 0);
    return () => this.#drop(watch);
  }

  /** Returns the time at which the credential ends, in milliseconds since the epoch. */
  async #standing(key: string, workbookId: string | undefined): Promise<number | undefined> {
    const { credentials, registry } = this.#parts;
    const { principal, expiresAt } = await credentials.recheck(key);
    if (workbookId !== undefined) await registry.visible(workbookId, principal);
    return expiresAt;
  }

  /** Looks at once. Callers drop what they have cached before they report a change. */
  #lookSoon(isMeant: (watch: Watch) => boolean): void {
    for (const watch of this.#watches) if (isMeant(watch)) this.#lookAfter(watch, 0);
  }

  #lookAfter(watch: Watch, milliseconds: number): void {
    watch.cancel();
    watch.cancel = this.#parts.environment.after(milliseconds, () => void this.#look(watch));
  }

  async #look(watch: Watch): Promise<void> {
    const cancelled = watch.cancel;
    let rest = lookMilliseconds;
    try {
      const expiresAt = await this.#standing(watch.key, watch.workbookId);
      if (expiresAt !== undefined) rest = Math.min(rest, expiresAt - this.#parts.environment.now());
    } catch (error) {
      if (error instanceof Failure && error.status < 500) {
        if (this.#drop(watch)) watch.ended(error);
        return;
      }
      this.#parts.report('look at the rights behind a stream', error);
    }
    // News during this look have already started another one.
    const isNext = this.#watches.has(watch) && watch.cancel === cancelled;
    if (isNext) this.#lookAfter(watch, Math.max(0, rest));
  }

  #drop(watch: Watch): boolean {
    watch.cancel();
    return this.#watches.delete(watch);
  }
}
