import type { Storage } from '../../library/pending.ts';

const storeName = 'texts';

/**
 * Texts by name in IndexedDB, shared by all pages of this browser: waiting and rejected edits. If
 * the browser stores nothing, they last as long as the page.
 */
export class KeptTexts implements Storage {
  /** True if nothing is stored beyond the page. */
  isPassing = false;
  /** Number of writes that are running or about to begin. */
  busyCount = 0;
  readonly #passing = new Map<string, string>();
  #opened: Promise<IDBDatabase> | undefined;

  async getItem(name: string): Promise<string | null> {
    const kept = await this.#ask<unknown>('readonly', (store) => store.get(name));
    return typeof kept === 'string' ? kept : (this.#passing.get(name) ?? null);
  }

  async setItem(name: string, text: string): Promise<void> {
    this.#passing.set(name, text);
    await this.#write((store) => store.put(text, name));
  }

  async removeItem(name: string): Promise<void> {
    this.#passing.delete(name);
    await this.#write((store) => store.delete(name));
  }

  /** Resolves when everything is stored, including what a queue has just been given. */
  async idle(): Promise<void> {
    this.busyCount++;
    await turn();
    this.busyCount--;
    while (this.busyCount > 0) await turn();
  }

  /** Counts a write until after the next one of its queue has begun. */
  async #write<Answer>(make: (store: IDBObjectStore) => IDBRequest<Answer>): Promise<void> {
    this.busyCount++;
    await this.#ask('readwrite', make);
    void turn().then(() => this.busyCount--);
  }

  /** Returns the names with a prefix. */
  async namesOf(prefix: string): Promise<readonly string[]> {
    const range = IDBKeyRange.bound(prefix, `${prefix}\uFFFF`);
    const names = await this.#ask('readonly', (store) => store.getAllKeys(range));
    return (names ?? []).map(String);
  }

  async #ask<Answer>(
    mode: IDBTransactionMode,
    make: (store: IDBObjectStore) => IDBRequest<Answer>,
  ): Promise<Answer | undefined> {
    try {
      const database = await (this.#opened ??= openDatabase());
      const transaction = database.transaction(storeName, mode);
      const request = make(transaction.objectStore(storeName));
      await new Promise<void>((resolve, reject) => {
        transaction.addEventListener('complete', () => resolve());
        const fail = () => reject(transaction.error ?? new Error('the transaction was ended'));
        transaction.addEventListener('abort', fail);
      });
      return request.result;
    } catch {
      // With a full disk or a private window nothing is stored, which the page shows (`isPassing`).
      this.isPassing = true;
      return undefined;
    }
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open('quire-console', 1);
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName));
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('not opened')));
    request.addEventListener('blocked', () => reject(new Error('another version is open')));
  });
}
