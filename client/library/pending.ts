import type { Operation } from './operations.ts';

/** A submission without an answer yet. It is sent with the same ids, however often. */
export interface Pending {
  readonly submission: string;
  readonly baseSeq: number | undefined;
  readonly ops: readonly (Operation & { readonly id: string })[];
  readonly mode?: 'rebase' | 'strict' | 'atomic' | undefined;
  readonly group?: string | undefined;
  /** Another writer than that of the session, under whom the ids count. */
  readonly writer?: string | undefined;
}

/** Where unanswered submissions are kept over a restart; `localStorage` is one. */
export interface Storage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, text: string): unknown;
  removeItem(name: string): unknown;
}

/** Submissions in their order, each stored before it is handed on. */
export class PendingQueue {
  readonly #storage: Storage | undefined;
  readonly #name: string;
  #items: Pending[] = [];
  /** The last write of the storage; each waits for the one before it. */
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

  /** Resolves once it is stored. */
  add(pending: Pending): Promise<unknown> {
    this.#items.push(pending);
    return this.#write();
  }

  remove(submission: string): Promise<unknown> {
    this.#items = this.#items.filter((one) => one.submission !== submission);
    return this.#write();
  }

  #write(): Promise<unknown> {
    const storage = this.#storage;
    if (!storage) return Promise.resolve();
    this.#written = this.#written.then(() => {
      return this.#items.length === 0
        ? storage.removeItem(this.#name)
        : storage.setItem(this.#name, JSON.stringify(this.#items));
    });
    return this.#written;
  }
}
