import { tabTexts } from './browser-storage.ts';

const storageKey = 'quire.key';
const tokenPath = '/console/-/token';
/** A token is renewed so long before its end. */
const renewBeforeSeconds = 300;
const tryAgainMs = 30_000;

/** The key of this page. A key that was typed or made here is kept until the tab is closed. */
export class Credential {
  #token: string | undefined;
  #renewing: Promise<boolean> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get key(): string | undefined {
    return tabTexts.getItem(storageKey) ?? this.#token;
  }

  /** True when the key is in the storage of this tab, and is not that of a signed-in person. */
  get isTyped(): boolean {
    return tabTexts.getItem(storageKey) !== null;
  }

  useKey(key: string): void {
    tabTexts.setItem(storageKey, key);
  }

  /**
   * Gets the short-lived token of the signed-in person; returns false if nobody is signed in, and
   * fails if the service cannot say.
   */
  async signIn(): Promise<boolean> {
    const response = await fetch(tokenPath, { method: 'POST' });
    if (!response.ok) throw new Error(`The service answered ${response.status}.`);
    const body = (await response.json()) as { access_token: string | null; expires_in: number };
    if (body.access_token === null) return false;
    this.#token = body.access_token;
    this.#plan(Math.max(60, body.expires_in - renewBeforeSeconds) * 1000);
    return true;
  }

  /**
   * Gets another token in the place of one that was refused; returns false if there is none. A
   * computer that slept has slept over the time at which its token was to be renewed.
   */
  renew(refused: string | undefined): Promise<boolean> {
    if (this.isTyped || this.#token === undefined) return Promise.resolve(false);
    // Another request that was refused has brought a new one already.
    if (refused !== this.#token) return Promise.resolve(true);
    this.#renewing ??= this.signIn()
      .catch(() => false)
      .finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Forgets a key of this tab; of a signed-in person the session ends, with its token. */
  async leave(): Promise<void> {
    if (this.isTyped) return tabTexts.removeItem(storageKey);
    const headers = { Authorization: `Bearer ${this.#token ?? ''}` };
    const response = await fetch(tokenPath, { method: 'DELETE', headers });
    if (!response.ok) throw new Error(`The service answered ${response.status}.`);
    this.#token = undefined;
    clearTimeout(this.#timer);
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.signIn().catch(() => this.#plan(tryAgainMs));
    }, ms);
  }
}
