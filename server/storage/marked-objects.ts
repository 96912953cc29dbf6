import type { Environment } from '../model/environment.ts';
import { inTime } from '../model/deadline.ts';
import { Failure } from '../model/failure.ts';
import type { ObjectHead, Objects, PutOptions } from './objects.ts';
import { OtherStore, type StoreMark } from './store-mark.ts';

/** A start waits no longer for a store that does not answer; its first use compares then. */
const startMilliseconds = 3_000;

interface MarkedParts {
  readonly objects: Objects;
  readonly mark: Pick<StoreMark, 'settle'>;
  readonly environment: Environment;
  readonly onEvent: (message: string) => void;
}

/** An object store that does nothing before it is known to be that of the database. */
export class MarkedObjects implements Objects {
  readonly #parts: MarkedParts;
  readonly #objects: Objects;
  #mark: string | undefined;
  #settling: Promise<string> | undefined;
  #isTold = false;

  constructor(parts: MarkedParts) {
    this.#parts = parts;
    this.#objects = parts.objects;
  }

  /** The name of the store; undefined until it has answered. */
  get mark(): string | undefined {
    return this.#mark;
  }

  /** Fails with OtherStore; a store that does not answer now is compared when it is used. */
  async compare(): Promise<void> {
    const { environment, onEvent } = this.#parts;
    const settling = this.#settle().catch((error: unknown) => {
      if (error instanceof OtherStore) throw error;
      onEvent(`the object store is compared with the database later: ${String(error)}`);
    });
    await inTime(settling, { environment, milliseconds: startMilliseconds });
  }

  async put(key: string, bytes: Uint8Array, options?: PutOptions): Promise<'written' | 'exists'> {
    await this.#known();
    return this.#objects.put(key, bytes, options);
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    await this.#known();
    return this.#objects.get(key);
  }

  async getRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    await this.#known();
    return this.#objects.getRange(key, start, length);
  }

  async head(key: string): Promise<ObjectHead | undefined> {
    await this.#known();
    return this.#objects.head(key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    await this.#known();
    yield* this.#objects.list(prefix);
  }

  async delete(key: string): Promise<void> {
    await this.#known();
    return this.#objects.delete(key);
  }

  async deletePrefix(prefix: string): Promise<number> {
    await this.#known();
    return this.#objects.deletePrefix(prefix);
  }

  async check(): Promise<void> {
    await this.#objects.check();
    await this.#known();
  }

  close(): void {
    this.#objects.close();
  }

  async #known(): Promise<void> {
    if (this.#mark !== undefined) return;
    try {
      await this.#settle();
    } catch (cause) {
      if (!(cause instanceof OtherStore)) throw cause;
      if (!this.#isTold) this.#parts.onEvent(cause.message);
      this.#isTold = true;
      throw new Failure('unavailable', {
        detail: 'The object store of this service is not that of its database.',
        hint: 'An operator has to set the right one; the log of the process says which.',
        cause,
      });
    }
  }

  async #settle(): Promise<string> {
    this.#settling ??= this.#parts.mark.settle();
    try {
      return (this.#mark = await this.#settling);
    } finally {
      this.#settling = undefined;
    }
  }
}
