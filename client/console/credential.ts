const storageKey = 'quire.key';

/** The key of this page: one that was typed in or made here stays until the tab is closed. */
export class Credential {
  #token: string | undefined;

  get key(): string | undefined {
    return sessionStorage.getItem(storageKey) ?? this.#token;
  }

  /** True where the key is in the storage of this tab, and not that of a signed-in person. */
  get isTyped(): boolean {
    return sessionStorage.getItem(storageKey) !== null;
  }

  useKey(key: string): void {
    sessionStorage.setItem(storageKey, key);
  }

  /**
   * Takes the short-lived token of the person who is signed in here; returns false where nobody is.
   */
  async signIn(): Promise<boolean> {
    const response = await fetch('/console/-/token', { method: 'POST' });
    if (!response.ok) return false;
    const body = (await response.json()) as { access_token: string | null; expires_in: number };
    if (body.access_token === null) return false;
    this.#token = body.access_token;
    const renewMs = Math.max(60, body.expires_in - 300) * 1000;
    setTimeout(() => void this.signIn(), renewMs);
    return true;
  }

  forget(): void {
    sessionStorage.removeItem(storageKey);
    this.#token = undefined;
  }
}
