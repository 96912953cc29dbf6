import type { Operation } from './operations.ts';

/** A submission without an answer. It is sent again with the same ids, so it is applied once. */
export interface Pending {
  readonly submission: string;
  readonly baseSeq: number | undefined;
  readonly ops: readonly (Operation & { readonly id: string })[];
  readonly mode?: 'rebase' | 'strict' | 'atomic' | undefined;
  readonly group?: string | undefined;
  /** Writer of the ids, if it is another one than the session's. */
  readonly writer?: string | undefined;
}

/** Keeps unanswered submissions across restarts; `localStorage` fits. */
export interface Storage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, text: string): unknown;
  removeItem(name: string): unknown;
}

/** Unanswered submissions in their order. Each is stored before it is sent. */
export class PendingQueue {
  readonly #storage: Storage | undefined;
  readonly #name: string;
  #items: Pending[] = [];
  /** Ids of submissions that are not stored yet. */
  readonly #unstored = new Set<string>();
  /** End of the last write to the storage; each write waits for the one before it. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage | undefined, name: string) {
    this.#storage = storage;
    this.#name = name;
  }

  /** Loads the submissions that an earlier session with this storage left unanswered. */
  async load(): Promise<void> {
    const text = await this.#storage?.getItem(this.#name);
    this.#items = typeof text === 'string' ? (JSON.parse(text) as Pending[]) : [];
  }

  get items(): readonly Pending[] {
    return this.#items;
  }

  /** Submissions that are stored. */
  get stored(): readonly Pending[] {
    return this.#items.filter(({ submission }) => !this.#unstored.has(submission));
  }

  /** Adds a submission; resolves once it is stored. One that cannot be stored is not added. */
  async add(pending: Pending): Promise<void> {
    this.#items.push(pending);
    this.#unstored.add(pending.submission);
    try {
      await this.#write();
    } catch (error) {
      this.#items = this.#items.filter(({ submission }) => submission !== pending.submission);
      throw error;
    } finally {
      this.#unstored.delete(pending.submission);
    }
  }

  remove(submission: string): Promise<unknown> {
    this.#items = this.#items.filter((one) => one.submission !== submission);
    return this.#write();
  }

  /** Has all of them name addresses as of another position. */
  rebase(baseSeq: number | undefined): Promise<unknown> {
    this.#items = this.#items.map((one) => ({ ...one, baseSeq }));
    return this.#write();
  }

  #write(): Promise<unknown> {
    const storage = this.#storage;
    if (!storage) return Promise.resolve();
    const written = this.#written.then(() => {
      return this.#items.length === 0
        ? storage.removeItem(this.#name)
        : storage.setItem(this.#name, JSON.stringify(this.#items));
    });
    // A write that fails is told to its caller, and the next one is tried all the same.
    this.#written = written.then(nothing, nothing);
    return written;
  }
}

export function nothing(): undefined {
  return undefined;
}
