import type { Storage } from '../../library/pending.ts';

const storeName = 'texts';
/** Time for the browser to open its store; some never do, and edits would wait for ever. */
const openMs = 5_000;

/**
 * Texts by name in IndexedDB, shared by all pages of this browser: waiting and rejected edits. If
 * the browser stores nothing, they last as long as the page.
 */
export class KeptTexts implements Storage {
  /** True if something is not stored beyond the page. */
  isPassing = false;
  /** Number of writes that are running or about to begin. */
  busyCount = 0;
  readonly #passing = new Map<string, string>();
  /** Names whose last write failed. */
  readonly #failed = new Set<string>();
  #opened: Promise<IDBDatabase> | undefined;

  async getItem(name: string): Promise<string | null> {
    const kept = await this.#ask<unknown>('readonly', (store) => store.get(name));
    return typeof kept?.answer === 'string' ? kept.answer : (this.#passing.get(name) ?? null);
  }

  async setItem(name: string, text: string): Promise<void> {
    this.#passing.set(name, text);
    await this.#write(name);
  }

  async removeItem(name: string): Promise<void> {
    this.#passing.delete(name);
    await this.#write(name);
  }

  /** Resolves when everything is stored, including what a queue has just been given. */
  async idle(): Promise<void> {
    this.busyCount++;
    await turn();
    this.busyCount--;
    while (this.busyCount > 0) await turn();
  }

  /** Counts a write until after the next one of its queue has begun. */
  async #write(name: string): Promise<void> {
    this.busyCount++;
    this.#failed.delete(name);
    if (!(await this.#keep(name))) this.#failed.add(name);
    else if (this.isPassing) await this.#catchUp();
    void turn().then(() => this.busyCount--);
  }

  /** Stores what earlier writes could not, since one could. */
  async #catchUp(): Promise<void> {
    for (const name of this.#failed) {
      this.#failed.delete(name);
      if (await this.#keep(name)) continue;
      this.#failed.add(name);
      return;
    }
    this.isPassing = false;
  }

  /** Returns whether the browser has stored a text, or its end. */
  async #keep(name: string): Promise<boolean> {
    const text = this.#passing.get(name);
    const asked =
      text === undefined
        ? await this.#ask('readwrite', (store) => store.delete(name))
        : await this.#ask('readwrite', (store) => store.put(text, name));
    return asked !== undefined;
  }

  /** Returns the names with a prefix. */
  async namesOf(prefix: string): Promise<readonly string[]> {
    const range = () => IDBKeyRange.bound(prefix, `${prefix}\uFFFF`);
    const names = await this.#ask('readonly', (store) => store.getAllKeys(range()));
    return (names?.answer ?? []).map(String);
  }

  async #ask<Answer>(
    mode: IDBTransactionMode,
    make: (store: IDBObjectStore) => IDBRequest<Answer>,
  ): Promise<{ readonly answer: Answer } | undefined> {
    try {
      const database = await (this.#opened ??= this.#open());
      const transaction = database.transaction(storeName, mode);
      const request = make(transaction.objectStore(storeName));
      await new Promise<void>((resolve, reject) => {
        transaction.addEventListener('complete', () => resolve());
        const fail = () => reject(transaction.error ?? new Error('the transaction was ended'));
        transaction.addEventListener('abort', fail);
      });
      return { answer: request.result };
    } catch {
      // With a full disk or a private window nothing is stored, which the page shows (`isPassing`).
      this.isPassing = true;
      return undefined;
    }
  }

  async #open(): Promise<IDBDatabase> {
    const database = await openDatabase();
    // A browser closes a store that it loses, as when somebody clears it; the next use opens another.
    database.addEventListener('close', () => (this.#opened = undefined));
    return database;
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
    setTimeout(() => reject(new Error('not opened in time')), openMs);
  });
}
