import { Quire, type Workbook } from '../library/quire.ts';
import { keepProfile, readProfiles, type Profile } from './credentials.ts';
import { environment } from './environment.ts';
import { plainFetch } from './plain-fetch.ts';
import { renewedKey } from './renewal.ts';
import { exitCodes, Stop } from './stop.ts';
import type { Terminal } from './terminal.ts';

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

const defaultUrl = 'http://127.0.0.1:8080';

/** Arguments and options of a command, and the clients for its requests. */
export class Context {
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly #values: Values;

  constructor(
    given: { readonly args: readonly string[]; readonly values: Values },
    terminal: Terminal,
    signal: AbortSignal,
  ) {
    this.args = given.args;
    this.#values = given.values;
    this.terminal = terminal;
    this.signal = signal;
  }

  /** Returns a required argument; fails if it is missing. */
  argument(index: number, name: string): string {
    const value = this.args[index];
    if (value !== undefined && value !== '') return value;
    throw new Stop(exitCodes.usage, `${name} is missing.`);
  }

  option(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  options(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** Returns whether an option is given, whatever its value. */
  says(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  get profileName(): string {
    return this.option('profile') ?? environment.profile ?? 'default';
  }

  get profile(): Profile | undefined {
    return readProfiles()[this.profileName];
  }

  get url(): string {
    return this.option('url') ?? environment.url ?? this.profile?.url ?? defaultUrl;
  }

  /** The key, which is only sent to the service that it belongs to. */
  get key(): string | undefined {
    if (environment.key !== undefined) return environment.key;
    const { profile } = this;
    return profile?.url === this.url ? profile.key : undefined;
  }

  keep(more: Partial<Profile>): void {
    const { grant: _, ...profile } = this.profile ?? {};
    keepProfile(this.profileName, { ...profile, url: this.url, ...more });
  }

  /** Replaces the stored profile. */
  keepOnly(profile: Omit<Profile, 'url'>): void {
    keepProfile(this.profileName, { url: this.url, ...profile });
  }

  /** Returns the key for a request; an OAuth key is renewed before it ends. */
  async freshKey(): Promise<string> {
    const key = this.#neededKey();
    const isRenewed = environment.key === undefined && this.profile?.grant !== undefined;
    return isRenewed ? ((await renewedKey(this.profileName, this.signal)) ?? key) : key;
  }

  #neededKey(): string {
    const { url, key } = this;
    if (key !== undefined) return key;
    const advice = 'Sign in with `quire login --anonymous`, or set QUIRE_KEY.';
    throw new Stop(exitCodes.notAllowed, `You are not signed in at ${url}. ${advice}`);
  }

  quire(): Quire {
    return this.#service(this.#neededKey(), async (input, init) => {
      const authorization = `Bearer ${await this.freshKey()}`;
      const headers = { ...(init?.headers as Record<string, string>), authorization };
      return plainFetch(input, { ...init, headers });
    });
  }

  /** Returns a client without a credential. */
  stranger(key?: string): Quire {
    return this.#service(key);
  }

  #service(key: string | undefined, given = plainFetch): Quire {
    if (!URL.canParse(this.url) || !this.url.startsWith('http')) {
      throw new Stop(
        exitCodes.usage,
        `${this.url} is no address. It begins with http:// or https://`,
      );
    }
    const retries = this.has('no-retry') ? 0 : 3;
    return new Quire({ url: this.url, key, retries, fetch: given });
  }

  /**
   * Opens the workbook that an argument names: `wb_…` or `owner/name`, with a reference behind `@`.
   */
  async place(index = 0): Promise<{ book: Workbook; ref: string }> {
    const text = this.argument(index, 'The workbook (wb_… or owner/name)');
    const at = text.indexOf('@');
    const address = at < 0 ? text : text.slice(0, at);
    const given = at < 0 ? undefined : text.slice(at + 1);
    const ref = given ?? this.option('branch') ?? 'main';
    if (!/^wb_\w+$/.test(address) && !/^[^/]+\/[^/]+$/.test(address)) {
      throw new Stop(exitCodes.usage, `${address} is no workbook: write wb_… or owner/name.`);
    }
    const book = await this.quire().find(address, { signal: this.signal });
    return { book: book.on(branchOf(ref)), ref };
  }

  /** Opens the workbook of an argument for writing, which needs the head of a branch. */
  async head(index = 0): Promise<Workbook> {
    const { book, ref } = await this.place(index);
    if (branchOf(ref) === ref && !/^(commit|merge):/.test(ref)) return book;
    throw new Stop(
      exitCodes.usage,
      `${ref} is a position; only the head of a branch is written to.`,
    );
  }
}

function branchOf(ref: string): string {
  const at = ref.lastIndexOf('@');
  return at > 0 && /^\d+$/.test(ref.slice(at + 1)) ? ref.slice(0, at) : ref;
}
