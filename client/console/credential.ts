const storageKey = 'quire.key';

/** The key of this page. A key that was typed or made here is kept until the tab is closed. */
export class Credential {
  #token: string | undefined;

  get key(): string | undefined {
    return sessionStorage.getItem(storageKey) ?? this.#token;
  }

  /** True when the key is in the storage of this tab, and is not that of a signed-in person. */
  get isTyped(): boolean {
    return sessionStorage.getItem(storageKey) !== null;
  }

  useKey(key: string): void {
    sessionStorage.setItem(storageKey, key);
  }

  /** Gets the short-lived token of the signed-in person; returns false if nobody is signed in. */
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
