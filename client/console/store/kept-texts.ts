import type { Storage } from '../../library/pending.ts';

const storeName = 'texts';

/**
 * Texts by name in IndexedDB of this browser, shared by its pages: edits that wait and those that
 * were refused. Where the browser keeps nothing, they are kept as long as the page.
 */
export class KeptTexts implements Storage {
  /** True where nothing outlives the page. */
  isPassing = false;
  /** Writes that are under way, or about to begin. */
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

  /** Resolves when all is stored, also what a queue was given and only begins to write. */
  async idle(): Promise<void> {
    this.busyCount++;
    await turn();
    this.busyCount--;
    while (this.busyCount > 0) await turn();
  }

  /** The next write of a queue begins before this one counts no more. */
  async #write<Answer>(make: (store: IDBObjectStore) => IDBRequest<Answer>): Promise<void> {
    this.busyCount++;
    await this.#ask('readwrite', make);
    void turn().then(() => this.busyCount--);
  }

  /** Returns the names that begin so. */
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
      // A full disk and a private window keep nothing: the page says so (`isPassing`).
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
