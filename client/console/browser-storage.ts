/**
 * Texts by name in a storage of the browser. A full storage, or one that the browser denies, throws
 * at every use: what it does not keep lasts as long as the page.
 */
class BrowserStorage {
  readonly #find: () => Storage;
  /** Texts that the browser did not keep. */
  readonly #passing = new Map<string, string>();

  constructor(find: () => Storage) {
    this.#find = find;
  }

  getItem(name: string): string | null {
    return this.#passing.get(name) ?? this.#ask((storage) => storage.getItem(name)) ?? null;
  }

  setItem(name: string, text: string): void {
    this.#passing.set(name, text);
    this.#ask((storage) => {
      storage.setItem(name, text);
      this.#passing.delete(name);
    });
  }

  removeItem(name: string): void {
    this.#passing.delete(name);
    this.#ask((storage) => storage.removeItem(name));
  }

  #ask<Answer>(ask: (storage: Storage) => Answer): Answer | undefined {
    try {
      return ask(this.#find());
    } catch (error) {
      if (error instanceof DOMException) return undefined;
      throw error;
    }
  }
}

/** Texts of all tabs. */
export const browserTexts = new BrowserStorage(() => localStorage);
/** Texts of this tab, which a reload keeps. */
export const tabTexts = new BrowserStorage(() => sessionStorage);
