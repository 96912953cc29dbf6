/**
 * Hands the presence of a page to the one that comes after it in this tab, so that nobody sees
 * both. The key lies in the tab only while no page has it: a tab that is copied is somebody else.
 */
export class PresenceKey {
  readonly #name: string;

  constructor(prefix: string) {
    this.#name = `${prefix}presence`;
  }

  /** Returns the key that the page before has left, once. */
  take(): string | undefined {
    const key = sessionStorage.getItem(this.#name) ?? undefined;
    sessionStorage.removeItem(this.#name);
    return key;
  }

  leave(key: string | undefined): void {
    if (key !== undefined) sessionStorage.setItem(this.#name, key);
  }
}
